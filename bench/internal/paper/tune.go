package paper

import (
	"context"
	"errors"
	"math"
	"strings"

	"github.com/scas-admm/scas/solver"
	"github.com/scas-admm/scas/solver/baseline"
	"github.com/scas-admm/scas/solver/theory"
)

// Tuned are the parameters chosen for a method.
type Tuned struct {
	Eta float64 `json:"eta"`
	Rho float64 `json:"rho"`
	// Step and Penalty are the same as multiples of 1/nu, the method's own
	// constant, and of lambda.
	Step    float64 `json:"step"`
	Penalty float64 `json:"penalty"`
	// Edge names the grids at whose edge the choice lies: "step" or "step at its
	// bound", "rho" or both.
	Edge string `json:"edge,omitempty"`
	// Moved says that a better value at an edge was within Noise, and so was left for
	// one further inside.
	Moved bool    `json:"moved,omitempty"`
	Noise float64 `json:"noise,omitempty"`
	// Objective is what the choice reached on the samples for tuning.
	Objective float64 `json:"tuned_objective"`
	// Runs is how many pairs were tried.
	Runs int `json:"tuning_runs"`
}

// A place is a pair of indices of the grids.
type place [2]int

// reached are the objectives of a run at its outputs.
type reached map[Output]float64

// grid is the two-dimensional search over multiples. Runs serve all outputs.
type grid struct {
	steps, rhos []float64
	try         func(step, rho float64) (reached, error)
	seen        map[place]reached
	err         error // of the first try that failed, after which there are no more
}

// value returns the objective at a place of the grid, +Inf if it diverges.
func (g *grid) value(at place, by Output) float64 {
	v, ok := g.seen[at]
	if !ok && g.err == nil {
		v, g.err = g.try(g.steps[at[0]], g.rhos[at[1]])
		g.seen[at] = v
	}
	if g.err != nil {
		return math.Inf(1)
	}
	return v[by]
}

// search goes along the two axes in turn, each time over the whole grid, until
// neither improves.
func (g *grid) search(by Output) (best place, err error) {
	best = place{len(g.steps) / 2, len(g.rhos) / 2}
	for before := (place{-1, -1}); best != before && g.err == nil; {
		before = best
		best = g.scan(g.scan(best, 1, by), 0, by)
	}
	return best, g.err
}

// scan returns the best place along an axis through a place.
func (g *grid) scan(from place, axis int, by Output) place {
	best, least := from, g.value(from, by)
	for k := range g.size(axis) {
		at := from
		at[axis] = k
		if v := g.value(at, by); v < least {
			best, least = at, v
		}
	}
	return best
}

// descend goes from a place to the best of its neighbours along the axes, until none
// is better.
func (g *grid) descend(from place, by Output) (best place, err error) {
	for best, least := from, g.value(from, by); ; from = best {
		for _, at := range g.neighbours(from) {
			if v := g.value(at, by); v < least {
				best, least = at, v
			}
		}
		if best == from {
			return best, g.err
		}
	}
}

// neighbours returns the places beside one, along the axes.
func (g *grid) neighbours(of place) (all []place) {
	for _, way := range []place{{-1, 0}, {1, 0}, {0, -1}, {0, 1}} {
		at := place{of[0] + way[0], of[1] + way[1]}
		if min(at[0], at[1]) >= 0 && at[0] < len(g.steps) && at[1] < len(g.rhos) {
			all = append(all, at)
		}
	}
	return all
}

func (g *grid) size(axis int) int { return []int{len(g.steps), len(g.rhos)}[axis] }

// atEdge reports whether a place is at an end of a grid with more than one point.
func (g *grid) atEdge(at place, axis int) bool {
	return g.size(axis) > 1 && (at[axis] == 0 || at[axis] == g.size(axis)-1)
}

// edges counts the grids at whose edge a place lies.
func (g *grid) edges(at place) (count int) {
	for axis := range at {
		if g.atEdge(at, axis) {
			count++
		}
	}
	return count
}

// inward returns, of the places tried whose objective is within noise of the best, the
// best of those at fewest edges.
func (g *grid) inward(best place, by Output, noise float64) place {
	limit, out := g.seen[best][by]+noise, best
	for i := range g.steps { // in order: a map has none
		for j := range g.rhos {
			at := place{i, j}
			v, tried := g.seen[at]
			if !tried || !(v[by] <= limit) {
				continue
			}
			if fewer := g.edges(out) - g.edges(at); fewer > 0 || fewer == 0 && v[by] < g.seen[out][by] {
				out = at
			}
		}
	}
	return out
}

// edge names the grids at whose edge a place lies.
func (g *grid) edge(at place, bounded bool) string {
	var names []string
	if g.atEdge(at, 0) {
		names = append(names, "step")
		if bounded && at[0] > 0 {
			names[0] = "step at its bound"
		}
	}
	if g.atEdge(at, 1) {
		names = append(names, "rho")
	}
	return strings.Join(names, " and ")
}

// A tuner chooses the parameters of a method on a split, for all outputs and rules.
type tuner struct {
	half      *Half
	mu        float64
	traits    Traits
	constants Constants
	samples   *grid // on the samples for tuning
	whole     *grid // on the training half
	chosen    map[Output]place
}

// newTuner prepares the choice of a method's parameters. coarse leaves out every other point
// of the grids.
func newTuner(ctx context.Context, h *Half, mu float64, t Traits, coarse bool) (*tuner, error) {
	if coarse {
		t.Steps, t.Rhos = everyOther(t.Steps), everyOther(t.Rhos)
	}
	c, err := h.constants(ctx, mu)
	if err != nil {
		return nil, err
	}
	u := &tuner{half: h, mu: mu, traits: t, constants: c, chosen: map[Output]place{}}
	u.samples, u.whole = u.grid(ctx, h.tune(mu)), u.grid(ctx, h.train(mu))
	return u, nil
}

// everyOther keeps the last, which may be a bound of theory.
func everyOther(grid []float64) (out []float64) {
	for k := (len(grid) - 1) % 2; k < len(grid); k += 2 {
		out = append(out, grid[k])
	}
	return out
}

// grid returns the search on a problem.
func (u *tuner) grid(ctx context.Context, p *solver.Problem) *grid {
	g := &grid{steps: u.traits.Steps, rhos: u.traits.Rhos, seen: map[place]reached{}}
	if u.traits.NoStep() {
		g.steps = []float64{1}
	}
	g.try = func(step, rho float64) (reached, error) { return u.trial(ctx, p, step, rho, runSeed) }
	return g
}

// eta returns the step size that a multiple stands for.
func (u *tuner) eta(step, rho float64) float64 {
	if u.traits.NoStep() {
		return 0
	}
	c := u.constants
	c.NuL = c.NuF + rho*u.half.data.Lambda*c.Lambda1
	return step / u.traits.Unit.Of(c)
}

var errDiverges = errors.New("every pair of step size and rho diverges on the samples for tuning")

// tune chooses eta and rho by one output on the samples for tuning, after 5 passes (6
// for methods whose outer iteration takes two, 9.5 for Acc-SADMM, 100 iterations for
// batch methods); by the rule Whole on the training half, from that choice on.
// Multiples are of constants of the training half.
func (u *tuner) tune(ctx context.Context, rule Rule, by Output) (Tuned, error) {
	g := u.samples
	best, err := u.bySamples(ctx, by)
	if err == nil && rule == Whole {
		g = u.whole
		best, err = g.descend(best, by)
	}
	if err != nil {
		return Tuned{}, err
	}
	if math.IsInf(g.seen[best][by], 1) {
		return Tuned{}, errDiverges
	}
	out := Tuned{Noise: tie}
	if rule == Sampled && g.edges(best) > 0 {
		if out.Noise, err = u.noise(ctx, best, by); err != nil {
			return out, err
		}
	}
	if at := g.inward(best, by, out.Noise); g.edges(at) < g.edges(best) {
		best, out.Moved = at, true
	}
	out.Step, out.Penalty = g.steps[best[0]], g.rhos[best[1]]
	out.Objective, out.Runs = g.seen[best][by], len(g.seen)
	out.Eta, out.Rho = u.eta(out.Step, out.Penalty), out.Penalty*u.half.data.Lambda
	out.Edge = g.edge(best, u.traits.Bounded)
	return out, nil
}

// bySamples searches on the samples for tuning, once for every output.
func (u *tuner) bySamples(ctx context.Context, by Output) (place, error) {
	best, ok := u.chosen[by]
	if ok {
		return best, ctx.Err()
	}
	best, err := u.samples.search(by)
	u.chosen[by] = best
	return best, err
}

// tie is the difference of objectives that decides nothing, whatever the noise.
const tie = 1e-6

// noise returns how far the objective at a place differs between three seeds, at
// least tie.
func (u *tuner) noise(ctx context.Context, at place, by Output) (float64, error) {
	low, high := u.samples.seen[at][by], u.samples.seen[at][by]
	for seed := range uint64(2) {
		v, err := u.trial(ctx, u.half.tune(u.mu), u.samples.steps[at[0]], u.samples.rhos[at[1]], runSeed+1+seed)
		if err != nil {
			return 0, err
		}
		if !math.IsInf(v[by], 0) {
			low, high = min(low, v[by]), max(high, v[by])
		}
	}
	return max(tie, high-low), nil
}

// tuneIterations is the budget of batch methods on the samples for tuning.
const tuneIterations = 100

// trial returns the objectives that a run reaches, +Inf if it diverges.
func (u *tuner) trial(ctx context.Context, p *solver.Problem, step, rho float64, seed uint64) (reached, error) {
	s := solver.Settings{Method: u.traits.Method, Eta: u.eta(step, rho), Rho: rho * u.half.data.Lambda, Passes: u.traits.TunePasses, Seed: seed}
	if u.traits.Batch() {
		s.Passes, s.OuterIterations = batchPasses, tuneIterations
	}
	infinite := math.Inf(1)
	out := reached{Last: infinite, Average: infinite}
	res, err := minimize(ctx, p, s, nil)
	switch {
	case diverged(err):
		return out, nil
	case err != nil:
		return out, err
	}
	for by, v := range map[Output]float64{Last: res.At.Objective, Average: res.AtAverage.Objective} {
		if !math.IsNaN(v) {
			out[by] = v
		}
	}
	return out, nil
}

// constants returns those that step sizes are made of.
func (h *Half) constants(ctx context.Context, mu float64) (Constants, error) {
	c, err := h.train(mu).Constants(0)
	if err != nil {
		return Constants{}, err
	}
	h.once.Do(func() { h.nuMean, err = meanCurvature(ctx, h, c) })
	return Constants{c, h.nuMean + mu}, err
}

// meanCurvature returns the Lipschitz constant of the gradient of the mean loss: the
// automatic step of batch ADMM is 1/(ν + ρ λ₁).
func meanCurvature(ctx context.Context, h *Half, c theory.Constants) (float64, error) {
	rho := h.data.Lambda
	res, err := minimize(ctx, h.train(0), solver.Settings{Method: baseline.BatchUzawa{}, Rho: rho, OuterIterations: 1}, nil)
	if err != nil {
		return 0, err
	}
	return 1/res.Stats.Eta - rho*c.Lambda1, nil
}
