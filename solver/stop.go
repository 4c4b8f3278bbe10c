package solver

import (
	"cmp"
	"fmt"
	"math"

	"github.com/scas-admm/scas/solver/internal/admm"
)

// loop runs outer iterations until decided returns true, the budget allows no further iteration, or iteration
// returns false or an error.
func (r *Run) loop(iteration Iteration) error {
	if !r.Settings.Method.Info().SCASInnerLoop {
		r.recordStart(r.evaluate(r.Iterate).Objective)
	}
	if err := r.recordIterate(); err != nil {
		return err
	}
	for r.hasBudget() && !r.decided() {
		if err := r.Err(); err != nil {
			return err
		}
		r.gap = math.Inf(1)
		if more, err := iteration(); err != nil {
			return err
		} else if !more {
			break
		}
		if err := r.checkCheaply(); err != nil {
			return err
		}
		r.Stats.OuterIterations++
		r.prove()
		r.report(r.lastObjective, r.gap)
		if err := cmp.Or(r.save(), r.recordIterate()); err != nil {
			return err
		}
	}
	return r.checkFinally()
}

func (r *Run) hasBudget() bool {
	maxIterations := r.Settings.OuterIterations
	return (maxIterations == 0 || r.Stats.OuterIterations < maxIterations) &&
		r.Stats.Passes < r.Settings.Passes
}

// prove tries to prove a gap of at most r.goal after the outer iterations 2, 4, 8, …, unless a proof costs
// too much or Newton steps prove the gap.
func (r *Run) prove() {
	k := r.Stats.OuterIterations
	if r.goal <= 0 || r.Stats.NewtonSteps > 0 || k&(k-1) != 0 || k <= 1 {
		return
	}
	_, auto := r.Settings.Method.(Auto)
	newton := auto && r.prover.Proves() && !r.prover.WellConditioned()
	if !newton && r.prover.HasCheapProofs() {
		r.gap = r.certify(r.Err)
	}
}

// decided reports whether a gap of at most r.goal is proved, or cannot be reached any more.
func (r *Run) decided() bool { return r.goal > 0 && (r.gap <= r.goal || r.whyEnded != 0) }

// Affords reports whether the budget allows the given number of additional effective passes.
func (r *Run) Affords(passes float64) bool {
	return inBudget(r.Stats.Passes+passes, r.Settings.Passes)
}

func inBudget(passes, budget float64) bool { return passes <= budget*(1+1e-12) }

// Spend counts the given number of effective passes.
func (r *Run) Spend(passes float64) { r.Stats.Passes += passes }

// CheckBudget returns an error if an outer iteration of the given number of passes does not fit
// into the budget.
func (s *Settings) CheckBudget(passes float64) error {
	if inBudget(passes, s.Passes) {
		return nil
	}
	cost := fmt.Sprintf("%.6g passes", passes)
	if passes == 1 {
		cost = "1 pass"
	}
	return &SettingError{
		Field: "Passes", Value: s.Passes,
		Allowed: fmt.Sprintf("one outer iteration costs %s here; allow at least as many", cost),
	}
}

// checkCheaply checks the iterate for divergence without a pass over the data, for methods that do not call
// WatchedSnapshot. If the iterate has not diverged, the keeper stores it.
func (r *Run) checkCheaply() error {
	if r.keeper.Watched {
		return nil
	}
	if value, _ := r.objective(0); r.keeper.Lost(value) {
		return r.Lost(r.evaluate(r.Iterate).Objective)
	}
	r.keeper.Keep(admm.Point(r.Iterate))
	return nil
}

// checkFinally checks the last iterate for divergence. If the caller gave no start, it also checks that the
// objective is not clearly above the objective at x = 0. If a check fails, checkFinally restores the iterate
// that the keeper stored. Unless the step size is automatic, it then returns a *DivergenceError.
func (r *Run) checkFinally() error {
	if r.keeper.Kept.X == nil {
		return nil // no iteration was begun, or there were only Newton steps
	}
	r.clock.pause()
	defer r.clock.resume()
	value, loose := r.objective(r.Problem.meanLoss(r.X))
	r.loose = r.loose || loose
	worse := r.Settings.Start.X == nil && !loose && r.keeper.Worse(value)
	switch {
	case !worse && !r.keeper.Lost(value):
		return nil
	case r.keeper.Auto:
		r.restore()
		return nil
	}
	return r.Lost(value)
}

// Lost restores an iterate that has not diverged, or the start. It returns a *DivergenceError with the given
// objective, which is the objective of the diverged iterate. A method must call Lost if an iterate is not
// finite.
func (r *Run) Lost(objective float64) error {
	r.gap, r.structure, r.newton = math.Inf(1), nil, false
	r.restore()
	// checkCheaply stores an iterate without its mean loss, and does not set Improved. So the objective of
	// such an iterate is checked here. If it is too large, the start is restored.
	if !r.keeper.Improved && r.keeper.Lost(r.evaluate(r.Iterate).Objective) {
		r.keeper.Kept = admm.Point{}
		r.restore()
	}
	st, start := r.Stats, r.keeper.First
	if r.keeper.Kept.X == nil {
		start = r.evaluate(r.Iterate).Objective
	}
	return &DivergenceError{
		Outer: st.OuterIterations, Objective: objective, Start: start, Eta: st.Eta, Rho: st.Rho,
		Try: r.smallerEta(),
	}
}

// smallerEta returns the smaller of two step sizes: a fraction of the step size that diverged, and the
// automatic step size at the iterate if there is one.
func (r *Run) smallerEta() float64 {
	eta := r.Stats.Eta / admm.RetryFactor
	if r.automaticStep != nil {
		eta = math.Min(eta, r.automaticStep())
	}
	return eta
}
