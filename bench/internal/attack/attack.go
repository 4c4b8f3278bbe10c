// Package torture attacks scas: hostile files for every reader, held to naive readers of
// its own; random flags, signals, failing system calls, bombs and odd streams for the
// program; random problems for the library, judged by their certificates; many trainings
// in one process. Whatever is tried follows from a seed.
package torture

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
	"text/tabwriter"
	"time"
)

// Options say what is tried and for how long. The zero value tries nothing.
type Options struct {
	// For is how long all kinds take together, each its share; zero leaves Tries to say.
	For time.Duration
	// Tries bounds the trials of each kind: so many times those of its short form.
	// Zero means no bound.
	Tries int
	// First is the seed of the first trial of each kind; zero means 1.
	First uint64
	// Seed, if not zero, is that of the one trial of each kind.
	Seed uint64
	// Only names the one kind that is tried; empty means all.
	Only string
	// Scas is the program attacked; empty means that it is built.
	Scas string
	// Dir holds what the attacks write.
	Dir string
	// Say is told of the kind at work and of failures; nil means nobody is.
	Say func(line string)
}

// A Kind of attack.
type Kind struct {
	Name, Summary string

	share float64 // of the time
	short int     // trials of the short form
	alone bool    // trials follow one another
	begin func(ctx context.Context, g *ground) (attack, error)
}

// An attack tries what follows from a seed, and returns how that was handled, in a word
// or two, and how many cases it was; an error says what was handled badly.
type attack interface {
	try(ctx context.Context, seed uint64) (handled string, cases int, err error)
}

// trial is an attack without a state, of one case each.
type trial func(ctx context.Context, seed uint64) (handled string, err error)

func (t trial) try(ctx context.Context, seed uint64) (string, int, error) {
	handled, err := t(ctx, seed)
	return handled, 1, err
}

// errSkip is wrapped by the reason why a kind cannot be tried here.
var errSkip = errors.New("skipped")

func skip(format string, args ...any) error {
	return fmt.Errorf("%w: %s", errSkip, fmt.Sprintf(format, args...))
}

// Kinds lists all kinds.
func Kinds() []Kind {
	return []Kind{
		{"data", "LIBSVM files against a naive reader", 3, 700, false, stateless(tryData)},
		{"edges", "edge lists, matrices and adjacencies against naive readers", 3, 700, false, stateless(tryEdges)},
		{"tables", "tables of correlations against a naive reader", 1, 300, false, stateless(tryTable)},
		{"csv", "tables of samples against a naive reader", 3, 500, false, stateless(tryCSV)},
		{"npy", "arrays of NumPy against a naive reader", 1, 400, false, stateless(tryNPY)},
		{"npz", "archives of scipy against a naive reader", 1, 400, false, stateless(tryNPZ)},
		{"binary", ".scas files against a naive reader, mapped and from memory", 1, 300, false, beginBinary},
		{"labels", "files of labels against a naive reader", 1, 300, false, stateless(tryLabels)},
		{"dense", "dense files of the Matrix Market against a naive reader", 1, 300, false, stateless(tryDense)},
		{"models", "damaged model files against a strict reader", 2, 500, false, beginModels},
		{"side", "groups, weights and offsets of scas train against naive readers", 3, 24, false, beginSide},
		{"flags", "random flags of every command", 10, 70, false, beginFlags},
		{"signals", "kill -9, TERM, INT, HUP and STOP at random times and system calls", 8, 24, false, beginSignals},
		{"faults", "failing system calls, full and read-only disks", 8, 24, false, beginFaults},
		{"streams", "slow, short and changing inputs", 3, 12, false, beginStreams},
		{"bombs", "compressed bombs and giant numbers, peak memory below 200 MB", 5, 12, true, beginBombs},
		{"problems", "random problems of every loss, penalty, domain and coupling", 40, 250, false, stateless(tryProblem)},
		{"kernels", "odd calls of every kernel at every level, between guard pages", 3, 3000, true, beginKernels},
		{"trainings", "trainings in one process: memory, goroutines, descriptors", 8, 6, true, beginTrainings},
		{"fuzz", "every fuzz target, by Go's fuzzing", 10, 0, true, beginFuzz},
		{"races", "trainings at once under -race, and with every collection checked", 4, 0, true, beginRaces},
	}
}

func stateless(t trial) func(context.Context, *ground) (attack, error) {
	return func(context.Context, *ground) (attack, error) { return t, nil }
}

// A Failure is a trial that was handled badly.
type Failure struct {
	Kind string
	Seed uint64
	What string
}

// String says what happened and how to repeat it.
func (f Failure) String() string {
	return fmt.Sprintf("%s, seed %d: %s\n    again: go run ./bench torture --only %[1]s --seed %[2]d", f.Kind, f.Seed, f.What)
}

// A Tally is what came of a kind.
type Tally struct {
	Kind    Kind
	Tried   int            // cases
	Handled map[string]int // cases, by how they were handled
	Failed  []Failure
	Skipped string // why nothing was tried
	Seconds float64
	Peak    int64 // bytes that a process of the program had resident at most; 0 where none ran
}

// Run tries the kinds one after the other. An error is one of the machine or of the
// options; what was handled badly is in the tallies.
func Run(ctx context.Context, opt Options) ([]*Tally, error) {
	kinds := Kinds()
	if opt.Only != "" {
		kinds = slices.DeleteFunc(kinds, func(k Kind) bool { return k.Name != opt.Only })
		if len(kinds) == 0 {
			return nil, fmt.Errorf("--only %s: want one of %s", opt.Only, names())
		}
	}
	g, err := newGround(ctx, opt)
	if err != nil {
		return nil, err
	}
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

func names() string {
	var all []string
	for _, k := range Kinds() {
		all = append(all, k.Name)
	}
	return strings.Join(all, ", ")
}

// run tries one kind.
func (g *ground) run(ctx context.Context, k Kind, limit time.Duration) (*Tally, error) {
	t := &Tally{Kind: k, Handled: map[string]int{}}
	if limit == 0 && g.opt.Seed == 0 && k.short*g.opt.Tries == 0 {
		t.Skipped = "not in the short form"
		return t, nil
	}
	start := time.Now()
	g.peak.Store(0)
	g.limit = limit
	a, err := k.begin(ctx, g)
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
				handled, cases, err := attempt(ctx, a, seed)
				mu.Lock()
				t.count(g, seed, handled, cases, err)
				mu.Unlock()
			}
		})
	}
	wg.Wait()
	t.Seconds, t.Peak = time.Since(start).Seconds(), g.peak.Load()
	return t, nil
}

// seeds returns what hands out the seeds of a kind's trials.
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

// attempt tries a seed; a panic is an error.
func attempt(ctx context.Context, a attack, seed uint64) (handled string, cases int, err error) {
	defer func() {
		if r := recover(); r != nil {
			cases, err = max(1, cases), fmt.Errorf("panic: %v\n%s", r, debug.Stack())
		}
	}()
	return a.try(ctx, seed)
}

func (t *Tally) count(g *ground, seed uint64, handled string, cases int, err error) {
	if g.ctx.Err() != nil {
		return // an interrupt may look like a failure
	}
	t.Tried += cases
	if err == nil {
		t.Handled[handled] += cases
		return
	}
	f := Failure{t.Kind.Name, seed, err.Error()}
	t.Failed = append(t.Failed, f)
	g.say(f.String())
}

// random returns the numbers that follow from a seed.
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
		survived := 0
		var parts []string
		for _, how := range slices.Sorted(maps.Keys(t.Handled)) {
			survived += t.Handled[how]
			parts = append(parts, fmt.Sprintf("%s %d", how, t.Handled[how]))
		}
		peak := "-"
		if t.Peak > 0 {
			peak = fmt.Sprintf("%d MB", t.Peak/1e6)
		}
		fmt.Fprintf(w, "%s\t%d\t%d\t%d\t%.0f\t%s\t%s\n", t.Kind.Name, t.Tried, survived, len(t.Failed), t.Seconds, peak, strings.Join(parts, ", "))
	}
	w.Flush()
	for _, t := range tallies {
		for _, f := range t.Failed {
			fmt.Fprintf(&b, "\nFAILED %s\n", f)
		}
	}
	return b.String()
}

// Failures returns how many trials were handled badly.
func Failures(tallies []*Tally) (n int) {
	for _, t := range tallies {
		n += len(t.Failed)
	}
	return n
}
