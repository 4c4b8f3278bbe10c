package graph

import (
	"errors"
	"io"
	"math"
	"math/rand/v2"
	"os"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/scas-admm/scas/sparse"
	"github.com/scas-admm/scas/sparse/sparsetest"
)

func wantParseError(t testing.TB, err error, line, column int, fragments ...string) {
	t.Helper()
	sparsetest.CheckError(t, err, fragments...)
	var p *sparse.ParseError
	if !errors.As(err, &p) {
		t.Errorf("%v is a %T, want *sparse.ParseError", err, err)
		return
	}
	if p.Line != line || p.Column != column {
		t.Errorf("error %q is at %d:%d, want %d:%d", err, p.Line, p.Column, line, column)
	}
}

func readMatrix(r io.Reader, name string) (*sparse.CSR, error) {
	c, err := readLines(r, name)
	if err != nil {
		return nil, err
	}
	return matrixOf(c)
}

func publishedMatrix(t testing.TB, file string) *sparse.CSR {
	t.Helper()
	f, err := os.Open(sparsetest.DataFile(t, "graphs", file))
	sparsetest.Must(t, err)
	defer f.Close()
	a, err := readMatrix(f, file)
	sparsetest.Must(t, err)
	return a
}

func TestNewRefuses(t *testing.T) {
	for _, tt := range []struct {
		n     int
		edges []Edge
		want  string
	}{
		{-1, nil, "-1 nodes"},
		{3, []Edge{{0, 1, 1}, {0, 3, 1}}, "edge 1 (0, 3): node 3 is outside 0..2"},
		{3, []Edge{{-1, 1, 1}}, "node -1"},
		{3, []Edge{{2, 2, 1}}, "node 2 is joined to itself"},
		{3, []Edge{{0, 1, 1}, {1, 2, 1}, {1, 0, 2}}, "edge 2 joins nodes 1 and 0, as edge 0"},
		{3, []Edge{{0, 1, 0}}, "weight 0"},
		{3, []Edge{{0, 1, math.NaN()}}, "weight NaN"},
		{3, []Edge{{0, 1, math.Inf(-1)}}, "weight -Inf"},
	} {
		_, err := New(tt.n, tt.edges)
		sparsetest.CheckError(t, err, "graph: ", tt.want)
	}
}

func TestMatrices(t *testing.T) {
	g, err := New(4, []Edge{{0, 2, 2}, {3, 1, 1}, {2, 1, -3}})
	sparsetest.Must(t, err)
	for _, c := range []struct{ name, got, want string }{
		// In the first two matrices, the row of an edge has |w| in column I and -w in column J.
		{"incidence", sparsetest.Text(t, g.Incidence()), "3 4 6\n1 1 2\n1 3 -2\n2 2 -1\n2 4 1\n3 2 3\n3 3 3\n"},
		{
			"fused", sparsetest.Text(t, g.FusedLasso()),
			"7 4 10\n1 1 2\n1 3 -2\n2 2 -1\n2 4 1\n3 2 3\n3 3 3\n4 1 1\n5 2 1\n6 3 1\n7 4 1\n",
		},
		{"antisymmetric", sparsetest.Text(t, g.Antisymmetric()), "4 4 6\n1 3 2\n2 3 -3\n2 4 1\n3 1 -2\n3 2 3\n4 2 -1\n"},
	} {
		if diff := cmp.Diff(c.want, c.got); diff != "" {
			t.Errorf("%s: %s", c.name, diff)
		}
	}
	if diff := cmp.Diff([]int{1, 2, 2, 1}, g.Degrees()); diff != "" {
		t.Error(diff)
	}
}

func TestGramIsLaplacianPlusIdentity(t *testing.T) {
	g := Chain(4)
	want := "4 4 10\n1 1 2\n1 2 -1\n2 1 -1\n2 2 3\n2 3 -1\n3 2 -1\n3 3 3\n3 4 -1\n4 3 -1\n4 4 2\n"
	if diff := cmp.Diff(want, sparsetest.Text(t, g.FusedLasso().Gram())); diff != "" {
		t.Error(diff)
	}
	for n := range 2 {
		if g := Chain(n); g.Nodes() != n || len(g.Edges()) != 0 {
			t.Errorf("Chain(%d) has %d nodes, edges %v", n, g.Nodes(), g.Edges())
		}
	}
}

func TestEdgesIsACopy(t *testing.T) {
	edges := []Edge{{0, 1, 1}}
	g, err := New(2, edges)
	sparsetest.Must(t, err)
	edges[0].Weight = 7
	g.Edges()[0].Weight = 8
	if w := g.Edges()[0].Weight; w != 1 {
		t.Errorf("weight %v after writing to copies, want 1", w)
	}
}

func TestComponents(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	for range 200 {
		n := 1 + r.IntN(20)
		var edges []Edge
		reach := make([][]bool, n) // whether there is a path between two nodes, found by Warshall's method
		for i := range reach {
			reach[i] = make([]bool, n)
			reach[i][i] = true
		}
		for i := range n {
			for j := range i {
				if r.IntN(n+2) == 0 {
					edges = append(edges, Edge{int32(i), int32(j), 1})
					reach[i][j], reach[j][i] = true, true
				}
			}
		}
		for k := range n {
			for i := range n {
				for j := range n {
					reach[i][j] = reach[i][j] || reach[i][k] && reach[k][j]
				}
			}
		}
		g, err := New(n, edges)
		sparsetest.Must(t, err)
		numbers, count := g.Components()
		nextNumber := 0
		for i := range n {
			for j := range n {
				if (numbers[i] == numbers[j]) != reach[i][j] {
					t.Fatalf("edges %v: components %v", edges, numbers)
				}
			}
			if numbers[i] == nextNumber {
				nextNumber++
			} else if numbers[i] > nextNumber {
				t.Fatalf("edges %v: components %v are not numbered by smallest node", edges, numbers)
			}
		}
		if nextNumber != count {
			t.Fatalf("edges %v: %d components counted, %d used", edges, count, nextNumber)
		}
	}
}

// correlationData returns data with two nearly equal columns of values near 1e8, two negatively correlated
// columns, two sparse columns, a constant column, an empty column and a column that is independent of all
// others. columns has the same numbers column by column.
func correlationData(t testing.TB) (x *sparse.CSR, columns [][]float64) {
	t.Helper()
	const rows, cols = 60, 9
	r := rand.New(rand.NewPCG(2, 2))
	data := make([]float64, rows*cols)
	columns = make([][]float64, cols)
	for i := range rows {
		z := r.NormFloat64()
		row := data[i*cols : (i+1)*cols]
		row[0], row[1] = 1e8+z, 1e8+z+0.3*r.NormFloat64()
		row[2], row[3] = z+r.NormFloat64(), -z
		if i%3 == 0 {
			row[4], row[5] = 5+z, 4-z
		}
		row[6] = 0.1
		row[8] = r.NormFloat64()
		for j, v := range row {
			columns[j] = append(columns[j], v)
		}
	}
	x, err := sparse.FromDense(rows, cols, data)
	sparsetest.Must(t, err)
	return x, columns
}

func TestWeight(t *testing.T) {
	for _, tt := range []struct {
		opt                *CorrelationOptions
		positive, negative float64 // weights for the correlations 0.5 and -0.5
	}{
		{nil, 1, 1},
		{&CorrelationOptions{}, 1, 1},
		{&CorrelationOptions{Signed: true}, 1, -1},
		{&CorrelationOptions{Weighted: true}, 0.5, 0.5},
		{&CorrelationOptions{Signed: true, Weighted: true}, 0.5, -0.5},
	} {
		if p, n := tt.opt.Weight(0.5), tt.opt.Weight(-0.5); p != tt.positive || n != tt.negative {
			t.Errorf("%+v: weights %v and %v, want %v and %v", tt.opt, p, n, tt.positive, tt.negative)
		}
	}
}

func TestStatistics(t *testing.T) {
	g, err := New(7, []Edge{{0, 1, 1}, {1, 2, -1}, {5, 4, 1}})
	sparsetest.Must(t, err)
	want := Statistics{Nodes: 7, Edges: 3, Components: 2, Largest: 3, Isolated: 2, MaxDegree: 2, Negative: 1}
	if got := g.Statistics(); got != want {
		t.Errorf("got %+v, want %+v", got, want)
	}
	if got := Chain(0).Statistics(); got != (Statistics{}) {
		t.Errorf("of no nodes: %+v", got)
	}
}
