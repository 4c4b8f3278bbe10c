package solver

import (
	"fmt"
	"math"

	"github.com/scas-admm/scas/kernels"
)

// sa is the family of stochastic average ADMM (Zhong and Kwok, "Fast Stochastic
// Alternating Direction Method of Multipliers", 2014). It keeps the slope dᵢ of
// every sample at its last visit and gm = (1/n) Σ dᵢ aᵢ. A visit renews dᵢ and then
//
//	SA:     x ← (L I + ρ A'A)⁻¹ [ L x̂ − mu x̂ − gm − A'(beta − ρ y) ]
//	SA-IU:  x ← [ L x̂ − mu x̂ + L_A x − gm − A'(beta + ρ(A x − y)) ] / (L + L_A),  L_A = ρ λ₁
//
// followed by y and beta. As published, x̂ is the mean over the samples of the
// iterate at their last visit, for which all n iterates are stored: n·p numbers.
// In the SAG variants x̂ is x itself and the n slopes are all the memory.
//
// The slopes start at zero and the stored iterates at the starting point, so that
// no pass over the data comes first. Eta is 1/L; zero means 1000/ν_f, or n/(2 ν_f)
// if that is less, and 1/ν_f for SAG. The average is uniform.
type sa struct {
	perSample
	solve  *shifted // nil for inexact updates
	b      []float64
	weight float64 // L

	slope []float64 // dᵢ
	gm    []float64
	store *iterateStore // nil for SAG
}

func newSA(r *run) iteration {
	s := &sa{perSample: perSample{baseline: newBaseline(r)}}
	s.b, s.gm, s.slope = make([]float64, r.p), make([]float64, r.p), make([]float64, r.n)
	eta := 1 / r.constants.NuF
	s.automaticRho(sagRho)
	if m := r.set.Method; m == SA || m == SAIU {
		s.store = newIterateStore(r.n, r.x)
		eta *= math.Min(saFactor, float64(r.n)/2)
		s.automaticRho(saRho)
	}
	if m := r.set.Method; m == SA || m == SAG {
		s.solve = newShifted(r)
	}
	s.weight = 1 / s.orEta(eta)
	s.perSample.step, s.average = s.step, s.publish
	return s
}

const (
	// saFactor is the automatic 1/L of SA-ADMM in units of 1/ν_f. With L = ν_f a
	// whole pass moves x like one gradient step. Fewer samples are a shorter delay.
	saFactor = 1000
	saRho    = 30
	sagRho   = 30
)

func (s *sa) step(i int) {
	slope := s.slopeAt(i, s.x)
	s.scatter(s.gm, i, (slope-s.slope[i])/float64(s.n))
	s.slope[i] = slope
	centre := s.x
	if s.store != nil {
		s.store.visit(i, s.x)
		centre = s.store.mean
	}
	weight := s.weight - s.mu
	if s.solve != nil {
		s.frozen()
		b, gm, q := s.b[:len(centre)], s.gm[:len(centre)], s.q[:len(centre)]
		for j, v := range centre {
			b[j] = float64(weight*v) - gm[j] - q[j]
		}
		s.solve.solve(s.x, s.b, s.weight)
	} else {
		s.augmented(s.current())
		la := float64(s.rho * s.constants.Lambda1)
		inv := 1 / (s.weight + la)
		x, gm, q := s.x[:len(centre)], s.gm[:len(centre)], s.q[:len(centre)]
		for j, v := range centre {
			x[j] = (float64(weight*v) + float64(la*x[j]) - gm[j] - q[j]) * inv
		}
	}
	s.dual(s.times(s.x))
	s.include(s.x, s.y)
}

// maxStoredIterates bounds the n·p numbers that SA-ADMM stores.
const maxStoredIterates = 1 << 30

// checkStore refuses problems for which SA-ADMM as published needs too much
// memory.
func checkStore(p *Problem, m Method) error {
	n, cols := p.Data.Dims()
	if float64(n)*float64(cols) <= maxStoredIterates {
		return nil
	}
	return &SettingError{"Method", m, fmt.Sprintf(
		"it stores an iterate per sample, %.1f GiB here (at most %d); use %s or %s", float64(n)*float64(cols)*8/(1<<30), 8*maxStoredIterates>>30, SAG, SAGIU)}
}

// An iterateStore holds the iterate at the last visit of every sample, and their
// mean.
type iterateStore struct {
	n, p int
	all  []float64
	mean []float64
}

func newIterateStore(n int, x []float64) *iterateStore {
	s := &iterateStore{n: n, p: len(x), all: make([]float64, n*len(x)), mean: append([]float64(nil), x...)}
	if sumSquares(x) > 0 { // zeros cost no memory before they are written
		for i := range n {
			copy(s.all[i*s.p:], x)
		}
	}
	return s
}

// visit makes x the iterate of sample i.
func (s *iterateStore) visit(i int, x []float64) {
	old := s.all[i*s.p : (i+1)*s.p]
	inv := 1 / float64(s.n)
	kernels.Axpy(inv, x, s.mean)
	kernels.Axpy(-inv, old, s.mean)
	copy(old, x)
}
