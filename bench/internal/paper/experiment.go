package paper

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"runtime"
	"slices"

	"golang.org/x/sync/errgroup"

	"github.com/scas-admm/scas/bench/internal/reference"
)

// An Experiment runs a protocol, keeping what is done in a Store.
type Experiment struct {
	Records
	Progress *Progress
	// Workers is how many runs go on at a time where only passes matter; zero
	// means one per processor.
	Workers int
}

// Run does everything that is missing on the given data: the optimum of every
// training half, the runs in parallel, then the timed runs one at a time.
func (e *Experiment) Run(ctx context.Context, d *Data) error {
	f, err := d.describe(ctx)
	if err != nil {
		return err
	}
	if err := e.Store.AddFacts(f); err != nil {
		return err
	}
	for split := range e.Protocol.SplitsOn(d.Spec) {
		if err := e.split(ctx, d, split); err != nil {
			return err
		}
	}
	return e.time(ctx, d)
}

// split does what is missing of one split, where only passes matter.
func (e *Experiment) split(ctx context.Context, d *Data, split int) error {
	g, ctx := errgroup.WithContext(ctx)
	g.SetLimit(cmp.Or(e.Workers, runtime.GOMAXPROCS(0)))
	half := d.once(split, e.Protocol.TuneSamples)
	for _, job := range e.missing(d, split) {
		g.Go(func() error {
			if err := ctx.Err(); err != nil {
				return err
			}
			h, err := half()
			if err != nil {
				return err
			}
			return job(ctx, h)
		})
	}
	return g.Wait()
}

// missing returns what is to be done on one split.
func (e *Experiment) missing(d *Data, split int) []func(context.Context, *Half) error {
	var jobs []func(context.Context, *Half) error
	for _, mu := range e.Protocol.MusOn(d.Spec) {
		if e.Store.Optimum(d.Name, mu, split) == nil {
			jobs = append(jobs, func(ctx context.Context, h *Half) error { return e.optimum(ctx, h, mu) })
		}
	}
	for _, keys := range e.Protocol.batches(d.Spec, split) {
		keys = slices.DeleteFunc(keys, func(k Key) bool {
			u := e.Store.Unit(k)
			kept := u != nil && !u.lacksWithin()
			if kept {
				e.Progress.Done(k.String(), d.Work)
			}
			return kept
		})
		if len(keys) > 0 {
			jobs = append(jobs, func(ctx context.Context, h *Half) error { return e.units(ctx, h, keys) })
		}
	}
	return jobs
}

// units makes the runs of a method on a problem and split.
func (e *Experiment) units(ctx context.Context, h *Half, keys []Key) error {
	b, err := e.Protocol.batch(ctx, h, keys[0])
	for _, key := range keys {
		if err != nil {
			break
		}
		u := e.Store.Unit(key)
		if u == nil {
			u, err = b.run(ctx, key)
		}
		if err == nil && u.lacksWithin() {
			err = e.Protocol.within(ctx, h, u)
		}
		if err != nil {
			break
		}
		e.Progress.Done(key.String(), h.data.Work)
		err = e.Store.AddUnit(u)
	}
	if err != nil {
		return fmt.Errorf("paper: %v: %w", keys[0], err)
	}
	return nil
}

// optimum finds the reference value of a training half.
func (e *Experiment) optimum(ctx context.Context, h *Half, mu float64) error {
	o, err := reference.Solve(ctx, with(h.Train, mu))
	if err != nil {
		return fmt.Errorf("paper: optimum of %s, mu %g, split %d: %w", h.data.Name, mu, h.Split, err)
	}
	if math.IsInf(o.Gap, 0) || math.IsNaN(o.Gap) {
		o.Gap = -1 // unknown; JSON has no infinity
	}
	return e.Store.AddOptimum(&Optimum{Data: h.data.Name, Mu: mu, Split: h.Split, Objective: o.Objective, Gap: o.Gap, By: o.By, Norm: norm(o.X)})
}

// norm returns the Euclidean norm.
func norm(v []float64) float64 {
	var sum float64
	for _, u := range v {
		sum += u * u
	}
	return math.Sqrt(sum)
}
