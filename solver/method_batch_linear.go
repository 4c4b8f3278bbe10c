package solver

import (
	"math"

	"github.com/scas-admm/scas/kernels"
)

// batchLinear is batch ADMM with one gradient per iteration:
//
//	prox:   x ← ((1/η) I + ρ A'A)⁻¹ [ x/η − ∇f(x) − A'(beta − ρ y) ]
//	Uzawa:  x ← x − η [ ∇f(x) + A'(beta + ρ(A x − y)) ]
//
// and then y and beta. Eta is η; zero means 1/ν̄ for prox and 1/(ν̄ + ρ λ₁) for
// Uzawa, with ν̄ the smoothness of the mean loss plus mu, found by power iteration
// during setup. An iteration is one pass. The average is that of x_1..x_T.
type batchLinear struct {
	*baseline
	solve *shifted // nil for Uzawa
	b     []float64
}

func newBatchLinear(r *run) iteration {
	m := &batchLinear{baseline: newBaseline(r), b: make([]float64, r.p)}
	m.automaticRho(1)
	nubar := float64(r.loss.Curvature()*largestEigenvalue(r.prob.Data))/float64(r.n) + r.prob.L2
	if r.set.Method == BatchLinear {
		m.solve = newShifted(r)
	} else {
		nubar += float64(m.rho * r.constants.Lambda1)
	}
	m.orEta(1 / nubar)
	return m
}

func (m *batchLinear) next() (bool, error) {
	if !m.affords(1) {
		return false, m.budgetError(1)
	}
	if err := m.ctx.Err(); err != nil {
		return false, err
	}
	m.full.at(m.z, m.x, m.margin, m.slope0)
	m.passes++
	m.addRidge(m.z, m.x)
	if m.solve != nil {
		m.frozen()
		weight := 1 / m.eta
		for j, x := range m.x {
			m.b[j] = float64(weight*x) - m.z[j] - m.q[j]
		}
		m.solve.solve(m.x, m.b, weight)
	} else {
		m.augmented(m.current())
		for j, z := range m.z {
			m.x[j] = math.FMA(-m.eta, z+m.q[j], m.x[j])
		}
	}
	if norm2 := kernels.Dot(m.x, m.x); math.IsNaN(norm2) || math.IsInf(norm2, 0) {
		return false, m.lost(norm2)
	}
	m.dual(m.times(m.x))
	m.accumulate(m.outer + 1)
	return true, m.settle()
}
