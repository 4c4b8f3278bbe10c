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
