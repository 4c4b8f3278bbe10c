package theory

import "testing"

// TestTheorem2 checks that the step size and the number of inner steps of Theorem2Steps satisfy the relaxed
// conditions for each rho, and that a third of these steps is not enough. Some step size must satisfy the
// conditions printed in the paper if rho (λ₁ − λ_p) < μ_f, and only then.
func TestTheorem2(t *testing.T) {
	allHold := func(cs []Condition) bool {
		for _, c := range cs {
			if !c.Holds() {
				return false
			}
		}
		return true
	}
	c := Constants{NuF: 2.3, MuF: 0.1, Lambda1: 4.9, LambdaP: 1}
	for _, rho := range []float64{1e-4, 0.01, 1, 20} {
		c.NuL = c.NuF + rho*c.Lambda1
		eta, m := c.Theorem2Steps()
		if cs := c.Theorem2Relaxed(eta, rho, m); !allHold(cs) {
			t.Errorf("rho = %v: the theorem schedule violates %v", rho, cs)
		}
		if allHold(c.Theorem2Relaxed(eta, rho, m/3)) {
			t.Errorf("rho = %v: a third of the inner steps should not be enough", rho)
		}
		possible := rho*(c.Lambda1-c.LambdaP) < c.MuF
		bestEta := (c.MuF - rho*(c.Lambda1-c.LambdaP)) / (4*c.NuL*c.NuL + c.MuF*c.NuL/2) / 2
		met := bestEta > 0 && allHold(c.Theorem2(bestEta, rho, 1<<40))
		if met != possible {
			t.Errorf("rho = %v: printed conditions can be met: %v, want %v: %v",
				rho, met, possible, c.Theorem2(bestEta, rho, 1<<40))
		}
	}
}

// TestTheorem2BeyondStability checks that all conditions fail if nu_L eta ≥ 2.
func TestTheorem2BeyondStability(t *testing.T) {
	c := Constants{NuF: 3, MuF: 1, Lambda1: 4, LambdaP: 1, NuL: 5}
	for _, eta := range []float64{2.0 / 5, 0.41, 1, 1e9} {
		for _, cs := range [][]Condition{c.Theorem2(eta, 0.5, 100), c.Theorem2Relaxed(eta, 0.5, 100)} {
			for _, cond := range cs {
				if cond.Holds() {
					t.Errorf("eta = %v: %v", eta, cond)
				}
			}
		}
	}
}
