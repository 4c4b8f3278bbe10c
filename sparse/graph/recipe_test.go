package graph

import (
	"errors"
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"
	"gonum.org/v1/gonum/mat"

	"github.com/scas-admm/scas/sparse"
	"github.com/scas-admm/scas/sparse/internal/check"
	"github.com/scas-admm/scas/sparse/sparsetest"
)

// TestPublishedRecipe compares the graphs of two data sets with the matrices published for these data sets.
func TestPublishedRecipe(t *testing.T) {
	for _, tt := range []struct {
		data, matrix                           string
		p, edges, isolated, maxDegree, largest int
		lambda                                 float64 // largest eigenvalue of A'A
	}{
		{"a9a.zst", "F_a9a_asvrpdhg.txt", 123, 421, 49, 36, 72, 145.896},
		{"covtype.libsvm.binary.scale.zst", "F_covtype_asvrpdhg.txt", 54, 70, 27, 22, 27, 41.59},
	} {
		t.Run(tt.data, func(t *testing.T) {
			d, err := sparse.ReadFile(sparsetest.DataFile(t, "paper", tt.data), &sparse.ReadOptions{Features: tt.p})
			if err != nil {
				t.Fatal(err)
			}
			c, err := CovarianceOf(d.X)
			if err != nil {
				t.Fatal(err)
			}
			g, err := PublishedRecipe(c, 0)
			if err != nil {
				t.Fatal(err)
			}
			a, err := sparse.Stack(g.Antisymmetric(), sparse.Identity(tt.p))
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(check.Text(t, publishedMatrix(t, tt.matrix)), check.Text(t, a)); diff != "" {
				t.Errorf("not the published matrix: %s", diff)
			}
			s := g.Statistics()
			if s.Edges != tt.edges || s.Isolated != tt.isolated || s.MaxDegree != tt.maxDegree || s.Largest != tt.largest {
				t.Errorf("%+v, want %d edges, %d isolated, maximal degree %d, largest component %d", s, tt.edges, tt.isolated, tt.maxDegree, tt.largest)
			}
			if got := largestEigenvalue(t, a.Gram()); math.Abs(got-tt.lambda) > 0.01 {
				t.Errorf("lambda_1(A'A) = %v, want %v", got, tt.lambda)
			}
		})
	}
}

func largestEigenvalue(t testing.TB, a *sparse.CSR) float64 {
	t.Helper()
	n, _ := a.Dims()
	m := mat.NewSymDense(n, nil)
	for i := range n {
		idx, val := a.Row(i)
		for k, j := range idx {
			m.SetSym(i, int(j), val[k])
		}
	}
	var e mat.EigenSym
	if !e.Factorize(m, false) {
		t.Fatal("no eigenvalues")
	}
	return e.Values(nil)[n-1]
}

func TestPublishedRecipeRefuses(t *testing.T) {
	// Every column has a row in common with the next column, so all columns are in one component.
	const cols = recipeComponent + 1
	var entries []sparse.Triplet
	for j := range cols {
		entries = append(entries, sparse.Triplet{Row: j, Col: j, Value: 50}, sparse.Triplet{Row: j + 1, Col: j, Value: 50})
	}
	x, err := sparse.FromTriplets(cols+1, cols, entries)
	if err != nil {
		t.Fatal(err)
	}
	c, err := CovarianceOf(x)
	if err != nil {
		t.Fatal(err)
	}
	_, err = PublishedRecipe(c, 0)
	var tooLarge *ComponentError
	if !errors.As(err, &tooLarge) || tooLarge.Limit != recipeComponent {
		t.Errorf("%v, want a *ComponentError with limit %d", err, recipeComponent)
	}
}
