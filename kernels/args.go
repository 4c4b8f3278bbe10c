package kernels

import "math"

// A stepArgs is all that a run of inner steps reads and writes: the one argument
// of the fused kernels, which take its layout from here (see declarations in
// package gen). A kernel uses the fields of its loop.
type stepArgs struct {
	Steps
	sampled []int32 // rows left to step on
	room    Scratch // for a decoded row
	work    int     // what a call may still cost, in nonzeros and elements

	w, sum []float64 // the point; the sum of points, or h of InnerDense
	c, e   []float64
	lo, hi []float64
	//lint:ignore U1000 kernels in assembly point there
	zero float64 // +0, where the padding of a decoded row points

	cells []float64 // of InnerLazyCells and InnerDecay
	norm2 []float64 // of InnerLazyBallCells, nil in InnerLazyCells
	ball  LazyBall  // their state, and the radius of InnerRotated
	step  float64   // steps done, of InnerDecay

	dense []float64 // rows of InnerRotated
	count int       // how many steps it takes; rows sampled beyond are prefetched
}

// A stepKernel does the steps of a.sampled until one of them has used up a.work,
// brought a lazy loop to its stop, or comes to a row that does not fit into
// a.room, and returns how many it did.
type stepKernel func(a *stepArgs) (done int)

// begin checks and takes what all loops read.
func (a *stepArgs) begin(fn string, s *Steps, sampled []int32) {
	s.check(fn, sampled)
	raceRead(s.Label)
	raceRead(s.Slope0)
	raceRead(sampled)
	a.Steps, a.sampled = *s, sampled
	a.ball.Alpha, a.ball.GammaLimit = 1, math.Inf(1) // never stopped
}

// keepsRead checks that what is written overlaps nothing that all loops read.
func (a *stepArgs) keepsRead(fn, name string, v []float64) {
	checkApart(fn, name, v, "Label", a.Label)
	checkApart(fn, name, v, "Slope0", a.Slope0)
	checkApart(fn, name, v, "Val", a.Rows.Val)
}

// run repeats a kernel until the samples are used up or a lazy loop stops, and
// returns the number of steps. A row that does not fit is done by the reference,
// which has room for any.
func (a *stepArgs) run(kernel, reference stepKernel) int {
	samples := len(a.sampled)
	if samples == 0 {
		return 0
	}
	if a.Scratch == nil {
		a.Scratch = NewScratch(a.Rows)
	}
	a.room = *a.Scratch
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

// stopped is the condition on which a lazy run ends.
func (a *stepArgs) stopped() bool {
	return a.ball.Alpha < lazyFloor || math.Abs(a.ball.Gamma) > a.ball.GammaLimit
}

// upTo is the reference of the loop around the steps. A step costs its nonzeros
// and extra.
func (a *stepArgs) upTo(extra int, step func(i int32)) (done int) {
	for done < len(a.sampled) && a.work > 0 && !a.stopped() {
		i := a.sampled[done]
		step(i)
		a.work -= a.Rows.rowLen(i) + extra
		done++
	}
	return done
}

// keep returns room for n numbers that a step of the reference keeps.
func (a *stepArgs) keep(n int) []float64 {
	if n > len(a.room.keep) {
		a.room.keep = make([]float64, n)
	}
	return a.room.keep[:n]
}
