package linalg

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/scas-admm/scas/sparse"
	"github.com/scas-admm/scas/sparse/graph"
)

// TestLargestEigenvalue checks Algebra.LargestEigenvalue for the fused lasso on a chain of 30 nodes, where
// the largest eigenvalue of A'A is 3 − 2cos(29π/30), and for the identity as a matrix.
func TestLargestEigenvalue(t *testing.T) {
	want := 1 + 2 - 2*math.Cos(math.Pi*29/30)
	if got := New(graph.Chain(30).FusedLasso(), 30).LargestEigenvalue(); got < want || got > want*(1+1e-4) {
		t.Errorf("lambda_1 = %v, want from above %v", got, want)
	}
	if got := New(sparse.Identity(5), 5).LargestEigenvalue(); math.Abs(got-1) > 1e-5 {
		t.Errorf("lambda_1 of the identity = %v", got)
	}
}

// hiddenMatrix wraps a Map, so that package linalg cannot see that the Map is a matrix.
type hiddenMatrix struct{ Map }

// TestShifted solves (shift I + ρ A'A) v = b in every way that Shifted has, and checks the residuals.
func TestShifted(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	chain := graph.Chain(30).FusedLasso()
	longChain := graph.Chain(MaxComponent + 1).FusedLasso()
	twoRows, err := sparse.FromTriplets(2, 30, []sparse.Triplet{{Row: 0, Col: 1, Value: 1}, {Row: 1, Col: 2, Value: 1}})
	if err != nil {
		t.Fatal(err)
	}
	fourEdges, err := graph.FromPairs(30, [][2]int32{{0, 1}, {1, 2}, {5, 6}, {20, 29}})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name      string
		a         Map
		p         int
		iterative bool
	}{
		{"identity", nil, 30, false},
		{"diagonal", sparse.Identity(30), 30, false},
		{"empty first columns", twoRows, 30, false},
		{"chain", chain, 30, false},
		{"components", fourEdges.FusedLasso(), 30, false},
		{"giant component", longChain, MaxComponent + 1, true},
		{"operator", hiddenMatrix{chain}, 30, true},
	} {
		const rho, shift = 0.7, 0.3
		s, err := New(c.a, c.p).Shifted(rho, nil)
		if err != nil {
			t.Fatal(err)
		}
		if s.Iterative() != c.iterative {
			t.Errorf("%s: by conjugate gradients: %v", c.name, s.Iterative())
		}
		b, v := make([]float64, c.p), make([]float64, c.p)
		for j := range b {
			b[j] = rng.NormFloat64()
		}
		check := func(description string, v, b []float64) {
			q := New(c.a, c.p).Product()
			product := make([]float64, c.p)
			q.MulVecTrans(product, slices.Clone(q.Image(v)))
			for j := range b {
				if got := shift*v[j] + rho*product[j]; math.Abs(got-b[j]) > 1e-11 {
					t.Errorf("%s, %s: row %d is %v, want %v", c.name, description, j, got, b[j])
					return
				}
			}
		}
		s.Solve(v, b, shift)
		check("dense b", v, b)
		if c.iterative {
			continue
		}
		features := make([]int, c.p)
		for j := range features {
			features[j] = j
		}
		clear(v)
		s.SolveAt(features, v, b, shift)
		check("dense b, at all features", v, b)
		clear(b)
		idx, val := []int32{1, 6, 20}, []float64{2, -1, 0.5}
		for k, j := range idx {
			b[j] = val[k]
		}
		for range 2 { // twice, because a call must leave the scratch memory clean
			v := make([]float64, c.p)
			for _, j := range s.SolveRow(v, idx, val, shift) {
				if math.IsNaN(v[j]) {
					t.Errorf("%s: entry %d is not a number", c.name, j)
				}
			}
			check("sparse b", v, b)
		}
	}
}
