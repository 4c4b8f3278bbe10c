package kernels

import "math"

// A stepArgs holds the arguments and the state of a series of inner steps. Package gen reads the layout
// of this type.
type stepArgs struct {
	Steps
	sampled []int32 // sampled rows of the steps that are left
	scratch Scratch // memory for the decoded row
	work    int     // work left until the kernel must return, see maxWork

	w, sum []float64 // the iterate; the sum of the iterates or, in InnerDense, the vector h
	c, e   []float64 // a step of InnerDense, InnerBox or InnerRotated begins with c[j]·w[j] + e[j]
	lo, hi []float64 // the box
	//lint:ignore U1000 assembly kernels use its address
	zero float64 // +0; the padding of a row in the field scratch may point at it

	// For InnerLazy:
	cells []float64
	norm2 []float64 // squared norms of the rows; nil without a ball
	lazy  Lazy      // the method stopped reads Alpha, Gamma and GammaLimit in every inner loop

	// For InnerDecay:
	decayCells []DecayCell
	step       float64 // number of steps done

	// For InnerRotated:
	denseRows []float64 // the dense rows, the argument x
	stepCount int       // number of steps; the further rows of sampled are only prefetched
	radius    float64   // the radius of the ball
}

// A stepKernel does the steps of a.sampled and returns how many it did. It stops after the step
// that uses up a.work and after a step that makes a.stopped() true. An assembly kernel also stops
// before a row that does not fit into a.scratch. The kernels of InnerRotated do a.stepCount steps instead.
type stepKernel func(a *stepArgs) (done int)

// setArguments checks and stores the arguments that all inner loops read.
func (a *stepArgs) setArguments(fn string, s *Steps, sampled []int32) {
	s.check(fn, sampled)
	raceRead(s.Label)
	raceRead(s.Slope0)
	raceRead(sampled)
	a.Steps, a.sampled = *s, sampled
	a.lazy.Alpha, a.lazy.GammaLimit = 1, math.Inf(1) // then stopped() is false; only InnerLazy changes a.lazy
}

// checkOutput checks that v, which the loop writes, does not overlap the slices that all inner loops read.
func (a *stepArgs) checkOutput(fn, name string, v []float64) {
	checkApart(fn, name, v, "Label", a.Label)
	checkApart(fn, name, v, "Slope0", a.Slope0)
	checkApart(fn, name, v, "Val", a.Rows.Val)
}

// run calls the kernel until all samples are used or InnerLazy stops, and returns the number of
// steps. The reference does the steps whose rows do not fit into a.scratch, and all steps if the loss is
// the caller's own function a.Slope.
func (a *stepArgs) run(kernel, reference stepKernel) int {
	samples := len(a.sampled)
	if samples == 0 {
		return 0
	}
	if a.Scratch == nil {
		a.Scratch = NewScratch(a.Rows)
	}
	a.scratch = *a.Scratch
	raceReadSampled(a.Rows, a.sampled)
	raceWrite(a.scratch.num)
	if a.Slope != nil {
		kernel = reference
	}
	for len(a.sampled) > 0 && !a.stopped() {
		a.work = maxWork
		done := stepsBlock(kernel, a)
		if done == 0 {
			a.work = 1 // the reference does one step
			done = reference(noescape(a))
		}
		a.sampled = a.sampled[done:]
	}
	return samples - len(a.sampled)
}

//go:noinline
func stepsBlock(kernel stepKernel, a *stepArgs) (done int) { return kernel(noescape(a)) }

// stopped reports whether InnerLazy must stop: Alpha has become too small, or |Gamma| too large.
func (a *stepArgs) stopped() bool {
	return a.lazy.Alpha < lazyFloor || math.Abs(a.lazy.Gamma) > a.lazy.GammaLimit
}

// eachStep makes the steps of a reference kernel, and returns how many it made. fixedWork is the
// work of a step in addition to the nonzeros of its row.
func (a *stepArgs) eachStep(fixedWork int, step func(i int32)) (done int) {
	for done < len(a.sampled) && a.work > 0 && !a.stopped() {
		i := a.sampled[done]
		step(i)
		a.work -= a.Rows.rowLen(i) + fixedWork
		done++
	}
	return done
}

// keptNumbers returns memory for n numbers that a reference step stores for later use in the same step. If it
// must allocate memory, the caller's Scratch keeps it.
func (a *stepArgs) keptNumbers(n int) []float64 {
	if n > len(a.Scratch.keep) {
		a.Scratch.keep = make([]float64, n)
	}
	return a.Scratch.keep[:n]
}
