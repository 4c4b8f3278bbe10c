package solver

import "math"

// scasIteration is SCAS-ADMM in all its forms; r.plan runs the inner loop.
type scasIteration struct {
	*run
	inner func() error
}

func newSCAS(r *run) iteration {
	it := &scasIteration{r, r.scas}
	if r.set.Method == SCASStrong {
		it.inner = r.scasStrong
	}
	return it
}

func (it *scasIteration) next() (bool, error) {
	if more, err := it.begin(); err != nil || !more {
		return false, err
	}
	if err := it.inner(); err != nil {
		return false, err
	}
	it.accumulate(it.outer + 1)
	return true, nil
}

// begin takes the snapshot at x, watches over the objective there, fixes η and
// M for the coming outer iteration, and reports whether the budget allows it.
func (r *run) begin() (bool, error) {
	if r.set.Schedule == Practical && !r.affords(r.cost(r.set.InnerSteps)) {
		return false, r.budgetError(r.cost(r.set.InnerSteps))
	}
	if err := r.watch(r.snapshot()); err != nil {
		return false, err
	}
	eta, steps := r.schedule()
	if !r.affords(r.cost(steps)) {
		return false, r.budgetError(r.cost(steps))
	}
	r.eta, r.steps = eta, steps
	r.gradientNorm = math.Sqrt(r.augmentedGradientSquared())
	r.passes += r.cost(steps)
	return true, nil
}

// cost is that of one outer iteration in effective passes, as the paper counts.
func (r *run) cost(steps int) float64 { return 1 + float64(steps)/float64(r.n) }

// scas is one outer iteration of Algorithm 1 of the paper with K dual updates:
// the M inner iterates (M/b with batches of b) are cut into K blocks, each started
// at the mean of the block before and followed by an update of y and beta. K = 1
// is Algorithm 1 exactly: M−1 stochastic steps, and the mean of w_0..w_{M−1}.
func (r *run) scas() error {
	total := r.iterates()
	for k := range r.dualUpdates {
		size := (k+1)*total/r.dualUpdates - k*total/r.dualUpdates
		if err := r.block(size-1, false); err != nil {
			return err
		}
		inv := 1 / float64(size)
		for j, s := range r.s {
			r.x[j] = (r.x[j] + s) * inv
		}
		r.dualStep.update()
	}
	return nil
}

// scasStrong is one outer iteration of Algorithm 2 of the paper: M stochastic
// steps, and the mean of w̃_{m+1} = (r w_m + s w_{m+1})/(2η), m = 0..M−1, with
// s = η/(1 − ν η/2) and r = 2η − s. Since r + s = 2η, that mean is
//
//	(1/M) [ Σ_{m=1}^{M−1} w_m + (r w_0 + s w_M)/(2η) ].
//
// ν is ν_L, but at most 1/η: beyond that the weight of w_0 would be negative.
func (r *run) scasStrong() error {
	total := r.iterates()
	if err := r.block(total, true); err != nil {
		return err
	}
	first, last := endWeights(r.eta, r.constants.NuL)
	inv := 1 / float64(total)
	for j, w := range r.w {
		inner := r.s[j] - w
		r.x[j] = float64(inner+float64(first*r.x[j])+float64(last*w)) * inv
	}
	r.dualStep.update()
	return nil
}

// endWeights returns the weights r/(2η) of w_0 and s/(2η) of w_M.
func endWeights(eta, nuL float64) (first, last float64) {
	h := min(eta*nuL, 1)
	return (1 - h) / (2 - h), 1 / (2 - h)
}
