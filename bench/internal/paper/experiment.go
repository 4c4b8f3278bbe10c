package paper

import (
	"context"
	"fmt"
	"math"
	"runtime"

	"golang.org/x/sync/errgroup"

	"github.com/scas-admm/scas/bench/internal/reference"
)

// An Experiment runs a protocol, keeping what is done in a Store.
type Experiment struct {
	Protocol Protocol
	Store    *Store
	Timings  *Timings
	Progress *Progress
	// Workers is how many runs go on at a time where only passes matter; zero
	// means one per processor.
	Workers int
}

// Run does everything that is missing on the given data: the optimum of every
// training half, the runs in parallel, then the timed runs one at a time.
func (e *Experiment) Run(ctx context.Context, d *Data) error {
	f, err := d.facts(ctx)
	if err != nil {
		return err
	}
	if err := e.Store.AddFacts(f); err != nil {
		return err
	}
	for split := range e.Protocol.splits(d.Spec) {
		if err := e.split(ctx, d, split); err != nil {
			return err
		}
	}
	return e.time(ctx, d)
}

// split does the runs on one split, where only passes matter.
func (e *Experiment) split(ctx context.Context, d *Data, split int) error {
	jobs, err := e.jobs(d, split)
	if err != nil || len(jobs) == 0 {
		return err
	}
	g, ctx := errgroup.WithContext(ctx)
	workers := e.Workers
	if workers == 0 {
		workers = runtime.GOMAXPROCS(0)
	}
	g.SetLimit(workers)
	for _, j := range jobs {
		g.Go(func() error {
			if err := ctx.Err(); err != nil {
				return err
			}
			return j(ctx)
		})
	}
	return g.Wait()
}

// jobs returns what is missing on one split.
func (e *Experiment) jobs(d *Data, split int) ([]func(context.Context) error, error) {
	var jobs []func(context.Context) error
	var half *Half
	for _, mu := range e.Protocol.mus(d.Spec) {
		if e.Store.Optimum(d.Name, mu, split) == nil {
			jobs = append(jobs, func(ctx context.Context) error { return e.optimum(ctx, half, mu) })
		}
	}
	for _, key := range e.Protocol.keys(d.Spec, split) {
		if e.Store.Unit(key) == nil {
			jobs = append(jobs, func(ctx context.Context) error { return e.unit(ctx, half, key) })
		} else {
			e.Progress.Done(key.String(), d.Work)
		}
	}
	if len(jobs) == 0 {
		return nil, nil
	}
	var err error
	half, err = d.Halve(split, e.Protocol.TuneSamples)
	return jobs, err
}

func (e *Experiment) unit(ctx context.Context, h *Half, key Key) error {
	u, err := e.Protocol.run(ctx, h, key)
	if err != nil {
		return fmt.Errorf("paper: %v: %w", key, err)
	}
	e.Progress.Done(key.String(), h.data.Work)
	return e.Store.AddUnit(u)
}

// optimum finds the reference value of a training half.
func (e *Experiment) optimum(ctx context.Context, h *Half, mu float64) error {
	o, err := reference.Solve(ctx, with(h.Train, mu))
	if err != nil {
		return fmt.Errorf("paper: optimum of %s, mu %g, split %d: %w", h.data.Name, mu, h.Split, err)
	}
	var norm2 float64
	for _, v := range o.X {
		norm2 += v * v
	}
	if math.IsInf(o.Gap, 0) || math.IsNaN(o.Gap) {
		o.Gap = -1 // unknown; JSON has no infinity
	}
	return e.Store.AddOptimum(&Optimum{Data: h.data.Name, Mu: mu, Split: h.Split, Objective: o.Objective, Gap: o.Gap, By: o.By, Norm: math.Sqrt(norm2)})
}

// Work returns the runs of the protocol, weighted, timed ones included.
func (pr Protocol) Work(timedSplits int) float64 {
	var sum float64
	for _, s := range pr.Specs() {
		n := float64(len(pr.keys(s, 0)))
		sum += s.Work * n * float64(pr.splits(s)+min(timedSplits, pr.splits(s)))
	}
	return sum
}
