package solver

import (
	"math"

	"github.com/scas-admm/scas/kernels"
	"github.com/scas-admm/scas/sparse"
)

// A shifted solves (s I + ρ A'A) v = b for any s > 0: feature by feature where
// A'A is diagonal, in the eigenbasis of each connected component elsewhere
// (decomposed once, c² operations a solve), and by conjugate gradients where a
// component has more than maxComponent features or A is not a matrix.
type shifted struct {
	r       *run
	sigma   []float64 // diagonal of A'A
	spec    *spectrum // nil for conjugate gradients
	coupled []int     // components of several features
	hat     []float64

	gram             *sparse.CSR // A'A, for conjugate gradients
	res, dir, kd, pr []float64
}

func newShifted(r *run) *shifted {
	s := &shifted{r: r, sigma: make([]float64, r.p)}
	a, matrix := asMatrix(r.prob.Constraint)
	switch {
	case r.prob.Constraint == nil:
		for j := range s.sigma {
			s.sigma[j] = 1
		}
		return s
	case !matrix:
		s.makeIterative()
		return s
	}
	gram := a.Gram()
	for j := range s.sigma {
		idx, val := gram.Row(j)
		for k, c := range idx {
			if int(c) == j {
				s.sigma[j] = val[k]
			}
		}
	}
	spec := componentsOf(gram)
	largest, _ := spec.largest()
	if largest > maxComponent {
		s.gram = gram
		s.makeIterative()
		return s
	}
	spec.decompose(gram)
	s.hat = make([]float64, largest)
	for c, m := range spec.members {
		if len(m) > 1 {
			s.coupled = append(s.coupled, c)
		}
	}
	s.spec = spec
	return s
}

func (s *shifted) makeIterative() {
	for _, v := range []*[]float64{&s.res, &s.dir, &s.kd, &s.pr} {
		*v = make([]float64, s.r.p)
	}
}

// solve sets dst to the solution; dst holds a guess, and is not b.
func (s *shifted) solve(dst, b []float64, shift float64) {
	if s.res != nil {
		s.iterate(dst, b, shift)
		return
	}
	rho := s.r.rho
	for j, v := range b {
		dst[j] = v / math.FMA(rho, s.sigma[j], shift)
	}
	for _, c := range s.coupled {
		members, at := s.spec.members[c], s.spec.offset[c]
		hat := s.hat[:len(members)]
		clear(hat)
		for k, j := range members {
			kernels.Axpy(b[j], s.spec.row(c, k), hat)
		}
		for k, sigma := range s.spec.sigma[at : at+len(members)] {
			hat[k] /= math.FMA(rho, sigma, shift)
		}
		for k, j := range members {
			dst[j] = kernels.Dot(s.spec.row(c, k), hat)
		}
	}
}

const (
	solveTolerance = 1e-13 // of |b|, for conjugate gradients
	solveRounds    = 500
)

// iterate solves by conjugate gradients, preconditioned by the diagonal.
func (s *shifted) iterate(v, b []float64, shift float64) {
	s.multiply(s.kd, v, shift)
	for j, bj := range b {
		s.res[j] = bj - s.kd[j]
	}
	goal := solveTolerance * math.Sqrt(kernels.Dot(b, b))
	previous := 0.0
	for round := range solveRounds {
		if math.Sqrt(kernels.Dot(s.res, s.res)) <= goal {
			return
		}
		for j, g := range s.res {
			s.pr[j] = g / math.FMA(s.r.rho, s.sigma[j], shift)
		}
		product := kernels.Dot(s.res, s.pr)
		if round == 0 {
			copy(s.dir, s.pr)
		} else {
			turn := product / previous
			for j, g := range s.pr {
				s.dir[j] = math.FMA(turn, s.dir[j], g)
			}
		}
		previous = product
		s.multiply(s.kd, s.dir, shift)
		length := product / kernels.Dot(s.dir, s.kd)
		kernels.Axpy(length, s.dir, v)
		kernels.Axpy(-length, s.kd, s.res)
	}
}

// multiply sets dst = (shift I + ρ A'A) v.
func (s *shifted) multiply(dst, v []float64, shift float64) {
	if s.gram != nil {
		s.gram.MulVec(dst, v)
	} else {
		a := s.r.prob.Constraint
		a.MulVec(s.r.dual, v)
		a.MulVecTrans(dst, s.r.dual)
	}
	for j, vj := range v {
		dst[j] = math.FMA(shift, vj, float64(s.r.rho*dst[j]))
	}
}
