package paper

import (
	"bufio"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"

	"github.com/scas-admm/scas/solver"
	"github.com/scas-admm/scas/sparse"
	"github.com/scas-admm/scas/sparse/atomicfile"
)

// A Timing is what one run cost, measured with nothing else running.
type Timing struct {
	Key
	Passes  []float64 `json:"passes"`
	Seconds []float64 `json:"seconds"` // at each of Passes, evaluation excluded, setup included
	Setup   float64   `json:"setup_seconds"`
	PerPass float64   `json:"ns_per_pass"` // setup excluded
	// Bytes is the live heap during the run beyond that before it; 0 if it was
	// not measured.
	Bytes float64 `json:"bytes,omitempty"`
	// Plan is how the solver ran the inner loop, if the method has one.
	Plan string `json:"plan,omitempty"`
}

// Timings is the file of measured costs.
type Timings struct {
	path string
	// Splits is how many splits of each data set are timed.
	Splits int
	all    map[Key]*Timing
}

// OpenTimings reads what was measured before.
func OpenTimings(dir string, splits int) (*Timings, error) {
	t := &Timings{path: filepath.Join(dir, TimingsFile), Splits: splits, all: map[Key]*Timing{}}
	f, err := os.Open(t.path)
	if errors.Is(err, fs.ErrNotExist) {
		return t, nil
	}
	if err != nil {
		return nil, err
	}
	defer f.Close()
	for dec := json.NewDecoder(bufio.NewReader(f)); ; {
		var one Timing
		if err := dec.Decode(&one); err == io.EOF {
			return t, nil
		} else if err != nil {
			return nil, fmt.Errorf("paper: %s: %w; delete it to measure again", t.path, err)
		}
		t.all[one.Key] = &one
	}
}

// Get returns what a run cost, or nil.
func (t *Timings) Get(k Key) *Timing { return t.all[k] }

// add keeps a timing, writing the file anew: it is small.
func (t *Timings) add(one *Timing) error {
	t.all[one.Key] = one
	var sorted []*Timing
	for _, v := range t.all {
		sorted = append(sorted, v)
	}
	slices.SortFunc(sorted, func(a, b *Timing) int {
		return cmp.Or(cmp.Compare(a.Data, b.Data), cmp.Compare(a.Mu, b.Mu), cmp.Compare(a.Method, b.Method), cmp.Compare(a.Split, b.Split))
	})
	return atomicfile.Write(t.path, 0o644, func(w io.Writer) error {
		enc := json.NewEncoder(w)
		for _, v := range sorted {
			if err := enc.Encode(v); err != nil {
				return err
			}
		}
		return nil
	})
}

// time measures the runs of a data set one at a time on one thread.
func (e *Experiment) time(ctx context.Context, d *Data) error {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	for split := range min(e.Timings.Splits, e.Protocol.splits(d.Spec)) {
		var half *Half
		for _, key := range e.Protocol.keys(d.Spec, split) {
			if e.Timings.Get(key) == nil {
				if half == nil {
					var err error
					if half, err = d.Halve(split, e.Protocol.TuneSamples); err != nil {
						return err
					}
				}
				if err := e.measure(ctx, half, key); err != nil {
					return fmt.Errorf("paper: timing %v: %w", key, err)
				}
			}
			e.Progress.Done("timed: "+key.String(), d.Work)
		}
	}
	return nil
}

// measure times one unit after a warm-up, which also weighs it.
func (e *Experiment) measure(ctx context.Context, h *Half, key Key) error {
	u := e.Store.Unit(key)
	if u == nil || u.Failed != "" {
		return nil
	}
	t := e.Protocol.traits(key.Method)
	one := &Timing{Key: key}
	s := e.Protocol.settings(h, u, t)
	if err := warm(ctx, fresh(h.Train, key.Mu), s, one); err != nil {
		return err
	}
	var kept []Point
	s.Recorder = solver.RecorderFunc(func(pt *solver.Point) error {
		if e.Protocol.keeps(kept, pt, t) {
			kept = append(kept, Point{Passes: pt.Passes})
			one.Passes, one.Seconds = append(one.Passes, pt.Passes), append(one.Seconds, pt.Seconds)
		}
		return enough(pt, e.Protocol.passes(h), t)
	})
	res, err := solver.Minimize(ctx, fresh(h.Train, key.Mu), &s)
	if err != nil && !errors.Is(err, errEnough) {
		return err
	}
	one.Setup, one.Plan = res.Stats.SetupSeconds, res.Stats.Plan
	one.PerPass = 1e9 * (res.Stats.Seconds - res.Stats.SetupSeconds) / res.Stats.Passes
	return e.Timings.add(one)
}

// fresh returns p with a constraint that the solver has not seen: it remembers
// what it decomposed.
func fresh(p *solver.Problem, mu float64) *solver.Problem {
	q := with(p, mu)
	q.Constraint = q.Constraint.(*sparse.CSR).Transpose().Transpose()
	return q
}

// warm does the first outer iterations and weighs the live heap during the
// second.
func warm(ctx context.Context, p *solver.Problem, s solver.Settings, one *Timing) error {
	before := liveHeap()
	s.Recorder = solver.RecorderFunc(func(pt *solver.Point) error {
		if pt.Outer == 0 {
			return nil
		}
		one.Bytes = max(0, liveHeap()-before)
		return errEnough
	})
	_, err := solver.Minimize(ctx, p, &s)
	if errors.Is(err, errEnough) {
		return nil
	}
	return err
}

func liveHeap() float64 {
	var m runtime.MemStats
	runtime.GC()
	runtime.GC() // finalizers and pools need a second round
	runtime.ReadMemStats(&m)
	return float64(m.HeapAlloc)
}
