// Package sparsetest has helpers for the tests of several packages. It imports none of these packages.
package sparsetest

import (
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// Long skips a test if -short is set.
func Long(t testing.TB) {
	t.Helper()
	if testing.Short() {
		t.Skip("skipped with -short: make test-full runs it")
	}
}

// DataFile returns the path of a file in the directory of the real data sets, or of the directory if parts
// is empty. It skips the test if the environment variable SCAS_DATA, which names the directory, is not set.
func DataFile(t testing.TB, parts ...string) string {
	t.Helper()
	dir := os.Getenv("SCAS_DATA")
	if dir == "" {
		t.Skip("skipped: SCAS_DATA is not set; it names the directory with the real data sets")
	}
	return filepath.Join(append([]string{dir}, parts...)...)
}

// Numbers reads a table of numbers, with one row a line.
func Numbers(t testing.TB, path string) (rows [][]float64) {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(text)) {
		var row []float64
		for _, field := range strings.Fields(line) {
			v, err := strconv.ParseFloat(field, 64)
			if err != nil {
				t.Fatalf("%s: %v", path, err)
			}
			row = append(row, v)
		}
		rows = append(rows, row)
	}
	return rows
}

// A Matrix is a matrix that gives access to its rows.
type Matrix interface {
	Dims() (rows, cols int)
	Row(i int) (indices []int32, values []float64)
}

// Dense returns the rows of m, including zeros.
func Dense(m Matrix) [][]float64 {
	n, p := m.Dims()
	out := make([][]float64, n)
	for i := range out {
		out[i] = make([]float64, p)
		idx, val := m.Row(i)
		for k, j := range idx {
			out[i][j] = val[k]
		}
	}
	return out
}

// Must ends the test if err is not nil.
func Must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// CheckError fails the test if err is nil or if its text lacks one of the fragments.
func CheckError(t testing.TB, err error, fragments ...string) {
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

// Text returns the text that w.Write writes.
func Text(t testing.TB, w interface{ Write(io.Writer) error }) string {
	t.Helper()
	var b strings.Builder
	if err := w.Write(&b); err != nil {
		t.Fatal(err)
	}
	return b.String()
}
