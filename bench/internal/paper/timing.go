package paper

import (
	"context"
	"fmt"
	"math"
	"runtime"
	"strings"

	"github.com/scas-admm/scas/solver"
)

// A Timing has the time and memory of one run, measured while nothing else runs.
type Timing struct {
	Key
	Passes  []float64 `json:"passes"`  // numbers of passes at which the time was taken
	Seconds []float64 `json:"seconds"` // times at Passes, with setup and without evaluations
	Setup   float64   `json:"setup_seconds"`
	PerPass float64   `json:"ns_per_pass"` // nanoseconds per pass, without setup
	// Bytes is the size of the live heap after the first outer iteration minus its size before the run, at
	// least 0.
	Bytes float64 `json:"bytes,omitempty"`
	// Objective is the objective at the last of Passes.
	Objective float64 `json:"objective"`
	// Plan is the plan of the inner loop; empty if the method has no inner loop.
	Plan string `json:"plan,omitempty"`
	// Unrotated is the timing of a second run of the method. The second run makes no rotated copy of the data
	// (see Settings.NoRotation) and takes one sample in a step, as in the paper. Unrotated is nil if the
	// first run used no rotated copy.
	Unrotated *Timing `json:"without_rotation,omitempty"`
}

// timeSplit measures the runs of a split one after the other, on one thread. It leaves out runs that were
// timed before, that the records do not have, or that failed.
func (e *Experiment) timeSplit(ctx context.Context, d *Data, split int) error {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	var h *Halves
	for _, keys := range e.Protocol.Keys(d.Spec, split, Sampled) {
		key := e.Protocol.TimedKey(keys[0])
		u := e.Runs[key]
		if e.Timings[key] == nil && u != nil && u.Failed == "" {
			var err error
			if h == nil {
				h, err = d.Halve(ctx, split, e.Protocol.TuneSamples)
			}
			if err == nil {
				err = e.measureRun(ctx, h, u)
			}
			if err != nil {
				return fmt.Errorf("paper: timing %v: %w", key, err)
			}
		}
		e.count(1, "timed: ", key)
	}
	return nil
}

// measureRun times one run and adds the timing to the records.
func (e *Experiment) measureRun(ctx context.Context, h *Halves, u *TunedRun) error {
	t := e.Protocol.Traits(u.Method)
	s := e.Protocol.settings(&t, math.Ldexp(u.Eta, -u.Halvings), u.Rho, u.Split)
	timing, err := e.timeRun(ctx, h, u.Key, s, &t)
	if err == nil && strings.HasPrefix(timing.Plan, "rotated") {
		s.NoRotation, s.BatchSize = true, 1
		timing.Unrotated, err = e.timeRun(ctx, h, u.Key, s, &t)
	}
	if err == nil && e.Machine != nil {
		err = e.add(line{Machine: e.Machine})
	}
	if err != nil {
		return err
	}
	return e.add(line{Timing: timing})
}

// timeRun makes two runs. The first measures memory and ends after one outer iteration, the second measures
// time.
func (e *Experiment) timeRun(
	ctx context.Context, h *Halves, key Key, s solver.Settings, t *Traits,
) (*Timing, error) {
	timing := &Timing{Key: key}
	p := withMu(h.Train, key.Mu)
	p.Constraint = h.a // not prepared, so the time of the run includes the preparation
	heapBefore := liveHeap()
	if _, err := minimize(ctx, p, s, func(pt *solver.Point) bool {
		if pt.Outer > 0 {
			timing.Bytes = max(0, liveHeap()-heapBefore)
		}
		return pt.Outer > 0
	}); err != nil {
		return nil, err
	}
	res, err := minimize(ctx, p, s, e.Protocol.keep(t, func(pt *solver.Point) {
		timing.Objective = pt.Last.Objective
		timing.Passes, timing.Seconds = append(timing.Passes, pt.Passes), append(timing.Seconds, pt.Seconds)
	}))
	if err != nil {
		return nil, err
	}
	timing.Setup, timing.Plan = res.Stats.SetupSeconds, res.Stats.Plan
	timing.PerPass = 1e9 * (res.Stats.Seconds - res.Stats.SetupSeconds) / res.Stats.Passes
	return timing, nil
}

func liveHeap() float64 {
	var m runtime.MemStats
	runtime.GC()
	runtime.GC() // a second collection frees what finalizers and pools kept
	runtime.ReadMemStats(&m)
	return float64(m.HeapAlloc)
}
