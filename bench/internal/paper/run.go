package paper

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"strconv"

	"github.com/scas-admm/scas/solver"
)

// A Key names a run.
type Key struct {
	Data   string  `json:"data"`
	Mu     float64 `json:"mu"`
	Method Method  `json:"method"`
	Split  int     `json:"split"`
	// Rule says how its parameters were chosen, and By for which output.
	Rule Rule   `json:"rule"`
	By   Output `json:"by"`
}

// String names the run for people.
func (k Key) String() string {
	return fmt.Sprintf("%s, mu %g, %s, split %d, %s, by %s", k.Data, k.Mu, k.Method, k.Split, k.Rule, k.By)
}

// compare orders keys as files have them.
func (k Key) compare(l Key) int {
	return cmp.Or(cmp.Compare(k.Data, l.Data), cmp.Compare(k.Mu, l.Mu), cmp.Compare(k.Method, l.Method), cmp.Compare(k.Split, l.Split), cmp.Compare(k.Rule, l.Rule), cmp.Compare(k.By, l.By))
}

// A Point is one record of a run. All of it is the same whenever and wherever
// it is run.
type Point struct {
	Outer   int     `json:"outer"`   // outer iterations done
	Passes  float64 `json:"passes"`  // sample gradients (and Hessian products) visited, over n
	Paper   float64 `json:"paper"`   // the same as the paper counts: an exact batch x-step is one
	Last    float64 `json:"last"`    // objective at the last iterate
	Average float64 `json:"average"` // objective at the average
	Test    float64 `json:"test"`    // mean loss of the last iterate on the other half
	// TestAverage is that of the average.
	TestAverage float64 `json:"test_average"`
}

// A Unit is a complete run.
type Unit struct {
	Key
	Tuned
	// Halved counts how often the tuned step size was halved because the run on
	// the whole training half diverged.
	Halved int `json:"halved,omitempty"`
	// Clamped says that the step size went beyond 1/ν_L, where Algorithm 2 as printed
	// has a negative weight, which is then zero.
	Clamped bool `json:"clamped,omitempty"`
	// Failed says why there are no points.
	Failed string  `json:"failed,omitempty"`
	Points []Point `json:"-"`
	// Within, of methods whose iterations the paper counts as one pass whatever they
	// cost, is where the same run is when all it visits is as much as the budget: in the
	// midst of an iteration, mostly.
	Within *Point `json:"within_budget,omitempty"`
}

// maxHalvings bounds how often a diverging run is tried again.
const maxHalvings = 8

// A batch is all runs of a method on a problem and split: for every rule and output.
type batch struct {
	pr    Protocol
	half  *Half
	tuner *tuner
	done  map[[2]float64]*Unit // by eta and rho
}

func (pr Protocol) batch(ctx context.Context, h *Half, k Key) (*batch, error) {
	t, err := newTuner(ctx, h, k.Mu, methodOf(k.Method), pr.traits(k.Method))
	return &batch{pr: pr, half: h, tuner: t, done: map[[2]float64]*Unit{}}, err
}

// run makes a unit: tunes, then runs on the training half. Equal parameters are run
// once.
func (b *batch) run(ctx context.Context, key Key) (*Unit, error) {
	u := &Unit{Key: key}
	if key.Rule != Automatic {
		var err error
		if u.Tuned, err = b.tuner.tune(ctx, key.Rule, key.By); err != nil {
			u.Failed = err.Error()
			return u, ctx.Err()
		}
	}
	same := [2]float64{u.Eta, u.Rho}
	if twin := b.done[same]; twin != nil {
		u.Halved, u.Clamped, u.Failed, u.Points, u.Within = twin.Halved, twin.Clamped, twin.Failed, twin.Points, twin.Within
		return u, nil
	}
	b.done[same] = u
	return u, b.pr.follow(ctx, b.half, u, b.tuner.traits)
}

// follow runs a tuned unit, halving its step size while it diverges.
func (pr Protocol) follow(ctx context.Context, h *Half, u *Unit, t Traits) error {
	for u.Halved = 0; ; u.Halved++ {
		u.Points = u.Points[:0]
		res, err := minimize(ctx, h.train(u.Mu), pr.settings(h, u, t), func(pt *solver.Point) bool {
			if !keeps(u.Points, pt, t) {
				return false
			}
			u.Points = append(u.Points, h.point(pt))
			return enough(pt, pr.PassesOn(h.data.Spec), t)
		})
		switch {
		case diverged(err) && u.Halved < maxHalvings && u.Eta > 0:
			continue
		case err != nil:
			u.Failed, u.Points = err.Error(), nil
			return ctx.Err()
		}
		if u.Points = finite(u.Points); len(u.Points) == 0 {
			u.Failed = "no finite point"
			return nil
		}
		u.Clamped = u.Method == strong && res.Stats.Eta*res.Stats.Constants.NuL > 1
		return nil
	}
}

// point evaluates a record.
func (h *Half) point(pt *solver.Point) Point {
	return Point{
		Outer: pt.Outer, Passes: pt.Passes, Paper: pt.PaperPasses,
		Last: pt.Last.Objective, Average: pt.Average.Objective,
		Test: h.testLoss(pt.X), TestAverage: h.testLoss(pt.XAverage),
	}
}

// testLoss is kept to ten digits, more than samples can tell: the rest would be a third of
// what results take on disk.
func (h *Half) testLoss(x []float64) float64 {
	text := strconv.FormatFloat(h.Test.Evaluate(x).Loss, 'g', 10, 64)
	v, _ := strconv.ParseFloat(text, 64) // it was written by FormatFloat
	return v
}

// lacksWithin reports whether that of a unit is to be found.
func (u *Unit) lacksWithin() bool {
	return u.Within == nil && u.Failed == "" && infoOf(u.Method).PaperPass
}

// within ends the run of a unit where its budget does, though that be an objective far above
// the start, which the solver calls divergence.
func (pr Protocol) within(ctx context.Context, h *Half, u *Unit) error {
	s := pr.settings(h, u, TraitsOf(u.Method))
	s.Passes = pr.PassesOn(h.data.Spec)
	last := u.Points[0]
	_, err := minimize(ctx, h.train(u.Mu), s, func(pt *solver.Point) bool {
		last = h.point(pt)
		return false
	})
	if _, refused := errors.AsType[*solver.SettingError](err); refused || diverged(err) { // a first step costs more
		err = nil
	}
	u.Within = &last
	return err
}

// strong is the name of Algorithm 2.
var strong = solver.SCASStrong{}.Info().Name

// finite returns the points before the first that is not.
func finite(points []Point) []Point {
	bad := func(v float64) bool { return math.IsNaN(v) || math.IsInf(v, 0) }
	for k, p := range points {
		if bad(p.Last) || bad(p.Average) || bad(p.Test) || bad(p.TestAverage) {
			return points[:k]
		}
	}
	return points
}

// errEnough ends a run that has gone far enough.
var errEnough = errors.New("paper: enough iterations")

// minimize is solver.Minimize on one thread, without proofs: the optimum is known. see
// gets every record, and ends the run by returning true.
func minimize(ctx context.Context, p *solver.Problem, s solver.Settings, see func(*solver.Point) (enough bool)) (*solver.Result, error) {
	s.Threads, s.Unproved = 1, true
	if see != nil {
		s.Recorder = solver.RecorderFunc(func(pt *solver.Point) error {
			if see(pt) {
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

// diverged reports whether a run ended because its steps were too long.
func diverged(err error) bool {
	_, is := errors.AsType[*solver.DivergenceError](err)
	return is
}

// batchPasses is no limit: batch methods are stopped by iterations.
const batchPasses = 1e6

// settings are those of the run of a unit.
func (pr Protocol) settings(h *Half, u *Unit, t Traits) solver.Settings {
	s := solver.Settings{Method: methodOf(u.Method), Name: u.Method, Eta: math.Ldexp(u.Eta, -u.Halved), Rho: u.Rho, Passes: pr.PassesOn(h.data.Spec), Seed: runSeed + uint64(u.Split)}
	if t.Batch {
		s.Passes = batchPasses
	}
	return s
}

// keeps thins the records of methods that have many a pass.
func keeps(points []Point, pt *solver.Point, t Traits) bool {
	return len(points) == 0 || t.Batch || pt.Passes >= points[len(points)-1].Passes+0.499
}

// enough ends the runs of batch methods, which go on until both the paper's
// count of their cost and the honest one have reached the budget.
func enough(pt *solver.Point, budget float64, t Traits) bool {
	return t.Batch && pt.PaperPasses >= budget && pt.Passes >= budget
}

// with returns p with the given coefficient of the L2 term.
func with(p *solver.Problem, mu float64) *solver.Problem {
	q := *p
	q.L2 = mu
	return &q
}
