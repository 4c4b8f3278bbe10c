package solver

import (
	"errors"
	"fmt"
	"math"

	"github.com/scas-admm/scas/solver/internal/exact"
	"github.com/scas-admm/scas/solver/internal/gap"
)

// Auto is the default method: the proximal Newton method, or SCASK for most problems that Newton steps
// do not solve.
//
// Newton steps solve problems without a Coupling, with a matrix or the identity as A, a loss of this
// package or a ConjugateLoss, and a penalty and a domain of this package (the penalty [Within]
// only if A = I and X = R^p). The number of features is
//
//   - unlimited with A = I and a penalty of absolute values and squares, with or without bounds of x;
//   - unlimited in one process if the Cholesky factor of A'A is sparse, as for A = I, a chain, a tree, or a grid
//     of up to about a hundred thousand features;
//   - unlimited with an L1 penalty and X = R^p if each feature has a singleton row, as with A = [G; I].
//     Up to 64 features, such as an intercept, may have no singleton row. At the solution, up to some thousands
//     of coefficients may be non-zero;
//   - up to a million or more if rows of the data and of A have entries only in neighbouring columns;
//   - up to some thousands otherwise.
//
// Auto makes passes of SCASK before the Newton steps in three cases:
//
//   - Settings.Passes is set and is not enough for 30 Newton steps;
//   - a setting needs passes, such as Checkpoint, Eta or Rho;
//   - A couples thousands of features, L2 is positive, and an upper bound of the trace of the mean loss's
//     Hessian is at most 2n L2.
//
// If RelTol is negative, Auto makes only passes of SCASK. With the Poisson loss it makes only Newton steps.
//
// Zeros and ties of the result are usually exact, unless RelTol is large; see Stats.Rounded.
type Auto struct{}

func (Auto) Info() MethodInfo {
	info := scasInfo("auto",
		"Newton steps to a proved gap; scas-k alone for more than some thousands of non-zeros with a dense graph")
	info.Rate, info.ManyUpdates = "of passes none proven; of Newton steps locally superlinear", true
	info.Memory = "4p + 2l + n, at the end 4.5p^2 + 30p + 40l + 15n and a seventh of the data"
	return info
}

func (Auto) Begin(r *Run) (Iteration, error) {
	a := &auto{Run: r}
	if r.Problem.unboundedCurvature() && !r.prover.Finishes() {
		return nil, r.newtonOnlyError()
	}
	if a.beginsWithNewton() {
		r.keeper.Watched = true // Run.checkCheaply then does nothing: Newton steps do not diverge
		return a.next, nil
	}
	return a.next, a.beginPasses()
}

// newtonOnlyError returns the error for a problem that only Newton steps could solve, if they cannot be made.
func (r *Run) newtonOnlyError() error {
	return &SettingError{
		Field: "Method", Value: nameOf(Auto{}),
		Allowed: fmt.Sprintf("the curvature of the %s loss has no bound, so that Newton steps alone solve such a problem: they take a loss with a conjugate, a matrix or the "+
			"identity as A, the penalties and sets of this package, no coupling A x + B y = c, and up to some "+
			"thousands of features if the Cholesky factor of A'A is not sparse", r.Problem.loss()),
	}
}

// asksForPasses reports whether a setting is given that only passes of SCASK use.
func (r *Run) asksForPasses() bool {
	s := &r.Settings
	return s.Checkpoint != nil || s.Eta > 0 || s.Rho > 0 || s.BatchSize > 1 || s.DualUpdates > 0 ||
		s.InnerSteps != r.Problem.team().MeanCount(len(r.Problem.Labels))
}

type auto struct {
	*Run
	scas *scas // nil before the first pass
}

// beginsWithNewton reports whether the run begins with Newton steps.
func (a *auto) beginsWithNewton() bool {
	if a.Problem.unboundedCurvature() {
		return true
	}
	// The first call of Finishes computes the cost of a Hessian, which Affords then includes. So
	// budgetIsAmple is called before and after Finishes.
	budgetIsAmple := func() bool { return a.goal > 0 && a.prover.Affords(a.budget) }
	return budgetIsAmple() && !a.asksForPasses() && a.prover.Finishes() && budgetIsAmple() &&
		!a.prover.WellConditioned()
}

func (a *auto) beginPasses() (err error) {
	a.prepare()
	a.scas, err = newSCAS(a.Run)
	return err
}

// next makes an outer iteration of SCASK, or all Newton steps, which count as one outer iteration.
func (a *auto) next() (bool, error) {
	if a.scas == nil {
		stepsBefore := a.Stats.NewtonSteps
		refused, err := a.makeNewtonSteps()
		if !refused { // without a goal, the run ends when there is no budget for a step
			return a.goal > 0 || a.Stats.NewtonSteps > stepsBefore, err
		}
		if err := a.beginPasses(); err != nil {
			return false, err
		}
	}
	switch newtonTried := a.Stats.NewtonSteps > 0; {
	case a.goal <= 0 || newtonTried || !a.prover.Finishes() || a.Stats.Passes < a.prover.WarmPasses(a.budget):
		return a.scas.next()
	case !a.affordsStep():
		return false, nil
	}
	if a.prover.WellConditioned() { // the passes since the last proof may have reached the goal
		a.gap = a.certify(a.Err)
		if a.gap <= a.goal {
			return false, nil
		}
	}
	_, err := a.makeNewtonSteps()
	return true, err
}

func (r *Run) affordsStep() bool {
	return inBudget(r.Stats.Passes+r.prover.Cost(), r.budget)
}

// errBudget ends Newton steps when the budget is used up.
var errBudget = errorf("no budget left")

// makeNewtonSteps makes Newton steps until the goal is proved, the budget is used up, or more steps would not
// help. It first moves the iterate to the best snapshot (see moveToBest). The steps start there; after passes
// of SCASK, they start at a copy with exact zeros (see makeExact). If the objective at the result of the
// steps is not larger than at the iterate, up to rounding, the result becomes the iterate.
//
// refused is true if the prover refuses to make the first step. If the loss allows only Newton steps,
// makeNewtonSteps returns an error instead.
func (r *Run) makeNewtonSteps() (refused bool, err error) {
	value, startX := r.moveToBest(r.Problem.Evaluate(r.X).Objective), r.X
	if r.Stats.Passes > 0 {
		startX, _ = r.makeExact() // Newton steps need less work if zeros are exact
	}
	res := r.prover.Finish(startX, r.Y, r.Dual,
		&exact.Settings{Tol: math.Max(r.goal, 0), Stop: r.Err, Watch: r.reportStep, Interrupt: func() error {
			if !r.affordsStep() {
				return errBudget
			}
			r.Spend(r.prover.Cost())
			r.Stats.NewtonSteps++
			return r.Err()
		}})
	if r.prover.Refused() && r.Stats.NewtonSteps == 0 {
		if r.Problem.unboundedCurvature() {
			return false, r.newtonOnlyError()
		}
		return true, nil
	}
	r.whyEnded, r.lastObjective = res.Why, res.Objective
	better := !(res.Objective > value+float64(1e-12*math.Abs(value))) // up to rounding
	iterateGap, rounding := math.Inf(1), 0.0                          // iterateGap is the proved gap of r.X
	if !better || !(res.Gap <= r.goal) {
		iterateGap = r.certify(r.Err)
		rounding = r.lossError(r.X, value) + r.lossError(res.X, res.Objective)
	}
	// A gap proved at one point bounds the optimum, and so gives a gap at the other point.
	if better {
		r.Iterate.set(Iterate{X: res.X, Dual: res.Z})
		copy(r.Y, r.product.Image(r.X))
		r.startMean()
		r.gap = math.Min(res.Gap, gap.GapAtObjective(iterateGap, value, res.Objective, rounding))
		r.newton = true
		r.structure = nil
		if res.Polished {
			r.structure = &res.Structure
		}
	} else {
		r.gap = math.Min(iterateGap, gap.GapAtObjective(res.Gap, res.Objective, value, rounding))
	}
	if errors.Is(res.Err, errBudget) {
		return false, nil
	}
	return false, res.Err
}
