package paper

import (
	"context"
	"errors"
	"math"

	"github.com/scas-admm/scas/solver"
)

// errEnough ends a run that has gone far enough.
var errEnough = errors.New("paper: enough iterations")

// minimize is solver.Minimize on one thread. see gets every record, and ends the
// run by returning true.
func minimize(ctx context.Context, p *solver.Problem, s solver.Settings, see func(*solver.Point) (enough bool)) (*solver.Result, error) {
	s.Threads = 1
	if see != nil {
		s.Recorder = solver.RecorderFunc(func(pt *solver.Point) error {
			if see(pt) {
				return errEnough
			}
			return nil
		})
	}
	res, err := solver.Minimize(ctx, p, &s)
	if errors.Is(err, errEnough) {
		err = nil
	}
	return res, err
}

// diverged reports whether a run ended because its steps were too long.
func diverged(err error) bool {
	_, is := errors.AsType[*solver.DivergenceError](err)
	return is
}

// batchPasses is no limit: batch methods are stopped by iterations.
const batchPasses = 1e6

// settings are those of the run of a unit.
func (pr Protocol) settings(h *Half, u *Unit, t traits) solver.Settings {
	method, _ := methodOf(u.Method)
	s := solver.Settings{Method: method, Eta: math.Ldexp(u.Eta, -u.Halved), Rho: u.Rho, Passes: pr.PassesOn(h.data.Spec), Seed: runSeed + uint64(u.Split)}
	if t.Batch {
		s.Passes = batchPasses
	}
	return s
}

// keeps thins the records of methods that have many a pass.
func keeps(points []Point, pt *solver.Point, t traits) bool {
	return len(points) == 0 || t.Batch || pt.Passes >= points[len(points)-1].Passes+0.499
}

// enough ends the runs of batch methods, which go on until both the paper's
// count of their cost and the honest one have reached the budget.
func enough(pt *solver.Point, budget float64, t traits) bool {
	return t.Batch && pt.PaperPasses >= budget && pt.Passes >= budget
}

// constants returns those of a problem that do not depend on rho.
func constants(ctx context.Context, p *solver.Problem) (solver.Constants, error) {
	res, err := minimize(ctx, p, solver.Settings{Method: solver.SCAS, Passes: 2, Eta: 1e-12, Rho: 1e-12, InnerSteps: 2}, nil)
	if err != nil {
		return solver.Constants{}, err
	}
	return res.Stats.Constants, nil
}

// with returns p with the given coefficient of the L2 term.
func with(p *solver.Problem, mu float64) *solver.Problem {
	q := *p
	q.L2 = mu
	return &q
}
