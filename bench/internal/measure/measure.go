// Package measure times several implementations of one piece of work side by
// side, after making sure that they compute the same thing.
package measure

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"time"

	"gonum.org/v1/gonum/floats"

	"github.com/scas-admm/scas/kernels"
)

// A Case is a kernel on some data.
type Case struct {
	Kernel string  // name, as it appears in Go benchmark names
	Shape  string  // name of the data
	Unit   string  // what Units counts: nnz, row, step, elem or add
	Units  int     // units of work in one run
	Flops  float64 // floating-point operations of one run, an FMA being two
	// Traffic is what one run cannot avoid bringing in, by where it comes from.
	Traffic []Traffic

	// Run does the work once through package kernels, at the level in use.
	Run func()
	// Naive does it as a Go programmer would: plain loops, math.Exp.
	Naive func()
	// SIMD does it through simd/archsimd, to the bits of Run; nil if there is
	// no such form or the build is without the experiment.
	SIMD func()
	// State has every vector that a run changes.
	State [][]float64
	// Answer returns the result in which Naive must agree with Run to
	// rounding; nil stands for all of State.
	Answer func(naive bool) []float64
	// Tolerance is the agreement of Answer, relative to its largest element;
	// zero means 1e-12.
	Tolerance float64
}

// Traffic is data brought in from one working set. What is written counts where
// its cache line has to be fetched first; the way back is free, as caches have
// separate paths for it.
type Traffic struct {
	Bytes float64 // brought in by one run
	Size  int     // bytes of the working set, which decides the cache level
}

// Operations of the logistic loss, an FMA counted as two, a division as one.
const (
	SlopeFlops = 35 // of the slope: exp and the quotient
	LossFlops  = 31 // of the loss beside the slope: log1p
)

// Names of the series that are not levels of package kernels.
const (
	Naive    = "naive"
	ArchSIMD = "archsimd"
)

// Names returns the names of all series, in the order of Time: the levels in ascending
// order, archsimd if it is there, naive.
func Names(simd bool) []string {
	var names []string
	for _, l := range kernels.Available() {
		names = append(names, l.String())
	}
	if simd {
		names = append(names, ArchSIMD)
	}
	return append(names, Naive)
}

// A Series is the timing of one implementation.
type Series struct {
	Level   string    // name of a kernel level, or one of the names above
	Samples []float64 // ns per unit, one per repetition, in order
	Runs    int       // runs in each sample
}

// Min returns the least time per unit, in ns.
func (s Series) Min() float64 { return slices.Min(s.Samples) }

// Best returns the least time per unit of all levels of the kernels, in ns.
func Best(all []Series) float64 {
	best := math.Inf(1)
	for _, s := range all {
		if s.Level != Naive && s.Level != ArchSIMD {
			best = min(best, s.Min())
		}
	}
	return best
}

// Options say how long to measure.
type Options struct {
	Reps   int           // samples of each series
	Sample time.Duration // least length of a sample
}

// contender is one implementation in a measurement.
type contender struct {
	Series
	level kernels.Level
	run   func()
}

// Time checks c and then times it. The implementations take turns, so that other work on the
// machine slows all of them down alike. Afterwards the kernels are at the highest level.
func Time(c Case, opt Options) ([]Series, error) {
	if err := c.Check(); err != nil {
		return nil, err
	}
	levels := kernels.Available()
	top := levels[len(levels)-1]
	defer mustUse(top)
	var all []*contender
	for _, l := range levels {
		all = append(all, &contender{Series{Level: l.String()}, l, c.Run})
	}
	if c.SIMD != nil {
		all = append(all, &contender{Series{Level: ArchSIMD}, top, c.SIMD})
	}
	all = append(all, &contender{Series{Level: Naive}, top, c.Naive})
	initial := snapshot(c.State)
	defer restore(c.State, initial)
	for _, o := range all {
		o.calibrate(c, initial, opt.Sample)
	}
	for range opt.Reps {
		for _, o := range all {
			d := o.time(c, initial)
			o.Samples = append(o.Samples, float64(d.Nanoseconds())/float64(o.Runs)/float64(c.Units))
		}
	}
	var out []Series
	for _, o := range all {
		out = append(out, o.Series)
	}
	return out, nil
}

// calibrate finds how many runs make a sample of the given length. The first run,
// which pays for cold caches, does not count.
func (o *contender) calibrate(c Case, initial [][]float64, sample time.Duration) {
	o.Runs = 1
	o.time(c, initial)
	for {
		d := o.time(c, initial)
		if d >= sample || o.Runs >= 1<<24 {
			return
		}
		grow := 1.2 * float64(sample) / float64(max(d, 1))
		o.Runs = max(o.Runs+1, int(float64(o.Runs)*min(grow, 100)))
	}
}

// time does one sample from the initial state.
func (o *contender) time(c Case, initial [][]float64) time.Duration {
	restore(c.State, initial)
	mustUse(o.level)
	start := time.Now()
	for range o.Runs {
		o.run()
	}
	return time.Since(start)
}

func snapshot(state [][]float64) [][]float64 {
	out := make([][]float64, len(state))
	for i, v := range state {
		out[i] = slices.Clone(v)
	}
	return out
}

func restore(state, from [][]float64) {
	for i, v := range state {
		copy(v, from[i])
	}
}

func mustUse(l kernels.Level) {
	if err := kernels.Use(l); err != nil {
		panic(err) // only available levels are asked for
	}
}

// Check runs every implementation from the same state and compares the levels,
// and archsimd, with generic bit for bit, the naive loops to rounding.
func (c Case) Check() error {
	initial := snapshot(c.State)
	run := func(l kernels.Level, f func()) [][]float64 {
		restore(c.State, initial)
		mustUse(l)
		f()
		return snapshot(c.State)
	}
	levels := kernels.Available()
	top := levels[len(levels)-1]
	defer mustUse(top)
	defer restore(c.State, initial)

	want := run(kernels.Generic, c.Run)
	answer := slices.Clone(c.answer(false))
	for _, l := range levels[1:] {
		if err := c.sameBits(l.String(), run(l, c.Run), want); err != nil {
			return err
		}
	}
	if c.SIMD != nil {
		if err := c.sameBits(ArchSIMD, run(top, c.SIMD), want); err != nil {
			return err
		}
	}
	run(top, c.Naive)
	return c.agree(c.answer(true), answer)
}

func (c Case) answer(naive bool) []float64 {
	if c.Answer != nil {
		return c.Answer(naive)
	}
	return slices.Concat(c.State...)
}

func (c Case) sameBits(name string, got, want [][]float64) error {
	for v := range want {
		for i, x := range want[v] {
			y := got[v][i]
			if math.Float64bits(x) != math.Float64bits(y) && !(math.IsNaN(x) && math.IsNaN(y)) {
				return fmt.Errorf("measure: %s on %s: level %s gives %x at element %d of vector %d, generic %x; nothing was timed", c.Kernel, c.Shape, name, y, i, v, x)
			}
		}
	}
	return nil
}

func (c Case) agree(got, want []float64) error {
	if len(got) != len(want) {
		return fmt.Errorf("measure: %s on %s: naive has %d results, the kernel %d", c.Kernel, c.Shape, len(got), len(want))
	}
	tol := cmp.Or(c.Tolerance, 1e-12)
	scale := floats.Norm(want, math.Inf(1))
	for i, v := range want {
		if !(math.Abs(got[i]-v) <= tol*scale) {
			return fmt.Errorf("measure: %s on %s: naive gives %g at %d, the kernel %g", c.Kernel, c.Shape, got[i], i, v)
		}
	}
	return nil
}
