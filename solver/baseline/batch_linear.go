package baseline

import (
	"math"

	"github.com/scas-admm/scas/solver"
	"github.com/scas-admm/scas/solver/internal/linalg"
)

// BatchLinear is batch ADMM with a linear approximation of f, the mean loss plus (mu/2)|x|². An
// iteration sets
//
//	x ← ((1/η) I + ρ A'A)⁻¹ [ x/η − ∇f(x) − A'(beta − ρ y) ]
//
// and then updates y and beta. Eta is η; zero means 1/ν̄. ν̄ is mu plus an estimate of the Lipschitz
// constant of the gradient of the mean loss. Result.XAverage is the mean of x_1..x_T.
type BatchLinear struct{ onePassCheck }

func (BatchLinear) Info() solver.MethodInfo {
	return solver.MethodInfo{
		Name: "batch-linear", Summary: "batch ADMM, one gradient an iteration, exact penalty",
		Rate: "O(1/T) in iterations", Memory: "5p + 4l + 2n + the eigenbasis of A'A",
		Reference: "linearised form of Boyd et al. 2011", Eta: "the step size; 1/nu of the mean loss",
		TakesEta: true, AllSamples: true,
	}
}

// BatchUzawa is [BatchLinear] with the term (ρ/2)|A x − y|² linearised too:
//
//	x ← x − η [ ∇f(x) + A'(beta + ρ(A x − y)) ]
//
// Eta is η; zero means 1/(ν̄ + ρ λ₁), with ν̄ as in BatchLinear.
type BatchUzawa struct{ onePassCheck }

func (BatchUzawa) Info() solver.MethodInfo {
	return solver.MethodInfo{
		Name: "batch-uzawa", Summary: "batch ADMM, one gradient an iteration, the penalty linearised",
		Rate: "O(1/T) in iterations", Memory: "4p + 4l + 2n",
		Reference: "linearised form of Boyd et al. 2011",
		Eta:       "the step size; 1/(nu + rho lambda_1), nu of the mean loss",
		TakesEta:  true, AllSamples: true,
	}
}

func (BatchLinear) Begin(r *solver.Run) (solver.Iteration, error) {
	m := newBatchLinear(r)
	var err error
	m.shiftedSolver, err = m.newShiftedSolver()
	m.run.StepSize(1 / nuOrOne(m.nubar))
	return m.iterate, err
}

func (BatchUzawa) Begin(r *solver.Run) (solver.Iteration, error) {
	m := newBatchLinear(r)
	m.run.StepSize(1 / nuOrOne(m.nubar+float64(m.rho*m.lambda1)))
	return m.iterate, nil
}

type batchLinear struct {
	*base
	shiftedSolver *linalg.Shifted // solver of systems with the matrix (1/η) I + ρ A'A; nil for BatchUzawa
	b             []float64       // right-hand side of the system
	nubar         float64         // ν̄ in the comment of BatchLinear
}

func newBatchLinear(r *solver.Run) *batchLinear {
	m := &batchLinear{base: newBase(r, 1)}
	m.b = m.vector()
	largest := linalg.LargestEigenvalue(r.Problem.Data)
	m.nubar = float64(r.Samples.Curvature()*largest)/float64(m.n) + m.mu
	return m
}

func (m *batchLinear) iterate() (bool, error) {
	if !m.run.Affords(1) {
		return false, nil
	}
	if err := m.run.Err(); err != nil {
		return false, err
	}
	z := m.run.Snapshot.Gradient
	m.data.Gradient(&m.run.Snapshot, m.x)
	m.run.Spend(1)
	m.addRidge(z, m.x)
	eta := m.run.Stats.Eta
	if m.shiftedSolver != nil {
		m.setLinearTerm()
		invEta := 1 / eta
		for j, x := range m.x {
			m.b[j] = float64(invEta*x) - z[j] - m.q[j]
		}
		m.shiftedSolver.Solve(m.x, m.b, invEta)
	} else {
		m.setAugmentedGradient()
		for j, z := range z {
			m.x[j] = math.FMA(-eta, z+m.q[j], m.x[j])
		}
	}
	if err := m.checkFinite(m.x); err != nil {
		return false, err
	}
	m.updateDual(m.mulA(m.x))
	m.run.Average()
	return true, nil
}
