package sparse

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/scas-admm/scas/sparse/sparsetest"
)

func TestReadMatrixMarket(t *testing.T) {
	for _, tt := range []struct{ name, text, want string }{
		{
			"real general",
			"%%MatrixMarket matrix coordinate real general\n% comment\n\n2 3 3\n1 1 -0.5\n2 3 1e2\n  % another\n2 1 0\n",
			"2 3 3\n1 1 -0.5\n2 1 0\n2 3 100\n",
		},
		{"any case", "%%matrixmarket MATRIX Coordinate Integer General\r\n1 1 1\r\n1 1 7\r\n", "1 1 1\n1 1 7\n"},
		{
			"symmetric", "%%MatrixMarket matrix coordinate real symmetric\n3 3 3\n1 1 2\n3 1 4\n3 2 -1",
			"3 3 5\n1 1 2\n1 3 4\n2 3 -1\n3 1 4\n3 2 -1\n",
		},
		{"skew", "%%MatrixMarket matrix coordinate real skew-symmetric\n2 2 1\n2 1 3\n", "2 2 2\n1 2 -3\n2 1 3\n"},
		{"pattern", "%%MatrixMarket matrix coordinate pattern symmetric\n2 2 1\n2 1\n", "2 2 2\n1 2 1\n2 1 1\n"},
		{"empty", "%%MatrixMarket matrix coordinate real general\n0 0 0\n", "0 0 0\n"},
		{
			"array", "%%MatrixMarket matrix array real general\n% comment\n2 3\n1\n0\n-0\n4\n\n5e-1\n6\n",
			"2 3 5\n1 1 1\n1 2 -0\n1 3 0.5\n2 2 4\n2 3 6\n",
		},
		{
			"symmetric array", "%%MatrixMarket matrix array integer symmetric\n2 2\n1\n2\n3\n",
			"2 2 4\n1 1 1\n1 2 2\n2 1 2\n2 2 3\n",
		},
		{
			"skew array", "%%MatrixMarket matrix array real skew-symmetric\n3 3\n1\n2\n3\n",
			"3 3 6\n1 2 -1\n1 3 -2\n2 1 1\n2 3 -3\n3 1 2\n3 2 3\n",
		},
		{"array without values", "%%MatrixMarket matrix array real general\n0 3\n", "0 3 0\n"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			a, err := readMatrix(strings.NewReader(tt.text), "m")
			sparsetest.Must(t, err)
			if diff := cmp.Diff(tt.want, sparsetest.Text(t, a)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestReadMatrixMarketRefuses(t *testing.T) {
	const real, symmetric = "%%MatrixMarket matrix coordinate real general\n", "%%MatrixMarket matrix coordinate real symmetric\n"
	const array = "%%MatrixMarket matrix array real general\n"
	for _, tt := range []struct {
		name, text   string
		line, column int
		want         []string
	}{
		{"vector", "%%MatrixMarket vector coordinate real general\n", 1, 16, []string{`"vector"`, "matrix coordinate"}},
		{"short banner", "%%MatrixMarket matrix coordinate real\n1 1 1\n", 1, 1, []string{"FIELD SYMMETRY"}},
		{"tensor", "%%MatrixMarket matrix tensor real general\n", 1, 23, []string{`"tensor"`, "coordinate or array"}},
		{"array of a pattern", "%%MatrixMarket matrix array pattern general\n", 1, 29, []string{`"pattern"`, "real or integer"}},
		{"array without size", array + "% only this\n", 0, 0, []string{"`rows cols`"}},
		{"array with three sizes", array + "2 2 4\n", 2, 5, []string{"number of tokens is 3", "`rows cols`"}},
		{"array, two a line", array + "1 2\n1 2\n", 3, 3, []string{"number of tokens is 2", "one value a line"}},
		{"array, too few", array + "2 2\n1\n2\n3\n", 5, 0, []string{"after 3 entries", "4 announced"}},
		{"array, too many", array + "1 2\n1\n2\n3\n", 5, 1, []string{"more entries than the 2"}},
		{"array, nan", array + "1 2\n1\nnan\n", 4, 1, []string{`"nan"`, "finite"}},
		{"array, not square", "%%MatrixMarket matrix array real symmetric\n2 3\n", 2, 3, []string{"2 x 3", "square"}},
		{"array, fraction", "%%MatrixMarket matrix array integer general\n1 1\n.5\n", 3, 1, []string{"whole number"}},
		{
			"complex", "%%MatrixMarket matrix coordinate complex general\n", 1, 34,
			[]string{`"complex"`, "real, integer or pattern"},
		},
		{"hermitian", "%%MatrixMarket matrix coordinate real hermitian\n", 1, 39, []string{`"hermitian"`, "skew-symmetric"}},
		{"no size", real + "% only this\n", 0, 0, []string{"rows cols nnz"}},
		{"not square", symmetric + "2 3 0\n", 2, 3, []string{"2 x 3", "square"}},
		{"upper", symmetric + "2 2 1\n1 2 1\n", 3, 3, []string{"above the diagonal", "lower triangle"}},
		{
			"skew diagonal", "%%MatrixMarket matrix coordinate real skew-symmetric\n2 2 1\n1 1 1\n", 3, 3,
			[]string{"diagonal of a skew"},
		},
		{"fraction", "%%MatrixMarket matrix coordinate integer general\n1 1 1\n1 1 0.5\n", 3, 5, []string{`"0.5"`, "integer"}},
		{
			"value in a pattern", "%%MatrixMarket matrix coordinate pattern general\n1 1 1\n1 1 1\n", 3, 5,
			[]string{"number of tokens is 3", "pattern"},
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, err := readMatrix(strings.NewReader(tt.text), "m.mtx")
			wantParseError(t, err, tt.line, tt.column, append(tt.want, "m.mtx")...)
		})
	}
}
