package baseline_test

import (
	"math"
	"testing"

	"github.com/scas-admm/scas/solver"
	"github.com/scas-admm/scas/solver/baseline"
	"github.com/scas-admm/scas/solver/internal/solvertest"
)

// fittedRate returns the slope of the logarithm of the distance from the optimum against
// the logarithm of the passes, between the given passes. The distance is a mean over seeds, of the last
// iterate, or of the average if average is true.
func fittedRate(t *testing.T, p *solver.Problem, m solver.Method, average bool, from, to float64) float64 {
	_, _, optimum := solvertest.BarrierNewton(t, p)
	gaps := map[float64]float64{}
	for seed := range uint64(10) {
		s := &solver.Settings{Method: m, Passes: to, Seed: seed}
		s.Recorder = solver.RecorderFunc(func(pt *solver.Point) error {
			gap := pt.Last.Objective - optimum
			if average {
				gap = pt.Average.Objective - optimum
			}
			if pt.Passes >= from {
				gaps[pt.Passes] += gap / 10
			}
			return nil
		})
		solvertest.Minimize(t, p, s)
	}
	var n, sx, sy, sxx, sxy float64
	for passes, gap := range gaps {
		if gap < 1e-13 {
			continue
		}
		// The weight 1/passes gives each decade the same weight.
		x, y, w := math.Log(passes), math.Log(gap), 1/passes
		n += w
		sx += w * x
		sy += w * y
		sxx += w * x * x
		sxy += w * x * y
	}
	return (n*sxy - sx*sy) / (n*sxx - sx*sx)
}

// TestRates checks that the fitted order of convergence is at most 0.1 worse than the proved order. For
// strongly convex problems log T/T is proved for some methods. A fit over two decades gives only about
// T^-0.75 for them, although the distances are a hundred times below the theorem's bound. Then the test
// only requires that the order is better than the T^-0.5 of the general case.
func TestRates(t *testing.T) {
	for _, c := range []struct {
		method   solver.Method
		average  bool
		mu       float64
		from, to float64
		most     float64 // largest exponent allowed
	}{
		{baseline.STOC{}, true, 0, 5, 200, -0.5},
		{baseline.OPG{}, true, 0, 5, 200, -0.5},
		{baseline.RDA{}, true, 0, 5, 200, -0.5},
		{baseline.OS2{}, false, 0, 5, 200, -0.5},
		{baseline.STOC{}, true, 0.05, 5, 200, -0.7},
		{baseline.OPG{}, true, 0.05, 5, 200, -0.7},
		{baseline.OS1{}, true, 0.05, 5, 200, -0.7},
		{baseline.SA{}, true, 0, 5, 100, -1},
		{baseline.SAIU{}, true, 0, 5, 100, -1},
		{baseline.SVRG{}, true, 0, 10, 100, -1},
		{baseline.BatchLinear{}, true, 0, 10, 200, -1},
	} {
		got := fittedRate(t, solvertest.Chain(t, c.mu), c.method, c.average, c.from, c.to)
		t.Logf("mu = %v, %T: T^%.2f, wanted T^%.1f", c.mu, c.method, got, c.most)
		if !(got < c.most+0.1) {
			t.Errorf("mu = %v, %T: T^%.2f between %v and %v passes, want T^%.1f", c.mu, c.method, got, c.from, c.to, c.most)
		}
	}
}
