package baseline

import (
	"math"

	"github.com/scas-admm/scas/kernels"
	"github.com/scas-admm/scas/solver/internal/linalg"
)

// A sweep makes the steps of methods that update x, y and beta with every sample. A must be I or [G; I], a
// matrix G above the identity. Let T = A'(beta + ρ(A x − y)) + E + g, where E is the sum of the vectors in
// terms, which a method adds to the gradient, and g is the gradient of the sample's loss. With a number
// stepLength or shift, a step is
//
//	x ← x − stepLength·T              (explicit)
//	x ← x − (shift I + ρ A'A)⁻¹T      (implicit)
//
// followed by the updates of y and beta. A step also updates the sums of the iterates.
//
// A feature is coupled if G has an entry for it. At all other features, an implicit step is an explicit step
// with the stepLength 1/(shift + ρ).
//
// The method advance makes a step with the part of T that does not depend on G. The rest of T is
// G'(beta + ρ(G x − y)), with the beta and y of the rows of G. It is not 0 only at coupled features. An
// explicit step adds it to g there, and then calls advance. An implicit step also changes g at the coupled
// features before it calls advance, see finishImplicitStep.
type sweep struct {
	*base
	linalg.Parts
	// Solver of systems with the matrix shift I + ρ A'A; nil if all steps are explicit.
	shiftedSolver *linalg.Shifted
	x             []float64 // the vector that the steps change, usually the run's x

	terms []term // the vectors that the method adds to the gradient; E is their sum
	// g is the loss gradient of one sample. At coupled features, stepExplicit and finishImplicitStep change
	// it.
	g []float64
	// lagging is true if a step adds the x before the step to base.sums, and false if it adds the x after the
	// step.
	lagging bool

	gx        []float64 // G x
	gradientI []float64 // beta + ρ(x − y) + E at coupled features
	gradientG []float64 // G'(beta + ρ(G x − y)) at coupled features
	// solution is the solution of the linear system of an implicit step, at coupled features; nil if all
	// steps are explicit.
	solution []float64
}

// A term is the vector factor·v.
type term struct {
	factor float64
	v      []float64
}

// tile is the largest number of features that the method advance updates together. Several vectors of this
// length fit into the L1 cache.
const tile = 512

// newSweep returns a sweep, or nil if A is neither [G; I] nor I, or if conjugate gradients solve the linear
// systems. solution is memory for a vector of length p. If all steps are explicit, shiftedSolver and solution
// are nil.
func newSweep(b *base, shiftedSolver *linalg.Shifted, solution []float64, terms ...term) *sweep {
	parts, ok := b.a.Parts()
	if !ok || shiftedSolver != nil && shiftedSolver.Iterative() {
		return nil
	}
	s := &sweep{
		base: b, Parts: parts, shiftedSolver: shiftedSolver, x: b.x, terms: terms, g: b.vector(),
		solution: solution,
	}
	s.gradientI = b.u[parts.HeadRows:] // a step uses only the first HeadRows entries of u
	s.gradientG = make([]float64, len(parts.CoupledFeatures))
	s.gx = make([]float64, parts.HeadRows)
	if s.HeadRows > 0 {
		s.G.MulVec(s.gx, b.x)
	}
	return s
}

// gradientIAt returns beta + ρ(x − y) + E at feature j, where E is the sum of the vectors in terms.
func (s *sweep) gradientIAt(j int) float64 {
	sum := math.FMA(s.rho, s.x[j]-s.y[s.HeadRows+j], s.beta[s.HeadRows+j])
	for _, t := range s.terms {
		sum = math.FMA(t.factor, t.v[j], sum)
	}
	return sum
}

// setCoupledGradients computes the fields gradientI and gradientG. It does nothing if A = I.
func (s *sweep) setCoupledGradients() {
	if s.HeadRows == 0 {
		return
	}
	u := s.u[:s.HeadRows]
	copy(u, s.beta[:s.HeadRows])
	kernels.Axpy(-s.rho, s.y[:s.HeadRows], u)
	kernels.Axpy(s.rho, s.gx, u)
	s.GTrans.MulVec(s.gradientG, u)
	for _, j := range s.CoupledFeatures {
		s.gradientI[j] = s.gradientIAt(j)
	}
}

// addSampleGradient adds slope·aᵢ, the gradient of the loss of sample i, to g.
func (s *sweep) addSampleGradient(i int, slope float64) { s.data.Scatter(s.g, i, slope) }

// stepExplicit makes an explicit step for sample i (see the type sweep). It adds x and y to the sums, with
// the given weight.
func (s *sweep) stepExplicit(i int, stepLength, weight float64) {
	s.setCoupledGradients()
	for k, j := range s.CoupledFeatures {
		s.g[j] += s.gradientG[k]
	}
	s.advance(stepLength, weight)
	s.clearGradient(i)
}

// stepImplicit makes an implicit step for sample i (see the type sweep). It adds x and y to the sums, with
// the given weight.
func (s *sweep) stepImplicit(i int, shift, weight float64) {
	s.setCoupledGradients()
	for k, j := range s.CoupledFeatures {
		s.q[j] = s.gradientI[j] + s.gradientG[k] + s.g[j]
	}
	s.shiftedSolver.SolveAt(s.CoupledFeatures, s.solution, s.q, shift)
	s.finishImplicitStep(i, shift, weight)
}

// finishImplicitStep makes an implicit step (see the type sweep) after the caller has computed the field
// solution. At coupled features it changes g so that advance subtracts solution from x.
func (s *sweep) finishImplicitStep(i int, shift, weight float64) {
	invLength := shift + s.rho
	for _, j := range s.CoupledFeatures {
		s.g[j] = float64(s.solution[j]*invLength) - s.gradientI[j]
	}
	s.advance(1/invLength, weight)
	s.clearGradient(i)
}

// clearGradient sets g to zero. g is zero already at features that are neither coupled nor in sample i.
func (s *sweep) clearGradient(i int) {
	if len(s.g) <= tile {
		clear(s.g)
		return
	}
	idx, _ := s.run.Problem.Data.Row(i)
	for _, j := range idx {
		s.g[j] = 0
	}
	for _, j := range s.CoupledFeatures {
		s.g[j] = 0
	}
}

// advance makes the step x ← x − stepLength·(beta + ρ(x − y) + E + g), in which beta and y are the entries
// for the rows I of A; see the type sweep for E and g. It goes tile by tile, and also updates y and beta for
// the rows I. Then it updates y and beta for the rows of G. It adds weight times x and y to the sums.
func (s *sweep) advance(stepLength, weight float64) {
	for lo := 0; lo < len(s.x); lo += tile {
		hi := min(lo+tile, len(s.x))
		x, u := s.x[lo:hi], s.q[lo:hi]
		a, b := s.HeadRows+lo, s.HeadRows+hi
		beta, y := s.beta[a:b], s.y[a:b]
		copy(u, beta)
		kernels.Axpy(-s.rho, y, u)
		kernels.Axpy(s.rho, x, u)
		for _, t := range s.terms {
			kernels.Axpy(t.factor, t.v[lo:hi], u)
		}
		kernels.Axpy(1, s.g[lo:hi], u)
		if s.lagging {
			addWeighted(s.sums.x[lo:hi], x, weight)
		}
		kernels.Axpy(-stepLength, u, x)
		kernels.ProxDual(beta, y, x, s.limit[a:b], s.rho)
		if !s.lagging {
			addWeighted(s.sums.x[lo:hi], x, weight)
		}
		addWeighted(s.sums.y[a:b], y, weight)
	}
	s.sums.weight += weight
	if s.HeadRows == 0 {
		return
	}
	y := s.y[:s.HeadRows]
	s.G.MulVec(s.gx, s.x)
	kernels.ProxDual(s.beta[:s.HeadRows], y, s.gx, s.limit[:s.HeadRows], s.rho)
	addWeighted(s.sums.y[:s.HeadRows], y, weight)
}

// addWeighted adds weight·v to sum. OS2 has no sums: its weight is 0, and addWeighted then does nothing.
func addWeighted(sum, v []float64, weight float64) {
	if weight != 0 {
		kernels.Axpy(weight, v, sum)
	}
}
