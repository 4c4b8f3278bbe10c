package stream

import (
	"github.com/scas-admm/scas/kernels"
	"github.com/scas-admm/scas/solver/internal/gap"
)

// A rootTally adds up N'X'CΦXN over the samples, where X N are the columns that only a change of
// α closes (package gap).
type rootTally struct {
	row   *gap.RootRow
	count int
	ones  bool      // a row ends with a 1
	phi   []float64 // cᵢΦᵢ of a block
	idx   []int32   // of a row
	val   []float64
}

func (s *run) newRootTally() *rootTally {
	return &rootTally{row: s.bounds.NewRootRow(), count: s.bounds.Roots(), ones: s.extra.ones, phi: make([]float64, s.block)}
}

// add adds rows, of which phi is given, to the upper triangle h.
func (f *rootTally) add(h []float64, rows kernels.Rows, phi []float64) {
	for i, c := range phi {
		lo, hi := rows.Ptr[i], rows.Ptr[i+1]
		f.idx, f.val = append(f.idx[:0], rows.Idx[lo:hi]...), append(f.val[:0], rows.Val[lo:hi]...)
		if f.ones {
			f.idx, f.val = append(f.idx, int32(rows.Cols)), append(f.val, 1)
		}
		roots := f.row.Take(f.idx, f.val)
		for a, k := range roots {
			u, out := float64(c*f.row.Entry(k)), h[int(k)*f.count:]
			for _, m := range roots[a:] {
				out[m] += float64(u * f.row.Entry(m))
			}
		}
	}
}
