package kernels

import (
	"fmt"
	"unsafe"
)

// The check functions have a parameter fn, the name of the exported function for the text of a panic.

func checkLen(fn, arg string, got, want int) {
	if got != want {
		panicf("%s: len(%s) is %d, want %d", fn, arg, got, want)
	}
}

func checkRows(fn, arg string, n int, a *Rows) {
	if n != a.Len() {
		panicf("%s: len(%s) is %d, want the number of rows, %d", fn, arg, n, a.Len())
	}
	if n == 0 {
		return
	}
	lo, hi := a.Ptr[0], a.Ptr[n]
	columns, values := a.storedNumbers()
	if lo < 0 || lo > hi || hi > int64(columns) || hi > int64(values) {
		panicf("%s: row pointers run from %d to %d, but there are %d indices and %d values",
			fn, lo, hi, columns, values)
	}
	if lo < hi && a.Cols <= 0 {
		panicf("%s: Cols is %d with %d nonzeros", fn, a.Cols, hi-lo)
	}
}

func checkColumns(fn, arg string, n int, a *Rows) {
	if n < a.Cols {
		panicf("%s: len(%s) is %d, want at least Cols, %d", fn, arg, n, a.Cols)
	}
}

// checkApart checks that x, which is written, does not overlap y.
func checkApart(fn, xName string, x []float64, yName string, y []float64) {
	if overlap(x, y) {
		panicf("%s: %s and %s overlap", fn, xName, yName)
	}
}

// matrixFits reports whether n numbers are enough for a matrix with the given number of rows and
// columns, whose rows begin stride numbers apart. rows must be positive. The result is correct even if
// rows*stride overflows.
func matrixFits(n, rows, stride, columns int) bool {
	return n >= columns && (rows == 1 || stride <= (n-columns)/(rows-1))
}

func overlap(x, y []float64) bool {
	distance := uintptr(unsafe.Pointer(unsafe.SliceData(y))) - uintptr(unsafe.Pointer(unsafe.SliceData(x)))
	return distance < 8*uintptr(len(x)) && len(y) > 0 || -distance < 8*uintptr(len(y)) && len(x) > 0
}

func panicf(format string, args ...any) { panic("kernels: " + fmt.Sprintf(format, args...)) }
