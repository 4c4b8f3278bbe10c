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
	alone   float64   // what it is for features in no component of several; 0 if that differs
	spec    *spectrum // nil for conjugate gradients
	coupled []int     // components of several features
	hat     []float64

	sparse  []float64 // for solveRow: a row spread out, else zero
	support []int32
	mark    []int // of each component: the last stamp that touched it
	stamp   int

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
		s.alone = 1
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
	spec = spectrumOf(a, gram, spec)
	s.hat = make([]float64, largest)
	for c, m := range spec.members {
		if len(m) > 1 {
			s.coupled = append(s.coupled, c)
		}
	}
	s.spec = spec
	s.alone = s.uniform()
	return s
}

// uniform returns the diagonal of A'A where features are alone, if it is the same
// for all, else 0.
func (s *shifted) uniform() float64 {
	var alone float64
	for _, m := range s.spec.members {
		switch sigma := s.sigma[m[0]]; {
		case len(m) > 1:
		case alone == 0:
			alone = sigma
		case alone != sigma:
			return 0
		}
	}
	return alone
}

func (s *shifted) iterative() bool { return s.res != nil }

func (s *shifted) makeIterative() {
	for _, v := range []*[]float64{&s.res, &s.dir, &s.kd, &s.pr} {
		*v = make([]float64, s.r.p)
	}
}

// solve sets dst to the solution; dst holds a guess, and is not b.
func (s *shifted) solve(dst, b []float64, shift float64) {
	if s.iterative() {
		s.iterate(dst, b, shift)
		return
	}
	s.divide(dst, b, shift)
	for _, c := range s.coupled {
		s.component(c, dst, b, shift)
	}
}

// solveRow sets dst to the solution for b = aᵢ where it is not zero, and returns
// those features, valid until the next call. Not for conjugate gradients.
func (s *shifted) solveRow(dst []float64, idx []int32, val []float64, shift float64) (support []int32) {
	s.support = s.support[:0]
	if s.sparse == nil {
		s.sparse = make([]float64, len(dst))
	}
	for k, j := range idx {
		s.sparse[j] = val[k]
	}
	s.stamp++
	for _, j := range idx {
		if s.spec == nil || len(s.spec.members[s.spec.of[j]]) == 1 {
			dst[j] = s.sparse[j] / math.FMA(s.r.rho, s.sigma[j], shift)
			s.support = append(s.support, j)
			continue
		}
		c := s.spec.of[j]
		if s.mark == nil {
			s.mark = make([]int, len(s.spec.members))
		}
		if s.mark[c] != s.stamp {
			s.mark[c] = s.stamp
			s.component(int(c), dst, s.sparse, shift)
			s.support = append(s.support, s.spec.members[c]...)
		}
	}
	for _, j := range idx {
		s.sparse[j] = 0
	}
	return s.support
}

// divide solves for the features that are alone.
func (s *shifted) divide(dst, b []float64, shift float64) {
	dst = dst[:len(b)]
	if s.alone > 0 {
		by := math.FMA(s.r.rho, s.alone, shift)
		for j, v := range b {
			dst[j] = v / by
		}
		return
	}
	for j, v := range b {
		dst[j] = v / math.FMA(s.r.rho, s.sigma[j], shift)
	}
}

// component solves for the features of component c.
func (s *shifted) component(c int, dst, b []float64, shift float64) {
	members, at := s.spec.members[c], s.spec.offset[c]
	hat := s.hat[:len(members)]
	clear(hat)
	for k, j := range members {
		if v := b[j]; v != 0 {
			kernels.Axpy(v, s.spec.row(c, k), hat)
		}
	}
	for k, sigma := range s.spec.sigma[at : at+len(members)] {
		hat[k] /= math.FMA(s.r.rho, sigma, shift)
	}
	for k, j := range members {
		dst[j] = kernels.Dot(s.spec.row(c, k), hat)
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
