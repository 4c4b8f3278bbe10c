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

// TestExtremeScale checks eigenvalues and solutions for a chain whose entries have sizes from 1e-100 to
// 1e100. The squares of the entries of A'A overflow or underflow.
func TestExtremeScale(t *testing.T) {
	const p = 12
	for _, size := range []float64{1e-100, 1e-82, 1, 1e78, 1e100} {
		var entries []sparse.Triplet
		for j := range p - 1 {
			entries = append(entries, sparse.Triplet{Row: j, Col: j, Value: size},
				sparse.Triplet{Row: j, Col: j + 1, Value: -size})
		}
		a, err := sparse.FromTriplets(p-1, p, entries)
		if err != nil {
			t.Fatal(err)
		}
		q, want := New(a, p), 2+2*math.Cos(math.Pi/p)
		if got := q.LargestEigenvalue() / size / size; !(math.Abs(got-want) < 1e-4) {
			t.Errorf("size %v: lambda_1 = %v, want %v", size, got, want)
		}
		if got := q.SmallestEigenvalue() / size / size; !(got < 0.3) {
			t.Errorf("size %v: smallest eigenvalue %v, want 0", size, got)
		}
		s, err := q.Shifted(1/size/size, nil)
		if err != nil {
			t.Fatal(err)
		}
		b, v, residual := randomVector(p, 1, 1), make([]float64, p), make([]float64, p)
		s.Solve(v, b, 1)
		q.Gram().MulVec(residual, v)
		for j := range residual {
			residual[j] = residual[j]/size/size + v[j] - b[j]
		}
		if norm := Norm(residual); !(norm < 1e-12) {
			t.Errorf("size %v: residual %v", size, norm)
		}
	}
}

func TestNorm(t *testing.T) {
	for _, size := range []float64{0, 0x1p-1060, 0x1p-545, 1, 0x1p545, 0x1p1021} {
		if got := Norm([]float64{3 * size, 0, -4 * size}) / 5; got != size {
			t.Errorf("%v, want %v", got, size)
		}
		if got := NormAt([]float64{3 * size, 0, 7, -4 * size}, []int{3, 1, 0}) / 5; got != size {
			t.Errorf("NormAt: %v, want %v", got, size)
		}
	}
	if got := Norm([]float64{1, math.Inf(-1)}); !math.IsInf(got, 1) {
		t.Errorf("%v, want +Inf", got)
	}
	if got := Norm([]float64{1, math.NaN()}); !math.IsNaN(got) {
		t.Errorf("%v, want NaN", got)
	}
}

// TestStoredZeros checks that New leaves out stored zeros, so that rows with one other entry are singleton
// rows.
func TestStoredZeros(t *testing.T) {
	a, err := sparse.FromTriplets(3, 3, []sparse.Triplet{
		{Row: 0, Col: 0, Value: 0}, {Row: 0, Col: 1, Value: 2}, {Row: 1, Col: 0, Value: 3},
		{Row: 1, Col: 2, Value: math.Copysign(0, -1)},
		{Row: 2, Col: 2, Value: 4},
	})
	if err != nil {
		t.Fatal(err)
	}
	q := New(a, 3)
	if got := q.LeastSingleton([]float64{1, 1, 1}); q.Matrix().NNZ() != 3 || got != 2 || len(q.Components().Members) != 3 {
		t.Errorf("%d entries, least singleton %v", q.Matrix().NNZ(), got)
	}
	if clean := q.Matrix(); New(clean, 3).Matrix() != clean {
		t.Error("a matrix without stored zeros is copied")
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
	ones, err := sparse.FromDense(1, 500, slices.Repeat([]float64{1}, 500))
	if err != nil {
		t.Fatal(err)
	}
	longRow, err := sparse.Stack(ones, sparse.Identity(500))
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
		{"long row", longRow, 500, true},
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
	}
}
