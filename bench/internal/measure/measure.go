// Package measure times several implementations of the same computation side by side, after checking that
// their results agree. It prints the times as a table, beside the limits of the machine, and in the format of
// Go benchmarks. Read Case, Time, Roof and Printer first.
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
	Shape  string  // name of the shape of the data
	Unit   string  // what Units counts, such as nnz, row or step
	Units  int     // number of units of work in one run
	Flops  float64 // floating-point operations of one run; an FMA counts as two
	// Traffic has the bytes that one run must read, with an entry for each group of arrays.
	Traffic []Traffic

	// Run does the computation once with package kernels, at the level in use.
	Run func()
	// Naive does the computation as plain Go: simple loops, and math.Exp.
	Naive func()
	// State holds all vectors that a run changes.
	State [][]float64
	// Answer returns the results that Naive and Run must agree on up to rounding. naive is true after a run
	// of Naive, and false after a run of Run. If Answer is nil, all of State must agree.
	Answer func(naive bool) []float64
	// Elapsed is for a run that consists of parts, such as outer iterations. It returns the time of each part
	// of the last run, in ns divided by Units, and Time uses these times only. If Elapsed is nil, Time
	// measures whole runs.
	Elapsed func() []float64
	// Tolerance is the largest difference allowed in Answer, relative to the largest absolute value in Run's
	// answer. Zero means 1e-12.
	Tolerance float64
}

// Traffic is the number of bytes that one run reads from a group of arrays. A write counts only if its
// cache line must be read first.
type Traffic struct {
	Bytes float64 // bytes read in one run
	Size  int     // total size of the arrays in bytes, which decides from which memory level they are read
}

// Floating-point operations of the logistic loss for one sample. An FMA counts as two, a division
// as one.
const (
	SlopeFlops = 35 // the slope: exp and a quotient
	LossFlops  = 31 // what the loss needs in addition to the slope: log1p
	// What the Fenchel term near the slope needs in addition to the slope: two quotients and two series.
	EntropyFlops = 50
)

// Naive is the name of the implementation that is not a level of package kernels.
const Naive = "naive"

// Names returns the names of all series, in the order in which Time returns them: the levels in ascending
// order, then naive.
func Names() []string {
	var names []string
	for _, l := range kernels.Available() {
		names = append(names, l.String())
	}
	return append(names, Naive)
}

// A Series has the times of one implementation.
type Series struct {
	Level string    // Naive, or the name of a kernel level
	Times []float64 // ns per unit of work, one for each measurement, in order
	Runs  int       // number of runs in each measurement

	level kernels.Level // level of package kernels during the runs
	run   func()
}

// Min returns the smallest time per unit, in ns.
func (s Series) Min() float64 { return slices.Min(s.Times) }

// BestTime returns the smallest time per unit among the levels of the kernels, in ns.
func BestTime(series []Series) float64 {
	best := math.Inf(1)
	for _, s := range series {
		if s.Level != Naive {
			best = min(best, s.Min())
		}
	}
	return best
}

// Options say how long to measure.
type Options struct {
	Reps     int           // number of measurements of each series
	Duration time.Duration // smallest duration of a measurement, if Case.Elapsed is nil
}

// Time calls c.Check, and then measures the times of all implementations. They take turns, so that other work
// on the machine slows all of them equally. After Time, package kernels uses the highest level.
func Time(c Case, opt Options) (series []Series, err error) {
	if err := c.Check(); err != nil {
		return nil, err
	}
	levels := kernels.Available()
	top := levels[len(levels)-1]
	defer mustUse(top)
	for _, l := range levels {
		series = append(series, Series{Level: l.String(), level: l, run: c.Run})
	}
	series = append(series, Series{Level: Naive, level: top, run: c.Naive})
	initial := snapshot(c.State)
	defer restore(c.State, initial)
	for k := range series {
		series[k].Runs = 1
		if c.Elapsed == nil {
			series[k].Runs = repetitions(opt.Duration,
				func(runs int) time.Duration { return series[k].time(c, initial, runs) })
		}
	}
	for range opt.Reps {
		for k := range series {
			s := &series[k]
			d := s.time(c, initial, s.Runs)
			if c.Elapsed == nil {
				s.Times = append(s.Times, float64(d.Nanoseconds())/float64(s.Runs)/float64(c.Units))
			} else {
				s.Times = append(s.Times, c.Elapsed()...)
			}
		}
	}
	return series, nil
}

// time returns the time of the given number of runs, which begin at the initial state.
func (s *Series) time(c Case, initial [][]float64, runs int) time.Duration {
	restore(c.State, initial)
	mustUse(s.level)
	start := time.Now()
	for range runs {
		s.run()
	}
	return time.Since(start)
}

// repetitions returns how often to repeat a computation so that all repetitions together take at least the
// given duration. It stops at 2²⁴ repetitions or more, even if these take less time. The function timeRuns
// repeats the computation the given number of times, and returns the time. Its first call only warms the
// caches.
func repetitions(duration time.Duration, timeRuns func(repetitions int) time.Duration) int {
	timeRuns(1)
	for n := 1; ; {
		d := timeRuns(n)
		if d >= duration || n >= 1<<24 {
			return n
		}
		growth := 1.2 * float64(duration) / float64(max(d, 1))
		n = max(n+1, int(float64(n)*min(growth, 100)))
	}
}

func snapshot(state [][]float64) [][]float64 {
	out := make([][]float64, len(state))
	for i, v := range state {
		out[i] = slices.Clone(v)
	}
	return out
}

func restore(state, initial [][]float64) {
	for i, v := range state {
		copy(v, initial[i])
	}
}

func mustUse(l kernels.Level) {
	if err := kernels.Use(l); err != nil {
		panic(err) // cannot happen: the level is available
	}
}

// Check runs every implementation from the same state. All kernel levels must give the same bits. c.Naive
// must give the same results up to rounding.
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
		if i := firstDifference(got[v], want[v]); i >= 0 {
			return fmt.Errorf("measure: %s on %s: level %s gives %x at element %d of vector %d, generic %x; nothing was timed", c.Kernel, c.Shape, name, got[v][i], i, v, want[v][i])
		}
	}
	return nil
}

// firstDifference returns the first index at which the bits of two vectors of equal length differ, or −1 if
// no bits differ. Two NaNs count as equal.
func firstDifference(a, b []float64) int {
	for i, x := range a {
		if math.Float64bits(x) != math.Float64bits(b[i]) && !(math.IsNaN(x) && math.IsNaN(b[i])) {
			return i
		}
	}
	return -1
}

func (c Case) agree(got, want []float64) error {
	tol := cmp.Or(c.Tolerance, 1e-12)
	scale := floats.Norm(want, math.Inf(1))
	for i, v := range want {
		if !(math.Abs(got[i]-v) <= tol*scale) {
			return fmt.Errorf("measure: %s on %s: naive gives %g at %d, the kernel %g",
				c.Kernel, c.Shape, got[i], i, v)
		}
	}
	return nil
}
