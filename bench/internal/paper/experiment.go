package paper

import (
	"context"
	"fmt"
	"io"
	"runtime"
	"slices"
	"time"

	"golang.org/x/sync/errgroup"
)

// An Experiment runs a protocol and stores the results in records. It makes as many runs in parallel as there
// are processors, but timed runs one at a time.
type Experiment struct {
	*Records
	// TimedSplits is the number of splits of each data set on which runs are timed.
	TimedSplits int
	// Machine describes the machine in lines of text.
	Machine []string
	// Log gets the number of runs that are done, at most every 15 seconds. nil means no reports.
	Log io.Writer

	total, done int // numbers of runs
	lastReport  time.Time
}

// Run makes all runs on the given data sets, except runs that are in the records already. It makes the
// runs with the rule OnHalf last, because they take most of the time.
func (e *Experiment) Run(ctx context.Context, data ...*Data) error {
	for _, d := range data {
		if err := e.add(line{Data: d.summary}); err != nil {
			return err
		}
		for split := range e.Protocol.Splits {
			for _, keys := range e.Protocol.Keys(d.Spec, split, Rules()...) {
				e.total += len(keys)
				if split < e.TimedSplits {
					e.total++ // the timed run
				}
			}
		}
	}
	for _, rules := range [][]Rule{{Sampled, Automatic}, {OnHalf}} {
		for split := range e.Protocol.Splits {
			for _, d := range data {
				if err := e.runSplit(ctx, d, split, rules); err != nil {
					return err
				}
				if split < e.TimedSplits && slices.Contains(rules, Sampled) {
					if err := e.timeSplit(ctx, d, split); err != nil {
						return err
					}
				}
			}
		}
	}
	return nil
}

// runSplit computes the optima of one split and makes its runs with the given rules. It leaves out timed
// runs, and what the records already have.
func (e *Experiment) runSplit(ctx context.Context, d *Data, split int, rules []Rule) error {
	var jobs []func(ctx context.Context, h *Halves) error
	for _, mu := range e.Protocol.Mus {
		if e.Optima[Key{Data: d.Name, Mu: mu, Split: split}] == nil {
			jobs = append(jobs,
				func(ctx context.Context, h *Halves) error { return e.addOptimum(ctx, h, mu) })
		}
	}
	for _, keys := range e.Protocol.Keys(d.Spec, split, rules...) {
		missing := slices.DeleteFunc(slices.Clone(keys), func(k Key) bool { return e.Runs[k] != nil })
		e.count(len(keys)-len(missing), "complete before: ", keys[0])
		if len(missing) > 0 {
			jobs = append(jobs,
				func(ctx context.Context, h *Halves) error { return e.tunedRuns(ctx, h, missing) })
		}
	}
	if jobs == nil {
		return nil
	}
	h, err := d.Halve(ctx, split, e.Protocol.TuneSamples)
	if err != nil {
		return err
	}
	g, ctx := errgroup.WithContext(ctx)
	g.SetLimit(runtime.GOMAXPROCS(0))
	for _, job := range jobs {
		g.Go(func() error {
			if err := ctx.Err(); err != nil {
				return err
			}
			return job(ctx, h)
		})
	}
	return g.Wait()
}

// tunedRuns makes the runs of the keys and adds them to the records. All keys have the same method, data set,
// mu and split.
func (e *Experiment) tunedRuns(ctx context.Context, h *Halves, keys []Key) error {
	r, err := e.Protocol.newRunner(ctx, h, keys[0].Mu, keys[0].Method)
	for k := 0; k < len(keys) && err == nil; k++ {
		var u *TunedRun
		u, err = r.run(ctx, keys[k])
		if err == nil {
			e.count(1, "", keys[k])
			err = e.add(line{Run: u})
		}
	}
	if err != nil {
		return fmt.Errorf("paper: %v: %w", keys[0], err)
	}
	return nil
}

func (e *Experiment) addOptimum(ctx context.Context, h *Halves, mu float64) error {
	best, _, err := provenOptimum(ctx, withMu(h.Train, mu))
	if err != nil {
		return fmt.Errorf("paper: optimum of %s, mu %g, split %d: %w", h.data.Name, mu, h.Split, err)
	}
	best.Data, best.Mu, best.Split = h.data.Name, mu, h.Split
	return e.add(line{Optimum: best})
}

// count adds n to the number of runs that are done. If the last report is at least 15 seconds old, it writes
// the numbers of runs to Log, with how, such as "timed: ", and last, the key of one of the n runs.
func (e *Experiment) count(n int, how string, last Key) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.done += n
	if e.Log != nil && n > 0 && time.Since(e.lastReport) >= 15*time.Second {
		e.lastReport = time.Now()
		fmt.Fprintf(e.Log, "%d of %d runs  (%s%v)\n", e.done, e.total, how, last)
	}
}
