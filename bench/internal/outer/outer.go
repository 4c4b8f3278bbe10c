// Package outer times whole outer iterations of SCAS-ADMM in the solver: a full gradient, n inner steps and
// the dual updates. It compares every level of the kernels with plain Go loops. Read Job and Time first.
package outer

import (
	"context"
	"fmt"

	"github.com/scas-admm/scas/bench/internal/measure"
	"github.com/scas-admm/scas/kernels"
	"github.com/scas-admm/scas/solver"
)

// A Job is a problem and the settings of a run, which include the method.
type Job struct {
	Name string // name of the data and the graph
	// Problem has the logistic loss and a penalty L1. Its Constraint is nil or a *sparse.CSR.
	*solver.Problem
	Settings solver.Settings // Method, Eta and Rho must be set
}

// Options say how long to measure.
type Options struct {
	Reps       int // number of runs of each implementation
	Iterations int // number of outer iterations in each run
}

// A Timing has the times of a job in ns per outer iteration, for each level and for the naive loops. Plan
// says how the solver ran the inner loop.
type Timing struct {
	Case   measure.Case
	Series []measure.Series
	Plan   string
}

// Time measures the times of j. The implementations take turns. Time returns an error if the results of a
// level differ in any bit from the results of the first level.
func Time(ctx context.Context, j Job, opt Options) (Timing, error) {
	levels := kernels.Available()
	defer func() { _ = kernels.Use(levels[len(levels)-1]) }()
	t := Timing{Case: measure.Case{Kernel: "Outer-" + j.Settings.Method.Info().Name, Shape: j.Name, Unit: "iteration", Units: 1}}
	for _, name := range measure.Names() {
		t.Series = append(t.Series, measure.Series{Level: name, Runs: 1})
	}
	var want []float64
	for range opt.Reps {
		dualUpdates := 0
		for i, l := range levels {
			if err := kernels.Use(l); err != nil {
				return t, err
			}
			res, x, ns, err := j.solve(ctx, opt.Iterations)
			if err != nil {
				return t, err
			}
			dualUpdates = res.Stats.DualUpdates
			t.Plan = fmt.Sprintf("%s, dual updates: %d", res.Stats.Plan, dualUpdates)
			if want == nil {
				want = x
			}
			if k := measure.FirstDifference(x, want); k >= 0 {
				return t, fmt.Errorf("outer: %s on %s: level %s gives x[%d] = %x, %s %x", t.Case.Kernel, j.Name, l, k, x[k], levels[0], want[k])
			}
			t.Series[i].Times = append(t.Series[i].Times, ns...)
		}
		if err := ctx.Err(); err != nil {
			return t, err
		}
		naiveSeries := &t.Series[len(levels)]
		naiveSeries.Times = append(naiveSeries.Times, newNaiveSolver(j, dualUpdates).time(opt.Iterations)...)
	}
	return t, nil
}

// solve runs the solver at the level in use. It returns the result, the last iterate before small
// coefficients are rounded to zero, and the time of every outer iteration in ns.
func (j Job) solve(ctx context.Context, iterations int) (res *solver.Result, x, ns []float64, err error) {
	s := j.Settings
	s.Passes, s.Threads = 2*float64(iterations), 1
	var lastSeconds float64
	s.Recorder = solver.RecorderFunc(func(p *solver.Point) error {
		if p.Outer > 0 {
			ns = append(ns, 1e9*(p.Seconds-lastSeconds))
		}
		lastSeconds = p.Seconds
		x = append(x[:0], p.X...)
		return nil
	})
	res, err = solver.Minimize(ctx, j.Problem, &s)
	return res, x, ns, err
}
