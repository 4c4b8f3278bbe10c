package paper

import (
	"context"
	"errors"
	"fmt"
	"math"

	"github.com/scas-admm/scas/solver"
)

// A Key names a run.
type Key struct {
	Data   string        `json:"data"`
	Mu     float64       `json:"mu"`
	Method solver.Method `json:"method"`
	Split  int           `json:"split"`
}

// String names the run for people.
func (k Key) String() string {
	return fmt.Sprintf("%s, mu %g, %s, split %d", k.Data, k.Mu, k.Method, k.Split)
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
	if _, auto := methodOf(key.Method); auto {
		return u, pr.follow(ctx, h, u, t)
	}
	var err error
	if u.Tuned, err = Tune(ctx, h, key.Mu, key.Method, t); err != nil {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		u.Failed = err.Error()
		return u, nil
	}
	return u, pr.follow(ctx, h, u, t)
}

// follow runs a tuned unit, halving its step size while it diverges.
func (pr Protocol) follow(ctx context.Context, h *Half, u *Unit, t traits) error {
	p := with(h.Train, u.Mu)
	for u.Halved = 0; ; u.Halved++ {
		s := pr.settings(h, u, t)
		u.Points = u.Points[:0]
		s.Recorder = solver.RecorderFunc(func(pt *solver.Point) error {
			if !pr.keeps(u.Points, pt, t) {
				return nil
			}
			u.Points = append(u.Points, Point{
				Outer: pt.Outer, Passes: pt.Passes, Paper: pt.PaperPasses,
				Last: pt.Last.Objective, Average: pt.Average.Objective, Test: h.Test.Evaluate(pt.X).Loss,
			})
			return enough(pt, pr.passes(h), t)
		})
		res, err := solver.Minimize(ctx, p, &s)
		var diverged *solver.DivergenceError
		switch {
		case errors.As(err, &diverged):
			if u.Halved < maxHalvings && !t.NoStep {
				continue
			}
			u.Failed, u.Points = err.Error(), nil
			return nil
		case err != nil && !errors.Is(err, errEnough):
			if ctx.Err() != nil {
				return ctx.Err()
			}
			u.Failed, u.Points = err.Error(), nil
			return nil
		}
		if u.Points = finite(u.Points); len(u.Points) == 0 {
			u.Failed = "no finite point"
			return nil
		}
		u.TestAverage = h.Test.Evaluate(res.XAverage).Loss
		return nil
	}
}

// settings are those of the run of a unit.
func (pr Protocol) settings(h *Half, u *Unit, t traits) solver.Settings {
	method, _ := methodOf(u.Method)
	s := solver.Settings{
		Method: method, Eta: math.Ldexp(u.Eta, -u.Halved), Rho: u.Rho,
		Passes: pr.passes(h), Seed: runSeed + uint64(u.Split), Threads: 1,
	}
	if t.Batch {
		s.Passes = batchPasses
	}
	return s
}

// keeps thins the records of methods that have many a pass.
func (pr Protocol) keeps(points []Point, pt *solver.Point, t traits) bool {
	if len(points) == 0 || t.Batch {
		return true
	}
	return pt.Passes >= points[len(points)-1].Passes+0.499
}

// enough ends the runs of batch methods, which go on until both the paper's
// count of their cost and the honest one have reached the budget.
func enough(pt *solver.Point, budget float64, t traits) error {
	if t.Batch && pt.PaperPasses >= budget && pt.Passes >= budget {
		return errEnough
	}
	return nil
}

func finite(points []Point) []Point {
	for k, p := range points {
		for _, v := range []float64{p.Last, p.Average, p.Test} {
			if math.IsNaN(v) || math.IsInf(v, 0) {
				return points[:k]
			}
		}
	}
	return points
}
