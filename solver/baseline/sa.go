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
// stores an iterate and a gradient for every sample. A step draws one sample i, replaces the stored iterate
// and gradient of this sample by x and φ'(aᵢ'x)aᵢ, and sets
//
//	x ← (L I + ρ A'A)⁻¹ [ L x̂ − mu x̂ − gm − A'(beta − ρ y) ]
//
// where x̂ is the mean of the stored iterates, and gm is the mean of the stored gradients. Then it updates y
// and beta. Eta is 1/L; zero means n/(2 ν_f). Result.XAverage is the mean of x_1..x_T. The
// package comment says what ν_f is.
type SA struct{ storageCheck }

func (SA) Info() solver.MethodInfo {
	return solver.MethodInfo{
		Name: "sa", Summary: "SA-ADMM: averages of stored gradients and iterates",
		Rate: "O(1/T) in samples", Memory: "np + n + 6p + 4l + the eigenbasis of A'A",
		Reference: "Zhong, Kwok 2014", Eta: "1/L; n/(2 nu_f)", TakesEta: true, StoredIterates: true,
	}
}

func (SA) Begin(r *solver.Run) (solver.Iteration, error) { return beginSA(r, true, false) }

// SAIU is SA-IU-ADMM: [SA] with the term (ρ/2)|A x − y|² linearised.
type SAIU struct{ storageCheck }

func (SAIU) Info() solver.MethodInfo {
	return solver.MethodInfo{
		Name: "sa-iu", Summary: "SA-ADMM with the penalty linearised",
		Rate: "O(1/T) in samples", Memory: "np + n + 6p + 4l",
		Reference: "Zhong, Kwok 2014", Eta: "1/L; n/(2 nu_f)", TakesEta: true, StoredIterates: true,
	}
}

func (SAIU) Begin(r *solver.Run) (solver.Iteration, error) { return beginSA(r, true, true) }

// SAG is [SA] without stored iterates. The formula of SA has x̂, the mean of the stored iterates; SAG has the
// iterate x in its place. Eta is the 1/L of that formula; zero means 1/ν_f, see the package comment.
type SAG struct{ onePassCheck }

func (SAG) Info() solver.MethodInfo {
	return solver.MethodInfo{
		Name: "sag", Summary: "SA-ADMM about the current iterate: a scalar per sample",
		Rate: "none proven", Memory: "n + 5p + 4l + the eigenbasis of A'A",
		Reference: "after Zhong, Kwok 2014", Eta: "1/L; 1/nu_f", TakesEta: true,
	}
}

func (SAG) Begin(r *solver.Run) (solver.Iteration, error) { return beginSA(r, false, false) }

// SAGIU is [SAG] with the term (ρ/2)|A x − y|² linearised.
type SAGIU struct{ onePassCheck }

func (SAGIU) Info() solver.MethodInfo {
	return solver.MethodInfo{
		Name: "sag-iu", Summary: "SA-ADMM about the current iterate, the penalty linearised",
		Rate: "none proven", Memory: "n + 5p + 4l",
		Reference: "after Zhong, Kwok 2014", Eta: "1/L; 1/nu_f", TakesEta: true,
	}
}

func (SAGIU) Begin(r *solver.Run) (solver.Iteration, error) { return beginSA(r, false, true) }

// sa is the state of SA, SAG and their variants. In SAIU and SAGIU, the update of x is
//
//	x ← [ L x̂ − mu x̂ + L_A x − gm − A'(beta + ρ(A x − y)) ] / (L + L_A),  L_A = ρ λ₁
//
// The slopes start at zero and the stored iterates at the starting point. The automatic 1/L of SA and SAIU
// is n/(2 ν_f), because with 1/ν_f a whole pass would move x only as much as one gradient step. The package
// comment says what ν_f and λ₁ are.
type sa struct {
	*sampleLoop
	shiftedSolver *linalg.Shifted // solver of systems with the matrix L I + ρ A'A; nil for SAIU and SAGIU
	b             []float64       // right-hand side of the system
	weight        float64         // L, the inverse of Eta
	sweep         *sweep          // nil if newSweep does not support A

	slope          []float64 // dᵢ, the slope of each sample at its last visit
	gm             []float64 // (1/n) Σ dᵢ aᵢ
	storedIterates []float64 // the iterate at the last visit of every sample, n × p; nil for SAG and SAGIU
	centre         []float64 // x̂: the mean of the stored iterates; x if none are stored
}

// saRho is the automatic rho of SA, SAG and their variants, in units of Run.NaturalRho.
const saRho = 30

func beginSA(r *solver.Run, storesIterates, linearised bool) (solver.Iteration, error) {
	s, err := newSA(r, storesIterates, linearised)
	return s.iterate, err
}

func newSA(r *solver.Run, storesIterates, linearised bool) (*sa, error) {
	b := newBase(r, saRho)
	s := &sa{b: b.vector(), gm: b.vector(), slope: make([]float64, b.n), centre: b.x}
	s.sampleLoop = b.newAveragingLoop(s.step)
	eta := 1 / b.nu
	if storesIterates {
		s.initStoredIterates()
		eta *= float64(b.n) / 2
	}
	if !linearised {
		var err error
		s.shiftedSolver, err = b.newShiftedSolver()
		if err != nil {
			return s, err
		}
	}
	s.weight = 1 / s.run.StepSize(eta)
	terms := append(b.ridgeTerms(b.x), term{1, s.gm})
	if storesIterates {
		terms = []term{{1, s.gm}, {s.weight, b.x}, {s.mu - s.weight, s.centre}}
	}
	s.sweep = newSweep(b, s.shiftedSolver, s.b, terms...)
	if s.sweep != nil {
		s.sampleLoop.step = s.sweepStep
	}
	return s, nil
}

// initStoredIterates allocates the stored iterates and their mean, and sets all of them to x.
func (s *sa) initStoredIterates() {
	p := len(s.x)
	s.storedIterates, s.centre = make([]float64, s.n*p), slices.Clone(s.x)
	// New memory holds zeros, and takes no space until it is written.
	if slices.ContainsFunc(s.x, func(v float64) bool { return v != 0 }) {
		for i := range s.n {
			copy(s.storedIterates[i*p:], s.x)
		}
	}
}

func (s *sa) storeIterate(i int) {
	p, inv := len(s.x), 1/float64(s.n)
	storedX := s.storedIterates[i*p : (i+1)*p]
	kernels.Axpy(inv, s.x, s.centre)
	kernels.Axpy(-inv, storedX, s.centre)
	copy(storedX, s.x)
}

// storeSample stores the slope of sample i at x, and updates the mean gradient gm. If iterates are stored, it
// also stores x for the sample.
func (s *sa) storeSample(i int) {
	slope := s.slopeAt(i, s.x)
	s.data.Scatter(s.gm, i, (slope-s.slope[i])/float64(s.n))
	s.slope[i] = slope
	if s.storedIterates != nil {
		s.storeIterate(i)
	}
}

func (s *sa) sweepStep(i int, _ float64) {
	s.storeSample(i)
	if s.shiftedSolver != nil {
		s.sweep.stepImplicit(i, s.weight, 1)
	} else {
		s.sweep.stepExplicit(i, 1/(s.weight+float64(s.rho*s.lambda1)), 1)
	}
}

func (s *sa) step(i int, _ float64) {
	s.storeSample(i)
	weight, centre := s.weight-s.mu, s.centre
	if s.shiftedSolver != nil {
		s.setLinearTerm()
		b, gm, q := s.b[:len(centre)], s.gm[:len(centre)], s.q[:len(centre)]
		for j, v := range centre {
			b[j] = float64(weight*v) - gm[j] - q[j]
		}
		s.shiftedSolver.Solve(s.x, s.b, s.weight)
	} else {
		s.setAugmentedGradient()
		la := float64(s.rho * s.lambda1)
		inv := 1 / (s.weight + la)
		x, gm, q := s.x[:len(centre)], s.gm[:len(centre)], s.q[:len(centre)]
		for j, v := range centre {
			x[j] = (float64(weight*v) + float64(la*x[j]) - gm[j] - q[j]) * inv
		}
	}
	s.updateDual(s.mulA(s.x))
	s.addToSums(s.x, s.y)
}

// maxStoredIterates is the largest n·p for which SA and SAIU store iterates.
const maxStoredIterates = 1 << 30

// storageCheck is embedded in methods that store an iterate for each sample.
type storageCheck struct{}

// Check returns an error if the iterates need too much memory, or if the budget is less than a pass.
func (storageCheck) Check(p *solver.Problem, s *solver.Settings) error {
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
