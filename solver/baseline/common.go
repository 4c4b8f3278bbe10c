package baseline

import (
	"cmp"
	"math"

	"github.com/scas-admm/scas/kernels"
	"github.com/scas-admm/scas/solver"
	"github.com/scas-admm/scas/solver/internal/linalg"
)

// checkSteps is about the number of samples between two checks of the context.
const checkSteps = 1024

// base is the state that all methods share. Its fields have the names of the paper.
type base struct {
	run  *solver.Run
	data *solver.Samples
	a    *linalg.Product // A, with its own scratch memory, because evaluations of the objective use run.A

	n           int
	mu, rho     float64
	nu, lambda1 float64 // ν_f and λ₁ of the package comment; nu is 1 if ν_f is 0

	x, y, beta []float64 // the run's iterate
	limit      []float64 // for each row of A, lambda times its weight
	image      []float64 // A x for the x of the last call of base.times
	u          []float64 // scratch memory with an entry for each row of A
	q          []float64 // scratch memory with an entry for each feature

	rows []int32   // the sampled rows
	gain []float64 // for each row of a batch, the factor by which addReduced multiplies the row
	sums struct {  // weighted sums of the iterates
		x, y  []float64
		count float64 // sum of the weights of the iterates
	}
}

// newBase returns a base with memory for batches of Settings.BatchSize samples. If Settings.Rho is 0, rho is
// rhoFactor times Run.NaturalRho.
func newBase(r *solver.Run, rhoFactor float64) *base {
	a := r.A.(*linalg.Product) // package solver sets no other type
	b := &base{
		run: r, data: r.Samples, a: a.Algebra.Product(), mu: r.Problem.L2, nu: orOne(r.Stats.Constants.NuF), lambda1: r.Stats.Constants.Lambda1,
		x: r.X, y: r.Y, beta: r.Dual, limit: r.Limits(),
	}
	b.n, _ = r.Problem.Data.Dims()
	b.u, b.q = b.rowVector(), b.vector()
	b.sums.x, b.sums.y = b.vector(), b.rowVector()
	b.roomForBatch(max(1, r.Settings.BatchSize))
	b.times(b.x)
	if r.Settings.Rho == 0 {
		r.SetRho(float64(rhoFactor * r.NaturalRho(1)))
	}
	b.rho = r.Stats.Rho
	return b
}

// orOne returns the Lipschitz constant nu of a gradient, or 1 if nu is 0. The gradient is then constant, and
// any finite step size is right.
func orOne(nu float64) float64 { return cmp.Or(nu, 1) }

// shifted returns a solver of linear systems with the matrix w I + ρ A'A, for any w > 0.
func (b *base) shifted() (*linalg.Shifted, error) { return b.a.Shifted(b.rho, b.run.Err) }

// vector returns a zero vector with an entry for each feature.
func (b *base) vector() []float64 { return make([]float64, len(b.x)) }

// rowVector returns a zero vector with an entry for each row of A.
func (b *base) rowVector() []float64 { return make([]float64, len(b.beta)) }

// roomForBatch sets the batch size to size and allocates memory for a batch.
func (b *base) roomForBatch(size int) {
	b.run.Stats.BatchSize = size
	b.gain = make([]float64, size)
	b.rows = make([]int32, max(checkSteps, size))
}

// times returns A x, and stores it in image. If A = I, both are the slice x itself.
func (b *base) times(x []float64) []float64 {
	b.image = b.a.Image(x)
	return b.image
}

// slopeAt returns the slope φ'(aᵢ'x) of the loss of sample i at x.
func (b *base) slopeAt(i int, x []float64) float64 {
	return b.data.Slope(i, b.data.Margin(i, x))
}

// implicitSlope returns φ'(ζ), where φ is the loss of sample i, c ≥ 0, and ζ solves ζ + c φ'(ζ) = t. It uses
// Newton's method, and bisection if a Newton step leaves the interval that contains ζ.
func (b *base) implicitSlope(i int, c, t float64) float64 {
	slope := b.data.Slope(i, t)
	if c == 0 || slope == 0 {
		return slope
	}
	// ζ = t − c φ'(ζ), and φ' does not decrease, so ζ is between t and t − c φ'(t).
	lo, hi := t, t-float64(c*slope)
	if lo > hi {
		lo, hi = hi, lo
	}
	zeta := t
	for range 60 {
		excess := zeta + float64(c*slope) - t
		if excess > 0 {
			hi = zeta
		} else {
			lo = zeta
		}
		next := zeta - excess/(1+float64(c*b.data.SecondDerivative(i, zeta, slope)))
		if !(next >= lo && next <= hi) {
			next = lo + float64((hi-lo)/2)
		}
		if math.Abs(next-zeta) <= 1e-15*(1+math.Abs(next)) {
			return b.data.Slope(i, next)
		}
		zeta = next
		slope = b.data.Slope(i, zeta)
	}
	return slope
}

// addReduced adds scale times the mean of (φ'(aᵢ'point) − φ'(aᵢ'x̃))aᵢ over the samples i in rows to dst,
// where x̃ is the snapshot. dst and point may be one slice. If reduced is false, the term with x̃ is left
// out.
func (b *base) addReduced(dst, point []float64, rows []int32, scale float64, reduced bool) {
	scale /= float64(len(rows))
	for k, i := range rows {
		d := b.slopeAt(int(i), point)
		if reduced {
			d -= b.run.Snapshot.Slope[i]
		}
		b.gain[k] = float64(scale * d)
	}
	for k, i := range rows {
		b.data.Scatter(dst, int(i), b.gain[k])
	}
}

// setLinear sets q = A'(beta − ρ y), the gradient of beta'(A x − y) + (ρ/2)|A x − y|² at x = 0.
func (b *base) setLinear() {
	copy(b.u, b.beta)
	kernels.Axpy(-b.rho, b.y, b.u)
	b.a.MulVecTrans(b.q, b.u)
}

// setAugmented sets q = A'(beta + ρ(A x − y)), the gradient of beta'(A x − y) + (ρ/2)|A x − y|². The
// field image must be A x.
func (b *base) setAugmented() {
	copy(b.u, b.beta)
	kernels.Axpy(-b.rho, b.y, b.u)
	kernels.Axpy(b.rho, b.image, b.u)
	b.a.MulVecTrans(b.q, b.u)
}

// ridge returns mu·x in the form that newSweep takes: a list with one term, or nil if mu is 0.
func (b *base) ridge(x []float64) []term {
	if b.mu == 0 {
		return nil
	}
	return []term{{b.mu, x}}
}

func (b *base) addRidge(dst, x []float64) {
	if b.mu != 0 {
		kernels.Axpy(b.mu, x, dst)
	}
}

// dual updates y and beta, in this order, given A x. Afterwards |beta| ≤ limit.
func (b *base) dual(ax []float64) { kernels.ProxDual(b.beta, b.y, ax, b.limit, b.rho) }

func (b *base) include(x, y []float64) {
	kernels.Axpy(1, x, b.sums.x)
	kernels.Axpy(1, y, b.sums.y)
	b.sums.count++
}

// publish sets Run.Mean to the means of the x and y that were added to b.sums.
func (b *base) publish() {
	inv := 1 / b.sums.count
	scaleTo(b.run.Mean.X, b.sums.x, inv)
	scaleTo(b.run.Mean.Y, b.sums.y, inv)
}

// clip returns the number nearest to v whose absolute value is at most limit.
func clip(v, limit float64) float64 { return max(-limit, min(v, limit)) }

func scaleTo(dst, v []float64, scale float64) {
	for j, x := range v {
		dst[j] = x * scale
	}
}

// checkFinite returns nil if |x|₂² is finite. Otherwise it restores an earlier iterate and returns a
// *solver.DivergenceError.
func (b *base) checkFinite(x []float64) error {
	if norm2 := kernels.Dot(x, x); math.IsNaN(norm2) || math.IsInf(norm2, 0) {
		return b.run.Lost(norm2)
	}
	return nil
}
