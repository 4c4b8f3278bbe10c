package graph

import (
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/scas-admm/scas/sparse"
	"github.com/scas-admm/scas/sparse/sparsetest"
)

func TestPublishedRecipe(t *testing.T) {
	for _, tt := range []struct {
		data, matrix string
		p            int
	}{
		{"a9a.zst", "F_a9a_asvrpdhg.txt", 123},
		{"covtype.libsvm.binary.scale.zst", "F_covtype_asvrpdhg.txt", 54},
	} {
		t.Run(tt.data, func(t *testing.T) {
			if tt.p == 54 {
				sparsetest.Long(t) // half a million rows
			}
			d, err := sparse.ReadFile(sparsetest.DataFile(t, "paper", tt.data), &sparse.ReadOptions{Features: tt.p})
			sparsetest.Must(t, err)
			c, err := CovarianceOf(d.X)
			sparsetest.Must(t, err)
			g, err := PublishedRecipe(c, 0)
			sparsetest.Must(t, err)
			a, err := sparse.Stack(g.Antisymmetric(), sparse.Identity(tt.p))
			sparsetest.Must(t, err)
			if diff := cmp.Diff(sparsetest.Text(t, publishedMatrix(t, tt.matrix)), sparsetest.Text(t, a)); diff != "" {
				t.Errorf("not the published matrix: %s", diff)
			}
		})
	}
}

func TestPublishedRecipeRefuses(t *testing.T) {
	// Every column has a row in common with the next column, so all columns are in one component.
	const cols = recipeComponent + 1
	var entries []sparse.Triplet
	for j := range cols {
		entries = append(entries, sparse.Triplet{Row: j, Col: j, Value: 50}, sparse.Triplet{Row: j + 1, Col: j, Value: 50})
	}
	x, err := sparse.FromTriplets(cols+1, cols, entries)
	sparsetest.Must(t, err)
	c, err := CovarianceOf(x)
	sparsetest.Must(t, err)
	_, err = PublishedRecipe(c, 0)
	var tooLarge *ComponentError
	if !errors.As(err, &tooLarge) || tooLarge.Limit != recipeComponent {
		t.Errorf("%v, want a *ComponentError with limit %d", err, recipeComponent)
	}
	c, err = NewCovariance(3, []float64{1e6, 9e5, 9e5, 9e5, 1e6, 9e5, 9e5, 9e5, 1e6})
	sparsetest.Must(t, err)
	_, err = PublishedRecipe(c, 0)
	sparsetest.CheckError(t, err, "3 features around feature 1 is not finite")
}
