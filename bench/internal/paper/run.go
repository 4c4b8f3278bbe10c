package paper

import (
	"context"
	"errors"
	"math"
	"slices"
	"strconv"

	"github.com/scas-admm/scas/solver"
)

// A Point is the state of a run after some passes, evaluated at the last iterate or at the average.
type Point struct {
	OuterIterations int `json:"outer"` // number of outer iterations so far
	// Passes is the number of gradients and Hessian products of samples so far, divided by the
	// number of samples.
	Passes float64 `json:"passes"`
	// PaperPasses is the number of passes as the paper counts them: for batch ADMM, an exact minimisation
	// over x is one pass.
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
	sampleGrid   *grid // search for step size and rho, with runs on Halves.Tune
	trainingGrid *grid // search for step size and rho, with runs on Halves.Train
	// The runs made so far, by eta and rho, without Key and Tuned.
	runs map[[2]float64]map[Output]TunedRun
}

func (pr *Protocol) newRunner(ctx context.Context, h *Halves, mu float64, m Method) (*runner, error) {
	c, err := h.constants(mu)
	if err != nil {
		return nil, err
	}
	r := &runner{
		pr: pr, halves: h, mu: mu, traits: pr.Traits(m), constants: c,
		runs: map[[2]float64]map[Output]TunedRun{},
	}
	sampleBudget, halfBudget := solver.Settings{Passes: r.traits.TunePasses},
		solver.Settings{Passes: pr.Passes}
	if r.traits.Info.AllSamples {
		sampleBudget = solver.Settings{Passes: batchPasses, OuterIterations: tuneIterations}
		halfBudget = solver.Settings{Passes: batchPasses, OuterIterations: int(pr.Passes)}
	}
	r.sampleGrid = r.newGrid(ctx, withMu(h.Tune, mu), sampleBudget)
	r.trainingGrid = r.newGrid(ctx, withMu(h.Train, mu), halfBudget)
	return r, nil
}

// run chooses the parameters of a run, and runs the method with them on the training half. Runs with equal
// parameters are made only once.
func (r *runner) run(ctx context.Context, key Key) (*TunedRun, error) {
	var tuned Tuned
	if key.Rule != Automatic {
		var err error
		tuned, err = r.tune(key.Rule, key.Output)
		if err != nil {
			return &TunedRun{Key: key, Failed: err.Error()}, ctx.Err()
		}
	}
	parameters := [2]float64{tuned.Eta, tuned.Rho}
	if r.runs[parameters] == nil {
		runs, err := r.follow(ctx, tuned.Eta, tuned.Rho)
		if err != nil {
			return nil, err
		}
		r.runs[parameters] = runs
	}
	u := r.runs[parameters][key.Output]
	u.Key, u.Tuned = key, tuned
	return &u, nil
}

// follow runs the method on the training half. If the run diverges and eta is not 0, follow halves the step
// size and starts again, at most maxHalvings times. The result has the run evaluated at each output.
func (r *runner) follow(ctx context.Context, eta, rho float64) (map[Output]TunedRun, error) {
	for halvings := 0; ; halvings++ {
		points := map[Output][]Point{}
		s := r.pr.settings(&r.traits, math.Ldexp(eta, -halvings), rho, r.halves.Split)
		res, err := minimize(ctx, withMu(r.halves.Train, r.mu), s,
			r.pr.keep(&r.traits, func(pt *solver.Point) {
				for output, p := range r.halves.evaluate(pt) {
					points[output] = append(points[output], p)
				}
			}))
		if diverged(err) && halvings < maxHalvings && eta > 0 {
			continue
		}
		u := TunedRun{Halvings: halvings}
		if err != nil {
			u.Failed = err.Error()
			return map[Output]TunedRun{Last: u, Average: u}, ctx.Err()
		}
		_, algorithm2 := r.traits.Method.(solver.SCASStrong)
		u.Clamped = algorithm2 && res.Stats.Eta*res.Stats.Constants.NuL > 1
		runs := map[Output]TunedRun{}
		for output, p := range points {
			u.Points = finite(p)
			runs[output] = u
		}
		if r.traits.Info.PaperPass {
			err = r.addBudgetEnd(ctx, s, runs)
		}
		return runs, err
	}
}

// addBudgetEnd repeats a run with the budget Protocol.Passes, and sets BudgetEnd in runs to the last point,
// also if the run diverges. If the first step alone exceeds the budget, BudgetEnd is the starting point.
func (r *runner) addBudgetEnd(ctx context.Context, s solver.Settings, runs map[Output]TunedRun) error {
	end := map[Output]Point{Last: runs[Last].Points[0], Average: runs[Average].Points[0]}
	s.Passes = r.pr.Passes
	_, err := minimize(ctx, withMu(r.halves.Train, r.mu), s, func(pt *solver.Point) bool {
		end = r.halves.evaluate(pt)
		return false
	})
	for output, p := range end {
		u := runs[output]
		u.BudgetEnd = &p
		runs[output] = u
	}
	_, refused := errors.AsType[*solver.SettingError](err) // the first step alone exceeds the budget
	if refused || diverged(err) {
		return nil
	}
	return err
}

// evaluate returns a point of a run, evaluated at each output.
func (h *Halves) evaluate(pt *solver.Point) map[Output]Point {
	last := Point{OuterIterations: pt.Outer, Passes: pt.Passes, PaperPasses: pt.PaperPasses}
	average := last
	last.Objective, last.Test = pt.Last.Objective, h.testLoss(pt.X)
	average.Objective, average.Test = pt.Average.Objective, h.testLoss(pt.XAverage)
	return map[Output]Point{Last: last, Average: average}
}

// testLoss returns the mean loss on the test half, rounded to ten digits to keep the result files small.
func (h *Halves) testLoss(x []float64) float64 {
	text := strconv.FormatFloat(h.Test.Evaluate(x).Loss, 'g', 10, 64)
	v, _ := strconv.ParseFloat(text, 64) // FormatFloat wrote the text, so it can be parsed
	return v
}

// finite returns the points before the first point whose objective or test loss is not finite.
func finite(points []Point) []Point {
	k := slices.IndexFunc(points, func(p Point) bool {
		sum := p.Objective + p.Test
		return math.IsNaN(sum) || math.IsInf(sum, 0)
	})
	if k < 0 {
		return points
	}
	return points[:k]
}

var errEnough = errors.New("paper: enough iterations")

// minimize runs solver.Minimize on one thread, without certificates. It calls record with every point, and
// ends the run when record returns true. record may be nil.
func minimize(
	ctx context.Context, p *solver.Problem, s solver.Settings, record func(*solver.Point) (enough bool),
) (*solver.Result, error) {
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

func (pr *Protocol) settings(t *Traits, eta, rho float64, split int) solver.Settings {
	s := solver.Settings{
		Method: t.Method, Eta: eta, Rho: rho, Passes: pr.Passes, Seed: runSeed + uint64(split),
	}
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
