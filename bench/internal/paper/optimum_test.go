package paper

import (
	"math"
	"testing"

	"github.com/scas-admm/scas/solver"
	"github.com/scas-admm/scas/sparse"
	"github.com/scas-admm/scas/sparse/graph"
	"github.com/scas-admm/scas/sparse/sparsetest"
)

// TestKnownOptima compares the results of provenOptimum with optima that another program computed.
func TestKnownOptima(t *testing.T) {
	for _, o := range sparsetest.Optima(t) {
		d, err := sparse.ReadFile(sparsetest.DataFile(t, o.File), &sparse.ReadOptions{Features: o.Features})
		if err != nil {
			t.Fatal(err)
		}
		p := &solver.Problem{Data: d.X, Labels: d.Labels, L2: o.Mu, Penalty: solver.L1{Lambda: o.Lambda}}
		switch o.A {
		case "":
		case "chain":
			p.Constraint = graph.Chain(o.Features).FusedLasso()
		default:
			edges, err := graph.ReadEdgesFile(sparsetest.DataFile(t, o.A), o.Features)
			if err != nil {
				t.Fatal(err)
			}
			p.Constraint = edges.FusedLasso()
		}
		best, _, err := provenOptimum(t.Context(), p)
		if err != nil {
			t.Fatal(err)
		}
		if off := best.Objective - o.Value; !(math.Abs(off) < 2e-11) || !(best.Gap < 1e-12) {
			t.Errorf("%s: %.15f is off by %.1e, and proved to %.1e", o.Name, best.Objective, off, best.Gap)
		}
	}
}

// TestStrongGap checks that the result of strongGap is never below the objective minus the optimum, and is
// small near the optimum.
func TestStrongGap(t *testing.T) {
	d, err := sparse.NewSynthetic(sparse.SyntheticOptions{Rows: 200, Features: 20, Noise: 1, Seed: 5})
	if err != nil {
		t.Fatal(err)
	}
	// A has two rows whose only entry is in column 1: row 0 of Antisymmetric, and row 1 of Identity.
	a, err := sparse.Stack(graph.Chain(20).Antisymmetric(), sparse.Identity(20))
	if err != nil {
		t.Fatal(err)
	}
	p := &solver.Problem{Data: d.X, Labels: d.Labels, L2: 1e-2, Penalty: solver.L1{Lambda: 0.02}, Constraint: a}
	best, err := solver.Minimize(t.Context(), p, &solver.Settings{RelTol: 1e-13})
	if err != nil {
		t.Fatal(err)
	}
	for _, passes := range []float64{2, 10, 60, 600} {
		res, err := solver.Minimize(t.Context(), p, &solver.Settings{Method: solver.SCASK{}, Passes: passes, NoProof: true})
		if err != nil {
			t.Fatal(err)
		}
		excess := res.At.Objective - best.At.Objective
		if gap := strongGap(p, a, res.X, res.Dual); !(gap >= excess) || gap > 10 || passes == 600 && gap > provedTo {
			t.Errorf("%g passes: bound %g of an excess of %g", passes, gap, excess)
		}
	}
}
