package newton

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/scas-admm/scas/solver/internal/term"
	"github.com/scas-admm/scas/sparse"
	"github.com/scas-admm/scas/sparse/graph"
)

// TestOutside holds what multipliers of a component leave of an excess to the proximal
// point of its penalty, which a finisher finds, and the bounds of multipliers to theirs.
func TestOutside(t *testing.T) {
	open := 0
	for seed := range uint64(40) {
		rng := rand.New(rand.NewPCG(seed, 5))
		const p = 12
		o, want := proximal(t, rng, p, 1+2*rng.Float64())
		z, x := make([]float64, o.f.rows.Len()), make([]float64, p)
		o.reach(0, &point{x: x})
		for j := range int32(p) {
			if !o.seen[j] {
				t.Fatalf("seed %d: feature %d is in no component", seed, j)
			}
		}
		before := 0.0
		for _, j := range o.part.features {
			before = math.Max(before, math.Abs(o.excess(j, 1)))
		}
		o.close(z)
		solved, tolerance := true, 1e-9
		for _, v := range want {
			if v != 0 {
				solved, tolerance = false, 0.02
			}
		}
		for j := range int32(p) {
			got := o.excess(j, 1)
			if math.Abs(got-want[j]) > tolerance {
				t.Errorf("seed %d: excess of %d is %.4f, proximal point %.4f", seed, j, got, want[j])
			}
		}
		for row, v := range z {
			if math.Abs(v) > o.f.rows.Limit[row]*(1+1e-15) {
				t.Errorf("seed %d: multiplier %v of row %d, limit %v", seed, v, row, o.f.rows.Limit[row])
			}
		}
		if before > 0.1 && solved {
			open++
		}
	}
	if open < 5 {
		t.Errorf("in %d of 40 problems edges carry away all of an excess, want some", open)
	}
}

// proximal returns a component of p features, a random tree and more edges, some of
// negative weight, with random residuals, and argmin ½|x − residual|² + its penalty.
func proximal(t *testing.T, rng *rand.Rand, p int, size float64) (*outside, []float64) {
	t.Helper()
	var edges []graph.Edge
	for j := range int32(p) {
		for k, i := range rng.Perm(int(j)) {
			if k == 0 || rng.IntN(8) == 0 {
				weight := math.Copysign(0.5+rng.Float64(), rng.Float64()-0.2)
				edges = append(edges, graph.Edge{I: int32(i), J: j, Weight: weight})
			}
		}
	}
	g, err := graph.New(p, edges)
	if err != nil {
		t.Fatal(err)
	}
	labels := make([]float64, p)
	for j := range labels {
		labels[j] = size * rng.NormFloat64()
	}
	// The loss is the mean of (x − label)²: twice what is wanted, over p.
	prob := newProblem(sparse.Identity(p), labels, term.Squared{}, g.FusedLasso(), 2/float64(p), 0)
	best := mustNew(t, prob).Finish(nil, &Settings{Tol: 1e-12})
	if !(best.Gap <= 1e-12) {
		t.Fatalf("gap %.1e of the proximal point", best.Gap)
	}
	unit := *prob
	unit.Limit = make([]float64, len(prob.Limit))
	for j := range unit.Limit {
		unit.Limit[j] = 1
	}
	o := newOutside(prepare(&unit))
	copy(o.sum, labels)
	return o, best.X
}
