package solver

import (
	"context"
	"errors"
	"math"
	"time"

	"github.com/scas-admm/scas/kernels"
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
	m := info.prepare(r)
	if err = r.loop(m); err == nil {
		err = r.watchEnd(m)
	}
	if bad := (*SettingError)(nil); errors.As(err, &bad) {
		return nil, err
	}
	return r.result(err), err
}

// loop runs outer iterations until the budget is used up.
func (r *run) loop(m iteration) error {
	if err := r.record(); err != nil {
		return err
	}
	for {
		if more, err := m.next(); err != nil || !more {
			return err
		}
		r.outer++
		if err := r.record(); err != nil {
			return err
		}
	}
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

// record shows the state to the recorder, with the clock stopped.
func (r *run) record() error {
	if r.set.Recorder == nil || r.outer%r.set.RecordEvery != 0 {
		return nil
	}
	r.pause()
	defer r.resume()
	return r.set.Recorder.Record(&Point{
		Outer: r.outer, Passes: r.passes, PaperPasses: r.paperCount(), Seconds: r.used.Seconds(),
		Last: r.evaluate(r.x, r.y), Average: r.evaluate(r.xbar, r.ybar),
		PrimalResidual: r.primalResidual(), X: r.x,
	})
}

// paperCount is the passes as the paper counts them: one for an iteration of
// Batch, whatever its exact x-step takes.
func (r *run) paperCount() float64 {
	if r.set.Method == Batch {
		return r.paperPasses
	}
	return r.passes
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
			Method: r.set.Method, Storage: storage(r.data), DualUpdates: r.dualUpdates, InnerSteps: r.steps, BatchSize: r.batch,
			Eta: r.eta, Rho: r.rho, StepHalvings: r.halvings, OuterIterations: r.outer, Passes: r.passes, PaperPasses: r.paperCount(),
			GradientNorm: r.gradientNorm, Seconds: r.used.Seconds(), SetupSeconds: r.setup.Seconds(), Constants: r.constants,
		},
	}
	if r.plan != nil {
		res.Stats.Plan, res.Stats.PlanReason = r.plan.name(), r.plan.explain()
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

// storage describes how rows are held.
func storage(a kernels.Rows) string {
	index, value := "int32 columns", "float64 values"
	if a.Idx == nil && a.Idx16 != nil {
		index = "uint16 columns"
	}
	switch {
	case a.Val == nil && a.Val32 != nil:
		value = "float32 values"
	case a.Val == nil:
		value = "all values 1"
	}
	return index + ", " + value
}

func distance(u, v []float64) float64 {
	var sum float64
	for j := range u {
		d := u[j] - v[j]
		sum += float64(d * d)
	}
	return math.Sqrt(sum)
}
