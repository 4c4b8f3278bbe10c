package paper

import (
	"context"
	"errors"
	"math"
	"strings"

	"github.com/scas-admm/scas/solver"
)

// Tuned are the parameters chosen for a method.
type Tuned struct {
	Eta float64 `json:"eta"`
	Rho float64 `json:"rho"`
	// Step and Penalty are the same as multiples of 1/nu, the method's own
	// constant, and of lambda.
	Step    float64 `json:"step"`
	Penalty float64 `json:"penalty"`
	// Edge names the grids that the choice lies beyond: "step", "rho" or both.
	Edge string `json:"edge,omitempty"`
	// Objective is what the choice reached on the samples for tuning.
	Objective float64 `json:"tuned_objective"`
	// Runs is how many pairs were tried.
	Runs int `json:"tuning_runs"`
}

// beyond bounds how far an optimum at the edge of a grid is followed.
const beyond = 8

// grid is the two-dimensional search over multiples.
type grid struct {
	steps, rhos []float64
	within      bool // do not look beyond the edges
	try         func(step, rho float64) (float64, error)
	seen        map[[2]int]float64
	err         error // of the first try that failed, after which there are no more
}

// at returns the multiple at index k of g, continued geometrically.
func at(g []float64, k int) float64 {
	last := len(g) - 1
	switch {
	case k < 0:
		return g[0] * math.Pow(g[0]/g[min(2, last)], float64(-k)/float64(min(2, last)))
	case k > last:
		return g[last] * math.Pow(g[last]/g[max(0, last-2)], float64(k-last)/float64(min(2, last)))
	}
	return g[k]
}

// value returns the objective at a place of the grid, +Inf if it diverges.
func (g *grid) value(place [2]int) float64 {
	v, ok := g.seen[place]
	if !ok && g.err == nil {
		v, g.err = g.try(at(g.steps, place[0]), at(g.rhos, place[1]))
		g.seen[place] = v
	}
	return v
}

// search goes along the two axes in turn, each time over the whole grid and, if
// the best is at its edge, beyond it while that helps, until neither improves.
func (g *grid) search() (best [2]int, err error) {
	best = [2]int{len(g.steps) / 2, len(g.rhos) / 2}
	for before := [2]int{-1, -1}; best != before && g.err == nil; {
		before = best
		best = g.scan(g.scan(best, 1), 0)
	}
	return best, g.err
}

// scan returns the best place along an axis through a place.
func (g *grid) scan(from [2]int, axis int) [2]int {
	size := [2]int{len(g.steps), len(g.rhos)}[axis]
	if size == 1 {
		return from
	}
	best, least := from, g.value(from)
	visit := func(k int) (better bool) {
		place := from
		place[axis] = k
		v := g.value(place)
		if better = v < least && g.err == nil; better {
			best, least = place, v
		}
		return better
	}
	for k := range size {
		visit(k)
	}
	if g.within {
		return best
	}
	for _, way := range []int{-1, 1} {
		for k := best[axis] + way; outside(k, size) && k > -beyond && k < size+beyond && visit(k); k += way {
		}
	}
	return best
}

// outside reports whether an index lies beyond a grid.
func outside(k, size int) bool { return k < 0 || k >= size }

// Tune chooses eta and rho for a method by the objective on the samples for
// tuning, at the better of its last iterate and its average (some methods: at the
// last), after 5 passes (6 for methods whose outer iteration takes two, 100 iterations for batch
// methods). Multiples are of constants of the training half.
func Tune(ctx context.Context, h *Half, mu float64, method solver.Method, t Traits) (Tuned, error) {
	c, err := h.train(mu).Constants(0)
	if err != nil {
		return Tuned{}, err
	}
	n, _ := h.Train.Data.Dims()
	lambda := h.data.Lambda
	eta := func(step, rho float64) float64 {
		if t.NoStep {
			return 0
		}
		c.NuL = c.NuF + rho*lambda*c.Lambda1
		return step / t.Scale(c, n)
	}
	g := &grid{steps: t.Steps, rhos: t.Rhos, within: t.Within, seen: map[[2]int]float64{}}
	if t.NoStep {
		g.steps = []float64{1}
	}
	p := h.tune(mu)
	g.try = func(step, rho float64) (float64, error) {
		return trial(ctx, p, solver.Settings{Method: method, Eta: eta(step, rho), Rho: rho * lambda, Passes: t.TunePasses}, t)
	}
	best, err := g.search()
	if err != nil {
		return Tuned{}, err
	}
	if math.IsInf(g.seen[best], 1) {
		return Tuned{}, errors.New("every pair of step size and rho diverges on the samples for tuning")
	}
	out := Tuned{Step: at(g.steps, best[0]), Penalty: at(g.rhos, best[1]), Objective: g.seen[best], Runs: len(g.seen)}
	out.Eta, out.Rho = eta(out.Step, out.Penalty), out.Penalty*lambda
	out.Edge = edge(best, len(g.steps), len(g.rhos))
	return out, nil
}

// edge names the grids that a place lies beyond.
func edge(place [2]int, steps, rhos int) string {
	var beyond []string
	if outside(place[0], steps) {
		beyond = append(beyond, "step")
	}
	if outside(place[1], rhos) {
		beyond = append(beyond, "rho")
	}
	return strings.Join(beyond, " and ")
}

// tuneIterations is the budget of batch methods on the samples for tuning.
const tuneIterations = 100

// trial returns the objective that a run reaches, +Inf if it diverges.
func trial(ctx context.Context, p *solver.Problem, s solver.Settings, t Traits) (float64, error) {
	s.Seed = runSeed
	if t.Batch {
		s.Passes, s.OuterIterations = batchPasses, tuneIterations
	}
	res, err := minimize(ctx, p, s, nil)
	switch {
	case diverged(err):
		return math.Inf(1), nil
	case err != nil:
		return math.Inf(1), err
	}
	v := res.At.Objective
	if !t.ByLast {
		v = math.Min(v, res.AtAverage.Objective)
	}
	if math.IsNaN(v) {
		v = math.Inf(1)
	}
	return v, nil
}
