package sparse

import (
	"math"

	"github.com/scas-admm/scas/kernels"
)

// CompactOptions says how far Compact may go. A nil *CompactOptions is the zero
// value: only forms that lose nothing.
type CompactOptions struct {
	// Round stores values as float32 even where that rounds them, with a
	// relative error of at most 6e-8 for normal numbers. Values beyond the range
	// of float32 keep the matrix in float64.
	Round bool
}

// maxShortCols is the number of columns that 16-bit indices reach.
const maxShortCols = math.MaxUint16 + 1

// Compact returns all rows as the kernels take them, in the fewest bytes per
// entry that keep every number: no values where all of them are 1, float32 where
// every value is one, and 16-bit columns where the matrix has at most 65,536.
// Kernels give the same bits on every form, so only time and memory change: 2
// bytes an entry at best, 12 in the plain form. What cannot be made smaller is a
// view of the matrix and must not be written to; the rest is copied.
func (a *CSR) Compact(opt *CompactOptions) kernels.Rows {
	if opt == nil {
		opt = &CompactOptions{}
	}
	rows := a.Rows(0, a.rows)
	nnz := a.NNZ()
	if nnz == 0 {
		return rows
	}
	if a.cols <= maxShortCols {
		rows.Idx, rows.Idx16 = nil, make([]uint16, nnz)
		for k, j := range a.idx[:nnz] {
			rows.Idx16[k] = uint16(j)
		}
	}
	switch val := a.val[:nnz]; {
	case allOnes(val):
		rows.Val = nil
	case narrows(val, opt.Round):
		rows.Val, rows.Val32 = nil, make([]float32, nnz)
		for k, v := range val {
			rows.Val32[k] = float32(v)
		}
	}
	return rows
}

// CompactBytes returns the bytes that Compact copies without Round.
func (a *CSR) CompactBytes() int64 {
	nnz, val := a.NNZ(), a.val[:a.NNZ()]
	var entry int64
	if a.cols <= maxShortCols {
		entry += 2
	}
	if !allOnes(val) && narrows(val, false) {
		entry += 4
	}
	return entry * nnz
}

func allOnes(val []float64) bool {
	for _, v := range val {
		if v != 1 {
			return false
		}
	}
	return true
}

// narrows reports whether float32 can hold the values: exactly or, with round,
// within its range.
func narrows(val []float64, round bool) bool {
	for _, v := range val {
		f := float64(float32(v))
		if round && !math.IsInf(f, 0) {
			continue
		}
		if math.Float64bits(f) != math.Float64bits(v) {
			return false
		}
	}
	return true
}
