package graph

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/scas-admm/scas/sparse"
	"github.com/scas-admm/scas/sparse/sparsetest"
)

// copiedColumns returns a table of 15 columns. Column j is column j mod 5 of a random table of 0 and 1, with
// a random scale and offset.
func copiedColumns(t *testing.T, seed uint64) *sparse.CSR {
	t.Helper()
	rng := rand.New(rand.NewPCG(91, seed))
	const rows, base = 37, 5
	var columns [base][]float64
	for j := range columns {
		columns[j] = make([]float64, rows)
		for i := range columns[j] {
			columns[j][i] = float64(rng.IntN(2))
		}
	}
	var entries []sparse.Triplet
	for j := range 3 * base {
		sourceColumn, scale, shift := columns[j%base], 1+rng.Float64(), rng.Float64()
		for i, v := range sourceColumn {
			entries = append(entries, sparse.Triplet{Row: i, Col: j, Value: scale*v + shift})
		}
	}
	x, err := sparse.FromTriplets(rows, 3*base, entries)
	sparsetest.Must(t, err)
	return x
}

// TestTies checks that Strongest joins all or none of the pairs of columns that have the same correlation.
// copiedColumns makes such pairs. KNearest must choose the first of several copies.
func TestTies(t *testing.T) {
	seeds := uint64(200)
	if testing.Short() {
		seeds = 40
	}
	for seed := range seeds {
		x := copiedColumns(t, seed)
		c, err := CorrelationOf(x)
		sparsetest.Must(t, err)
		for k := 1; k <= 60; k += 7 {
			g, _, err := Strongest(c, k, nil)
			sparsetest.Must(t, err)
			joined := map[[2]int32]bool{}
			for _, e := range g.Edges() {
				joined[[2]int32{e.I % 5, e.J % 5}] = true
				joined[[2]int32{e.J % 5, e.I % 5}] = true
			}
			for i := range int32(15) {
				for j := range i {
					if found := joins(g, j, i); found != joined[[2]int32{i % 5, j % 5}] {
						t.Fatalf("seed %d: of %d edges: %d and %d are joined: %v, their likes: %v", seed, k, i, j, found, !found)
					}
				}
			}
		}
		g, err := KNearest(c, 1, nil)
		sparsetest.Must(t, err)
		for i := range int32(5) { // i+5 is the first of the two copies of feature i
			if !joins(g, i, i+5) {
				t.Fatalf("seed %d: feature %d is joined with another than its first copy: %v", seed, i, g.Edges())
			}
		}
	}
}

func joins(g *Graph, i, j int32) bool {
	return slices.ContainsFunc(g.Edges(), func(e Edge) bool { return e.I == i && e.J == j })
}

// TestUncorrelated checks that features that are uncorrelated up to rounding are never joined.
func TestUncorrelated(t *testing.T) {
	count := 0
	for k := range 30 {
		scale := 0.1 + 0.37*float64(k)
		var entries []sparse.Triplet
		for i := range 12 { // the columns are orthogonal after centring
			entries = append(entries, sparse.Triplet{Row: i, Col: 0, Value: 0.1 + scale*float64(i/3)})
			entries = append(entries, sparse.Triplet{Row: i, Col: 1, Value: 0.7/scale + 0.3*float64(i%3)})
		}
		x, err := sparse.FromTriplets(12, 2, entries)
		sparsetest.Must(t, err)
		c, err := CorrelationOf(x)
		sparsetest.Must(t, err)
		if c.dense[1] != 0 {
			count++
		}
		g, err := KNearest(c, 1, &CorrelationOptions{Weighted: true})
		if err != nil || len(g.Edges()) != 0 || c.At(0, 1) != 0 {
			t.Errorf("%v, %v, correlation %v", g.Edges(), err, c.At(0, 1))
		}
		if g, _, err := Strongest(c, 1, nil); err != nil || len(g.Edges()) != 0 {
			t.Errorf("%v, %v", g.Edges(), err)
		}
	}
	if count < 5 {
		t.Errorf("%d products of 30 are rounded", count)
	}
}
