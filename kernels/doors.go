package kernels

import (
	"fmt"
	"math"
	"unsafe"
)

// The checks at the door of every exported function. All take the same time whatever
// the lengths are, but for the samples of a run of steps.

func checkLen(fn, arg string, got, want int) {
	if got != want {
		panicf("%s: len(%s) is %d, want %d", fn, arg, got, want)
	}
}

// checkRows checks the number of rows and the ends of their pointers.
func checkRows(fn, arg string, n int, a *Rows) {
	if n != a.Len() {
		panicf("%s: len(%s) is %d, want the number of rows, %d", fn, arg, n, a.Len())
	}
	if n == 0 {
		return
	}
	lo, hi := a.Ptr[0], a.Ptr[n]
	columns, values := a.stored()
	if lo < 0 || lo > hi || hi > int64(columns) || hi > int64(values) {
		panicf("%s: row pointers run from %d to %d, but there are %d indices and %d values", fn, lo, hi, columns, values)
	}
	if lo < hi && a.Cols <= 0 {
		panicf("%s: Cols is %d with %d nonzeros", fn, a.Cols, hi-lo)
	}
}

// checkColumns checks the length of a vector which the columns are positions of.
func checkColumns(fn, arg string, n int, a *Rows) {
	if n < a.Cols {
		panicf("%s: len(%s) is %d, want at least Cols, %d", fn, arg, n, a.Cols)
	}
}

// checkApart checks that a vector that is written overlaps another nowhere. Calls on
// vectors alone are too short for it: at 100 elements it would take a tenth of them.
func checkApart(fn, name string, x []float64, other string, y []float64) {
	if overlap(x, y) {
		panicf("%s: %s and %s overlap", fn, name, other)
	}
}

// holds reports whether n numbers hold rows of some columns, each stride after the one
// before, whatever overflows.
func holds(n, rows, stride, columns int) bool {
	return n >= columns && (rows == 1 || stride <= (n-columns)/(rows-1))
}

func overlap(x, y []float64) bool {
	past := uintptr(unsafe.Pointer(unsafe.SliceData(y))) - uintptr(unsafe.Pointer(unsafe.SliceData(x)))
	return past < 8*uintptr(len(x)) && len(y) > 0 || -past < 8*uintptr(len(y)) && len(x) > 0
}

func panicf(format string, args ...any) { panic("kernels: " + fmt.Sprintf(format, args...)) }

// Check returns an error unless the rows are what kernels trust them to be: pointers that
// never decrease and stay within the indices and values there are, and columns from 0 to
// Cols-1. It passes over all of them, and is for rows from elsewhere; matrices of package
// sparse are valid. Hessian and the loops over distinct columns ask for more, which Check
// does not see to: columns that increase along every row.
func (a *Rows) Check() error {
	columns, values := a.stored()
	for r := range a.Len() {
		lo, hi := a.Ptr[r], a.Ptr[r+1]
		if lo < 0 || lo > hi || hi > int64(columns) || hi > int64(values) {
			return fmt.Errorf("kernels: row %d has nonzeros %d to %d of %d indices and %d values", r, lo, hi, columns, values)
		}
		for k := lo; k < hi; k++ {
			if j := a.column(k); j < 0 || j >= a.Cols {
				return fmt.Errorf("kernels: row %d, nonzero %d: column %d of %d", r, k-lo, j, a.Cols)
			}
		}
	}
	return nil
}

// stored returns how many column indices and values there are.
func (a *Rows) stored() (columns, values int) {
	columns, values = len(a.Idx), len(a.Val)
	if a.Idx == nil {
		columns = len(a.Idx16)
	}
	if a.Val == nil {
		values = len(a.Val32)
		if a.Val32 == nil {
			values = math.MaxInt
		}
	}
	return columns, values
}
