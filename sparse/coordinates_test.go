package sparse

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/scas-admm/scas/sparse/sparsetest"
)

func TestReadMatrix(t *testing.T) {
	a, err := readMatrix(strings.NewReader("# A\n3 4 3 # shape\n3 1 -1e-3\n\n1 4 2\n1 2 0\n"), "m")
	sparsetest.Must(t, err)
	if diff := cmp.Diff([][]float64{{0, 0, 0, 2}, {0, 0, 0, 0}, {-.001, 0, 0, 0}}, sparsetest.Dense(a)); diff != "" {
		t.Error(diff)
	}
	if a.NNZ() != 3 {
		t.Errorf("%d entries, want 3: a written 0 is stored", a.NNZ())
	}
	if _, err := New(a.rows, a.cols, a.ptr, a.idx, a.val); err != nil {
		t.Error(err)
	}
}

func TestReadMatrixRefuses(t *testing.T) {
	tests := []struct {
		name, text   string
		line, column int
		want         []string
	}{
		{"empty", "", 0, 0, []string{"m.txt: the file is empty", "rows cols nnz"}},
		{"short header", "3 4\n", 1, 3, []string{"number of tokens is 2", "rows cols nnz"}},
		{"long header", "3 4 1 7\n", 1, 7, []string{`"7"`, "number of tokens is 4"}},
		{"real header", "3 4.5 1\n", 1, 3, []string{`"4.5"`, "whole numbers"}},
		{"negative header", "-3 4 1\n", 1, 1, []string{`"-3"`}},
		{"too wide", "3 2147483648 1\n", 1, 3, []string{"at most 2147483647"}},
		{"too tall for its entries", "2000000000 3 1\n1 1 1\n", 1, 1, []string{"2000000000 rows for 1 entries"}},
		{"entries missing", "3 4 9999999999\n1 1 1\n", 2, 0, []string{"after 1 entries", "9999999999"}},
		{"entry too many", "3 4 1\n1 1 1\n 2 2 2\n", 3, 2, []string{"more entries than the 1"}},
		{"row 0", "3 4 1\n0 1 1\n", 2, 1, []string{`"0"`, "1..3"}},
		{"row beyond", "3 4 1\n4 1 1\n", 2, 1, []string{`"4"`, "1..3"}},
		{"column beyond", "3 4 1\n3 5 1\n", 2, 3, []string{`"5"`, "1..4"}},
		{"value", "3 4 1\n3 4 x\n", 2, 5, []string{`"x"`, "finite decimal"}},
		{"NaN", "3 4 1\n3 4 NaN\n", 2, 5, []string{`"NaN"`, "finite decimal"}},
		{"value missing", "3 4 1\n3 4\n", 2, 3, []string{"number of tokens is 2", "i j value"}},
		{"place twice", "3 4 3\n3 4 1\n1 1 1\n3 4 2\n", 4, 0, []string{"(3, 4)", "after line 2"}},
		{"noise", "\x00\x01", 1, 1, []string{"not a text file"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, err := readMatrix(strings.NewReader(tt.text), "m.txt")
			wantParseError(t, err, tt.line, tt.column, tt.want...)
		})
	}
}

// TestByteOrderMark checks that a byte order mark is skipped in matrix files.
func TestByteOrderMark(t *testing.T) {
	for _, text := range []string{"1 1 1\n1 1 5\n", "%%MatrixMarket matrix coordinate real general\n1 1 1\n1 1 5\n"} {
		if a, err := readMatrix(strings.NewReader("\ufeff"+text), "f"); err != nil || a.NNZ() != 1 {
			t.Error(err)
		}
	}
}
