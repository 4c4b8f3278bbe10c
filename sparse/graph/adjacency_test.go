package graph

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/scas-admm/scas/sparse/sparsetest"
)

func TestFromAdjacency(t *testing.T) {
	a, err := readMatrix(strings.NewReader("%%MatrixMarket matrix coordinate real symmetric\n4 4 4\n1 1 9\n3 1 -0.5\n4 2 0\n4 3 2\n"), "m")
	sparsetest.Must(t, err)
	g, err := FromAdjacency(a)
	sparsetest.Must(t, err)
	if diff := cmp.Diff([]Edge{{0, 2, -0.5}, {2, 3, 2}}, g.Edges()); diff != "" || g.Nodes() != 4 {
		t.Errorf("%d nodes, %s", g.Nodes(), diff)
	}
	for text, want := range map[string]string{
		"2 3 0\n":                 "2 rows and 3 columns",
		"2 2 1\n1 2 1\n":          "entry (1, 2) is 1 but (2, 1) is 0",
		"2 2 2\n1 2 1\n2 1 -1\n":  "entry (1, 2) is 1 but (2, 1) is -1",
		"3 3 2\n3 1 2\n2 1 1.5\n": "but (1, 2) is 0",
	} {
		a, err := readMatrix(strings.NewReader(text), "m")
		sparsetest.Must(t, err)
		_, err = FromAdjacency(a)
		sparsetest.CheckError(t, err, "graph: adjacency matrix", want)
	}
}

func TestMatrixMarketConstraint(t *testing.T) {
	const symmetric = "%%MatrixMarket matrix coordinate pattern symmetric\n3 3 1\n3 1\n"
	const general = "%%MatrixMarket matrix coordinate real general\n1 3 2\n1 1 1\n1 3 -2\n"
	for _, tt := range []struct {
		text string
		kind Kind
		want Kind
		a    string
	}{
		{symmetric, Any, EdgeList, "4 3 5\n1 1 1\n1 3 -1\n2 1 1\n3 2 1\n4 3 1\n"},
		{symmetric, EdgeList, EdgeList, "4 3 5\n1 1 1\n1 3 -1\n2 1 1\n3 2 1\n4 3 1\n"},
		{symmetric, Matrix, Matrix, "3 3 2\n1 3 1\n3 1 1\n"},
		{general, Any, Matrix, "1 3 2\n1 1 1\n1 3 -2\n"},
	} {
		c, err := ReadConstraint(strings.NewReader(tt.text), "m", tt.kind, 3)
		sparsetest.Must(t, err)
		if c.Kind != tt.want || sparsetest.Text(t, c.A) != tt.a {
			t.Errorf("read as %q: %v\n%s", tt.kind, c.Kind, sparsetest.Text(t, c.A))
		}
	}
	g, err := ReadEdges(strings.NewReader(symmetric), "m", 3)
	if err != nil || g.Nodes() != 3 || len(g.Edges()) != 1 {
		t.Errorf("%v, %v", g, err)
	}
	_, err = ReadConstraint(strings.NewReader(general), "m", EdgeList, 3)
	wantParseError(t, err, 0, 0, "1 rows and 3 columns")
	_, err = ReadConstraint(strings.NewReader(symmetric), "m", Any, 5)
	wantParseError(t, err, 0, 0, "3 nodes for data of 5 features", "set p to 3 if the data has 3 features")
	_, err = ReadConstraint(strings.NewReader(general), "m", Any, 5)
	wantParseError(t, err, 0, 0, "3 columns for data of 5 features")
	_, err = ReadConstraint(strings.NewReader(general), "m", "other", 3)
	sparsetest.CheckError(t, err, `constraint kind "other"`)
}
