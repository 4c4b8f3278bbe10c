package solver

import (
	"errors"
	"fmt"
	"math"

	"github.com/scas-admm/scas/solver/internal/exact"
	"github.com/scas-admm/scas/solver/internal/gap"
)

// Auto is the default: the proximal Newton method, which proves how far the result is from the
// optimum, or where the problem does not admit it SCASK. Newton steps are for matrices A and the
// identity, the losses of this package and any ConjugateLoss, the penalties and the domains of this
// package. With A = I and absolute values, squares and bounds there may be any number of features, else
// up to some thousands. With an L1 penalty, where every feature but 64 has a row of A to itself, as
// with [G; I] and an intercept, there may be so many coefficients that are not zero, of any number
// of features: Newton steps are then on working sets. If Settings.Passes has no room for 30 Newton
// steps, or with a Checkpoint or a setting of the passes, passes of SCASK are first, 4 and those of
// a step. With Poisson, whose curvature has no bound, there are Newton steps alone, which keep no
// Checkpoint. Zeros and ties of the result are exact where Stats.Rounded says so,
// as it does unless RelTol asks for little.
type Auto struct{}

// Info implements Method.
func (Auto) Info() MethodInfo {
	info := scasInfo("auto", "Newton steps to a proved gap; scas-k alone where p, or with [G; I] the non-zeros, exceed some thousands")
	info.Rate, info.ManyUpdates = "of passes none proven; of Newton steps locally superlinear", true
	info.Memory = "4p + 2l + n, at the end 4.5p^2 + 30p + 40l + 15n and a seventh of the data"
	return info
}

// Begin implements Method.
func (Auto) Begin(r *Run) (Iteration, error) {
	a := &auto{Run: r}
	if r.Problem.unbounded() && !r.prover.Finishes() {
		return nil, r.newtonOnly()
	}
	if a.direct() {
		r.keeper.Watched = true // Newton steps descend
		return a, nil
	}
	return a, a.begin()
}

// newtonOnly is the error of a problem that only Newton steps could solve, and that they do
// not take.
func (r *Run) newtonOnly() error {
	return &SettingError{"Method", nameOf(Auto{}), fmt.Sprintf("the curvature of the %s loss has no bound, so that Newton steps alone solve such a problem: they take a matrix or the identity as A, the penalties and sets of this package, no Coupling, and up to some thousands of features", r.Problem.loss())}
}

// asksForPasses reports whether a setting has a meaning in passes of SCASK alone.
func (r *Run) asksForPasses() bool {
	s := &r.Settings
	return s.Checkpoint != nil || s.Eta > 0 || s.Rho > 0 || s.BatchSize > 1 || s.DualUpdates > 0 ||
		s.InnerSteps != r.Problem.team().Each(len(r.Problem.Labels))
}

// An auto run is Newton steps, with passes of SCASK before them where something asks for those,
// or where no Newton steps are to be had passes alone.
type auto struct {
	*Run
	passes *scas // nil before the first
}

// direct reports whether Newton steps are first.
func (a *auto) direct() bool {
	if a.Problem.unbounded() {
		return true
	}
	ample := func() bool { return a.goal > 0 && a.prover.Affords(a.budget) } // it costs more once it is made
	return ample() && !a.asksForPasses() && a.prover.Finishes() && ample()
}

// begin prepares passes.
func (a *auto) begin() (err error) {
	a.prepare()
	a.passes, err = newSCAS(a.Run, false)
	return err
}

// Next implements Iteration.
func (a *auto) Next() (bool, error) {
	if a.passes == nil {
		refused, err := a.finish()
		if !refused {
			return true, err
		}
		if err := a.begin(); err != nil {
			return false, err
		}
	}
	switch tried := a.Stats.NewtonSteps > 0; {
	case a.goal <= 0 || tried || !a.prover.Finishes() || a.Stats.Passes < a.prover.Warm(a.budget):
		return a.passes.Next()
	case !a.affordsStep():
		return false, nil // more passes would be a start that larger budgets do not have
	}
	_, err := a.finish()
	return true, err
}

// NaturalEta is what a diverged run should try; 0 if there were no steps of a size.
func (a *auto) NaturalEta() float64 {
	if a.passes == nil {
		return 0
	}
	return a.passes.NaturalEta()
}

// affordsStep reports whether the budget has room for an iteration of the finisher.
func (r *Run) affordsStep() bool {
	return r.Stats.Passes+r.prover.Cost() <= r.budget*(1+1e-12)
}

// errBudget ends the finisher where the budget does.
var errBudget = errors.New("solver: no budget left")

// finish solves the problem from x to the goal, as far as the budget allows. It leaves the
// better of x and where it ended, with the better of the bounds proved at the two. It is
// refused if no Newton step was possible: then passes go on alone.
func (r *Run) finish() (refused bool, err error) {
	value, start := r.toBest(r.Problem.Evaluate(r.X).Objective), r.X
	if r.Stats.Passes > 0 {
		start, _ = r.round() // a zero that is not exact may cost as much as all the rest
	}
	res := r.prover.Finish(start, r.Y, r.Dual, &exact.Settings{Tol: math.Max(r.goal, 0), Stop: r.Err, Interrupt: func() error {
		if !r.affordsStep() {
			return errBudget
		}
		r.Spend(r.prover.Cost())
		r.Stats.NewtonSteps++
		return r.Err()
	}})
	if r.prover.Refused() && r.Stats.NewtonSteps == 0 {
		if r.Problem.unbounded() {
			return false, r.newtonOnly()
		}
		return true, nil
	}
	r.exhausted, r.ended = true, res.Why
	better := !(res.Objective > value+float64(1e-12*math.Abs(value))) // but for rounding, of other sums
	proved := math.Inf(1)                                             // of the start
	if !better || !(res.Gap <= r.goal) {
		proved = r.certify()
	}
	if better { // what is proved of the one bounds the optimum, and so the other
		r.Iterate.set(Iterate{X: res.X, Dual: res.Z})
		copy(r.Y, r.A.Image(r.X))
		r.startMean()
		r.gap, r.exact = math.Min(res.Gap, gap.AtObjective(proved, value, res.Objective)), res.Polished
	} else {
		r.gap = math.Min(proved, gap.AtObjective(res.Gap, res.Objective, value))
	}
	if r.exact {
		r.groups = res.Structure.Groups()
	}
	if errors.Is(res.Err, errBudget) {
		r.spent = true
		return false, nil
	}
	return false, res.Err
}

// ErrNotConverged is matched by errors of runs that ended before the gap was proved to
// be within RelTol. The Result that comes with them holds what was reached. Where no gap
// can be proved at all, as with a penalty of the caller's own, there is no such error: a
// nil one does not say that a run converged, Result.Status does.
var ErrNotConverged = errors.New("solver: not converged")

// A NotConvergedError says what was reached and what to do.
type NotConvergedError struct {
	Status    Status
	Objective float64
	Gap, Goal float64 // of the objective over the optimum: proved, and asked for
	Try       string  // the remedy
}

// Is reports whether the target is ErrNotConverged.
func (e *NotConvergedError) Is(target error) bool { return target == ErrNotConverged }

// Error says how far from the optimum the run may have ended, and what to do.
func (e *NotConvergedError) Error() string {
	if math.IsInf(e.Gap, 1) {
		return fmt.Sprintf("solver: not converged: how far the objective %.6g is from the optimum could not be proved; %s", e.Objective, e.Try)
	}
	return fmt.Sprintf("solver: not converged: the objective %.6g is proved to be within %.2g of the optimum, not %.2g; %s",
		e.Objective, e.Gap, e.Goal, e.Try)
}
