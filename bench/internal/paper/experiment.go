package paper

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"runtime"
	"slices"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"
)

// An Experiment runs a protocol and stores the results in records.
type Experiment struct {
	*Records
	// TimedSplits is the number of splits of each data set on which runs are timed.
	TimedSplits int
	// Machine describes the machine in lines of text.
	Machine  []string
	Progress *Progress
	// Workers is the number of runs that are made in parallel; zero means one per processor. Timed
	// runs are made one at a time.
	Workers int
}

// Run makes all runs on the given data sets, except runs that are in the records already. It makes the
// runs with the rule OnHalf last, because they take most of the time.
func (e *Experiment) Run(ctx context.Context, data ...*Data) error {
	for _, d := range data {
		if err := e.add(line{Data: d.summary}); err != nil {
			return err
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
	g, ctx := errgroup.WithContext(ctx)
	g.SetLimit(cmp.Or(e.Workers, runtime.GOMAXPROCS(0)))
	halve := d.splitOnce(ctx, split, e.Protocol.TuneSamples)
	run := func(job func(*Halves) error) {
		g.Go(func() error {
			if err := ctx.Err(); err != nil {
				return err
			}
			h, err := halve()
			if err != nil {
				return err
			}
			return job(h)
		})
	}
	for _, mu := range e.Protocol.Mus {
		if e.Optimum(d.Name, mu, split) == nil {
			run(func(h *Halves) error { return e.addOptimum(ctx, h, mu) })
		}
	}
	for _, keys := range e.Protocol.keysByMethod(d.Spec, split, rules) {
		missingKeys := slices.DeleteFunc(slices.Clone(keys), func(k Key) bool { return e.TunedRun(k) != nil })
		if completeCount := len(keys) - len(missingKeys); completeCount > 0 {
			e.Progress.Done(completeCount, "complete before: "+keys[0].String())
		}
		if len(missingKeys) > 0 {
			run(func(h *Halves) error { return e.tunedRuns(ctx, h, missingKeys) })
		}
	}
	return g.Wait()
}

// tunedRuns makes the runs of the keys and adds them to the records. All keys have the same method, data set,
// mu and split.
func (e *Experiment) tunedRuns(ctx context.Context, h *Halves, keys []Key) error {
	r, err := e.Protocol.newRunner(ctx, h, keys[0].Mu, keys[0].Method)
	for k := 0; k < len(keys) && err == nil; k++ {
		var u *TunedRun
		if u, err = r.run(ctx, keys[k]); err == nil {
			e.Progress.Done(1, keys[k].String())
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

// A Progress reports how many runs are done, at most every 15 seconds. A nil *Progress reports
// nothing.
type Progress struct {
	W     io.Writer
	Total int // number of runs to make

	mu         sync.Mutex
	count      int // number of runs done so far
	lastReport time.Time
}

// Done counts n more runs as done. The argument run names the last of these runs.
func (p *Progress) Done(n int, run string) {
	if p == nil {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.count += n
	if now := time.Now(); now.Sub(p.lastReport) >= 15*time.Second {
		p.lastReport = now
		fmt.Fprintf(p.W, "%d of %d runs  (%s)\n", p.count, p.Total, run)
	}
}
