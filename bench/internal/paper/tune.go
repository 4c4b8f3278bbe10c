package paper

import (
	"context"
	"errors"
	"math"
	"strings"

	"github.com/scas-admm/scas/solver"
)

// Tuned has the parameters chosen for a method.
type Tuned struct {
	Eta float64 `json:"eta"`
	Rho float64 `json:"rho"`
	// Step is Eta divided by the method's Traits.Unit. Penalty is Rho divided by lambda.
	Step    float64 `json:"step"`
	Penalty float64 `json:"penalty"`
	// EdgeParameters names the parameters whose chosen value is the smallest or the largest that a search may
	// try: "step", "rho", "step and rho", or "".
	EdgeParameters string `json:"edge,omitempty"`
	// Objective is the objective of the chosen pair in the search.
	Objective float64 `json:"tuned_objective"`
	// Runs is the number of pairs of a step size and rho that had been tried so far, for all outputs
	// together.
	Runs int `json:"tuning_runs"`
}

// A ladder maps integers, its rungs, to values of a parameter. Every search tries the rungs from First to
// Last. If First or Last is the best of them, the search goes on towards Bottom or Top, as long as each rung
// reduces the objective by more than smallGain.
type ladder struct {
	Bottom, First, Last, Top int
	Value                    func(rung int) float64
}

// The ladders: step sizes are 1/4096 to 4096 times the method's Traits.Unit, and rho is 10⁻⁵ to 10⁶ times
// lambda.
var (
	stepLadder = ladder{-12, -4, 4, 12, func(rung int) float64 { return math.Ldexp(1, rung) }}
	rhoLadder  = ladder{-10, -2, 8, 12, func(rung int) float64 {
		if rung%2 == 0 {
			return math.Pow10(rung / 2)
		}
		return 3 * math.Pow10((rung-1)/2)
	}}
)

func (l ladder) firstOrLast(v float64) bool { return v == l.Value(l.First) || v == l.Value(l.Last) }

func singleRung(v float64) ladder { return ladder{Value: func(int) float64 { return v }} }

// A rungPair is a pair of rungs: one of the step size and one of rho.
type rungPair [2]int

// objectives has the objectives at the end of a run: at the last iterate and at the average.
type objectives map[Output]float64

// A grid searches for the step size and rho with the smallest objective, for the last iterate or for the
// average. It makes at most one run for each pair of a step size and rho.
type grid struct {
	ladders [2]ladder
	stride  int // 1, or 2 to skip every other rung
	// try makes a run and returns its objectives. results has the objectives of all runs.
	try     func(step, rho float64) (objectives, error)
	results map[rungPair]objectives
	err     error // error of the first run that failed; it ends the search
}

const (
	// smallGain is the reduction of the objective that a rung below ladder.First or above ladder.Last must
	// exceed.
	smallGain = 1e-4
	// rounding is a difference of objectives that rounding can cause.
	rounding = 1e-13
)

// objective runs the method with the step size and the rho of these rungs, if it has not been run with them
// before, and returns the objective of one output. It returns +Inf if the run diverges, or if g.err is set.
func (g *grid) objective(rungs rungPair, output Output) float64 {
	v, ok := g.results[rungs]
	if !ok && g.err == nil {
		v, g.err = g.try(g.ladders[0].Value(rungs[0]), g.ladders[1].Value(rungs[1]))
		g.results[rungs] = v
	}
	if g.err != nil {
		return math.Inf(1)
	}
	return v[output]
}

// improve sets best to the given rungs if the ladders have them, and if the objective there is smaller by
// more than gain.
func (g *grid) improve(best *rungPair, rungs rungPair, gain float64, output Output) {
	for axis, l := range g.ladders {
		if rungs[axis] < l.Bottom || rungs[axis] > l.Top {
			return
		}
	}
	if g.objective(rungs, output) < g.objective(*best, output)-gain {
		*best = rungs
	}
}

// search scans the step sizes and the values of rho in turn, until neither scan finds a smaller objective. If
// all runs of both scans diverge, it continues with a smaller step size.
func (g *grid) search(output Output) (best rungPair, err error) {
	for axis, l := range g.ladders {
		best[axis] = (l.First + l.Last) / 4 * 2
	}
	for previous := (rungPair{math.MinInt}); best != previous && g.err == nil; {
		previous = best
		best = g.shorten(g.scan(g.scan(best, 1, g.stride, output), 0, g.stride, output), output)
	}
	return best, g.err
}

// shorten lowers rungs[0], the rung of the step size, until the run does not diverge or the ladder has no
// lower rung. It returns the new rungs.
func (g *grid) shorten(rungs rungPair, output Output) rungPair {
	for math.IsInf(g.objective(rungs, output), 1) && rungs[0]-g.stride >= g.ladders[0].Bottom {
		rungs[0] -= g.stride
	}
	return rungs
}

// scan varies one parameter of start: the step size if axis is 0, rho if axis is 1. It tries every
// stride-th rung from First to Last of the parameter's ladder, and further rungs as long as the objective
// falls. It returns the best place.
func (g *grid) scan(start rungPair, axis, stride int, output Output) (best rungPair) {
	best = start
	try := func(rung int, gain float64) {
		rungs := start
		rungs[axis] = rung
		g.improve(&best, rungs, gain, output)
	}
	l := g.ladders[axis]
	low, high := min(l.First, start[axis]), max(l.Last, start[axis])
	for rung := low; rung <= high; rung += stride {
		try(rung, rounding)
	}
	for rung := high + stride; rung <= l.Top && best[axis] == rung-stride; rung += stride {
		try(rung, smallGain)
	}
	for rung := low - stride; rung >= l.Bottom && best[axis] == rung+stride; rung -= stride {
		try(rung, smallGain)
	}
	return best
}

// refine goes from start to the best of the four neighbours, until no neighbour is better. A place has two
// numbers: the rungs of the step size and of rho. A neighbour differs by g.stride in one of them. Then refine
// scans rho and the step size with twice this stride, and begins again if it finds a better place.
func (g *grid) refine(start rungPair, output Output) (best rungPair, err error) {
	// The start comes from a search on the samples for tuning. With its step size, a run on the training half
	// may diverge.
	best = g.shorten(start, output)
	for g.err == nil {
		centre := best
		for axis := range centre {
			for _, offset := range []int{-g.stride, g.stride} {
				neighbour := centre
				neighbour[axis] += offset
				g.improve(&best, neighbour, rounding, output)
			}
		}
		if best == centre {
			best = g.scan(g.scan(centre, 1, 2*g.stride, output), 0, 2*g.stride, output)
		}
		if best == centre {
			break
		}
	}
	return best, g.err
}

// edgeParameters names the parameters whose rung is the lowest or the highest of the ladder: "step", "rho",
// "step and rho", or "" for none. A parameter with only one rung is not named.
func (g *grid) edgeParameters(rungs rungPair) string {
	var names []string
	for axis, l := range g.ladders {
		if l.Bottom < l.Top && (rungs[axis] == l.Bottom || rungs[axis] == l.Top) {
			names = append(names, []string{"step", "rho"}[axis])
		}
	}
	return strings.Join(names, " and ")
}

// tuneIterations is the number of iterations of batch methods on the samples for tuning.
const tuneIterations = 100

// newGrid returns a grid whose runs are on the problem p. budget limits each run.
func (r *runner) newGrid(ctx context.Context, p *solver.Problem, budget solver.Settings) *grid {
	g := &grid{ladders: [2]ladder{stepLadder, rhoLadder}, stride: 1, results: map[rungPair]objectives{}}
	if r.pr.Coarse {
		g.stride = 2
	}
	if !r.traits.Info.TakesEta {
		g.ladders[0] = singleRung(1)
	}
	if r.traits.NoRho {
		g.ladders[1] = singleRung(0)
	}
	g.try = func(step, rho float64) (objectives, error) { return r.trial(ctx, p, budget, step, rho) }
	return g
}

// eta returns step times the method's Traits.Unit, or 0 if the method has no step size. rho is given as a
// multiple of lambda.
func (r *runner) eta(p *solver.Problem, step, rho float64) float64 {
	if !r.traits.Info.TakesEta {
		return 0
	}
	c := r.constants
	n, _ := p.Data.Dims()
	c.Samples = float64(n)
	c.NuL = c.NuF + rho*r.halves.data.Lambda*c.Lambda1
	return step / r.traits.Unit.Inverse(c)
}

var errDiverges = errors.New("every pair of step size and rho that was tried diverges")

// tune chooses eta and rho for one output by short runs on the samples for tuning. With the rule OnHalf, it
// refines the choice by full runs on the training half. r.sampleGrid and r.trainingGrid keep the results of
// their runs, so a later call does not repeat a run.
func (r *runner) tune(rule Rule, output Output) (Tuned, error) {
	g := r.sampleGrid
	best, err := g.search(output)
	if err == nil && rule == OnHalf {
		g = r.trainingGrid
		best, err = g.refine(best, output)
	}
	if err != nil {
		return Tuned{}, err
	}
	out := Tuned{
		Objective: g.results[best][output], Runs: len(g.results), EdgeParameters: g.edgeParameters(best),
	}
	if math.IsInf(out.Objective, 1) {
		return Tuned{}, errDiverges
	}
	out.Step, out.Penalty = g.ladders[0].Value(best[0]), g.ladders[1].Value(best[1])
	out.Eta, out.Rho = r.eta(r.halves.Train, out.Step, out.Penalty), out.Penalty*r.halves.data.Lambda
	return out, nil
}

// trial makes a run and returns its objective for each output, or +Inf if the run diverges. step and rho are
// multiples of Traits.Unit and of lambda.
func (r *runner) trial(
	ctx context.Context, p *solver.Problem, budget solver.Settings, step, rho float64,
) (objectives, error) {
	s := budget
	s.Method, s.Eta, s.Rho, s.Seed = r.traits.Method, r.eta(p, step, rho), rho*r.halves.data.Lambda, runSeed
	infinite := math.Inf(1)
	out := objectives{Last: infinite, Average: infinite}
	res, err := minimize(ctx, p, s, nil)
	switch {
	case diverged(err):
		return out, nil
	case err != nil:
		return out, err
	}
	for output, v := range map[Output]float64{Last: res.At.Objective, Average: res.AtAverage.Objective} {
		if !math.IsNaN(v) {
			out[output] = v
		}
	}
	return out, nil
}
