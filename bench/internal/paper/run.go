package paper

import (
	"context"
	"errors"
	"math"
	"strconv"

	"github.com/scas-admm/scas/solver"
)

// A Point is the state of a run after some passes, evaluated at one output. It has no measured
// time, so it is the same whenever the run is repeated.
type Point struct {
	Outer int `json:"outer"` // number of outer iterations so far
	// Passes is the number of sample gradients and Hessian products so far, divided by n.
	Passes float64 `json:"passes"`
	// Paper is the number of passes as the paper counts them: an exact batch x-step counts as one.
	Paper     float64 `json:"paper"`
	Objective float64 `json:"objective"` // objective on the training half
	Test      float64 `json:"test"`      // mean loss on the test half
}

// A TunedRun is a complete run with the parameters chosen for it.
type TunedRun struct {
	Key
	Tuned
	// Halved is how often the tuned step size was halved because the run on the whole training half
	// diverged.
	Halved int `json:"halved,omitempty"`
	// Clamped says that the step size was above 1/ν_L. Algorithm 2 as printed then has a negative
	// weight, which was set to zero.
	Clamped bool `json:"clamped,omitempty"`
	// Failed says why there are no points; empty if there are.
	Failed string `json:"failed,omitempty"`
	// Within is the point at the end of the budget of passes. It usually lies within an iteration. It
	// is set only for methods whose iterations the paper counts as one pass each.
	Within *Point  `json:"within_budget,omitempty"`
	Points []Point `json:"points"`
}

// Open reports whether parameters that were not tried may be better. It returns true if the chosen step
// size or rho is at an end of its ladder. After a choice on samples it returns true also at an end of
// the rungs that every search tries: beyond them a search ends at the first rung that gains less than
// smallGain, and so it may miss a slow gain over several rungs.
func (u *TunedRun) Open() bool {
	return u.Edge != "" || u.Rule == Sampled && (steps.ends(u.Step) || rhos.ends(u.Penalty))
}

// maxHalvings is the largest number of times that the step size of a diverging run is halved.
const maxHalvings = 8

// A runner makes the runs of one method on one problem and split, for every rule and output.
type runner struct {
	pr    *Protocol
	half  *Halves
	tuner *tuner
	done  map[[2]float64]*trajectory // the runs made so far, by eta and rho
}

// A trajectory is one run, evaluated at both outputs. Its fields have the same meaning as the fields of
// TunedRun.
type trajectory struct {
	halved  int
	clamped bool
	failed  string
	states  []state
	within  state
}

// A state is one point of a run, evaluated at both outputs.
type state map[Output]Point

// runner returns the runner of the method and problem of a key.
func (pr *Protocol) runner(ctx context.Context, h *Halves, k Key) (*runner, error) {
	t, err := pr.newTuner(ctx, h, k.Mu, pr.Traits(k.Method))
	return &runner{pr: pr, half: h, tuner: t, done: map[[2]float64]*trajectory{}}, err
}

// run chooses the parameters of a run and runs the method on the training half. If an earlier run had the
// same parameters, its trajectory is used.
func (r *runner) run(ctx context.Context, key Key) (*TunedRun, error) {
	u := &TunedRun{Key: key}
	if key.Rule != Automatic {
		var err error
		if u.Tuned, err = r.tuner.tune(ctx, key.Rule, key.By); err != nil {
			u.Failed = err.Error()
			return u, ctx.Err()
		}
	}
	chosen := [2]float64{u.Eta, u.Rho}
	c := r.done[chosen]
	if c == nil {
		var err error
		if c, err = r.pr.follow(ctx, r.half, u, &r.tuner.traits); err != nil {
			return u, err
		}
		r.done[chosen] = c
	}
	u.Halved, u.Clamped, u.Failed = c.halved, c.clamped, c.failed
	for _, s := range c.states {
		u.Points = append(u.Points, s[u.By])
	}
	if c.within != nil {
		within := c.within[u.By]
		u.Within = &within
	}
	return u, nil
}

// follow runs a method with the parameters of a run. While the run diverges, it halves the step
// size and starts again.
func (pr *Protocol) follow(ctx context.Context, h *Halves, u *TunedRun, t *Traits) (*trajectory, error) {
	c := &trajectory{}
	for ; ; c.halved++ {
		c.states = c.states[:0]
		passes := math.Inf(-1) // passes at the last point that was kept
		s := pr.settings(u, t)
		s.Eta = math.Ldexp(u.Eta, -c.halved)
		res, err := minimize(ctx, h.train(u.Mu), s, func(pt *solver.Point) bool {
			if !keeps(passes, pt.Passes, t) {
				return false
			}
			passes = pt.Passes
			c.states = append(c.states, h.state(pt))
			return enough(pt, pr.Passes, t)
		})
		switch {
		case diverged(err) && c.halved < maxHalvings && u.Eta > 0:
			continue
		case err != nil:
			c.failed, c.states = err.Error(), nil
			return c, ctx.Err()
		}
		if c.states = finite(c.states); len(c.states) == 0 {
			c.failed = "no finite point"
			return c, nil
		}
		_, algorithm2 := t.Method.(solver.SCASStrong)
		c.clamped = algorithm2 && res.Stats.Eta*res.Stats.Constants.NuL > 1
		if t.Info.PaperPass {
			c.within, err = pr.within(ctx, h, u.Mu, s, c.states[0])
		}
		return c, err
	}
}

// state evaluates a point of the solver at both outputs.
func (h *Halves) state(pt *solver.Point) state {
	at := Point{Outer: pt.Outer, Passes: pt.Passes, Paper: pt.PaperPasses}
	last, average := at, at
	last.Objective, last.Test = pt.Last.Objective, h.testLoss(pt.X)
	average.Objective, average.Test = pt.Average.Objective, h.testLoss(pt.XAverage)
	return state{Last: last, Average: average}
}

// testLoss returns the mean loss on the test half, rounded to ten digits. More digits have no
// meaning, and would be a third of the size of the result files.
func (h *Halves) testLoss(x []float64) float64 {
	text := strconv.FormatFloat(h.Test.Evaluate(x).Loss, 'g', 10, 64)
	v, _ := strconv.ParseFloat(text, 64) // FormatFloat wrote the text, so it can be parsed
	return v
}

// within returns the state of a run at the end of its budget of passes. start is the state before
// the run. The objective at the end may be far above the start. The solver reports that as divergence,
// which is no error here.
func (pr *Protocol) within(ctx context.Context, h *Halves, mu float64, s solver.Settings, start state) (state, error) {
	s.Passes = pr.Passes
	end := start
	_, err := minimize(ctx, h.train(mu), s, func(pt *solver.Point) bool {
		end = h.state(pt)
		return false
	})
	// A SettingError means that the first step alone exceeds the budget.
	if _, refused := errors.AsType[*solver.SettingError](err); refused || diverged(err) {
		err = nil
	}
	return end, err
}

// finite returns the states before the first one that has a number that is not finite.
func finite(states []state) []state {
	for k, s := range states {
		for _, p := range s {
			if sum := p.Objective + p.Test; math.IsNaN(sum) || math.IsInf(sum, 0) {
				return states[:k]
			}
		}
	}
	return states
}

// errEnough is the error by which the recorder ends a run early.
var errEnough = errors.New("paper: enough iterations")

// minimize runs solver.Minimize on one thread. It computes no certificates, because the optimum is
// known. record is called with every point; the run ends when record returns true.
func minimize(ctx context.Context, p *solver.Problem, s solver.Settings, record func(*solver.Point) (enough bool)) (*solver.Result, error) {
	s.Threads, s.Unproved = 1, true
	if record != nil {
		s.Recorder = solver.RecorderFunc(func(pt *solver.Point) error {
			if record(pt) {
				return errEnough
			}
			return nil
		})
	}
	res, err := solver.Minimize(ctx, p, &s)
	if errors.Is(err, errEnough) {
		err = nil
	}
	return res, err
}

// diverged reports whether err says that a run diverged.
func diverged(err error) bool {
	_, is := errors.AsType[*solver.DivergenceError](err)
	return is
}

// batchPasses is a number of passes that no run of a batch method reaches, because such a run ends after a
// number of iterations.
const batchPasses = 1e6

// settings returns the settings of a run.
func (pr *Protocol) settings(u *TunedRun, t *Traits) solver.Settings {
	s := solver.Settings{Method: t.Method, Name: u.Method, Eta: math.Ldexp(u.Eta, -u.Halved), Rho: u.Rho, Passes: pr.Passes, Seed: runSeed + uint64(u.Split)}
	if t.Batch() {
		s.Passes = batchPasses
	}
	return s
}

// keeps reports whether a point of a run is kept. last is the number of passes at the last point that was
// kept, or −∞ if there is none. All points of a batch method are kept. The kept points of other methods
// are at least half a pass apart.
func keeps(last, passes float64, t *Traits) bool { return t.Batch() || passes >= last+0.499 }

// enough reports whether the run of a batch method has used its budget by both counts of passes: the
// count of the paper, and Point.Passes. For methods other than batch methods it returns false.
func enough(pt *solver.Point, budget float64, t *Traits) bool {
	return t.Batch() && pt.PaperPasses >= budget && pt.Passes >= budget
}

// with returns p with the given mu.
func with(p *solver.Problem, mu float64) *solver.Problem {
	q := *p
	q.L2 = mu
	return &q
}
