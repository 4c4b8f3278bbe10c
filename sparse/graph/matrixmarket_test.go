package graph

import (
	"bytes"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/scas-admm/scas/sparse"
)

func TestReadMatrixMarket(t *testing.T) {
	for _, tt := range []struct{ name, text, want string }{
		{"real general", "%%MatrixMarket matrix coordinate real general\n% comment\n\n2 3 3\n1 1 -0.5\n2 3 1e2\n  % another\n2 1 0\n", "2 3 3\n1 1 -0.5\n2 1 0\n2 3 100\n"},
		{"any case", "%%matrixmarket MATRIX Coordinate Integer General\r\n1 1 1\r\n1 1 7\r\n", "1 1 1\n1 1 7\n"},
		{"symmetric", "%%MatrixMarket matrix coordinate real symmetric\n3 3 3\n1 1 2\n3 1 4\n3 2 -1", "3 3 5\n1 1 2\n1 3 4\n2 3 -1\n3 1 4\n3 2 -1\n"},
		{"skew", "%%MatrixMarket matrix coordinate real skew-symmetric\n2 2 1\n2 1 3\n", "2 2 2\n1 2 -3\n2 1 3\n"},
		{"pattern", "%%MatrixMarket matrix coordinate pattern symmetric\n2 2 1\n2 1\n", "2 2 2\n1 2 1\n2 1 1\n"},
		{"empty", "%%MatrixMarket matrix coordinate real general\n0 0 0\n", "0 0 0\n"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			a, err := ReadMatrixMarket(strings.NewReader(tt.text), "m")
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.want, entries(t, a)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestReadMatrixMarketRefuses(t *testing.T) {
	const real, symmetric = "%%MatrixMarket matrix coordinate real general\n", "%%MatrixMarket matrix coordinate real symmetric\n"
	for _, tt := range []struct {
		name, text   string
		line, column int
		want         []string
	}{
		{"empty", "", 1, 0, []string{"%%MatrixMarket matrix coordinate"}},
		{"other file", "1 2 1\n", 1, 0, []string{"%%MatrixMarket matrix coordinate"}},
		{"vector", "%%MatrixMarket vector coordinate real general\n", 1, 0, []string{"matrix coordinate"}},
		{"array", "%%MatrixMarket matrix array real general\n", 1, 0, []string{`"array"`, "coordinate"}},
		{"complex", "%%MatrixMarket matrix coordinate complex general\n", 1, 0, []string{`"complex"`, "real, integer or pattern"}},
		{"hermitian", "%%MatrixMarket matrix coordinate real hermitian\n", 1, 0, []string{`"hermitian"`, "skew-symmetric"}},
		{"no size", real + "% only this\n", 0, 0, []string{"rows cols entries"}},
		{"short size", real + "2 2\n", 2, 3, []string{"2 tokens"}},
		{"bad size", real + "2 x 1\n", 2, 3, []string{`"x"`}},
		{"huge", real + "99999999999 2 1\n", 2, 1, []string{"too large"}},
		{"tall", real + "2000000000 2 1\n1 1 1\n", 2, 1, []string{"2000000000 rows for 1 entries"}},
		{"not square", symmetric + "2 3 0\n", 2, 3, []string{"2 x 3", "square"}},
		{"upper", symmetric + "2 2 1\n1 2 1\n", 3, 3, []string{"above the diagonal", "lower triangle"}},
		{"skew diagonal", "%%MatrixMarket matrix coordinate real skew-symmetric\n2 2 1\n1 1 1\n", 3, 3, []string{"diagonal of a skew"}},
		{"row 0", real + "2 2 1\n0 1 1\n", 3, 1, []string{`"0"`, "row number in 1..2"}},
		{"column", real + "2 2 1\n1 3 1\n", 3, 3, []string{`"3"`, "column number in 1..2"}},
		{"nan", real + "2 2 1\n1 1 nan\n", 3, 5, []string{`"nan"`, "finite"}},
		{"fraction", "%%MatrixMarket matrix coordinate integer general\n1 1 1\n1 1 0.5\n", 3, 5, []string{`"0.5"`, "integer"}},
		{"value in a pattern", "%%MatrixMarket matrix coordinate pattern general\n1 1 1\n1 1 1\n", 3, 5, []string{"3 tokens", "pattern"}},
		{"no value", real + "1 1 1\n1 1\n", 3, 3, []string{"2 tokens", "real"}},
		{"too few", real + "2 2 2\n1 1 1\n", 3, 0, []string{"after 1 entries", "2 announced"}},
		{"too many", real + "2 2 1\n1 1 1\n1 2 1\n", 4, 1, []string{"more entries than the 1"}},
		{"twice", real + "2 2 2\n1 1 1\n1 1 1\n", 4, 0, []string{"second entry at (1, 1)", "line 3"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, err := ReadMatrixMarket(strings.NewReader(tt.text), "m.mtx")
			wantParseError(t, err, tt.line, tt.column, append(tt.want, "m.mtx")...)
		})
	}
}

func TestFromAdjacency(t *testing.T) {
	a, err := ReadMatrixMarket(strings.NewReader("%%MatrixMarket matrix coordinate real symmetric\n4 4 4\n1 1 9\n3 1 -0.5\n4 2 0\n4 3 2\n"), "m")
	if err != nil {
		t.Fatal(err)
	}
	g, err := FromAdjacency(a)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]Edge{{0, 2, -0.5}, {2, 3, 2}}, g.Edges()); diff != "" || g.Nodes() != 4 {
		t.Errorf("%d nodes, %s", g.Nodes(), diff)
	}
	for text, want := range map[string]string{
		"2 3 0\n":                 "2 rows and 3 columns",
		"2 2 1\n1 2 1\n":          "entry (1, 2) is 1 but (2, 1) is 0",
		"2 2 2\n1 2 1\n2 1 -1\n":  "entry (1, 2) is 1 but (2, 1) is -1",
		"3 3 2\n3 1 2\n2 1 1.5\n": "but (1, 2) is 0",
	} {
		a, err := sparse.ReadMatrix(strings.NewReader(text), "m")
		if err != nil {
			t.Fatal(err)
		}
		_, err = FromAdjacency(a)
		wantError(t, err, "graph: adjacency matrix", want)
	}
}

func TestMatrixMarketConstraint(t *testing.T) {
	const symmetric = "%%MatrixMarket matrix coordinate pattern symmetric\n3 3 1\n3 1\n"
	const general = "%%MatrixMarket matrix coordinate real general\n1 3 2\n1 1 1\n1 3 -2\n"
	for _, tt := range []struct {
		text string
		ask  Kind
		want Kind
		a    string
	}{
		{symmetric, Any, EdgeList, "4 3 5\n1 1 1\n1 3 -1\n2 1 1\n3 2 1\n4 3 1\n"},
		{symmetric, EdgeList, EdgeList, "4 3 5\n1 1 1\n1 3 -1\n2 1 1\n3 2 1\n4 3 1\n"},
		{symmetric, Matrix, Matrix, "3 3 2\n1 3 1\n3 1 1\n"},
		{general, Any, Matrix, "1 3 2\n1 1 1\n1 3 -2\n"},
	} {
		c, err := ReadConstraint(strings.NewReader(tt.text), "m", tt.ask, 3)
		if err != nil {
			t.Fatal(err)
		}
		if c.Kind != tt.want || entries(t, c.A) != tt.a {
			t.Errorf("read as %q: %v\n%s", tt.ask, c.Kind, entries(t, c.A))
		}
	}
	_, err := ReadConstraint(strings.NewReader(general), "m", EdgeList, 3)
	wantParseError(t, err, 0, 0, "1 rows and 3 columns")
	_, err = ReadConstraint(strings.NewReader(symmetric), "m", Any, 5)
	wantParseError(t, err, 0, 0, "3 nodes for data of 5 features", "--features 3")
	_, err = ReadConstraint(strings.NewReader(general), "m", Any, 5)
	wantParseError(t, err, 0, 0, "3 columns for data of 5 features")
	_, err = ReadConstraint(strings.NewReader(general), "m", "other", 3)
	wantError(t, err, `constraint kind "other"`)
}

// Any text gives an error or a matrix that survives writing and reading.
func FuzzReadMatrixMarket(f *testing.F) {
	for _, s := range []string{
		"%%MatrixMarket matrix coordinate real general\n% c\n2 3 2\n1 1 1\n2 3 -0.5\n",
		"%%MatrixMarket matrix coordinate pattern symmetric\n2 2 1\n2 1\n",
		"%%MatrixMarket matrix coordinate integer skew-symmetric\n2 2 1\n2 1 5\n",
		"%%MatrixMarket matrix array real general\n1 1\n1\n", "%%MatrixMarket", "%",
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		a, err := ReadMatrixMarket(bytes.NewReader(data), "fuzz")
		if err != nil {
			return
		}
		var b bytes.Buffer
		if err := WriteMatrixMarket(&b, a); err != nil {
			t.Fatal(err)
		}
		back, err := ReadMatrixMarket(&b, "written")
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(entries(t, a), entries(t, back)); diff != "" {
			t.Fatal(diff)
		}
	})
}
