package sparse

import (
	"bufio"
	"fmt"
	"io"
	"math"

	"github.com/scas-admm/scas/sparse/internal/npy"
	"github.com/scas-admm/scas/sparse/internal/scasfile"
	"github.com/scas-admm/scas/sparse/internal/text"
)

func readNPY(input *decompressor, opt *ReadOptions) (*Dataset, error) {
	a := arrayReader{name: input.name, arrayName: "the array", opt: opt}
	x, err := a.readDense(input)
	if err != nil {
		return nil, err
	}
	return newData(input.name, x, nil, nil, opt, ReadStats{IndexBase: ZeroBased})
}

// An arrayReader reads an array of a file.
type arrayReader struct {
	name      string
	arrayName string // name of the array in errors
	opt       *ReadOptions
	matrix    *npy.Array // the array, if it is read as a matrix; nil for a single row or column
}

// arrayBlock is the number of elements that are read at a time.
const arrayBlock = 1 << 13

func (a *arrayReader) errorf(format string, args ...any) error {
	return fileErrorf(a.name, "%s: %s", a.arrayName, fmt.Sprintf(format, args...))
}

// describe turns an error of package npy into a *ParseError. It returns nil for nil.
func (a *arrayReader) describe(err error) error {
	if err == nil {
		return nil
	}
	switch e := err.(type) {
	case *ParseError:
		return e
	case *npy.ElementError:
		return &ParseError{
			File: a.name, Token: e.Token, Number: true,
			Msg: fmt.Sprintf("%s, %s: %s", a.arrayName, a.place(e.Index), e.Msg),
		}
	}
	return fileErrorf(a.name, "%s: %w", a.arrayName, err)
}

// place describes the place of the element with the given index, counted from 0.
func (a *arrayReader) place(index int64) string {
	if a.matrix == nil {
		return fmt.Sprintf("element %d (counted from 0)", index)
	}
	n, p := int64(a.matrix.Shape[0]), int64(a.matrix.Shape[1])
	i, j := index/p, index%p
	if a.matrix.Fortran {
		i, j = index%n, index/n
	}
	return fmt.Sprintf("row %d, column %d (counted from 0)", i, j)
}

func notFiniteError(index int64, v float64) error {
	return &npy.ElementError{
		Index: index, Token: formatFloat(v),
		Msg: "not finite: expected numbers; numpy.nan_to_num(x) replaces those that are none",
	}
}

func (a *arrayReader) readDense(r io.Reader) (*CSR, error) {
	array, err := npy.Open(r)
	if err != nil {
		return nil, a.describe(err)
	}
	if len(array.Shape) != 2 || !array.Numeric() {
		return nil, a.errorf("%d dimensions of type %c: expected a table of numbers, a row for every sample (x.reshape(-1, 1) makes a column)", len(array.Shape), array.Kind)
	}
	n, p := array.Shape[0], array.Shape[1]
	switch features := a.opt.Features; {
	case p > math.MaxInt32 || n > math.MaxInt32:
		return nil, a.errorf("shape (%d, %d): expected at most %d rows and columns", n, p, math.MaxInt32)
	case p == 0 && n > 0:
		return nil, a.errorf("shape (%d, 0): expected at least one column", n)
	case features > 0 && p != features:
		return nil, a.errorf("%d columns: expected the stated %d features", p, features)
	}
	a.matrix = array
	var x *CSR
	if array.Fortran {
		x, err = a.readColumnByColumn(array, n, p)
	} else {
		x, err = a.readRowByRow(array, n, p, 1)
	}
	return x, a.describe(err)
}

// eachArrayBlock calls do for all elements of an array, at most arrayBlock elements at a time. read is the
// method ReadFloats or ReadInts of the array. start is the index of v[0] in the array, from 0.
func eachArrayBlock[T any](
	array *npy.Array, read func(dst []T) (int, error), do func(start int64, v []T) error,
) error {
	block, start := make([]T, min(arrayBlock, max(1, array.Len))), int64(0)
	for {
		n, err := read(block)
		if err == io.EOF {
			return nil
		}
		if err == nil {
			err = do(start, block[:n])
		}
		if err != nil {
			return err
		}
		start += int64(n)
	}
}

// readRowByRow reads a matrix in C order, which means row after row. It returns an error if the given
// number of copies of the matrix does not fit in memory.
func (a *arrayReader) readRowByRow(array *npy.Array, n, p int, copies int64) (*CSR, error) {
	m := rows{ptr: make([]int64, 1, 1024)}
	j := 0
	err := eachArrayBlock(array, array.ReadFloats, func(start int64, v []float64) error {
		m.reserve(len(v))
		for k, x := range v {
			if storable(x) {
				if math.IsNaN(x) || math.IsInf(x, 0) {
					return notFiniteError(start+int64(k), x)
				}
				m.idx, m.val = append(m.idx, int32(j)), append(m.val, x)
			}
			j++
			if j == p {
				m.endRow()
				j = 0
			}
		}
		return a.opt.checkMemory(a.name, copies*m.peakBytes(), "the first %d of %d rows", len(m.ptr)-1, n)
	})
	m.joinEntries()
	return m.matrix(p), err
}

// readColumnByColumn reads a matrix in Fortran order, which means column after column. It reads the transpose
// row after row, and transposes it, so two copies must fit in memory.
func (a *arrayReader) readColumnByColumn(array *npy.Array, n, p int) (*CSR, error) {
	t, err := a.readRowByRow(array, p, n, 2)
	if err != nil {
		return nil, err
	}
	return t.Transpose(), nil
}

// readFinite reads a numeric array with a single row or column. A number that is not finite is an error.
func (a *arrayReader) readFinite(array *npy.Array) ([]float64, error) {
	if !array.Numeric() {
		return nil, a.errorf("words: expected numbers")
	}
	numbers, err := readFlat(a, array, array.ReadFloats, func(v float64) float64 { return v })
	for i, v := range numbers {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return nil, a.describe(notFiniteError(int64(i), v))
		}
	}
	return numbers, err
}

// readFlat reads an array with a single row or column. read is the method ReadFloats or ReadInts of the
// array. The result has convert(v) for each number v.
func readFlat[T, V any](
	a *arrayReader, array *npy.Array, read func(dst []T) (int, error), convert func(T) V,
) (numbers []V, err error) {
	if err := a.checkFlat(array); err != nil {
		return nil, err
	}
	err = eachArrayBlock(array, read, func(_ int64, block []T) error {
		for _, v := range block {
			numbers = append(numbers, convert(v))
		}
		return a.opt.checkMemory(a.name, 2*8*int64(len(numbers)), "%d numbers", len(numbers))
	})
	return numbers, a.describe(err)
}

// checkFlat returns an error if the elements do not form a single row or column.
func (a *arrayReader) checkFlat(array *npy.Array) error {
	longest := 0
	for _, n := range array.Shape {
		longest = max(longest, n)
	}
	if len(array.Shape) == 0 || len(array.Shape) > 2 || int64(longest) != array.Len && array.Len > 0 {
		return a.errorf("shape %v: expected one dimension", array.Shape)
	}
	return nil
}

func readNPYLabels(input *decompressor, opt *ReadOptions) ([]float64, error) {
	a := arrayReader{name: input.name, arrayName: "the labels", opt: opt}
	array, err := npy.Open(input)
	if err != nil {
		return nil, a.describe(err)
	}
	return a.readFinite(array)
}

// writeNPY writes a dense array of float64 in C order.
func writeNPY(w io.Writer, d *Dataset) error {
	x := d.X
	return text.Write(w, "sparse", "writing an array", func(w *bufio.Writer) error {
		if err := npy.WriteHeader(w, "<f8", x.rows, x.cols); err != nil {
			return err
		}
		row := make([]float64, x.cols)
		for i := range x.rows {
			idx, val := x.Row(i)
			for k, j := range idx {
				row[j] = val[k]
			}
			if err := scasfile.WriteNumbers(w, row); err != nil {
				return err
			}
			for _, j := range idx {
				row[j] = 0
			}
		}
		return nil
	})
}

// writeNumbers writes v as an array of one dimension. descr is NumPy's name of the type of the numbers.
func writeNumbers[T scasfile.Number](w io.Writer, descr string, v []T) error {
	if err := npy.WriteHeader(w, descr, len(v)); err != nil {
		return err
	}
	return scasfile.WriteNumbers(w, v)
}
