package baseline

import (
	"fmt"
	"slices"

	"github.com/scas-admm/scas/kernels"
	"github.com/scas-admm/scas/solver"
	"github.com/scas-admm/scas/solver/internal/linalg"
	"github.com/scas-admm/scas/sparse"
)

// SA is SA-ADMM (Zhong and Kwok, "Fast Stochastic Alternating Direction Method of Multipliers", 2014). It
// stores an iterate for every sample:
//
//	x ← (L I + ρ A'A)⁻¹ [ L x̂ − mu x̂ − gm − A'(beta − ρ y) ]
//
// and then updates y and beta. gm is the mean over all samples of the gradient of the sample's loss at
// the sample's last visit, and x̂ is the mean of the iterates at these visits. Eta is 1/L; zero means
// n/(2 ν_f). The average is the mean of x_1..x_T.
type SA struct{ storing }

func (SA) Info() solver.MethodInfo {
	return solver.MethodInfo{
		Name: "sa", Summary: "SA-ADMM: averages of stored gradients and iterates",
		Rate: "O(1/T) in samples", Memory: "np + n + 6p + 4l + the eigenbasis of A'A",
		Reference: "Zhong, Kwok 2014", Eta: "1/L; n/(2 nu_f)", TakesEta: true, StoredIterates: true,
	}
}

func (SA) Begin(r *solver.Run) (solver.Iteration, error) { return beginSA(r, true, false) }

// SAIU is SA-IU-ADMM. It is like [SA], but it linearises the penalty.
type SAIU struct{ storing }

func (SAIU) Info() solver.MethodInfo {
	return solver.MethodInfo{
		Name: "sa-iu", Summary: "SA-ADMM with the penalty linearised",
		Rate: "O(1/T) in samples", Memory: "np + n + 6p + 4l",
		Reference: "Zhong, Kwok 2014", Eta: "1/L; n/(2 nu_f)", TakesEta: true, StoredIterates: true,
	}
}

func (SAIU) Begin(r *solver.Run) (solver.Iteration, error) { return beginSA(r, true, true) }

// SAG is like [SA], but x̂ is the current iterate, so that no iterates are stored. If Eta is zero, 1/L is
// 1/ν_f.
type SAG struct{ onePass }

func (SAG) Info() solver.MethodInfo {
	return solver.MethodInfo{
		Name: "sag", Summary: "SA-ADMM about the current iterate: a scalar per sample",
		Rate: "none proven", Memory: "n + 5p + 4l + the eigenbasis of A'A",
		Reference: "after Zhong, Kwok 2014", Eta: "1/L; 1/nu_f", TakesEta: true,
	}
}

func (SAG) Begin(r *solver.Run) (solver.Iteration, error) { return beginSA(r, false, false) }

// SAGIU is like [SAG], but it linearises the penalty.
type SAGIU struct{ onePass }

func (SAGIU) Info() solver.MethodInfo {
	return solver.MethodInfo{
		Name: "sag-iu", Summary: "SA-ADMM about the current iterate, the penalty linearised",
		Rate: "none proven", Memory: "n + 5p + 4l",
		Reference: "after Zhong, Kwok 2014", Eta: "1/L; 1/nu_f", TakesEta: true,
	}
}

func (SAGIU) Begin(r *solver.Run) (solver.Iteration, error) { return beginSA(r, false, true) }

// sa is the state of SA, SAG and their variants. It stores the slope dᵢ of every sample at
// its last visit, and gm = (1/n) Σ dᵢ aᵢ. A visit of sample i updates dᵢ, and then
//
//	SA:     x ← (L I + ρ A'A)⁻¹ [ L x̂ − mu x̂ − gm − A'(beta − ρ y) ]
//	SA-IU:  x ← [ L x̂ − mu x̂ + L_A x − gm − A'(beta + ρ(A x − y)) ] / (L + L_A),  L_A = ρ λ₁
//
// and then y and beta. In SA and SA-IU, x̂ is the mean over the samples of the iterates at their
// last visits, so n iterates are stored, which are n·p numbers. In the SAG variants x̂ is x itself,
// and only the n slopes are stored.
//
// The slopes start at zero and the stored iterates at the starting point, so no pass over the data
// is needed first. The automatic 1/L of SA and SA-IU is n/(2 ν_f), because with 1/ν_f a whole pass
// would move x only as much as one gradient step.
type sa struct {
	*perSample
	solve  *linalg.Shifted // solver of systems with L I + ρ A'A; nil if the penalty is linearised
	b      []float64
	weight float64 // L
	sweep  *sweep  // nil if A is neither [G; I] nor I

	slope  []float64 // dᵢ
	gm     []float64
	stored []float64 // the iterate at the last visit of every sample; nil for SAG
	centre []float64 // x̂: the mean of the stored iterates, or x
}

// saRho is the factor of the automatic rho of the four methods; see newBase.
const saRho = 30

func beginSA(r *solver.Run, stored, inexact bool) (solver.Iteration, error) {
	s, err := newSA(r, stored, inexact)
	if err != nil {
		return nil, err
	}
	return s.next, nil
}

func newSA(r *solver.Run, stored, inexact bool) (*sa, error) {
	b := newBase(r, saRho)
	s := &sa{b: b.vector(), gm: b.vector(), slope: make([]float64, b.n), centre: b.x}
	s.perSample = b.uniform(s.step)
	eta := 1 / b.nu
	if stored {
		s.store()
		eta *= float64(b.n) / 2
	}
	if !inexact {
		var err error
		if s.solve, err = b.shifted(); err != nil {
			return nil, err
		}
	}
	s.weight = 1 / s.run.StepSize(eta)
	terms := append(b.ridge(b.x), term{1, s.gm})
	if stored {
		terms = []term{{1, s.gm}, {s.weight, b.x}, {s.mu - s.weight, s.centre}}
	}
	if s.sweep = newSweep(b, s.solve, s.b, terms...); s.sweep != nil {
		s.perSample.step = s.swept
	}
	return s, nil
}

// store allocates the stored iterates and their mean. All stored iterates start at x.
func (s *sa) store() {
	p := len(s.x)
	s.stored, s.centre = make([]float64, s.n*p), slices.Clone(s.x)
	// The system provides memory when it is first written, so zeros are not written.
	if slices.ContainsFunc(s.x, func(v float64) bool { return v != 0 }) {
		for i := range s.n {
			copy(s.stored[i*p:], s.x)
		}
	}
}

// visit stores x as the iterate of sample i, and updates the mean of the stored iterates.
func (s *sa) visit(i int) {
	p, inv := len(s.x), 1/float64(s.n)
	old := s.stored[i*p : (i+1)*p]
	kernels.Axpy(inv, s.x, s.centre)
	kernels.Axpy(-inv, old, s.centre)
	copy(old, s.x)
}

// renew updates the slope, and the stored iterate, of sample i at x.
func (s *sa) renew(i int) {
	slope := s.slopeAt(i, s.x)
	s.data.Scatter(s.gm, i, (slope-s.slope[i])/float64(s.n))
	s.slope[i] = slope
	if s.stored != nil {
		s.visit(i)
	}
}

func (s *sa) swept(i int, _ float64) {
	s.renew(i)
	if s.solve != nil {
		s.sweep.implicit(i, s.weight, 1)
	} else {
		s.sweep.explicit(i, 1/(s.weight+float64(s.rho*s.lambda1)), 1)
	}
}

func (s *sa) step(i int, _ float64) {
	s.renew(i)
	weight, centre := s.weight-s.mu, s.centre
	if s.solve != nil {
		s.frozen()
		b, gm, q := s.b[:len(centre)], s.gm[:len(centre)], s.q[:len(centre)]
		for j, v := range centre {
			b[j] = float64(weight*v) - gm[j] - q[j]
		}
		s.solve.Solve(s.x, s.b, s.weight)
	} else {
		s.augmented()
		la := float64(s.rho * s.lambda1)
		inv := 1 / (s.weight + la)
		x, gm, q := s.x[:len(centre)], s.gm[:len(centre)], s.q[:len(centre)]
		for j, v := range centre {
			x[j] = (float64(weight*v) + float64(la*x[j]) - gm[j] - q[j]) * inv
		}
	}
	s.dual(s.times(s.x))
	s.include(s.x, s.y)
}

// maxStoredIterates is the largest n·p that SA-ADMM stores.
const maxStoredIterates = 1 << 30

// storing is embedded in methods that store an iterate for each sample.
type storing struct{}

// Check returns an error if the stored iterates need too much memory, or if the budget is less than a pass.
func (storing) Check(p *solver.Problem, s *solver.Settings) error {
	n, cols := p.Data.Dims()
	if float64(n)*float64(cols) <= maxStoredIterates {
		return s.CheckBudget(1)
	}
	return &solver.SettingError{
		Field: "Method", Value: s.Method.Info().Name,
		Allowed: fmt.Sprintf("it stores an iterate per sample, %.1f GiB here (at most %d)",
			float64(n)*float64(cols)*8/(1<<30), 8*maxStoredIterates>>30),
		Remedies: []sparse.Remedy{{
			Field: "Settings.Method", To: SAG{}.Info().Name + " or " + SAGIU{}.Info().Name,
		}},
	}
}
