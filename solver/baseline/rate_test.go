package baseline_test

import (
	"math"
	"testing"

	"github.com/scas-admm/scas/solver"
	"github.com/scas-admm/scas/solver/baseline"
	"github.com/scas-admm/scas/solver/internal/solvertest"
)

// fittedRate fits gap = C·passes^r to the gaps at minPasses ≤ passes ≤ maxPasses, and returns r. A gap is a
// mean over the given number of seeds. It is the gap of the average if average is true, otherwise of the last
// iterate. Gaps below 1e-13 are left out.
func fittedRate(t *testing.T, p *solver.Problem, m solver.Method, average bool,
	seeds int, minPasses, maxPasses float64) float64 {
	optimum := solvertest.Minimize(t, p, &solver.Settings{RelTol: 1e-13}).At.Objective
	gaps := map[float64]float64{}
	for seed := range uint64(seeds) {
		s := &solver.Settings{Method: m, Passes: maxPasses, Seed: seed}
		s.Recorder = solver.RecorderFunc(func(pt *solver.Point) error {
			gap := pt.Last.Objective - optimum
			if average {
				gap = pt.Average.Objective - optimum
			}
			if pt.Passes >= minPasses {
				gaps[pt.Passes] += gap / float64(seeds)
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
		// With the weight 1/passes, each decade of passes has the same influence on the fit.
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
// mu > 0 it requires only T^-0.6: the proved order is about 1/T, but runs of 200 passes may not show it.
// Few seeds are enough where the fitted order is far from the wanted one.
func TestRates(t *testing.T) {
	for _, c := range []struct {
		method               solver.Method
		average              bool
		mu                   float64
		seeds                int
		minPasses, maxPasses float64
		rate                 float64 // the wanted order of the gap after T passes is T^rate
	}{
		{baseline.STOC{}, true, 0, 3, 5, 200, -0.5},
		{baseline.OPG{}, true, 0, 3, 5, 200, -0.5},
		{baseline.RDA{}, true, 0, 3, 5, 200, -0.5},
		{baseline.OS2{}, false, 0, 3, 5, 200, -0.5},
		{baseline.STOC{}, true, 0.05, 10, 5, 200, -0.7},
		{baseline.OPG{}, true, 0.05, 10, 5, 200, -0.7},
		{baseline.OS1{}, true, 0.05, 10, 5, 200, -0.7},
		{baseline.SA{}, true, 0, 3, 5, 100, -1},
		{baseline.SAIU{}, true, 0, 3, 5, 100, -1},
		{baseline.SVRG{}, true, 0, 3, 10, 100, -1},
		{baseline.BatchLinear{}, true, 0, 1, 10, 200, -1},
	} {
		p := solvertest.ChainProblem(t, c.mu)
		got := fittedRate(t, p, c.method, c.average, c.seeds, c.minPasses, c.maxPasses)
		t.Logf("mu = %v, %T: T^%.2f, wanted T^%.1f", c.mu, c.method, got, c.rate)
		if !(got < c.rate+0.1) {
			t.Errorf("mu = %v, %T: T^%.2f between %v and %v passes, want T^%.1f",
				c.mu, c.method, got, c.minPasses, c.maxPasses, c.rate)
		}
	}
}
