// Package attack runs the program scas under conditions that only a process can meet, and
// checks what it leaves behind: odd command lines, signals, failing system calls, full and
// read-only disks, several writers of one file, slow and changing inputs, and small files
// that stand for very large ones. Each trial follows from a seed.
//
// Parsers are attacked beside their code, by the fuzz tests of their packages; random
// problems by the tests of package solver.
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
	"text/tabwriter"
	"time"
)

// Options say what is tried and for how long.
type Options struct {
	// For is the time of all kinds together, each its share. Zero means that Tries decides.
	For time.Duration
	// Tries bounds the trials of each kind, as a multiple of its short form. Zero means no bound.
	Tries int
	// First is the seed of the first trial of each kind. Zero means 1.
	First uint64
	// Seed, if not zero, is the seed of the only trial of each kind.
	Seed uint64
	// Only names the one kind to try. Empty means all.
	Only string
	// Scas is the path of the program to attack. Empty means that it is built.
	Scas string
	// Dir is the directory in which the attacks write.
	Dir string
	// Say is called with the name of each kind when it begins, and with each failure. It may be nil.
	Say func(line string)
}

// A Kind of attack.
type Kind struct {
	Name, Summary string

	share float64 // of the time
	short int     // trials of the short form
	alone bool    // one trial at a time
	begin func(ctx context.Context, g *ground) (trial, error)
}

// A trial does what follows from a seed. It returns how the program handled it, in a word
// or two, or an error that says what the program did wrong.
type trial func(ctx context.Context, seed uint64) (handled string, err error)

// errSkip is wrapped by the reason why a kind cannot be tried on this machine.
var errSkip = errors.New("skipped")

func skip(format string, args ...any) error {
	return fmt.Errorf("%w: %s", errSkip, fmt.Sprintf(format, args...))
}

// Kinds lists all kinds.
func Kinds() []Kind {
	return []Kind{
		{"flags", "random flags of every command", 10, 40, false, beginFlags},
		{"signals", "kill -9, TERM, INT, HUP and STOP at random times and system calls", 8, 16, false, beginSignals},
		{"faults", "failing system calls, full and read-only disks", 8, 16, false, beginFaults},
		{"writers", "several runs that write the same files at once", 3, 4, false, beginWriters},
		{"streams", "slow, short and changing inputs", 3, 8, false, beginStreams},
		{"bombs", "compressed bombs and giant numbers, peak memory below 200 MB", 5, 6, true, beginBombs},
	}
}

// A Failure is a trial that the program handled badly.
type Failure struct {
	Kind string
	Seed uint64
	What string
}

// String says what happened and how to repeat it.
func (f Failure) String() string {
	return fmt.Sprintf("%s, seed %d: %s\n    again: go run ./bench attack --only %[1]s --seed %[2]d", f.Kind, f.Seed, f.What)
}

// A Tally counts the trials of one kind.
type Tally struct {
	Kind    Kind
	Tried   int
	Handled map[string]int // trials, by how the program handled them
	Failed  []Failure
	Skipped string // the reason why nothing was tried; empty if it was
	Seconds float64
	Peak    int64 // the largest resident size of a process of the program, in bytes
}

// Run tries the kinds one after the other. An error is one of the machine or of the
// options; what the program handled badly is in the tallies.
func Run(ctx context.Context, opt Options) ([]*Tally, error) {
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
	if opt.Dir == "" {
		return nil, errors.New("no directory to attack in")
	}
	g := &ground{opt: opt, ctx: ctx}
	shares := 0.0
	for _, k := range kinds {
		shares += k.share
	}
	var tallies []*Tally
	for _, k := range kinds {
		g.say(k.Name + ": " + k.Summary)
		t, err := g.run(ctx, k, time.Duration(float64(opt.For)*k.share/shares))
		if err != nil {
			return tallies, fmt.Errorf("%s: %w", k.Name, err)
		}
		tallies = append(tallies, t)
		if ctx.Err() != nil {
			return tallies, ctx.Err()
		}
	}
	return tallies, nil
}

// run tries one kind.
func (g *ground) run(ctx context.Context, k Kind, limit time.Duration) (*Tally, error) {
	t := &Tally{Kind: k, Handled: map[string]int{}}
	start := time.Now()
	g.peak.Store(0)
	try, err := k.begin(ctx, g)
	if errors.Is(err, errSkip) {
		t.Skipped = strings.TrimPrefix(err.Error(), errSkip.Error()+": ")
		return t, nil
	}
	if err != nil {
		return nil, err
	}
	next := g.seeds(k, start, limit)
	workers := runtime.GOMAXPROCS(0)
	if k.alone {
		workers = 1
	}
	var wg sync.WaitGroup
	var mu sync.Mutex
	for range workers {
		wg.Go(func() {
			for seed, more := next(); more && ctx.Err() == nil; seed, more = next() {
				handled, err := try(ctx, seed)
				mu.Lock()
				t.count(g, seed, handled, err)
				mu.Unlock()
			}
		})
	}
	wg.Wait()
	t.Seconds, t.Peak = time.Since(start).Seconds(), g.peak.Load()
	return t, nil
}

// seeds returns a function that hands out the seeds of a kind's trials.
func (g *ground) seeds(k Kind, start time.Time, limit time.Duration) func() (seed uint64, more bool) {
	var mu sync.Mutex
	first, done := max(1, g.opt.First), 0
	most := g.opt.Tries * k.short
	return func() (uint64, bool) {
		mu.Lock()
		defer mu.Unlock()
		n := done
		done++
		switch {
		case g.opt.Seed != 0:
			return g.opt.Seed, n == 0
		case most > 0 && n >= most, limit > 0 && n > 0 && time.Since(start) > limit:
			return 0, false
		}
		return first + uint64(n), true
	}
}

func (t *Tally) count(g *ground, seed uint64, handled string, err error) {
	if g.ctx.Err() != nil {
		return // an interrupt may look like a failure
	}
	t.Tried++
	if err == nil {
		t.Handled[handled]++
		return
	}
	f := Failure{t.Kind.Name, seed, err.Error()}
	t.Failed = append(t.Failed, f)
	g.say(f.String())
}

// random returns the random numbers of a seed.
func random(seed uint64) *rand.Rand { return rand.New(rand.NewPCG(seed, 0x70127012e)) }

// pick returns one of several.
func pick[T any](rng *rand.Rand, from ...T) T { return from[rng.IntN(len(from))] }

// chance is true once in n times.
func chance(rng *rand.Rand, n int) bool { return rng.IntN(n) == 0 }

// Table shows the tallies.
func Table(tallies []*Tally) string {
	var b strings.Builder
	w := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "kind\ttried\tsurvived\tfailed\tseconds\tpeak\tof which")
	for _, t := range tallies {
		if t.Skipped != "" {
			fmt.Fprintf(w, "%s\t-\t-\t-\t-\t-\tskipped: %s\n", t.Kind.Name, t.Skipped)
			continue
		}
		var parts []string
		for _, how := range slices.Sorted(maps.Keys(t.Handled)) {
			parts = append(parts, fmt.Sprintf("%s %d", how, t.Handled[how]))
		}
		fmt.Fprintf(w, "%s\t%d\t%d\t%d\t%.0f\t%d MB\t%s\n",
			t.Kind.Name, t.Tried, t.Tried-len(t.Failed), len(t.Failed), t.Seconds, t.Peak/1e6, strings.Join(parts, ", "))
	}
	w.Flush()
	for _, t := range tallies {
		for _, f := range t.Failed {
			fmt.Fprintf(&b, "\nFAILED %s\n", f)
		}
	}
	return b.String()
}

// Failures counts the trials that the program handled badly.
func Failures(tallies []*Tally) (n int) {
	for _, t := range tallies {
		n += len(t.Failed)
	}
	return n
}
