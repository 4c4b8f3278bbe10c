package kernels

import "math"

// A stepArgs holds everything that a series of inner steps reads and writes. It is the
// only argument of the fused kernels, so that its layout is declared once; package gen
// reads it here. Each kernel uses the fields of its own loop.
type stepArgs struct {
	Steps
	sampled []int32 // rows of the steps that are left
	scratch Scratch // memory for a decoded row
	work    int     // nonzeros and elements that the call may still process

	w, sum []float64 // the iterate; the sum of the iterates, or h of InnerDense
	c, e   []float64
	lo, hi []float64
	//lint:ignore U1000 kernels in assembly point there
	zero float64 // +0; the padding of a decoded row points at it

	cells []float64 // the state of InnerLazyCells or InnerDecay
	norm2 []float64 // squared norms of the rows, for InnerLazyBallCells; else nil
	ball  LazyBall  // the scalars of the lazy loops, and the radius of InnerRotated
	step  float64   // number of steps done, for InnerDecay

	dense []float64 // the rows of InnerRotated
	count int       // number of steps of InnerRotated; sampled rows after them are only prefetched
}

// A stepKernel does the steps of a.sampled and returns how many it did. It stops after
// the step that uses up a.work or that meets the stopping rule of a lazy loop, and before
// a row that does not fit into a.scratch.
type stepKernel func(a *stepArgs) (done int)

// begin checks and stores the arguments that all inner loops read.
func (a *stepArgs) begin(fn string, s *Steps, sampled []int32) {
	s.check(fn, sampled)
	raceRead(s.Label)
	raceRead(s.Slope0)
	raceRead(sampled)
	a.Steps, a.sampled = *s, sampled
	a.ball.Alpha, a.ball.GammaLimit = 1, math.Inf(1) // never stopped
}

// keepsRead checks that v, which the loop writes, overlaps nothing that all loops read.
func (a *stepArgs) keepsRead(fn, name string, v []float64) {
	checkApart(fn, name, v, "Label", a.Label)
	checkApart(fn, name, v, "Slope0", a.Slope0)
	checkApart(fn, name, v, "Val", a.Rows.Val)
}

// run calls the kernel until all samples are used or a lazy loop stops, and returns the
// number of steps. A row that does not fit into a.scratch is left to the reference, which
// takes rows of any length.
func (a *stepArgs) run(kernel, reference stepKernel) int {
	samples := len(a.sampled)
	if samples == 0 {
		return 0
	}
	if a.Scratch == nil {
		a.Scratch = NewScratch(a.Rows)
	}
	a.scratch = *a.Scratch
	if a.Slope != nil {
		kernel = reference
	}
	for len(a.sampled) > 0 && !a.stopped() {
		a.work = maxWork
		done := stepsBlock(kernel, a)
		if done == 0 {
			a.work, done = 1, reference(noescape(a))
		}
		a.sampled = a.sampled[done:]
	}
	return samples - len(a.sampled)
}

//go:noinline
func stepsBlock(kernel stepKernel, a *stepArgs) (done int) { return kernel(noescape(a)) }

// stopped reports whether the stopping rule of a lazy loop is met.
func (a *stepArgs) stopped() bool {
	return a.ball.Alpha < lazyFloor || math.Abs(a.ball.Gamma) > a.ball.GammaLimit
}

// upTo is the reference of the loop over the steps. A step uses up as much of a.work as
// the row has nonzeros, plus extra.
func (a *stepArgs) upTo(extra int, step func(i int32)) (done int) {
	for done < len(a.sampled) && a.work > 0 && !a.stopped() {
		i := a.sampled[done]
		step(i)
		a.work -= a.Rows.rowLen(i) + extra
		done++
	}
	return done
}

// keep returns memory for n numbers which a reference step stores for its own later use.
func (a *stepArgs) keep(n int) []float64 {
	if n > len(a.scratch.keep) {
		a.scratch.keep = make([]float64, n)
	}
	return a.scratch.keep[:n]
}
