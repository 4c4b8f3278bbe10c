package quadratic

import (
	"math"

	"github.com/scas-admm/scas/kernels"
)

// A system solves H d = b for a symmetric positive semidefinite H, scaled to a unit
// diagonal: raw tables have columns whose scales differ by 1e9, and Cholesky's
// pivots are only comparable after scaling. The scale is a power of two, which
// rounds nothing.
type system struct {
	Triangle
	threads int
	h       []float64
	chol    factor
	scale   []float64 // D, |D H D|_jj in [1/4, 2)
	lifted  float64   // what was added to the diagonal of D H D

	residual, step, work []float64
}

func newSystem(t Triangle, threads int) *system {
	n := t.Order
	s := &system{Triangle: t, threads: threads, chol: t.newFactor(threads)}
	s.h = make([]float64, t.Size())
	for _, v := range []*[]float64{&s.scale, &s.residual, &s.step, &s.work} {
		*v = make([]float64, n)
	}
	return s
}

const (
	firstLift = 1e-15 // a few roundings of a unit diagonal
	lastLift  = 1e-4
)

// factor factors D H D + lift I for the smallest lift of a few that makes all pivots
// positive, and reports whether there is one. Solve corrects for the lift.
func (s *system) factor() bool { return s.factorFrom(firstLift) }

// factorFrom is factor with no lift smaller than that.
func (s *system) factorFrom(lift float64) bool {
	n := s.Order
	for j := range n {
		s.scale[j] = powerOfTwo(s.h[j*s.Stride+j])
	}
	for s.lifted = lift; s.lifted <= lastLift; s.lifted *= 100 {
		if s.chol.FactorScaled(s.h, s.scale, s.lifted) {
			return true
		}
	}
	return false
}

// powerOfTwo returns the power of two next to 1/√v, 1 where there is none.
func powerOfTwo(v float64) float64 {
	if !(v > 0) || math.IsInf(v, 1) {
		return 1
	}
	_, exp := math.Frexp(v)
	return math.Ldexp(1, -(exp / 2))
}

// refinements bounds the rounds of iterative refinement.
const refinements = 4

// solve sets d to the solution of H d = b, refined until the residual of the scaled
// system no longer halves. d and b do not overlap.
func (s *system) solve(d, b []float64) {
	clear(d)
	copy(s.residual, b)
	last := math.Inf(1)
	for range refinements {
		for j, r := range s.residual {
			s.work[j] = r * s.scale[j]
		}
		norm := kernels.Dot(s.work, s.work)
		if !(norm < last/4) || norm == 0 {
			break
		}
		last = norm
		s.chol.Solve(s.step, s.work)
		for j, v := range s.step {
			d[j] = math.FMA(v, s.scale[j], d[j])
		}
		s.mul(s.residual, d)
		for j, v := range s.residual {
			s.residual[j] = b[j] - v
		}
	}
}

// solveLifted sets d to the solution for the lifted matrix; d and b do not overlap.
// In directions in which H is singular, up to rounding, it does not move.
func (s *system) solveLifted(d, b []float64) {
	for j, r := range b {
		s.work[j] = r * s.scale[j]
	}
	s.chol.Solve(d, s.work)
	for j, v := range s.scale {
		d[j] *= v
	}
}

// mul sets dst = H d.
func (s *system) mul(dst, d []float64) {
	clear(dst)
	for i, v := range d {
		row := s.Row(s.h, i)
		dst[i] += kernels.Dot(row, d[i:i+len(row)])
		kernels.Axpy(v, row[1:], dst[i+1:i+len(row)])
	}
}
