// Package attack runs the program scas as a process under hostile conditions, and checks its exit code, its
// messages and the files that it leaves. The conditions are signals, failing system calls, full and read-only
// disks, several writers of one file, slow and changing inputs, and small files that expand to very large
// ones. Each trial can be repeated from its seed. Read Kind and Run first. Package solver/cmd/scas tests
// random command lines.
package attack

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"text/tabwriter"
	"time"

	"github.com/scas-admm/scas/bench/internal/program"
)

// Options say which attacks to run, and for how long. The tags describe them as flags of a command.
type Options struct {
	// For is the total time of all kinds of attack. Each kind makes at least one trial.
	For time.Duration `default:"3m" placeholder:"T" help:"Time of all kinds of attack together (default ${default})."`
	// Only is the name of the only kind to run. Empty means all kinds.
	Only string `placeholder:"KIND" help:"Only one kind of attack."`
	// If Seed is not zero, each kind makes one trial, with this seed.
	Seed uint64 `placeholder:"N" help:"Run only the trial with this seed. The line of a failure names the seed."`
	// First is the seed of the first trial of each kind. Zero means 1.
	First uint64 `default:"1" placeholder:"N" help:"Seed of the first trial of each kind (default ${default})."`
	// Tests set Tries, which limits each kind to Tries times Kind.baseTrials trials. Zero means no limit.
	Tries int `kong:"-"`
	// Scas is the path of the program to attack. Empty means: build it from this module.
	Scas string `placeholder:"FILE" help:"The program to attack (default: it is built)."`
}

// A Kind is a kind of attack.
type Kind struct {
	Name, Summary string

	// The kind may run for the time Options.For · timeShare/(sum of the shares of the kinds to run).
	timeShare  float64
	baseTrials int  // number of trials if Options.Tries is 1
	alone      bool // whether only one trial may run at a time
	// begin prepares the trials. It returns an error that wraps errSkip if this machine cannot run them.
	begin func(ctx context.Context, g *testbed) (trial, error)
}

// A trial runs the attack that the seed determines. outcome says how the program survived, such as
// "exit 2". err says what the program did wrong. It wraps errSkip if this machine cannot run the attack.
type trial func(ctx context.Context, seed uint64) (outcome string, err error)

var errSkip = errors.New("skipped")

func skip(reason string) error { return fmt.Errorf("%w: %s", errSkip, reason) }

// Kinds returns all kinds of attack.
func Kinds() []Kind {
	return []Kind{
		{
			"signals", "kill -9, TERM, INT, HUP and STOP at random times and system calls", 8, 8, false,
			beginSignals,
		},
		{"faults", "failing system calls, full and read-only disks", 8, 8, false, beginFaults},
		{"writers", "several runs that write the same files at once", 3, 2, false, beginWriters},
		{"streams", "slow, short and changing inputs", 3, 4, false, beginPipes},
		{"bombs", "compressed bombs and giant numbers, peak memory below 200 MB", 5, 3, true, beginBombs},
	}
}

// A Failure is a trial in which the program did something wrong.
type Failure struct {
	Kind        string
	Seed        uint64
	Description string
}

// String says what the program did wrong, and how to repeat the trial.
func (f Failure) String() string {
	return fmt.Sprintf("%s, seed %d: %s\n    again: go run ./bench attack --only %[1]s --seed %[2]d",
		f.Kind, f.Seed, f.Description)
}

// A KindResult counts the trials of one kind of attack.
type KindResult struct {
	Kind          Kind
	Trials        int            // number of trials, without those left out
	LeftOut       int            // number of trials that this machine cannot run
	OutcomeCounts map[string]int // number of trials without a failure, by the text that the trial returned
	Failures      []Failure
	SkipReason    string  // why the kind did not run; empty if it ran
	Seconds       float64 // duration of the preparation and of all trials
	Peak          int64   // largest resident size of a process in bytes, see program.Ending; 0 if unknown
}

// Run runs the kinds of attack one after the other, which write in the directory dir. It calls say with the
// name of each kind when the kind begins, and with each failure. The results say what the program did wrong.
// With an error, Run also returns the results so far.
func Run(ctx context.Context, opt Options, dir string, say func(line string)) ([]*KindResult, error) {
	kinds := Kinds()
	if opt.Only != "" {
		var names []string
		for _, k := range kinds {
			names = append(names, k.Name)
		}
		kinds = slices.DeleteFunc(kinds, func(k Kind) bool { return k.Name != opt.Only })
		if len(kinds) == 0 {
			return nil, fmt.Errorf("--only %s: want one of %s", opt.Only, strings.Join(names, ", "))
		}
	}
	scas, err := program.FindOrBuild(ctx, opt.Scas, dir)
	if err != nil {
		return nil, err
	}
	g := &testbed{opt: opt, dir: dir, say: say, scas: scas}
	if err := g.writeInputs(); err != nil {
		return nil, err
	}
	totalShare := 0.0
	for _, k := range kinds {
		totalShare += k.timeShare
	}
	var results []*KindResult
	for _, k := range kinds {
		g.say(k.Name + ": " + k.Summary)
		t, err := g.run(ctx, k, time.Duration(float64(opt.For)*k.timeShare/totalShare))
		if err != nil {
			return results, fmt.Errorf("%s: %w", k.Name, err)
		}
		results = append(results, t)
		if ctx.Err() != nil {
			return results, ctx.Err()
		}
	}
	return results, nil
}

func (g *testbed) run(ctx context.Context, k Kind, limit time.Duration) (*KindResult, error) {
	t := &KindResult{Kind: k, OutcomeCounts: map[string]int{}}
	start := time.Now()
	g.peak.Store(0)
	try, err := k.begin(ctx, g)
	if errors.Is(err, errSkip) {
		t.SkipReason = strings.TrimPrefix(err.Error(), errSkip.Error()+": ")
		return t, nil
	}
	if err != nil {
		return nil, err
	}
	workers := runtime.GOMAXPROCS(0)
	if k.alone {
		workers = 1
	}
	var begun atomic.Int64 // number of trials that have begun
	var wg sync.WaitGroup
	var mu sync.Mutex
	for range workers {
		wg.Go(func() {
			for ctx.Err() == nil {
				seed, more := g.seed(k, int(begun.Add(1)-1), time.Since(start) > limit)
				if !more {
					return
				}
				outcome, err := try(ctx, seed)
				mu.Lock()
				if ctx.Err() == nil { // after an interrupt, a trial may fail without a fault of scas
					t.count(g, seed, outcome, err)
				}
				mu.Unlock()
			}
		})
	}
	wg.Wait()
	t.Seconds, t.Peak = time.Since(start).Seconds(), g.peak.Load()
	return t, nil
}

// seed returns the seed of trial n, counted from 0. more is false if there is no trial n. late says that the
// time for the trials has passed; then only trial 0 is made.
func (g *testbed) seed(k Kind, n int, late bool) (seed uint64, more bool) {
	maxTrials := g.opt.Tries * k.baseTrials
	switch {
	case g.opt.Seed != 0:
		return g.opt.Seed, n == 0
	case maxTrials > 0 && n >= maxTrials, late && n > 0:
		return 0, false
	}
	return max(1, g.opt.First) + uint64(n), true
}

func (t *KindResult) count(g *testbed, seed uint64, outcome string, err error) {
	if errors.Is(err, errSkip) {
		t.LeftOut++
		return
	}
	t.Trials++
	if err == nil {
		t.OutcomeCounts[outcome]++
		return
	}
	f := Failure{t.Kind.Name, seed, err.Error()}
	t.Failures = append(t.Failures, f)
	g.say(f.String())
}

func newRNG(seed uint64) *rand.Rand { return rand.New(rand.NewPCG(seed, 0x70127012e)) }

func pick[T any](rng *rand.Rand, choices ...T) T { return choices[rng.IntN(len(choices))] }

// chance returns true with probability 1/n.
func chance(rng *rand.Rand, n int) bool { return rng.IntN(n) == 0 }

// Table returns the results as a table, followed by the failures.
func Table(results []*KindResult) string {
	var b strings.Builder
	w := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "kind\ttried\tsurvived\tfailed\tseconds\tpeak\tof which")
	for _, t := range results {
		if t.SkipReason != "" {
			fmt.Fprintf(w, "%s\t-\t-\t-\t-\t-\tskipped: %s\n", t.Kind.Name, t.SkipReason)
			continue
		}
		var parts []string
		for _, how := range slices.Sorted(maps.Keys(t.OutcomeCounts)) {
			parts = append(parts, fmt.Sprintf("%s %d", how, t.OutcomeCounts[how]))
		}
		outcomes := strings.Join(parts, ", ")
		if t.LeftOut > 0 {
			outcomes += fmt.Sprintf("; left out: %d", t.LeftOut)
		}
		peak := "-"
		if t.Peak > 0 {
			peak = fmt.Sprintf("%d MB", t.Peak/1e6)
		}
		fmt.Fprintf(w, "%s\t%d\t%d\t%d\t%.0f\t%s\t%s\n",
			t.Kind.Name, t.Trials, t.Trials-len(t.Failures), len(t.Failures), t.Seconds, peak, outcomes)
	}
	w.Flush()
	for _, t := range results {
		for _, f := range t.Failures {
			fmt.Fprintf(&b, "\nFAILED %s\n", f)
		}
	}
	return b.String()
}

// CountFailures returns the number of failed trials.
func CountFailures(results []*KindResult) (n int) {
	for _, t := range results {
		n += len(t.Failures)
	}
	return n
}
