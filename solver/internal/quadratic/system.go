package quadratic

import (
	"math"

	"github.com/scas-admm/scas/kernels"
	"github.com/scas-admm/scas/solver/internal/linalg"
	"github.com/scas-admm/scas/sparse/pages"
)

// A system solves H d = b for a symmetric positive semidefinite H. It scales H to D H D, whose diagonal is
// near 1, so that one diagonal shift is small for all rows. The entries of D are powers of two, so that
// scaling does not round.
type system struct {
	order   int
	threads int
	h       []float64 // the upper triangle of H, see upper.go
	chol    *linalg.Cholesky
	scale   []float64 // the diagonal of D; each (D H D)_jj is 0 or in [1/4, 2)
	shift   float64   // the diagonal shift: chol is the factor of D H D + shift I

	residual, step, work []float64
}

// newSystem returns a system whose matrix is 0.
func newSystem(order, threads int) *system {
	s := &system{threads: threads}
	s.reset(order)
	return s
}

// reset changes the order of the matrix. The caller must then set all entries of h.
func (s *system) reset(order int) {
	s.order = order
	if s.chol != nil {
		s.chol.Resize(order)
	} else {
		s.chol = linalg.NewCholesky(order)
		s.chol.Threads = s.threads
	}
	s.h = pages.Resize(s.h, order*order)
	for _, v := range []*[]float64{&s.scale, &s.residual, &s.step, &s.work} {
		*v = pages.Resize(*v, order)
	}
}

const (
	firstShift = 1e-15 // the first shift of Coupled.newton: a few units in the last place of 1
	lastShift  = 1e-4  // the largest shift
)

// factor computes the Cholesky factor of D H D + shift I, where D is the diagonal matrix of scale. It tries a
// few shifts, beginning with the given one, until all pivots are positive. It returns false if no shift is
// large enough.
func (s *system) factor(shift float64) bool {
	for j := range s.order {
		s.scale[j] = powerOfTwo(s.h[j*s.order+j])
	}
	for s.shift = shift; s.shift <= lastShift; s.shift *= 100 {
		if s.chol.Factor(s.h, s.scale, s.shift) {
			return true
		}
	}
	return false
}

// powerOfTwo returns a power of two near 1/√v. It returns 1 unless v is positive and finite.
func powerOfTwo(v float64) float64 {
	if !(v > 0) || math.IsInf(v, 1) {
		return 1
	}
	_, exp := math.Frexp(v)
	return math.Ldexp(1, -(exp / 2))
}

// maxRefinements is the largest number of steps of iterative refinement, the first solution included.
const maxRefinements = 4

// solve sets d to the solution of H d = b. It refines d as long as each refinement halves the norm of the
// scaled residual. d and b must not overlap.
func (s *system) solve(d, b []float64) {
	clear(d)
	copy(s.residual, b)
	lastNorm := math.Inf(1)
	for range maxRefinements {
		for j, r := range s.residual {
			s.work[j] = r * s.scale[j]
		}
		norm := kernels.Dot(s.work, s.work)
		if !(norm < lastNorm/4) || norm == 0 {
			break
		}
		lastNorm = norm
		s.chol.Solve(s.step, s.work)
		for j, v := range s.step {
			d[j] = math.FMA(v, s.scale[j], d[j])
		}
		TimesUpper(s.residual, s.h, d)
		for j, v := range s.residual {
			s.residual[j] = b[j] - v
		}
	}
}

// solveShifted sets d to D(D H D + shift I)⁻¹D b, without refinement; see system for H, D and shift. If
// H d = b has many solutions, d is close to the solution with the least |D⁻¹ d|. If H d = b has no solution,
// d may be very large. d and b must not overlap.
func (s *system) solveShifted(d, b []float64) {
	s.work = pages.Resize(s.work, len(b))
	for j, r := range b {
		s.work[j] = r * s.scale[j]
	}
	s.chol.Solve(d, s.work)
	for j, v := range s.scale {
		d[j] *= v
	}
}
