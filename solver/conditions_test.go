package solver_test

import (
	"math"
	"testing"

	"github.com/scas-admm/scas/kernels"
	"github.com/scas-admm/scas/solver"
	"github.com/scas-admm/scas/solver/baseline"
	"github.com/scas-admm/scas/solver/internal/solvertest"
	"github.com/scas-admm/scas/solver/theory"
	"github.com/scas-admm/scas/sparse"
	"github.com/scas-admm/scas/sparse/graph"
)

// TestTheorem2 checks properties of the conditions of Theorem 2. The schedule Theorem satisfies the relaxed
// conditions for any rho. The printed conditions need rho (λ₁ − λ_p) < μ_f, and can be satisfied with such
// a rho.
func TestTheorem2(t *testing.T) {
	all := func(cs []theory.Condition) bool {
		for _, c := range cs {
			if !c.Holds() {
				return false
			}
		}
		return true
	}
	p, _ := solvertest.Planted(t, sparse.SyntheticOptions{Rows: 100, Features: 20, NonzerosPerRow: 6, Noise: 1, Seed: 20}, 1e-2)
	p.L2 = 0.1
	c, err := p.Constants(0)
	if err != nil {
		t.Fatal(err)
	}
	for _, rho := range []float64{1e-4, 0.01, 1, 20} {
		c.NuL = c.NuF + rho*c.Lambda1
		eta := c.MuF / (8*c.NuF*c.NuF + c.MuF*c.NuL)
		m := int(math.Ceil(4 / (eta * c.MuF)))
		if cs := c.Theorem2Relaxed(eta, rho, m); !all(cs) {
			t.Errorf("rho = %v: the theorem schedule violates %v", rho, cs)
		}
		if all(c.Theorem2Relaxed(eta, rho, m/3)) {
			t.Errorf("rho = %v: a third of the inner steps should not be enough", rho)
		}
		possible := rho*(c.Lambda1-c.LambdaP) < c.MuF
		best := (c.MuF - rho*(c.Lambda1-c.LambdaP)) / (4*c.NuL*c.NuL + c.MuF*c.NuL/2) / 2
		met := best > 0 && all(c.Theorem2(best, rho, 1<<40))
		if met != possible {
			t.Errorf("rho = %v: printed conditions can be met: %v, want %v: %v", rho, met, possible, c.Theorem2(best, rho, 1<<40))
		}
	}
}

// TestTheorem2BeyondStability checks parameters with nu_L eta ≥ 2. Denominators of some conditions
// are then zero or negative, and these conditions must not hold.
func TestTheorem2BeyondStability(t *testing.T) {
	c := theory.Constants{NuF: 3, MuF: 1, Lambda1: 4, LambdaP: 1, NuL: 5}
	for _, eta := range []float64{2.0 / 5, 0.41, 1, 1e9} {
		for _, cs := range [][]theory.Condition{c.Theorem2(eta, 0.5, 100), c.Theorem2Relaxed(eta, 0.5, 100)} {
			for _, cond := range cs {
				if cond.Holds() {
					t.Errorf("eta = %v: %v", eta, cond)
				}
			}
		}
	}
}

// TestConstants compares the constants of problems with values that are known in closed form.
func TestConstants(t *testing.T) {
	x, err := sparse.FromDense(2, 3, []float64{1, 2, 2, 0, 3, 4})
	if err != nil {
		t.Fatal(err)
	}
	p := &solver.Problem{Data: x, Labels: []float64{1, -1}, Constraint: graph.Chain(3).FusedLasso(), Penalty: solver.L1{Lambda: 0.5}, L2: 0.1, Domain: solver.Ball{Radius: 2}}
	c, err := p.Constants(0)
	if err != nil {
		t.Fatal(err)
	}
	if math.Abs(c.NuF-(25./4+0.1)) > 1e-14 || c.MuF != 0.1 || c.Diameter != 4 {
		t.Errorf("nu_f = %v, mu_f = %v, D = %v, want 6.35, 0.1, 4", c.NuF, c.MuF, c.Diameter)
	}
	// The path on three nodes has Laplacian eigenvalues 0, 1, 3.
	if math.Abs(c.Lambda1-4) > 1e-4 || math.Abs(c.LambdaP-1) > 1e-4 {
		t.Errorf("lambda_1 = %v, lambda_p = %v, want 4, 1", c.Lambda1, c.LambdaP)
	}
	res := solvertest.Minimize(t, p, &solver.Settings{Method: solver.SCASK{}, Passes: 400})
	if r := res.Stats.Constants.Radius; math.Abs(r-math.Ln2/0.5) > 1e-12 || math.Sqrt(kernels.Dot(res.X, res.X)) > r {
		t.Errorf("radius %v, want log 2/lambda = %v", r, math.Ln2/0.5)
	}
	if res.Stats.GradientNorm < 0 || res.Stats.GradientNorm > c.NuF {
		t.Errorf("G_t = %v", res.Stats.GradientNorm)
	}
	p.Penalty = nil
	p.L2 = 2
	if res := solvertest.Minimize(t, p, &solver.Settings{Method: solver.SCASK{}}); math.Abs(res.Stats.Constants.Radius-math.Sqrt(math.Ln2)) > 1e-12 {
		t.Errorf("radius %v, want sqrt(2 log 2/mu) = %v", res.Stats.Constants.Radius, math.Sqrt(math.Ln2))
	}
	p.Penalty, p.L2, p.Domain = solver.L1{Lambda: 0.5}, 0.1, nil
	for _, m := range baseline.Methods() {
		if m == (solver.Auto{}) {
			continue // the default method needs no constants for its Newton steps
		}
		if r := solvertest.Minimize(t, p, &solver.Settings{Method: m}).Stats.Constants.Radius; math.Abs(r-math.Ln2/0.5) > 1e-12 {
			t.Errorf("%T: radius %v, want log 2/lambda = %v", m, r, math.Ln2/0.5)
		}
	}
}
