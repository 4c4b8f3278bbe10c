package paper

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/scas-admm/scas/solver"
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
	// Plain is the same run without a rotated copy of the data, of methods that make
	// one.
	Plain *Timing `json:"without_rotation,omitempty"`
}

// Timings is the file of measured costs.
type Timings struct {
	path string
	// Splits is how many splits of each data set are timed.
	Splits int
	// Machines are those that it was done on, described in lines.
	Machines [][]string
	here     []string // this one
	all      map[Key]*Timing
}

// machineLine is a line of the file that is no Timing.
type machineLine struct {
	Machine []string `json:"machine"`
}

// Here says on which machine costs are measured from now on.
func (t *Timings) Here(lines []string) { t.here = lines }

// openTimings reads what was measured before.
func openTimings(dir string, splits int) (*Timings, error) {
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
		var one struct {
			machineLine
			Timing
		}
		if err := dec.Decode(&one); err == io.EOF {
			return t, nil
		} else if err != nil {
			return nil, fmt.Errorf("paper: %s: %w; delete it to measure again", t.path, err)
		}
		if one.Machine != nil {
			t.Machines = append(t.Machines, one.Machine)
		} else {
			t.all[one.Key] = &one.Timing
		}
	}
}

// Get returns what a run cost, or nil.
func (t *Timings) Get(k Key) *Timing { return t.all[k] }

// add keeps a timing, writing the file anew: it is small.
func (t *Timings) add(one *Timing) error {
	t.all[one.Key] = one
	if t.here != nil && !slices.ContainsFunc(t.Machines, func(m []string) bool { return slices.Equal(m, t.here) }) {
		t.Machines = append(t.Machines, t.here)
	}
	var lines []any
	for _, m := range t.Machines {
		lines = append(lines, machineLine{m})
	}
	for _, one := range sorted(t.all, Key.compare) {
		lines = append(lines, one)
	}
	return atomicfile.Write(t.path, 0o644, func(w io.Writer) error { return encode(w, lines) })
}

// time measures the runs of a data set one at a time on one thread.
func (e *Experiment) time(ctx context.Context, d *Data) error {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	for split := range min(e.Timings.Splits, e.Protocol.SplitsOn(d.Spec)) {
		half := d.once(split, e.Protocol.TuneSamples)
		for _, key := range e.Protocol.timed(d.Spec, split) {
			if err := e.measure(ctx, half, key); err != nil {
				return fmt.Errorf("paper: timing %v: %w", key, err)
			}
			e.Progress.Done("timed: "+key.String(), d.Work)
		}
	}
	return nil
}

// measure times one unit, unless that is done, after a warm-up that also weighs
// it.
func (e *Experiment) measure(ctx context.Context, half func() (*Half, error), key Key) error {
	u := e.Store.Unit(key)
	if e.Timings.Get(key) != nil || u == nil || u.Failed != "" {
		return nil
	}
	h, err := half()
	if err != nil {
		return err
	}
	t := e.Protocol.traits(key.Method)
	s := e.Protocol.settings(h, u, t)
	one, err := e.weigh(ctx, h, key, s, t)
	if err != nil {
		return err
	}
	if strings.HasPrefix(one.Plan, "rotated") {
		s.NoRotation = true
		if one.Plain, err = e.weigh(ctx, h, key, s, t); err != nil && !diverged(err) { // batches of samples bear other steps
			return err
		}
	}
	return e.Timings.add(one)
}

// weigh measures bytes, then seconds.
func (e *Experiment) weigh(ctx context.Context, h *Half, key Key, s solver.Settings, t Traits) (*Timing, error) {
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
			one.Passes, one.Seconds = append(one.Passes, pt.Passes), append(one.Seconds, pt.Seconds)
		}
		return enough(pt, e.Protocol.PassesOn(h.data.Spec), t)
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
