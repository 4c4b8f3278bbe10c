package sparse

import (
	"errors"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// dataFile returns the path of a file of the data directory, or skips.
func dataFile(t testing.TB, parts ...string) string {
	t.Helper()
	dir := os.Getenv("SCAS_DATA")
	if dir == "" {
		t.Skipf("SCAS_DATA is not set: not reading %s", filepath.Join(parts...))
	}
	return filepath.Join(append([]string{dir}, parts...)...)
}

// mustRead reads LIBSVM text that is right.
func mustRead(t testing.TB, text string, opt *ReadOptions) *Dataset {
	t.Helper()
	d, err := ReadLIBSVM(strings.NewReader(text), "inline", opt)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// dense returns the matrix row by row, to compare small ones.
func dense(a *CSR) [][]float64 {
	rows, cols := a.Dims()
	d := make([][]float64, rows)
	for i := range d {
		d[i] = make([]float64, cols)
		idx, val := a.Row(i)
		for k, j := range idx {
			d[i][j] = val[k]
		}
	}
	return d
}

// sameBits reports whether two matrices are equal in shape, structure and every
// bit of every value.
func sameBits(a, b *CSR) bool {
	return a.rows == b.rows && a.cols == b.cols && slices.Equal(a.ptr, b.ptr) &&
		slices.Equal(a.idx, b.idx) && sameFloats(a.val, b.val)
}

func sameFloats(a, b []float64) bool {
	return slices.EqualFunc(a, b, func(x, y float64) bool { return math.Float64bits(x) == math.Float64bits(y) })
}

// wantError checks that err contains all fragments.
func wantError(t testing.TB, err error, fragments ...string) {
	t.Helper()
	if err == nil {
		t.Errorf("no error, want one with %q", fragments)
		return
	}
	for _, f := range fragments {
		if !strings.Contains(err.Error(), f) {
			t.Errorf("error %q lacks %q", err, f)
		}
	}
}

// wantParseError checks type, place and text of an error about a file.
func wantParseError(t testing.TB, err error, line, column int, fragments ...string) {
	t.Helper()
	wantError(t, err, fragments...)
	var p *ParseError
	if !errors.As(err, &p) {
		t.Errorf("%v is a %T, want *ParseError", err, err)
		return
	}
	if p.Line != line || p.Column != column {
		t.Errorf("error %q is at %d:%d, want %d:%d", err, p.Line, p.Column, line, column)
	}
}
