package kernels

import "sort"

// Rows holds consecutive rows of a compressed sparse row matrix. Row r holds the nonzeros Ptr[r] <=
// k < Ptr[r+1], in columns Idx[k] with values Val[k]. Ptr has one entry more than there are rows,
// and never decreases. Its entries count from the start of Idx and Val, so a view of some rows of a
// matrix has a sub-slice of Ptr, and the same Idx and Val.
//
// The nonzeros may be stored in fewer bytes: if Idx is nil, the columns are in Idx16; if
// Val is nil, the values are in Val32; if Val32 is nil too, every value is 1. Arithmetic
// is float64 in every form, so a form that holds the numbers exactly gives the same bits.
//
// Every column is below Cols, and dense vectors that belong to the columns have at least
// Cols entries. Kernels check the first and the last row pointer, but no other row pointer and no column.
// Package sparse checks them all.
type Rows struct {
	Ptr   []int64
	Idx   []int32
	Val   []float64
	Idx16 []uint16
	Val32 []float32
	Cols  int // number of columns
}

// Len returns the number of rows, 0 for the zero Rows.
func (a Rows) Len() int { return max(len(a.Ptr)-1, 0) }

// Row returns row i as a matrix that has only this row.
func (a Rows) Row(i int) Rows { return a.Slice(i, i+1) }

// Slice returns rows lo to hi-1.
func (a Rows) Slice(lo, hi int) Rows {
	a.Ptr = a.Ptr[lo : hi+1]
	return a
}

// maxWork limits the work of one assembly call, for example the number of nonzeros plus the number of rows.
// A longer call would delay a garbage collection, because assembly cannot be pre-empted.
const maxWork = 1 << 16

// Margins sets dst[r] to the inner product of row r with w, summed in the 8
// lanes of the numeric contract:
//
//	lane[k%8] = FMA(val[k], w[idx[k]], lane[k%8])   for each nonzero k of row r
//	dst[r] = ((l0+l4)+(l2+l6)) + ((l1+l5)+(l3+l7))
//
// An empty row gives +0. len(dst) must be the number of rows, len(w) at least the number of
// columns. dst must not overlap w or a.
func Margins(dst []float64, a Rows, w []float64) {
	checkRows("Margins", "dst", len(dst), &a)
	checkColumns("Margins", "w", len(w), &a)
	checkApart("Margins", "dst", dst, "w", w)
	checkApart("Margins", "dst", dst, "Val", a.Val)
	raceReadRows(a)
	raceRead(w)
	raceWrite(dst)
	ptr := a.Ptr
	for len(dst) > 0 {
		n := blockRows(ptr)
		if n == 0 { // a row longer than maxWork is left to Go code, which can be pre-empted
			n = 1
			a.Ptr = ptr[:2]
			generic.rows[a.form()].margins(dst[:1], noescape(&a), w)
		} else {
			a.Ptr = ptr[:n+1]
			marginsBlock(dst[:n], &a, w)
		}
		dst, ptr = dst[n:], ptr[n:]
	}
}

// Gradient adds slope[r] times row r to z for every row, rows in order and
// nonzeros in index order:
//
//	z[idx[k]] = FMA(slope[r], val[k], z[idx[k]])
//
// len(slope) must be the number of rows, len(z) at least the number of columns. z must not overlap
// slope or a.
func Gradient(z []float64, a Rows, slope []float64) {
	checkRows("Gradient", "slope", len(slope), &a)
	checkColumns("Gradient", "z", len(z), &a)
	checkApart("Gradient", "z", z, "slope", slope)
	checkApart("Gradient", "z", z, "Val", a.Val)
	raceReadRows(a)
	raceRead(slope)
	raceWrite(z)
	ptr := a.Ptr
	for len(slope) > 0 {
		n := blockRows(ptr)
		if n == 0 {
			scatterLongRow(z, a, ptr[0], ptr[1], slope[:1])
			n = 1
		} else {
			a.Ptr = ptr[:n+1]
			scatterBlock(z, &a, slope[:n])
		}
		slope, ptr = slope[n:], ptr[n:]
	}
}

// blockRows returns the largest k for which the first k rows have at most maxWork-k nonzeros.
func blockRows(ptr []int64) int {
	rows, first := len(ptr)-1, ptr[0]
	if ptr[rows]-first+int64(rows) <= maxWork {
		return rows
	}
	return sort.Search(rows, func(r int) bool { return ptr[r+1]-first+int64(r+1) > maxWork })
}

// scatterLongRow adds slope[0] times one row to z. The row has the nonzeros lo to hi-1, too many for one
// assembly call.
func scatterLongRow(z []float64, a Rows, lo, hi int64, slope []float64) {
	var ends [2]int64
	a.Ptr = ends[:]
	for ; lo < hi; lo = ends[1] {
		ends = [2]int64{lo, min(lo+maxWork-1, hi)} // −1, because the row itself is one unit of work
		scatterBlock(z, &a, slope)
	}
}
