package solver_test

import (
	"math"
	"testing"

	"github.com/scas-admm/scas/kernels"
	"github.com/scas-admm/scas/solver"
	"github.com/scas-admm/scas/solver/baseline"
	"github.com/scas-admm/scas/solver/internal/solvertest"
	"github.com/scas-admm/scas/sparse"
	"github.com/scas-admm/scas/sparse/graph"
)

// TestConstants checks Problem.Constants and Stats.Constants.Radius, and that Stats.GradientNorm is at most
// Constants.NuF.
func TestConstants(t *testing.T) {
	x, err := sparse.FromDense(2, 3, []float64{1, 2, 2, 0, 3, 4})
	if err != nil {
		t.Fatal(err)
	}
	p := &solver.Problem{
		Data: x, Labels: []float64{1, -1}, Constraint: graph.Chain(3).FusedLasso(),
		Penalty: solver.L1{Lambda: 0.5}, L2: 0.1, Domain: solver.Ball{Radius: 2},
	}
	c, err := p.Constants(0)
	if err != nil {
		t.Fatal(err)
	}
	if math.Abs(c.NuF-(25./4+0.1)) > 1e-14 || c.MuF != 0.1 || c.Diameter != 4 {
		t.Errorf("nu_f = %v, mu_f = %v, D = %v, want 6.35, 0.1, 4", c.NuF, c.MuF, c.Diameter)
	}
	// The Laplacian of the path on three nodes has the eigenvalues 0, 1 and 3. A'A is I plus this Laplacian.
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
	p.Loss = loweredLogistic{}
	if r := solvertest.Minimize(t, p, &solver.Settings{Method: solver.SCASK{}}).Stats.Constants.Radius; r != 0 {
		t.Errorf("radius %v of a loss with negative values, want 0", r)
	}
}

// loweredLogistic is the logistic loss minus 1, as a caller's own type.
type loweredLogistic struct{ solver.Logistic }

func (loweredLogistic) Value(margin, label float64) float64 {
	return solver.Logistic{}.Value(margin, label) - 1
}
