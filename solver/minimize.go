package solver

import (
	"context"
	"errors"
	"fmt"
	"math"
	"time"
)

// Minimize solves p by the method of s, which may be nil for the defaults.
//
// It returns a Result with status PassesDone and a nil error when the budget of
// passes was used. If ctx ends or the recorder returns an error, it returns
// what was reached so far, status Stopped, and that error. If the iterates
// diverge it returns the best of them, status Diverged and a *DivergenceError.
// For a bad problem or setting (*SettingError) the Result is nil.
//
// The samples are drawn from a generator seeded with s.Seed: the same problem,
// settings and seed give the same bits at every kernel level.
func Minimize(ctx context.Context, p *Problem, s *Settings) (*Result, error) {
	if err := p.Validate(); err != nil {
		return nil, err
	}
	c, err := s.withDefaults(p)
	if err != nil {
		return nil, err
	}
	r := newRun(ctx, p, c)
	info, _ := lookupMethod(c.Method)
	if err = r.loop(info.iterate); err == nil {
		err = r.watchEnd()
	}
	if bad := (*SettingError)(nil); errors.As(err, &bad) {
		return nil, err
	}
	return r.result(err), err
}

// loop runs outer iterations until the budget is used up.
func (r *run) loop(iterate func(*run) error) error {
	if err := r.record(); err != nil {
		return err
	}
	for {
		more, err := r.begin()
		if err != nil || !more {
			return err
		}
		if err := iterate(r); err != nil {
			return err
		}
		r.outer++
		r.accumulate()
		if err := r.record(); err != nil {
			return err
		}
	}
}

// begin takes the snapshot at x, watches over the objective there, fixes η and
// M for the coming outer iteration, and reports whether the budget allows it.
func (r *run) begin() (bool, error) {
	if r.set.Schedule == Practical && !r.affords(r.set.InnerSteps) {
		return false, r.budgetError(r.set.InnerSteps)
	}
	if err := r.watch(r.snapshot()); err != nil {
		return false, err
	}
	eta, steps := r.schedule()
	if !r.affords(steps) {
		return false, r.budgetError(steps)
	}
	r.eta, r.steps = eta, steps
	r.gradientNorm = math.Sqrt(r.augmentedGradientSquared())
	r.passes += r.cost(steps)
	return true, nil
}

// cost is that of one outer iteration in effective passes, as the paper counts.
func (r *run) cost(steps int) float64 { return 1 + float64(steps)/float64(r.n) }

func (r *run) affords(steps int) bool {
	return r.passes+r.cost(steps) <= r.set.Passes*(1+1e-12)
}

// budgetError is an error if not even one outer iteration fits the budget.
func (r *run) budgetError(steps int) error {
	if r.outer > 0 {
		return nil
	}
	return &SettingError{"Passes", r.set.Passes, fmt.Sprintf("one outer iteration costs %.6g passes here", r.cost(steps))}
}

// snapshot sets z = ∇f(x) without the L2 term and slope0ᵢ = φ'(aᵢ'x), and
// returns the objective at x, which comes for free.
func (r *run) snapshot() float64 {
	loss := r.full.at(r.z, r.x, r.margin, r.slope0)
	return loss + r.prob.ridge(r.x) + r.penaltyNow()
}

// penaltyNow returns g at the y that x implies, or, where there is none or g is
// infinite there, at the iterate y, plus (ρ/2)|A x + B y − c|². In the second
// case r.loose is set: the objective may then lie below the optimum.
func (r *run) penaltyNow() float64 {
	if y, ok := r.prob.Coupling.impliedY(r.applyA(r.x)); ok {
		if v := r.dualStep.g.Value(y); !math.IsInf(v, 0) {
			return v
		}
	}
	r.loose = true
	r.dualStep.violation(r.dual)
	return r.dualStep.g.Value(r.y) + float64(0.5*r.rho*sumSquares(r.dual))
}

// evaluate judges x, with y as in penaltyNow but without the residual: that is
// reported on its own.
func (r *run) evaluate(x, y []float64) Evaluation {
	ev := r.prob.Evaluate(x)
	if math.IsNaN(ev.Penalty) || math.IsInf(ev.Penalty, 0) {
		return r.prob.EvaluateAt(x, y)
	}
	return ev
}

// primalResidual returns |A x + B y − c|₂.
func (r *run) primalResidual() float64 {
	r.dualStep.violation(r.dual)
	return math.Sqrt(sumSquares(r.dual))
}

// accumulate updates the averages of the outer iterates.
func (r *run) accumulate() {
	t := 1 / float64(r.outer)
	for j, v := range r.x {
		r.xbar[j] = math.FMA(t, v-r.xbar[j], r.xbar[j])
	}
	for j, v := range r.y {
		r.ybar[j] = math.FMA(t, v-r.ybar[j], r.ybar[j])
	}
}

// record shows the state to the recorder, with the clock stopped.
func (r *run) record() error {
	if r.set.Recorder == nil || r.outer%r.set.RecordEvery != 0 {
		return nil
	}
	r.pause()
	defer r.resume()
	return r.set.Recorder.Record(&Point{
		Outer: r.outer, Passes: r.passes, Seconds: r.used.Seconds(),
		Last: r.evaluate(r.x, r.y), Average: r.evaluate(r.xbar, r.ybar),
		PrimalResidual: r.primalResidual(), X: r.x,
	})
}

func (r *run) pause()  { r.used += time.Since(r.since) }
func (r *run) resume() { r.since = time.Now() }

// result evaluates the final state.
func (r *run) result(err error) *Result {
	r.pause()
	res := &Result{
		X: r.x, XAverage: r.xbar, Y: r.y, YAverage: r.ybar, Dual: r.beta,
		PrimalResidual: r.primalResidual(),
		Status:         PassesDone,
		Stats: Stats{
			Method: r.set.Method, Plan: r.plan.name(), PlanReason: r.plan.explain(), DualUpdates: r.dualUpdates, InnerSteps: r.steps, BatchSize: r.batch,
			Eta: r.eta, Rho: r.rho, StepHalvings: r.halvings, OuterIterations: r.outer, Passes: r.passes,
			GradientNorm: r.gradientNorm, Seconds: r.used.Seconds(), SetupSeconds: r.setup.Seconds(), Constants: r.constants,
		},
	}
	var diverged *DivergenceError
	switch {
	case errors.As(err, &diverged):
		res.Status = Diverged
	case err != nil:
		res.Status = Stopped
	}
	res.DualResidual, res.DualityGap = r.certificate()
	res.X, res.Stats.Rounded = r.round()
	res.At, res.AtAverage = r.evaluate(res.X, r.y), r.evaluate(r.xbar, r.ybar)
	return res
}

func distance(u, v []float64) float64 {
	var sum float64
	for j := range u {
		d := u[j] - v[j]
		sum += float64(d * d)
	}
	return math.Sqrt(sum)
}
