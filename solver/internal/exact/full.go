package exact

import (
	"github.com/scas-admm/scas/kernels"
	"github.com/scas-admm/scas/sparse"
	"github.com/scas-admm/scas/sparse/pages"
)

// isFull reports whether every row of a stores all columns.
func isFull(a kernels.Rows) bool { return a.Ptr[a.Len()]-a.Ptr[0] == int64(a.Len())*int64(a.Cols) }

// fullRows returns n rows that store all columns. All values are 1, that is, Val and Val32 are nil.
func fullRows(n, cols int) kernels.Rows {
	a := kernels.Rows{Ptr: make([]int64, n+1), Cols: cols}
	for i := range a.Ptr {
		a.Ptr[i] = int64(i * cols)
	}
	if cols <= 1<<16 {
		a.Idx16 = pages.Make[uint16](n * cols)
		numberColumns(a.Idx16, cols)
	} else {
		a.Idx = pages.Make[int32](n * cols)
		numberColumns(a.Idx, cols)
	}
	return a
}

// numberColumns sets idx to the numbers 0 to cols − 1, again for each row.
func numberColumns[I int32 | uint16](idx []I, cols int) {
	for ; len(idx) > 0; idx = idx[cols:] {
		for j := range cols {
			idx[j] = I(j)
		}
	}
}

// withZeros returns the rows of x with all zeros stored. Values are stored as float32 if short is true; float32
// must then hold them exactly.
func withZeros(x *sparse.CSR, short bool) kernels.Rows {
	n, p := x.Dims()
	rows := fullRows(n, p)
	if short {
		rows.Val32 = pages.Make[float32](n * p)
	} else {
		rows.Val = pages.Make[float64](n * p)
	}
	for i := range n {
		first := i * p
		idx, val := x.Row(i)
		for k, j := range idx {
			if short {
				rows.Val32[first+int(j)] = float32(val[k])
			} else {
				rows.Val[first+int(j)] = val[k]
			}
		}
	}
	return rows
}

// transposeFull returns the transpose of src. Every row of src must store all columns.
func transposeFull(src kernels.Rows) kernels.Rows {
	dst := fullRows(src.Cols, src.Len())
	dst.Val, dst.Val32 = transposed(src.Val, src.Cols), transposed(src.Val32, src.Cols)
	return dst
}

// transposed returns the transpose of a matrix that is stored row by row. It copies a strip of rows at a time,
// because this writes whole cache lines. If src is nil, the result is nil.
func transposed[E float32 | float64](src []E, cols int) []E {
	if src == nil {
		return nil
	}
	const stripRows = 16
	n, dst := len(src)/cols, pages.Make[E](len(src))
	for lo := 0; lo < n; lo += stripRows {
		hi := min(lo+stripRows, n)
		for j := range cols {
			column := dst[j*n+lo : j*n+hi]
			for k := range column {
				column[k] = src[(lo+k)*cols+j]
			}
		}
	}
	return dst
}
