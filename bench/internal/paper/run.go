package paper

import (
	"context"
	"errors"
	"math"
	"strconv"

	"github.com/scas-admm/scas/solver"
)

// A Point is the state of a run after some passes, evaluated at the last iterate or at the average.
type Point struct {
	OuterIterations int `json:"outer"` // number of outer iterations so far
	// Passes is the number of gradients and Hessian products of samples so far, divided by the
	// number of samples.
	Passes float64 `json:"passes"`
	// PaperPasses is the number of passes as the paper counts them: for batch ADMM, an exact minimisation over x
	// is one pass.
	PaperPasses float64 `json:"paper"`
	Objective   float64 `json:"objective"` // objective on the training half
	Test        float64 `json:"test"`      // mean loss on the test half
}

// A TunedRun is a run with the parameters chosen for it.
type TunedRun struct {
	Key
	Tuned
	// Halvings is the number of times that the step size was halved because the run diverged.
	Halvings int `json:"halved,omitempty"`
	// Clamped is true if a weight in Algorithm 2's average of the iterates was negative and was set to zero.
	// The cause is a step size above 1/ν_L (theory.Constants.NuL).
	Clamped bool `json:"clamped,omitempty"`
	// Failed says why the run has no Points.
	Failed string `json:"failed,omitempty"`
	// BudgetEnd is the point at which the budget of passes ends, usually in the middle of an iteration. It is
	// set only for methods whose iterations the paper counts as one pass each.
	BudgetEnd *Point  `json:"within_budget,omitempty"`
	Points    []Point `json:"points"`
}

// MayImprove reports whether parameters that were not tried may be better. It returns true if the chosen step
// size or rho is the smallest or largest value that a search may try. With the rule Sampled it also returns
// true for the values at ladder.First and ladder.Last.
func (u *TunedRun) MayImprove() bool {
	return u.EdgeParameters != "" ||
		u.Rule == Sampled && (stepLadder.firstOrLast(u.Step) || rhoLadder.firstOrLast(u.Penalty))
}

// maxHalvings is the largest number of times that the step size of a diverging run is halved.
const maxHalvings = 8

// A runner chooses the parameters of one method on one problem and split, and makes its runs.
type runner struct {
	pr           *Protocol
	halves       *Halves
	mu           float64
	traits       Traits
	constants    Constants
	sampleGrid   *grid                      // search for step size and rho, with runs on Halves.Tune
	trainingGrid *grid                      // search for step size and rho, with runs on Halves.Train
	trajectories map[[2]float64]*trajectory // the runs made so far, by eta and rho
}

// A trajectory is one run, evaluated at last iterates and at averages. states has its points. TunedRun
// explains the other fields.
type trajectory struct {
	halvings  int
	clamped   bool
	failure   string
	states    []state
	budgetEnd state
}

// A state is one point of a run, evaluated at the last iterate and at the average.
type state map[Output]Point

func (pr *Protocol) newRunner(ctx context.Context, h *Halves, mu float64, m Method) (*runner, error) {
	c, err := h.constants(mu)
	if err != nil {
		return nil, err
	}
	r := &runner{pr: pr, halves: h, mu: mu, traits: pr.Traits(m), constants: c, trajectories: map[[2]float64]*trajectory{}}
	sampleBudget, halfBudget := solver.Settings{Passes: r.traits.TunePasses}, solver.Settings{Passes: pr.Passes}
	if r.traits.Info.AllSamples {
		sampleBudget = solver.Settings{Passes: batchPasses, OuterIterations: tuneIterations}
		halfBudget = solver.Settings{Passes: batchPasses, OuterIterations: int(pr.Passes)}
	}
	r.sampleGrid = r.newGrid(ctx, h.tuneProblem(mu), sampleBudget)
	r.trainingGrid = r.newGrid(ctx, h.trainProblem(mu), halfBudget)
	return r, nil
}

// run chooses the parameters of a run, and runs the method with them on the training half. Runs with equal
// parameters are made only once.
func (r *runner) run(ctx context.Context, key Key) (*TunedRun, error) {
	u := &TunedRun{Key: key}
	if key.Rule != Automatic {
		var err error
		if u.Tuned, err = r.tune(key.Rule, key.Output); err != nil {
			u.Failed = err.Error()
			return u, ctx.Err()
		}
	}
	parameters := [2]float64{u.Eta, u.Rho}
	c := r.trajectories[parameters]
	if c == nil {
		var err error
		if c, err = r.follow(ctx, u); err != nil {
			return u, err
		}
		r.trajectories[parameters] = c
	}
	u.Halvings, u.Clamped, u.Failed = c.halvings, c.clamped, c.failure
	for _, s := range c.states {
		u.Points = append(u.Points, s[u.Output])
	}
	if c.budgetEnd != nil {
		budgetEnd := c.budgetEnd[u.Output]
		u.BudgetEnd = &budgetEnd
	}
	return u, nil
}

// follow runs the method with the parameters of u. If the run diverges and u.Eta is not 0, follow halves the
// step size and starts again, at most maxHalvings times.
func (r *runner) follow(ctx context.Context, u *TunedRun) (*trajectory, error) {
	c := &trajectory{}
	for ; ; c.halvings++ {
		c.states = c.states[:0]
		s := r.pr.settings(u, &r.traits)
		s.Eta = math.Ldexp(u.Eta, -c.halvings)
		res, err := minimize(ctx, r.halves.trainProblem(r.mu), s, r.pr.keep(&r.traits, func(pt *solver.Point) {
			c.states = append(c.states, r.halves.state(pt))
		}))
		switch {
		case diverged(err) && c.halvings < maxHalvings && u.Eta > 0:
			continue
		case err != nil:
			c.failure, c.states = err.Error(), nil
			return c, ctx.Err()
		}
		if c.states = finiteStates(c.states); len(c.states) == 0 {
			c.failure = "no finite point"
			return c, nil
		}
		_, algorithm2 := r.traits.Method.(solver.SCASStrong)
		c.clamped = algorithm2 && res.Stats.Eta*res.Stats.Constants.NuL > 1
		if r.traits.Info.PaperPass {
			c.budgetEnd, err = r.runWithinBudget(ctx, s, c.states[0])
		}
		return c, err
	}
}

func (h *Halves) state(pt *solver.Point) state {
	point := Point{OuterIterations: pt.Outer, Passes: pt.Passes, PaperPasses: pt.PaperPasses}
	last, average := point, point
	last.Objective, last.Test = pt.Last.Objective, h.testLoss(pt.X)
	average.Objective, average.Test = pt.Average.Objective, h.testLoss(pt.XAverage)
	return state{Last: last, Average: average}
}

// testLoss returns the mean loss on the test half, rounded to ten digits to keep the result files small.
func (h *Halves) testLoss(x []float64) float64 {
	text := strconv.FormatFloat(h.Test.Evaluate(x).Loss, 'g', 10, 64)
	v, _ := strconv.ParseFloat(text, 64) // FormatFloat wrote the text, so it can be parsed
	return v
}

// runWithinBudget returns the last state of a run with the budget Protocol.Passes, also if the run diverges.
// start is the state before the run, and the result if the first step alone exceeds the budget.
func (r *runner) runWithinBudget(ctx context.Context, s solver.Settings, start state) (state, error) {
	s.Passes = r.pr.Passes
	end := start
	_, err := minimize(ctx, r.halves.trainProblem(r.mu), s, func(pt *solver.Point) bool {
		end = r.halves.state(pt)
		return false
	})
	// A SettingError means that the first step alone exceeds the budget.
	if _, refused := errors.AsType[*solver.SettingError](err); refused || diverged(err) {
		err = nil
	}
	return end, err
}

// finiteStates returns the states before the first state whose objective or test loss is not finite.
func finiteStates(states []state) []state {
	for k, s := range states {
		for _, p := range s {
			if sum := p.Objective + p.Test; math.IsNaN(sum) || math.IsInf(sum, 0) {
				return states[:k]
			}
		}
	}
	return states
}

var errEnough = errors.New("paper: enough iterations")

// minimize runs solver.Minimize on one thread, without certificates. It calls record with every point, and
// ends the run when record returns true. record may be nil.
func minimize(ctx context.Context, p *solver.Problem, s solver.Settings, record func(*solver.Point) (enough bool)) (*solver.Result, error) {
	s.Threads, s.NoProof = 1, true
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

func diverged(err error) bool {
	_, is := errors.AsType[*solver.DivergenceError](err)
	return is
}

// batchPasses is a budget of passes that no run of a batch method uses up.
const batchPasses = 1e6

func (pr *Protocol) settings(u *TunedRun, t *Traits) solver.Settings {
	s := solver.Settings{Method: t.Method, Name: u.Method, Eta: math.Ldexp(u.Eta, -u.Halvings), Rho: u.Rho, Passes: pr.Passes, Seed: runSeed + uint64(u.Split)}
	if t.Info.AllSamples {
		s.Passes = batchPasses
	}
	return s
}

// keep returns a function for minimize that records the points of a run: every point of a batch method, and
// otherwise points that are about half a pass apart. It ends the run of a batch method when both PaperPasses
// and Passes have reached the budget; the settings limit the passes of other methods.
func (pr *Protocol) keep(t *Traits, record func(*solver.Point)) func(*solver.Point) (enough bool) {
	nextPasses := math.Inf(-1) // passes from which the next point is recorded
	return func(pt *solver.Point) bool {
		if t.Info.AllSamples || pt.Passes >= nextPasses {
			nextPasses = pt.Passes + 0.499
			record(pt)
		}
		return t.Info.AllSamples && pt.PaperPasses >= pr.Passes && pt.Passes >= pr.Passes
	}
}

func withMu(p *solver.Problem, mu float64) *solver.Problem {
	q := *p
	q.L2 = mu
	return &q
}
