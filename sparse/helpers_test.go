package sparse

import (
	"errors"
	"io"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/scas-admm/scas/sparse/internal/coordinates"
	"github.com/scas-admm/scas/sparse/sparsetest"
)

// mustRead reads valid text, LIBSVM unless opt states another format.
func mustRead(t testing.TB, text string, opt *ReadOptions) *Dataset {
	t.Helper()
	d, err := readAs(LIBSVM, strings.NewReader(text), "inline", opt)
	sparsetest.Must(t, err)
	return d
}

// sameBits reports whether two matrices have the same size and the same entries, bit for bit.
func sameBits(a, b *CSR) bool {
	return a.rows == b.rows && a.cols == b.cols && slices.Equal(a.ptr, b.ptr) &&
		slices.Equal(a.idx, b.idx) && sameFloats(a.val, b.val)
}

func sameFloats(a, b []float64) bool {
	return slices.EqualFunc(a, b, func(x, y float64) bool { return math.Float64bits(x) == math.Float64bits(y) })
}

func sameClasses(a, b *Dataset) bool { return a.Signs == b.Signs && cmp.Equal(a.Classes, b.Classes) }

// wantParseError checks that err is a *ParseError for the given line and column, and that the text of err
// has all fragments.
func wantParseError(t testing.TB, err error, line, column int, fragments ...string) {
	t.Helper()
	sparsetest.CheckError(t, err, fragments...)
	var p *ParseError
	if !errors.As(err, &p) {
		t.Errorf("%v is a %T, want *ParseError", err, err)
		return
	}
	if p.Line != line || p.Column != column {
		t.Errorf("error %q is at %d:%d, want %d:%d", err, p.Line, p.Column, line, column)
	}
}

// readAs reads data in the given format. If opt states a format, that format is used instead.
func readAs(format Format, r io.Reader, name string, opt *ReadOptions) (*Dataset, error) {
	o := ReadOptions{}
	if opt != nil {
		o = *opt
	}
	if o.Format == Auto {
		o.Format = format
	}
	return Read(r, name, &o)
}

// readMatrix reads a Matrix Market file, or a matrix file as CSR.Write writes it.
func readMatrix(r io.Reader, name string) (*CSR, error) {
	data, err := ReadText(r, name)
	if err != nil {
		return nil, err
	}
	c, err := coordinates.Parse(data, name, textError)
	if err != nil {
		return nil, err
	}
	m, err := c.Matrix()
	if err != nil {
		return nil, err
	}
	return New(m.Rows, m.Cols, m.Ptr, m.Idx, m.Val)
}
