package linalg

import (
	"math"

	"github.com/scas-admm/scas/kernels"
)

// A Shifted solves (shift I + ρ A'A) v = b for any shift > 0. It divides if A'A is diagonal, and otherwise
// uses the eigenvectors of each connected component of A'A. If a component has more than MaxComponent
// features, or Algebra.Gram returns nil, it uses conjugate gradients. It is not safe for concurrent use.
type Shifted struct {
	a                 *Algebra
	rho               float64
	sigma             []float64 // diagonal of A'A; zeros if A is not a matrix
	spec              *Spectrum // nil if A = I or if conjugate gradients are used
	coupledComponents []int     // the indices of those connected components of A'A that have several features
	bases             []*basis  // the basis of each component; nil if it has at most smallComponent features
	eigenCoords       []float64 // scratch memory of solveSmallComponent

	cg    *ConjugateGradients // nil unless conjugate gradients are used
	shift float64             // the argument shift of the current call of Solve
	image []float64           // the product A v in the method multiply, if Algebra.Gram returns nil
}

// Shifted returns a solver of (shift I + ρ A'A) v = b for the given ρ. interrupt is passed to Spectrum.
func (q *Algebra) Shifted(rho float64, interrupt func() error) (*Shifted, error) {
	s := &Shifted{a: q, rho: rho}
	s.sigma, _ = q.Diagonal()
	switch {
	case q.IsIdentity():
		return s, nil
	case q.Gram() == nil:
		s.useCG()
		return s, nil
	}
	largestSize, _ := q.Components().LargestSize()
	if largestSize > MaxComponent {
		s.useCG()
		return s, nil
	}
	var err error
	s.spec, err = q.Spectrum(interrupt)
	if err != nil {
		return nil, err
	}
	s.eigenCoords = make([]float64, smallComponent)
	s.bases = make([]*basis, len(s.spec.Members))
	for c, m := range s.spec.Members {
		if len(m) > 1 {
			s.coupledComponents = append(s.coupledComponents, c)
		}
		if len(m) > smallComponent {
			s.bases[c] = newBasis(len(m), s.spec.vectors[c])
		}
	}
	return s, nil
}

// Iterative reports whether conjugate gradients are used.
func (s *Shifted) Iterative() bool { return s.cg != nil }

func (s *Shifted) useCG() {
	s.cg = NewConjugateGradients(s.a.cols, s.multiply)
	if s.a.Gram() == nil {
		s.image = make([]float64, s.a.rows)
	}
}

// multiply sets dst = (s.shift I + ρ A'A) v.
func (s *Shifted) multiply(dst, v []float64) {
	if gram := s.a.Gram(); gram != nil {
		gram.MulVec(dst, v)
	} else {
		s.a.operator.MulVec(s.image, v)
		s.a.operator.MulVecTrans(dst, s.image)
	}
	for j, vj := range v {
		dst[j] = math.FMA(s.shift, vj, float64(s.rho*dst[j]))
	}
}

const (
	solveTolerance = 1e-13 // conjugate gradients end at a residual of this norm, relative to |b|
	solveRounds    = 500
)

// Solve sets dst to the solution v of (shift I + ρ A'A) v = b. Conjugate gradients start from the value that
// dst has at the call. dst must not be b.
func (s *Shifted) Solve(dst, b []float64, shift float64) {
	if s.Iterative() {
		s.shift = shift
		s.cg.Multiply(s.cg.image, dst)
		for j, bj := range b {
			s.cg.Residual[j] = bj - s.cg.image[j]
			s.cg.Diagonal[j] = math.FMA(s.rho, s.sigma[j], shift)
		}
		s.cg.Solve(dst, solveRounds, s.cg.StopAtNorm(solveTolerance*math.Sqrt(kernels.Dot(b, b))))
		return
	}
	for j, v := range b { // right for components with one feature; the next loop sets all others
		dst[j] = v / math.FMA(s.rho, s.sigma[j], shift)
	}
	for _, c := range s.coupledComponents {
		s.solveComponent(c, dst, b, shift)
	}
}

// SolveAt computes the solution of (shift I + ρ A'A) v = b. It sets the entries of dst at the given features,
// and at all features of connected components of A'A with several features. It panics if Iterative returns
// true.
func (s *Shifted) SolveAt(features []int, dst, b []float64, shift float64) {
	if s.Iterative() {
		panic("linalg: SolveAt by conjugate gradients")
	}
	for _, j := range features {
		dst[j] = b[j] / math.FMA(s.rho, s.sigma[j], shift)
	}
	for _, c := range s.coupledComponents {
		s.solveComponent(c, dst, b, shift)
	}
}
