package baseline

import (
	"cmp"
	"math"

	"github.com/scas-admm/scas/kernels"
	"github.com/scas-admm/scas/solver"
	"github.com/scas-admm/scas/solver/internal/linalg"
)

// checkSteps is the approximate number of samples between two checks of the context, if steps are short.
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
	image      []float64 // A x for the x of the last call of base.mulA
	u          []float64 // scratch memory with an entry for each row of A
	q          []float64 // scratch memory with an entry for each feature

	rows []int32   // the sampled rows
	gain []float64 // for each row of a batch, the factor by which addBatchGradient multiplies the row
	sums struct {  // weighted sums of the iterates
		x, y   []float64
		weight float64 // sum of the weights of the iterates
	}
}

// newBase returns a base with memory for batches of Settings.BatchSize samples. If Settings.Rho is 0, rho is
// rhoFactor times Run.NaturalRho.
func newBase(r *solver.Run, rhoFactor float64) *base {
	a := r.A.(*linalg.Product) // package solver sets no other type
	b := &base{
		run: r, data: r.Samples, a: a.Algebra.Product(), mu: r.Problem.L2, nu: nuOrOne(r.Stats.Constants.NuF),
		lambda1: r.Stats.Constants.Lambda1,
		x:       r.X, y: r.Y, beta: r.Dual, limit: r.Limits(),
	}
	b.n, _ = r.Problem.Data.Dims()
	b.u, b.q = b.rowVector(), b.vector()
	b.sums.x, b.sums.y = b.vector(), b.rowVector()
	b.setBatchSize(max(1, r.Settings.BatchSize))
	b.mulA(b.x)
	if r.Settings.Rho == 0 {
		r.SetRho(float64(rhoFactor * r.NaturalRho()))
	}
	b.rho = r.Stats.Rho
	return b
}

// nuOrOne returns the Lipschitz constant nu of a gradient, or 1 if nu is 0. The gradient is then constant,
// and any finite step size is right.
func nuOrOne(nu float64) float64 { return cmp.Or(nu, 1) }

// newShiftedSolver returns a solver of linear systems with the matrix w I + ρ A'A, for any w > 0. If it uses
// conjugate gradients, a step may take long; then drawBatches checks the context before each step.
func (b *base) newShiftedSolver() (*linalg.Shifted, error) {
	s, err := b.a.Shifted(b.rho, b.run.Err)
	if err == nil && s.Iterative() {
		b.rows = b.rows[:b.run.Stats.BatchSize]
	}
	return s, err
}

// vector returns a zero vector with an entry for each feature.
func (b *base) vector() []float64 { return make([]float64, len(b.x)) }

// rowVector returns a zero vector with an entry for each row of A.
func (b *base) rowVector() []float64 { return make([]float64, len(b.beta)) }

// setBatchSize sets the batch size to size and allocates memory for a batch.
func (b *base) setBatchSize(size int) {
	b.run.Stats.BatchSize = size
	b.gain = make([]float64, size)
	b.rows = make([]int32, max(checkSteps, size))
}

// mulA returns A x, and stores it in image. If A = I, both are the slice x itself.
func (b *base) mulA(x []float64) []float64 {
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
		nextZeta := zeta - excess/(1+float64(c*b.data.SecondDerivative(i, zeta, slope)))
		if !(nextZeta >= lo && nextZeta <= hi) {
			nextZeta = lo + float64((hi-lo)/2)
		}
		if math.Abs(nextZeta-zeta) <= 1e-15*(1+math.Abs(nextZeta)) {
			return b.data.Slope(i, nextZeta)
		}
		zeta = nextZeta
		slope = b.data.Slope(i, zeta)
	}
	return slope
}

// addBatchGradient adds scale times the mean of (φ'(aᵢ'point) − φ'(aᵢ'x̃))aᵢ over the samples i in rows to
// dst, where x̃ is the snapshot. dst and point may be one slice. If hasSnapshot is false, the term with x̃ is
// left out.
func (b *base) addBatchGradient(dst, point []float64, rows []int32, scale float64, hasSnapshot bool) {
	scale /= float64(len(rows))
	for k, i := range rows {
		d := b.slopeAt(int(i), point)
		if hasSnapshot {
			d -= b.run.Snapshot.Slope[i]
		}
		b.gain[k] = float64(scale * d)
	}
	for k, i := range rows {
		b.data.Scatter(dst, int(i), b.gain[k])
	}
}

// setLinearTerm sets q = A'(beta − ρ y), the gradient of beta'(A x − y) + (ρ/2)|A x − y|² at x = 0.
func (b *base) setLinearTerm() {
	copy(b.u, b.beta)
	kernels.Axpy(-b.rho, b.y, b.u)
	b.a.MulVecTrans(b.q, b.u)
}

// setAugmentedGradient sets q = A'(beta + ρ(A x − y)), the gradient of beta'(A x − y) + (ρ/2)|A x − y|². The
// field image must be A x.
func (b *base) setAugmentedGradient() {
	copy(b.u, b.beta)
	kernels.Axpy(-b.rho, b.y, b.u)
	kernels.Axpy(b.rho, b.image, b.u)
	b.a.MulVecTrans(b.q, b.u)
}

// ridgeTerms returns mu·x in the form that newSweep takes: a list with one term, or nil if mu is 0.
func (b *base) ridgeTerms(x []float64) []term {
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

// updateDual updates y and beta, in this order, given A x. Afterwards |beta| ≤ limit.
func (b *base) updateDual(ax []float64) { kernels.ProxDual(b.beta, b.y, ax, b.limit, b.rho) }

func (b *base) addToSums(x, y []float64) {
	kernels.Axpy(1, x, b.sums.x)
	kernels.Axpy(1, y, b.sums.y)
	b.sums.weight++
}

// setMeanFromSums sets Run.Mean to the means of the x and y that were added to b.sums.
func (b *base) setMeanFromSums() {
	inv := 1 / b.sums.weight
	scaleTo(b.run.Mean.X, b.sums.x, inv)
	scaleTo(b.run.Mean.Y, b.sums.y, inv)
}

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
