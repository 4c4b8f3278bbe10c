package solver

// batch is ADMM with an exact x-step (Boyd et al., "Distributed Optimization and
// Statistical Learning via ADMM", 2011):
//
//	x ← argmin f(x) + (beta − ρ y)'A x + (ρ/2)|A x|²
//
// by damped Newton steps from the last x, then y and beta. The Newton system is
// factored where p is at most maxFactored, and solved by conjugate gradients on
// Hessian products elsewhere. The factorisation is gonum's, whose sums depend on
// the machine, so iterates may differ between machines in their last bits.
//
// Passes are counted honestly: one for every gradient, with the objective, and for
// every Hessian product; assembling the Hessian counts as many as its operations
// are those of a gradient, Σ nnzᵢ(nnzᵢ+1)/2 / nnz. A gradient already known is
// free. Stats.PaperPasses counts one per iteration, as the paper does. An x-step
// ends early when the budget does.
//
// The average is that of x_1..x_T.
type batch struct {
	*baseline
	newton   newtonSystem
	meanLoss float64 // at x
	known    bool    // meanLoss, z, slope0 and margin are those of x

	g, step, trial, back []float64
	astep                []float64
}

// A newtonSystem solves H step = −g with H = (1/n)Σ φ”ᵢ aᵢaᵢ' + mu I + ρ A'A.
type newtonSystem interface {
	// cost is a lower bound of the passes of the next solve.
	cost() float64
	// solve sets step and returns the passes it took, at most budget.
	solve(step, g, curvature []float64, budget float64) (passes float64, err error)
}

func newBatch(r *run) iteration {
	b := &batch{baseline: newBaseline(r)}
	b.automaticRho(1)
	for _, v := range []*[]float64{&b.g, &b.step, &b.trial, &b.back} {
		*v = make([]float64, r.p)
	}
	b.astep = make([]float64, r.l)
	if r.p <= maxFactored {
		b.newton = newFactored(b.baseline)
	} else {
		b.newton = newConjugate(b.baseline)
	}
	return b
}

func (b *batch) next() (bool, error) {
	need := b.newton.cost() + 1
	if !b.known {
		need++
	}
	if !b.affords(need) {
		return false, b.budgetError(need)
	}
	if err := b.minimise(); err != nil {
		return false, err
	}
	b.paperPasses++
	b.dual(b.image)
	b.accumulate(b.outer + 1)
	return true, b.settle()
}

const (
	newtonTolerance = 1e-12 // of the squared Newton decrement, in the first iteration
	maxNewton       = 50
	maxHalvings     = 40
	sufficient      = 1e-4 // share of the predicted decrease that a step must bring
)

// minimise does the x-step. b.q = A'(beta − ρ y) stays fixed.
func (b *batch) minimise() error {
	b.frozen()
	b.mulA(b.image, b.x)
	if !b.known {
		b.meanLoss = b.full.at(b.z, b.x, b.margin, b.slope0)
		b.passes++
		b.known = true
	}
	t := float64(b.outer + 1)
	goal := newtonTolerance / (t * t)
	curvature := make([]float64, b.n)
	for range maxNewton {
		if err := b.ctx.Err(); err != nil {
			return err
		}
		left := b.set.Passes - b.passes - 1
		if !b.affords(b.newton.cost() + 1) {
			return nil
		}
		b.gradient()
		for i, m := range b.margin {
			curvature[i] = b.loss.SecondDerivative(m, b.slope0[i], b.prob.Labels[i])
		}
		cost, err := b.newton.solve(b.step, b.g, curvature, left)
		b.passes += cost
		if err != nil {
			return err
		}
		decrement := -dotProduct(b.g, b.step)
		if !b.search(decrement) || decrement <= goal {
			return nil
		}
	}
	return nil
}

// gradient sets g to the gradient of the x-step's objective, of which z is the
// part of the loss.
func (b *batch) gradient() {
	b.applyAT(b.g, b.image)
	for j, v := range b.g {
		b.g[j] = float64(b.rho*v) + b.z[j] + b.q[j] + float64(b.mu*b.x[j])
	}
}

// search goes along the step, halving it until the objective falls enough, and
// reports whether it did. Differences of the quadratic part are formed from the
// step, so that a small step is not lost to rounding in them.
func (b *batch) search(decrement float64) bool {
	b.mulA(b.astep, b.step)
	linear := dotProduct(b.q, b.step) + b.mu*dotProduct(b.x, b.step) + b.rho*dotProduct(b.image, b.astep)
	quadratic := b.mu*sumSquares(b.step) + b.rho*sumSquares(b.astep)
	t := 1.0
	for range maxHalvings {
		if !b.affords(1) {
			b.known = false // z and the rest are those of the last trial
			return false
		}
		for j, v := range b.x {
			b.trial[j] = v + t*b.step[j]
		}
		loss := b.full.at(b.back, b.trial, b.margin, b.slope0)
		b.passes++
		change := loss - b.meanLoss + t*linear + t*t/2*quadratic
		noise := 1e-15 * (1 + loss)
		if change <= noise-sufficient*t*decrement {
			copy(b.x, b.trial)
			copy(b.z, b.back)
			for j, v := range b.astep {
				b.image[j] += t * v
			}
			b.meanLoss = loss
			return true
		}
		t /= 2
	}
	b.known = false
	return false
}

func dotProduct(u, v []float64) float64 {
	var sum float64
	for j, x := range u {
		sum += float64(x * v[j])
	}
	return sum
}
