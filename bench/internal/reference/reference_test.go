package reference

import (
	"math"
	"strings"
	"testing"

	"github.com/scas-admm/scas/solver"
	"github.com/scas-admm/scas/sparse"
	"github.com/scas-admm/scas/sparse/graph"
	"github.com/scas-admm/scas/sparse/sparsetest"
)

func problem(t *testing.T, file string, features int, lambda, mu float64, a *sparse.CSR) *solver.Problem {
	t.Helper()
	d, err := sparse.ReadLIBSVMFile(file, &sparse.ReadOptions{Features: features})
	if err != nil {
		t.Fatal(err)
	}
	p := &solver.Problem{Data: d.X, Labels: d.Labels, L2: mu, Penalty: solver.L1{Lambda: lambda}}
	if a != nil {
		p.Constraint = a
	}
	return p
}

// TestKnownOptima compares with optima found by another program.
func TestKnownOptima(t *testing.T) {
	sparsetest.Long(t)
	for _, o := range sparsetest.Optima(t) {
		var a *sparse.CSR
		switch o.A {
		case "":
		case "chain":
			a = graph.Chain(o.Features).FusedLasso()
		default:
			edges, err := graph.ReadEdgesFile(sparsetest.DataFile(t, o.A), o.Features)
			if err != nil {
				t.Fatal(err)
			}
			a = edges.FusedLasso()
		}
		got, err := Solve(t.Context(), problem(t, sparsetest.DataFile(t, o.File), o.Features, o.Lambda, o.Mu, a))
		if err != nil {
			t.Fatal(err)
		}
		t.Logf("%+v: %.15f, off by %.1e, gap below %.1e by %s", o, got.Objective, got.Objective-o.Value, got.Gap, got.By)
		if off := math.Abs(got.Objective - o.Value); !(off < 1e-11) || !(got.Gap < 1e-12) {
			t.Errorf("%+v: objective %.15f is %.1e off, certified to %.1e", o, got.Objective, off, got.Gap)
		}
	}
}

// TestActiveSet holds the two ways of solving a problem to each other.
func TestActiveSet(t *testing.T) {
	d, err := sparse.NewSynthetic(sparse.SyntheticOptions{Rows: 300, Features: 60, Noise: 2, Seed: 4})
	if err != nil {
		t.Fatal(err)
	}
	g, err := graph.FromPairs(60, d.Edges)
	if err != nil {
		t.Fatal(err)
	}
	for _, mu := range []float64{0, 0.05} {
		p := &solver.Problem{Data: d.X, Labels: d.Labels, L2: mu, Penalty: solver.L1{Lambda: 0.03}, Constraint: g.FusedLasso()}
		whole, err := Solve(t.Context(), p)
		if err != nil {
			t.Fatal(err)
		}
		active, err := solve(t.Context(), p, 40)
		if err != nil {
			t.Fatal(err)
		}
		long, err := solve(t.Context(), p, 2)
		if err != nil {
			t.Fatal(err)
		}
		t.Logf("%.15f by %s (gap %.1e)\n%.15f by %s (gap %.1e)\n%.15f by %s (gap %.1e)", whole.Objective, whole.By, whole.Gap, active.Objective, active.By, active.Gap, long.Objective, long.By, long.Gap)
		if off := math.Abs(whole.Objective - active.Objective); !(off < 1e-12) || !strings.HasPrefix(active.By, "barrier Newton on the ") {
			t.Errorf("mu %g: %s differs by %.1e", mu, active.By, off)
		}
		if off := math.Abs(whole.Objective - long.Objective); !(off < 1e-8) || strings.Contains(long.By, "barrier") {
			t.Errorf("mu %g: %s differs by %.1e", mu, long.By, off)
		}
		if !(whole.Gap < 1e-12) || !(active.Gap < 1e-12) || !(long.Gap < 1e-8) {
			t.Errorf("mu %g: gaps %g, %g, %g", mu, whole.Gap, active.Gap, long.Gap)
		}
	}
}

// TestCertificate: the bound is above the true gap wherever x is.
func TestCertificate(t *testing.T) {
	d, err := sparse.NewSynthetic(sparse.SyntheticOptions{Rows: 200, Features: 20, Noise: 1, Seed: 5})
	if err != nil {
		t.Fatal(err)
	}
	a := graph.Chain(20).FusedLasso()
	for _, mu := range []float64{0, 1e-2} {
		p := &solver.Problem{Data: d.X, Labels: d.Labels, L2: mu, Penalty: solver.L1{Lambda: 0.02}, Constraint: a}
		best, err := Solve(t.Context(), p)
		if err != nil {
			t.Fatal(err)
		}
		for _, passes := range []float64{2, 10, 60} {
			res, err := solver.Minimize(t.Context(), p, &solver.Settings{Method: solver.SCASK{}, Passes: passes})
			if err != nil {
				t.Fatal(err)
			}
			bound := Certificate(p, a, res.X, res.Dual)
			if excess := res.At.Objective - best.Objective; !(bound >= excess) || bound > 10 {
				t.Errorf("mu %g, %g passes: bound %g of an excess of %g", mu, passes, bound, excess)
			}
		}
	}
}

func TestRefuses(t *testing.T) {
	p := &solver.Problem{Data: sparse.Identity(2), Labels: []float64{1, -1}, Penalty: solver.SquaredL2{Lambda: 1}}
	if _, err := Solve(t.Context(), p); err == nil {
		t.Error("a penalty without a barrier is accepted")
	}
	p.Penalty, p.Domain = solver.L1{Lambda: 1}, solver.Ball{Radius: 1}
	if _, err := Solve(t.Context(), p); err == nil {
		t.Error("a domain is accepted")
	}
}
