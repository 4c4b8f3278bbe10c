package baseline_test

import (
	"testing"

	"github.com/scas-admm/scas/solver"
	"github.com/scas-admm/scas/solver/baseline"
	"github.com/scas-admm/scas/solver/internal/solvertest"
	"github.com/scas-admm/scas/sparse"
	"github.com/scas-admm/scas/sparse/sparsetest"
)

// TestPDHGOnA9a compares the gaps of SVR-PDHG on a9a after 10, 20 and 30 passes with the gaps of an
// independent implementation. Each must be less than three times its reference.
func TestPDHGOnA9a(t *testing.T) {
	sparsetest.Long(t)
	p := solvertest.Load(t, "paper/a9a.zst", 123)
	a, err := sparse.ReadFile(sparsetest.DataFile(t, "graphs", "F_a9a_asvrpdhg.txt"), &sparse.ReadOptions{Format: sparse.MatrixMarket, LabelsOptional: true})
	if err != nil {
		t.Fatal(err)
	}
	p.Constraint, p.Penalty = a.X, solver.L1{Lambda: 1e-5}
	const optimum = 0.3239943499973264
	for _, c := range []struct {
		eta, sigma float64
		batch      int
		prototype  map[float64]float64
	}{
		{1, 1, 15, map[float64]float64{10: 1.9e-4, 20: 8.3e-5, 30: 5.1e-5}},
		{0.65, 0, 1, map[float64]float64{10: 7.7e-6, 20: 2.7e-7, 30: 6.1e-8}},
	} {
		got := map[float64]float64{}
		s := &solver.Settings{Method: baseline.SVRPDHG{}, Eta: c.eta, Rho: c.sigma, BatchSize: c.batch, Passes: 30, Threads: 1, Seed: 1}
		s.Recorder = solver.RecorderFunc(func(pt *solver.Point) error {
			for passes := range c.prototype {
				if pt.Passes <= passes {
					got[passes] = pt.Last.Objective - optimum
				}
			}
			return nil
		})
		solvertest.Minimize(t, p, s)
		t.Logf("eta %g, batches of %d: gaps %.1e", c.eta, c.batch, got)
		for passes, want := range c.prototype {
			if !(got[passes] < 3*want) || got[passes] < -1e-12 {
				t.Errorf("eta %g, batches of %d: gap %.1e after %g passes, the prototype's %.1e", c.eta, c.batch, got[passes], passes, want)
			}
		}
	}
}
