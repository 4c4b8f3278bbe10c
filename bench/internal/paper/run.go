package paper

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"

	"github.com/scas-admm/scas/solver"
)

// A Key names a run.
type Key struct {
	Data   string  `json:"data"`
	Mu     float64 `json:"mu"`
	Method Method  `json:"method"`
	Split  int     `json:"split"`
}

// String names the run for people.
func (k Key) String() string {
	return fmt.Sprintf("%s, mu %g, %s, split %d", k.Data, k.Mu, k.Method, k.Split)
}

// compare orders keys as files have them.
func (k Key) compare(l Key) int {
	return cmp.Or(cmp.Compare(k.Data, l.Data), cmp.Compare(k.Mu, l.Mu), cmp.Compare(k.Method, l.Method), cmp.Compare(k.Split, l.Split))
}

// A Point is one record of a run. All of it is the same whenever and wherever
// it is run.
type Point struct {
	Outer   int     `json:"outer"`   // outer iterations done
	Passes  float64 `json:"passes"`  // sample gradients (and Hessian products) visited, over n
	Paper   float64 `json:"paper"`   // the same as the paper counts: an exact batch x-step is one
	Last    float64 `json:"last"`    // objective at the last iterate
	Average float64 `json:"average"` // objective at the average
	Test    float64 `json:"test"`    // mean loss of the last iterate on the other half
}

// A Unit is a complete run.
type Unit struct {
	Key
	Tuned
	// Halved counts how often the tuned step size was halved because the run on
	// the whole training half diverged.
	Halved int `json:"halved,omitempty"`
	// Failed says why there are no points.
	Failed string  `json:"failed,omitempty"`
	Points []Point `json:"-"`
	// TestAverage is the test loss of the final average; 0 if unknown.
	TestAverage float64 `json:"test_average"`
}

// maxHalvings bounds how often a diverging run is tried again.
const maxHalvings = 8

// run makes a unit: tunes on the samples for tuning, then runs on the training
// half.
func (pr Protocol) run(ctx context.Context, h *Half, key Key) (*Unit, error) {
	t := pr.traits(key.Method)
	u := &Unit{Key: key}
	if runOf(key.Method).auto {
		return u, pr.follow(ctx, h, u, t)
	}
	var err error
	if u.Tuned, err = Tune(ctx, h, key.Mu, runOf(key.Method).method, t); err != nil {
		u.Failed = err.Error()
		return u, ctx.Err()
	}
	return u, pr.follow(ctx, h, u, t)
}

// follow runs a tuned unit, halving its step size while it diverges.
func (pr Protocol) follow(ctx context.Context, h *Half, u *Unit, t Traits) error {
	for u.Halved = 0; ; u.Halved++ {
		u.Points = u.Points[:0]
		res, err := minimize(ctx, h.train(u.Mu), pr.settings(h, u, t), func(pt *solver.Point) bool {
			if !keeps(u.Points, pt, t) {
				return false
			}
			u.Points = append(u.Points, Point{
				Outer: pt.Outer, Passes: pt.Passes, Paper: pt.PaperPasses,
				Last: pt.Last.Objective, Average: pt.Average.Objective, Test: h.Test.Evaluate(pt.X).Loss,
			})
			return enough(pt, pr.PassesOn(h.data.Spec), t)
		})
		switch {
		case diverged(err) && u.Halved < maxHalvings && !t.NoStep:
			continue
		case err != nil:
			u.Failed, u.Points = err.Error(), nil
			return ctx.Err()
		}
		if u.Points = finite(u.Points); len(u.Points) == 0 {
			u.Failed = "no finite point"
			return nil
		}
		u.TestAverage = h.Test.Evaluate(res.XAverage).Loss
		return nil
	}
}

// finite returns the points before the first that is not.
func finite(points []Point) []Point {
	bad := func(v float64) bool { return math.IsNaN(v) || math.IsInf(v, 0) }
	for k, p := range points {
		if bad(p.Last) || bad(p.Average) || bad(p.Test) {
			return points[:k]
		}
	}
	return points
}

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
func (pr Protocol) settings(h *Half, u *Unit, t Traits) solver.Settings {
	s := solver.Settings{Method: runOf(u.Method).method, Name: u.Method, Eta: math.Ldexp(u.Eta, -u.Halved), Rho: u.Rho, Passes: pr.PassesOn(h.data.Spec), Seed: runSeed + uint64(u.Split)}
	if t.Batch {
		s.Passes = batchPasses
	}
	return s
}

// keeps thins the records of methods that have many a pass.
func keeps(points []Point, pt *solver.Point, t Traits) bool {
	return len(points) == 0 || t.Batch || pt.Passes >= points[len(points)-1].Passes+0.499
}

// enough ends the runs of batch methods, which go on until both the paper's
// count of their cost and the honest one have reached the budget.
func enough(pt *solver.Point, budget float64, t Traits) bool {
	return t.Batch && pt.PaperPasses >= budget && pt.Passes >= budget
}

// with returns p with the given coefficient of the L2 term.
func with(p *solver.Problem, mu float64) *solver.Problem {
	q := *p
	q.L2 = mu
	return &q
}
