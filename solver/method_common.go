package solver

import "github.com/scas-admm/scas/kernels"

// baseline is what the methods share that SCAS-ADMM is compared with. They are
// for the paper's main instance: g = lambda|y|₁ with y = A x and X = R^p, where
// one clip updates y and beta (ProxDual).
//
// Their multiplier is that of the paper, unscaled. Each keeps its own A x, since
// the run's scratch serves evaluations in between.
type baseline struct {
	*run
	mu    float64
	limit []float64 // lambda times the weights of the rows of A
	image []float64 // A x of the iterate the method works on; unused if A = I
	u     []float64 // scratch of length l
	q     []float64 // scratch of length p

	margin1, slope1, gain1 [1]float64
	gain                   []float64 // of the samples of a step

	start   float64 // objective at the start
	natural float64 // automatic η, whether used or not; 0 without a step size
	safe    []float64
	safeY   []float64
	safeB   []float64
	xs, ys  []float64 // sums of iterates
	count   float64   // of them
}

func newBaseline(r *run) *baseline {
	b := &baseline{
		run: r, mu: r.prob.L2, limit: r.dualStep.limit,
		image: make([]float64, r.l), u: make([]float64, r.l), q: make([]float64, r.p),
		xs: make([]float64, r.p), ys: make([]float64, r.l),
	}
	b.roomForBatch(max(1, r.set.BatchSize))
	b.times(r.x)
	b.start = r.prob.Evaluate(r.x).Objective
	b.constants.Radius = b.prob.radius(b.start)
	b.remember()
	return b
}

// roomForBatch fixes the batch size and makes room for it.
func (b *baseline) roomForBatch(size int) {
	b.batch = size
	b.gain = make([]float64, size)
	b.rows = make([]int32, max(blockSteps, size))
}

// automaticRho is for methods whose default rho is a multiple of the natural
// one.
func (b *baseline) automaticRho(factor float64) {
	if b.set.Rho == 0 {
		b.rho = float64(factor * naturalRho(b.prob, false))
		b.constants.NuL = b.constants.NuF + float64(b.rho*b.constants.Lambda1)
	}
}

// orEta returns the step parameter that was set, or else the given one, and
// makes it that of the run.
func (b *baseline) orEta(automatic float64) float64 {
	b.natural = automatic
	if b.eta = b.set.Eta; b.eta == 0 {
		b.eta = automatic
	}
	return b.eta
}

// times returns A x, in b.image unless A = I.
func (b *baseline) times(x []float64) []float64 {
	if b.product == nil {
		return x
	}
	b.product.mul(b.image, x)
	return b.image
}

// current returns A x of the iterate for which times was called last.
func (b *baseline) current() []float64 {
	if b.product == nil {
		return b.x
	}
	return b.image
}

// mulA sets dst = A x.
func (b *baseline) mulA(dst, x []float64) {
	if b.product == nil {
		copy(dst, x)
		return
	}
	b.product.mul(dst, x)
}

// row is a view of sample i.
func (b *baseline) row(i int) kernels.Rows {
	v := b.data
	v.Ptr = b.data.Ptr[i : i+2]
	return v
}

// dot returns aᵢ'x.
func (b *baseline) dot(i int, x []float64) float64 {
	kernels.Margins(b.margin1[:], b.row(i), x)
	return b.margin1[0]
}

// derivative returns φ'(t; bᵢ).
func (b *baseline) derivative(i int, t float64) float64 {
	b.margin1[0] = t
	b.loss.Slopes(b.slope1[:], b.margin1[:], b.prob.Labels[i:i+1])
	return b.slope1[0]
}

// slopeAt returns φ'(aᵢ'x).
func (b *baseline) slopeAt(i int, x []float64) float64 { return b.derivative(i, b.dot(i, x)) }

// scatter adds gain·aᵢ to x.
func (b *baseline) scatter(x []float64, i int, gain float64) {
	b.gain1[0] = gain
	kernels.Gradient(x, b.row(i), b.gain1[:])
}

// pull adds scale times the mean of (φ'(aᵢ'at) − φ'(aᵢ'x̃))aᵢ over the rows to dst,
// which may be the same slice as at. Unless reduced, there is no snapshot and no
// second term.
func (b *baseline) pull(dst, at []float64, rows []int32, scale float64, reduced bool) {
	scale /= float64(len(rows))
	for k, i := range rows {
		d := b.slopeAt(int(i), at)
		if reduced {
			d -= b.slope0[i]
		}
		b.gain[k] = float64(scale * d)
	}
	for k, i := range rows {
		b.scatter(dst, int(i), b.gain[k])
	}
}

// frozen sets q = A'(beta − ρ y): the part of the augmented gradient that does
// not depend on x.
func (b *baseline) frozen() {
	copy(b.u, b.beta)
	kernels.Axpy(-b.rho, b.y, b.u)
	b.applyAT(b.q, b.u)
}

// augmented sets q = A'(beta + ρ(A x − y)), with A x given.
func (b *baseline) augmented(ax []float64) {
	copy(b.u, b.beta)
	kernels.Axpy(-b.rho, b.y, b.u)
	kernels.Axpy(b.rho, ax, b.u)
	b.applyAT(b.q, b.u)
}

// addRidge adds mu·x to dst.
func (b *baseline) addRidge(dst, x []float64) {
	if b.mu != 0 {
		kernels.Axpy(b.mu, x, dst)
	}
}

// dual updates y and beta at A x: the step after x in the order x, y, beta. It
// leaves |beta| ≤ limit.
func (b *baseline) dual(ax []float64) { kernels.ProxDual(b.beta, b.y, ax, b.limit, b.rho) }

// include takes an x and a y into the uniform means.
func (b *baseline) include(x, y []float64) {
	kernels.Axpy(1, x, b.xs)
	kernels.Axpy(1, y, b.ys)
	b.count++
}

// publish sets r.xbar and r.ybar to the uniform means.
func (b *baseline) publish() {
	inv := 1 / b.count
	for j, v := range b.xs {
		b.xbar[j] = v * inv
	}
	for j, v := range b.ys {
		b.ybar[j] = v * inv
	}
}
