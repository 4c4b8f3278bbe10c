package sparse

import (
	"fmt"
	"io"
	"math"
	"strconv"

	"github.com/scas-admm/scas/sparse/internal/npy"
	"github.com/scas-admm/scas/sparse/internal/text"
)

func readNPY(in io.Reader, name string, opt *ReadOptions) (*Dataset, error) {
	a := arrayReader{name: name, what: "the array", opt: opt}
	x, err := a.dense(in)
	if err != nil {
		return nil, err
	}
	return newData(name, x, nil, opt, ReadStats{IndexBase: ZeroBased})
}

// An arrayReader reads an array of a file.
type arrayReader struct {
	name string
	what string // name of the array in errors
	opt  *ReadOptions
}

// arrayBlock is the number of elements that are read at a time.
const arrayBlock = 1 << 13

func (a *arrayReader) errorf(format string, args ...any) error {
	return &ParseError{File: a.name, Msg: a.what + ": " + fmt.Sprintf(format, args...)}
}

// describe turns an error of package npy into a *ParseError. It returns nil for nil. The function place
// describes the element number at, counted from 0.
func (a *arrayReader) describe(err error, place func(at int64) string) error {
	if err == nil {
		return nil
	}
	switch e := err.(type) {
	case *ParseError:
		return e
	case *npy.ElementError:
		return &ParseError{File: a.name, Token: e.Token, Msg: fmt.Sprintf("%s, %s: %s", a.what, place(e.Index), e.Msg)}
	}
	return &ParseError{File: a.name, Msg: a.what + ": " + err.Error(), Err: err}
}

// element describes element number at of an array of one dimension.
func element(at int64) string { return "element " + strconv.FormatInt(at, 10) + " (counted from 0)" }

func notFinite(at int64, v float64) error {
	return &npy.ElementError{Index: at, Token: formatFloat(v), Msg: "not finite: expected numbers; numpy.nan_to_num(x) replaces those that are none"}
}

func (a *arrayReader) dense(r io.Reader) (*CSR, error) {
	in, err := npy.Open(r)
	if err != nil {
		return nil, a.describe(err, element)
	}
	if len(in.Shape) != 2 || !in.Numeric() {
		return nil, a.errorf("%d dimensions of type %c: expected a table of numbers, a row for every sample (x.reshape(-1, 1) makes a column)", len(in.Shape), in.Kind)
	}
	n, p := in.Shape[0], in.Shape[1]
	switch limit := a.opt.Features; {
	case p > math.MaxInt32 || n > math.MaxInt32:
		return nil, a.errorf("shape (%d, %d): expected at most %d rows and columns", n, p, math.MaxInt32)
	case p == 0 && n > 0:
		return nil, a.errorf("shape (%d, 0): expected at least one column", n)
	case limit > 0 && p != limit:
		return nil, a.errorf("%d columns: expected the stated %d features", p, limit)
	}
	place := func(at int64) string {
		i, j := at/int64(p), at%int64(p)
		if in.Fortran {
			i, j = at%int64(n), at/int64(n)
		}
		return fmt.Sprintf("row %d, column %d (counted from 0)", i, j)
	}
	var x *CSR
	if in.Fortran {
		x, err = a.columnByColumn(in, n, p)
	} else {
		x, err = a.rowByRow(in, n, p, 1)
	}
	return x, a.describe(err, place)
}

// eachArrayBlock calls do for all elements of an array, at most arrayBlock elements at a time. read is the
// method Floats or Ints of the array. at is the number of the first element in v, from 0.
func eachArrayBlock[T any](in *npy.Array, read func(dst []T) (int, error), do func(at int64, v []T) error) error {
	block, at := make([]T, min(arrayBlock, max(1, in.Len))), int64(0)
	for {
		n, err := read(block)
		if err == io.EOF {
			return nil
		}
		if err == nil {
			err = do(at, block[:n])
		}
		if err != nil {
			return err
		}
		at += int64(n)
	}
}

// rowByRow reads a matrix in C order, which means row after row. It returns an error if the given number of
// copies of the matrix does not fit in memory.
func (a *arrayReader) rowByRow(in *npy.Array, n, p int, copies int64) (*CSR, error) {
	m := rows{ptr: make([]int64, 1, 1024)}
	j := 0
	err := eachArrayBlock(in, in.Floats, func(at int64, v []float64) error {
		m.reserve(len(v))
		for k, x := range v {
			if storable(x) {
				if math.IsNaN(x) || math.IsInf(x, 0) {
					return notFinite(at+int64(k), x)
				}
				m.idx, m.val = append(m.idx, int32(j)), append(m.val, x)
			}
			if j++; j == p {
				m.end()
				j = 0
			}
		}
		return a.opt.allow(a.name, copies*m.bytes(), "the first %d of %d rows", len(m.ptr)-1, n)
	})
	m.join()
	return m.matrix(p), err
}

// columnByColumn reads a matrix in Fortran order, which means column after column. It reads the transpose
// row after row, and transposes it, so two copies must fit in memory.
func (a *arrayReader) columnByColumn(in *npy.Array, n, p int) (*CSR, error) {
	t, err := a.rowByRow(in, p, n, 2)
	if err != nil {
		return nil, err
	}
	return t.Transpose(), nil
}

// vector reads a numeric array with a single row or column.
func (a *arrayReader) vector(in *npy.Array) ([]float64, error) {
	if !in.Numeric() {
		return nil, a.errorf("words: expected numbers")
	}
	if err := a.checkFlat(in); err != nil {
		return nil, err
	}
	var v []float64
	err := eachArrayBlock(in, in.Floats, func(_ int64, block []float64) error {
		v = append(v, block...)
		return a.opt.allow(a.name, 2*8*int64(len(v)), "%d numbers", len(v))
	})
	return v, a.describe(err, element)
}

// checkFlat returns an error if the elements do not form a single row or column.
func (a *arrayReader) checkFlat(in *npy.Array) error {
	longest := 0
	for _, n := range in.Shape {
		longest = max(longest, n)
	}
	if len(in.Shape) == 0 || len(in.Shape) > 2 || int64(longest) != in.Len && in.Len > 0 {
		return a.errorf("shape %v: expected one dimension", in.Shape)
	}
	return nil
}

// labels reads an array of finite labels.
func (a *arrayReader) labels(in *npy.Array) ([]float64, error) {
	y, err := a.vector(in)
	for i, v := range y {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return nil, a.describe(notFinite(int64(i), v), element)
		}
	}
	return y, err
}

func readNPYLabels(r io.Reader, name string, opt *ReadOptions) ([]float64, error) {
	in, err := decompress(r, name)
	if err != nil {
		return nil, err
	}
	defer in.close()
	a := arrayReader{name: name, what: "the labels", opt: opt}
	array, err := npy.Open(in)
	if err != nil {
		return nil, a.describe(err, element)
	}
	return a.labels(array)
}

// writeNPY writes a dense array of float64 in C order.
func writeNPY(w io.Writer, d *Dataset) error {
	x := d.X
	return text.WriteAll(w, "sparse", "writing an array", func(w io.Writer) error {
		out, err := npy.NewWriter(w, "f8", x.rows, x.cols)
		if err != nil {
			return err
		}
		row := make([]float64, x.cols)
		for i := range x.rows {
			idx, val := x.Row(i)
			for k, j := range idx {
				row[j] = val[k]
			}
			if err := out.Floats(row); err != nil {
				return err
			}
			for _, j := range idx {
				row[j] = 0
			}
		}
		return nil
	})
}
