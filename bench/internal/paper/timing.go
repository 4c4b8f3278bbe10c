package paper

import (
	"context"
	"fmt"
	"math"
	"runtime"
	"strings"

	"github.com/scas-admm/scas/solver"
)

// A Timing is what one run cost, measured with nothing else running.
type Timing struct {
	Key
	Passes  []float64 `json:"passes"`
	Seconds []float64 `json:"seconds"` // at each of Passes, evaluation excluded, setup included
	Setup   float64   `json:"setup_seconds"`
	PerPass float64   `json:"ns_per_pass"` // setup excluded
	// Bytes is the live heap during the run minus the live heap before it; 0 means not measured.
	Bytes float64 `json:"bytes,omitempty"`
	// Objective is the objective at the end of the same run.
	Objective float64 `json:"objective"`
	// Plan is how the solver ran the inner loop, if the method has one.
	Plan string `json:"plan,omitempty"`
	// Plain is a second run, one sample at a time as in the paper, of a method that otherwise keeps
	// a rotated copy of the data.
	Plain *Timing `json:"without_rotation,omitempty"`
}

// time measures the runs of a split one at a time on one thread.
func (e *Experiment) time(ctx context.Context, d *Data, split int) error {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	half := d.once(split, e.Protocol.TuneSamples)
	for _, key := range e.Protocol.timed(d.Spec, split) {
		if err := e.measure(ctx, half, key); err != nil {
			return fmt.Errorf("paper: timing %v: %w", key, err)
		}
		e.Progress.Done(1, "timed: "+key.String())
	}
	return nil
}

// measure times one unit unless its timing is there. The warm-up run measures bytes.
func (e *Experiment) measure(ctx context.Context, half func() (*Half, error), key Key) error {
	u := e.Unit(key)
	if e.Timing(key) != nil || u == nil || u.Failed != "" {
		return nil
	}
	h, err := half()
	if err != nil {
		return err
	}
	t := e.Protocol.Traits(key.Method)
	s := e.Protocol.settings(h, u, &t)
	one, err := e.weigh(ctx, h, key, s, &t)
	if err != nil {
		return err
	}
	if strings.HasPrefix(one.Plan, "rotated") {
		s.NoRotation, s.BatchSize = true, 1
		if one.Plain, err = e.weigh(ctx, h, key, s, &t); err != nil {
			return err
		}
	}
	if e.Machine != nil {
		if err := e.add(line{Machine: e.Machine}); err != nil {
			return err
		}
	}
	return e.add(line{Timing: one})
}

// weigh measures the bytes of a run, then the seconds of a second one.
func (e *Experiment) weigh(ctx context.Context, h *Half, key Key, s solver.Settings, t *Traits) (*Timing, error) {
	one := &Timing{Key: key}
	before := liveHeap()
	if _, err := minimize(ctx, with(h.Train, key.Mu), s, func(pt *solver.Point) bool {
		if pt.Outer > 0 {
			one.Bytes = max(0, liveHeap()-before)
		}
		return pt.Outer > 0
	}); err != nil {
		return nil, err
	}
	kept := math.Inf(-1) // passes of the last record kept
	res, err := minimize(ctx, with(h.Train, key.Mu), s, func(pt *solver.Point) bool {
		if keeps(kept, pt.Passes, t) {
			kept = pt.Passes
			one.Objective = pt.Last.Objective
			one.Passes, one.Seconds = append(one.Passes, pt.Passes), append(one.Seconds, pt.Seconds)
		}
		return enough(pt, e.Protocol.Passes, t)
	})
	if err != nil {
		return nil, err
	}
	one.Setup, one.Plan = res.Stats.SetupSeconds, res.Stats.Plan
	one.PerPass = 1e9 * (res.Stats.Seconds - res.Stats.SetupSeconds) / res.Stats.Passes
	return one, nil
}

func liveHeap() float64 {
	var m runtime.MemStats
	runtime.GC()
	runtime.GC() // finalizers and pools need a second round
	runtime.ReadMemStats(&m)
	return float64(m.HeapAlloc)
}
