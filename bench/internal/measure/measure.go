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

// A Case is a kernel on a shape of data.
type Case struct {
	Kernel string // name, as it appears in Go benchmark names
	Shape  string
	Unit   string  // what Units counts: nnz, row, step, elem or add
	Units  int     // units of work in one run
	Flops  float64 // floating-point operations of one run, an FMA being two
	// Traffic is what one run cannot avoid bringing in, by where it comes from.
	Traffic []Traffic

	Work Work
}

// Traffic is data brought in from one working set. What is written counts where
// its cache line has to be fetched first; the way back is free, as caches have
// separate paths for it.
type Traffic struct {
	Bytes float64 // brought in by one run
	Size  int     // bytes of the working set, which decides the cache level
}

// Work is what a case runs.
type Work struct {
	// Kernel does the work once through package kernels, at the level in use.
	Kernel func()
	// Naive does it as a Go programmer would: plain loops, math.Exp.
	Naive func()
	// SIMD does it through simd/archsimd, to the bits of Kernel; nil if there is
	// no such form or the build is without the experiment.
	SIMD func()
	// Dense, nil for most cases, is the naive loop of the algorithm that the
	// kernel's algorithm avoids; see package suite.
	Dense func()
	// State has every vector that a run changes.
	State [][]float64
	// Answer returns the result in which Naive must agree with Kernel to
	// rounding; nil stands for all of State.
	Answer func(naive bool) []float64
	// Tolerance is the agreement of Answer, relative to its largest element;
	// zero means 1e-12.
	Tolerance float64
}

// Names of the series that are not levels of package kernels.
const (
	Naive      = "naive"
	NaiveDense = "naive-dense"
	ArchSIMD   = "archsimd"
)

// A Series is the timing of one implementation.
type Series struct {
	Level   string    // name of a kernel level, or one of the names above
	Samples []float64 // ns per unit, one per repetition, in order
	Runs    int       // runs in each sample
}

// Min returns the least time per unit, in ns.
func (s Series) Min() float64 { return slices.Min(s.Samples) }

// Median returns the median time per unit, in ns.
func (s Series) Median() float64 {
	v := slices.Sorted(slices.Values(s.Samples))
	return (v[(len(v)-1)/2] + v[len(v)/2]) / 2
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

// Run checks c and then times it. The order of the result is: the levels in
// ascending order, archsimd, naive-dense, naive. Implementations take turns, so
// that a disturbance of the machine meets all alike. It leaves the kernels at
// the highest level.
func Run(c Case, opt Options) ([]Series, error) {
	if err := c.Check(); err != nil {
		return nil, err
	}
	levels := kernels.Available()
	top := levels[len(levels)-1]
	defer mustUse(top)
	var all []*contender
	for _, l := range levels {
		all = append(all, &contender{Series{Level: l.String()}, l, c.Work.Kernel})
	}
	for _, o := range []*contender{
		{Series{Level: ArchSIMD}, top, c.Work.SIMD}, {Series{Level: NaiveDense}, top, c.Work.Dense}, {Series{Level: Naive}, top, c.Work.Naive},
	} {
		if o.run != nil {
			all = append(all, o)
		}
	}
	initial := snapshot(c.Work.State)
	defer restore(c.Work.State, initial)
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

// Call returns the least time of a call, in ns.
func Call(f func(), opt Options) float64 {
	o := contender{level: kernels.Active(), run: f}
	o.calibrate(Case{}, nil, opt.Sample)
	least := math.Inf(1)
	for range opt.Reps {
		least = min(least, float64(o.time(Case{}, nil).Nanoseconds())/float64(o.Runs))
	}
	return least
}

// calibrate chooses how many runs make a sample, from the second of two runs:
// the first pays for cold caches.
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
	restore(c.Work.State, initial)
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
	initial := snapshot(c.Work.State)
	run := func(l kernels.Level, f func()) [][]float64 {
		restore(c.Work.State, initial)
		mustUse(l)
		f()
		return snapshot(c.Work.State)
	}
	levels := kernels.Available()
	top := levels[len(levels)-1]
	defer mustUse(top)
	defer restore(c.Work.State, initial)

	want := run(kernels.Generic, c.Work.Kernel)
	answer := slices.Clone(c.answer(false))
	for _, l := range levels[1:] {
		if err := c.sameBits(l.String(), run(l, c.Work.Kernel), want); err != nil {
			return err
		}
	}
	if c.Work.SIMD != nil {
		if err := c.sameBits(ArchSIMD, run(top, c.Work.SIMD), want); err != nil {
			return err
		}
	}
	run(top, c.Work.Naive)
	return c.agree(c.answer(true), answer)
}

func (c Case) answer(naive bool) []float64 {
	if c.Work.Answer != nil {
		return c.Work.Answer(naive)
	}
	return slices.Concat(c.Work.State...)
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
	tol := cmp.Or(c.Work.Tolerance, 1e-12)
	scale := floats.Norm(want, math.Inf(1))
	for i, v := range want {
		if !(math.Abs(got[i]-v) <= tol*scale) {
			return fmt.Errorf("measure: %s on %s: naive gives %g at %d, the kernel %g", c.Kernel, c.Shape, got[i], i, v)
		}
	}
	return nil
}
