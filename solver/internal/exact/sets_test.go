package exact

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/scas-admm/scas/solver/internal/ending"
	"github.com/scas-admm/scas/solver/internal/term"
	"github.com/scas-admm/scas/sparse"
	"github.com/scas-admm/scas/sparse/graph"
)

func mustSetSolver(t *testing.T, p *Problem) *setSolver {
	t.Helper()
	w, err := newSetSolver(p)
	if err != nil {
		t.Fatal(err)
	}
	return w
}

func TestSets(t *testing.T) {
	for _, k := range patterns() {
		if k.a == "identity" { // newSetSolver must not get the identity as A
			continue
		}
		t.Run(fmt.Sprintf("%T/%s/mu=%g/%g", k.loss, k.a, k.mu, k.lambda), func(t *testing.T) {
			seeds := uint64(2)
			if testing.Short() {
				seeds = 1
			}
			for seed := range seeds {
				p := k.draw(t, 60, 40, seed)
				s := mustNew(t, p)
				q := *p
				q.MaxWorking = 30
				checkSets(t, s, mustSetSolver(t, &q), s.Finish(nil, &Settings{Tol: 1e-13}))
			}
		})
	}
}

// checkSets checks that each gap that w proves is at least the objective minus the optimum, at points near
// the solution best and far from best. If best has at most 20 non-zero coefficients, w must reach the
// objective of best.
func checkSets(t *testing.T, s *Solver, w *setSolver, best *Solution) {
	t.Helper()
	rng := rand.New(rand.NewPCG(6, 7))
	for _, distance := range []float64{0, 1e-12, 1e-9, 1e-6, 1e-3, 1e-1, 1, 100} {
		x := make([]float64, s.p)
		for j := range x {
			x[j] = best.X[j]
			if x[j] != 0 || rng.IntN(4) == 0 {
				x[j] += distance * rng.NormFloat64()
			}
		}
		want := trueExcess(s, x, best.X) - best.Gap
		for _, z := range [][]float64{nil, best.Z} {
			if got := w.certify(x, z); !(got >= want) {
				t.Errorf("distance %g: gap %.3e proved, truth %.3e", distance, got, want)
			}
		}
	}
	supportSize := s.p - len(slices.DeleteFunc(slices.Clone(best.X), func(v float64) bool { return v != 0 }))
	r := w.finish(make([]float64, s.p), nil, nil, &Settings{Tol: 1e-9})
	if want := trueExcess(s, r.X, best.X) - best.Gap; r.Gap < want {
		t.Errorf("support %d: gap %.3e proved, truth %.3e", supportSize, r.Gap, want)
	}
	if supportSize > 20 { // the working set may have no room for all non-zero coefficients
		return
	}
	if !(r.Gap <= 1e-9) || math.Abs(r.Objective-best.Objective) > 1e-9 {
		t.Errorf("support %d: gap %.1e, objective %.15g, of the whole %.15g", supportSize, r.Gap, r.Objective, best.Objective)
	}
	checkStructure(t, r)
}

// freeProblem returns a problem with the fused lasso of a chain. Its last two features have no penalty. The
// last column is all ones. If twice is set, the column before it is all twos.
func freeProblem(t *testing.T, twice bool) *Problem {
	t.Helper()
	rng := rand.New(rand.NewPCG(4, 4))
	const n, p = 400, 120
	data, labels := make([]float64, n*p), make([]float64, n)
	for i := range n {
		row := data[i*p : (i+1)*p]
		for j := range row {
			if v := rng.NormFloat64(); rng.IntN(5) == 0 {
				row[j] = v
			}
		}
		row[p-1], row[p-2] = 1, float64(i%7)
		if twice {
			row[p-2] = 2
		}
		labels[i] = math.Copysign(1, row[0]+row[1]+row[2]+row[3]+row[4]+row[5]+0.7+rng.NormFloat64())
	}
	x := fromDense(t, n, p, data)
	q := penalisedProblem(x, labels, term.Logistic{}, graph.Chain(p).FusedLasso(), 0.02, 0)
	for _, row := range []int{p - 3, p - 2, 2*p - 3, 2*p - 2} { // the rows of the last two features
		q.Limit[row] = 0
	}
	return q
}

// TestSetsFree does the checks of checkSets with features without a penalty. If the columns of these features
// are linearly dependent, the gap must be +Inf. If the working sets are too small for the other features,
// Why must be ending.Room. If there are too many free features, newSetSolver must refuse the problem.
func TestSetsFree(t *testing.T) {
	q := freeProblem(t, false)
	s := mustNew(t, q)
	best := s.Finish(nil, &Settings{Tol: 1e-13})
	q.MaxWorking = 40
	checkSets(t, s, mustSetSolver(t, q), best)
	if free := best.X[118:]; free[0] == 0 || free[1] == 0 {
		t.Errorf("free coefficients %v", free)
	}
	if gap := mustSetSolver(t, freeProblem(t, true)).certify(best.X, nil); !math.IsInf(gap, 1) {
		t.Errorf("columns that depend on each other: gap %v", gap)
	}
	q.MaxWorking = 4 // a working set has the two free features in addition
	if r := mustSetSolver(t, q).finish(make([]float64, s.p), nil, nil, &Settings{Tol: 1e-9}); r.Why != ending.Room {
		t.Errorf("sets of 4 penalised features: %v, want %v: gap %g", r.Why, ending.Room, r.Gap)
	}
	clear(q.Limit)
	if _, err := newSetSolver(q); !errors.Is(err, ErrNotApplicable) {
		t.Errorf("120 free features: %v", err)
	}
}

func TestSetsEndings(t *testing.T) {
	stop := errors.New("stop")
	for _, c := range []struct {
		maxWorking int
		set        Settings
		want       ending.Why
	}{
		{40, Settings{Tol: 1e-9}, ending.Reached},
		{40, Settings{}, ending.Rounding},
		{40, Settings{Tol: 1e-9, Interrupt: func() error { return stop }}, ending.Interrupted},
		{6, Settings{Tol: 1e-9}, ending.Room},
	} {
		p := pattern{term.Logistic{}, "graph", 0, 1e-4}.draw(t, 60, 40, 1)
		p.MaxWorking = c.maxWorking
		if r := mustSetSolver(t, p).finish(make([]float64, 40), nil, nil, &c.set); r.Why != c.want {
			t.Errorf("sets of %d, to %g: %v, want %v: gap %g", c.maxWorking, c.set.Tol, r.Why, c.want, r.Gap)
		}
	}
}

// TestOutside checks that outsideSolver.reduceInComponent minimises the sum of squared excesses (see
// outsideSolver), by comparison with the function proximal. The multipliers must be within their limits.
func TestOutside(t *testing.T) {
	solvedByEdges := 0
	for seed := range uint64(40) {
		rng := rand.New(rand.NewPCG(seed, 5))
		const p = 12
		o, want := proximal(t, rng, p, 1+2*rng.Float64())
		z := make([]float64, o.f.penalty.Len())
		o.findComponent(0)
		for j := range int32(p) {
			if !o.seen[j] {
				t.Fatalf("seed %d: feature %d is in no component", seed, j)
			}
		}
		largestExcess := 0.0
		for _, j := range o.component.features {
			largestExcess = math.Max(largestExcess, math.Abs(o.excess(j, 1)))
		}
		o.reduceInComponent(z)
		solved, tolerance := true, 1e-9
		for _, v := range want {
			if v != 0 {
				solved, tolerance = false, 0.02
			}
		}
		for j := range int32(p) {
			if got := o.excess(j, 1); math.Abs(got-want[j]) > tolerance {
				t.Errorf("seed %d: excess of %d is %.4f, proximal point %.4f", seed, j, got, want[j])
			}
		}
		for row, v := range z {
			if math.Abs(v) > o.f.penalty.Limit[row]*(1+1e-15) {
				t.Errorf("seed %d: multiplier %v of row %d, limit %v", seed, v, row, o.f.penalty.Limit[row])
			}
		}
		if largestExcess > 0.1 && solved {
			solvedByEdges++
		}
	}
	if solvedByEdges < 5 {
		t.Errorf("in %d of 40 problems edges carry away all of an excess, want some", solvedByEdges)
	}
}

// proximal returns an outsideSolver whose field sums has p random numbers r, and the proximal point, which
// minimises
//
//	|x − r|²/2 + Σ |(A x)_k|,
//
// where A is [G; I] for a random connected graph. size is the standard deviation of r.
func proximal(t *testing.T, rng *rand.Rand, p int, size float64) (*outsideSolver, []float64) {
	t.Helper()
	var edges []graph.Edge
	for j := range int32(p) {
		for k, i := range rng.Perm(int(j)) {
			if k == 0 || rng.IntN(8) == 0 {
				weight := math.Copysign(0.5+rng.Float64(), rng.Float64()-0.2)
				edges = append(edges, graph.Edge{I: int32(i), J: j, Weight: weight})
			}
		}
	}
	g, err := graph.New(p, edges)
	if err != nil {
		t.Fatal(err)
	}
	labels := make([]float64, p)
	for j := range labels {
		labels[j] = size * rng.NormFloat64()
	}
	// The squared loss is the mean of (x − label)², which is 2/p times half the sum of squares.
	q := penalisedProblem(sparse.Identity(p), labels, term.Squared{}, g.FusedLasso(), 2/float64(p), 0)
	best := mustNew(t, q).Finish(nil, &Settings{Tol: 1e-12})
	if !(best.Gap <= 1e-12) {
		t.Fatalf("gap %.1e of the proximal point", best.Gap)
	}
	q.Limit = slices.Repeat([]float64{1}, len(q.Limit))
	o := newOutsideSolver(newWholeProblem(q))
	copy(o.sums, labels)
	return o, best.X
}

// TestSetsOfLongRows checks that working sets lead to the optimum if a row of A can have features inside and
// outside a set. The optimal multiplier of such a row may differ from set to set, so that the solver
// might alternate between two sets for ever.
func TestSetsOfLongRows(t *testing.T) {
	seeds := uint64(40)
	if testing.Short() {
		seeds = 12
	}
	for seed := range seeds {
		rng := rand.New(rand.NewPCG(seed, 28))
		const n, p = 120, 90
		data, labels := make([]float64, n*p), make([]float64, n)
		for i := range n {
			row := data[i*p : (i+1)*p]
			common := rng.NormFloat64()
			for j := range row {
				if rng.IntN(4) == 0 {
					row[j] = 1 + 0.3*common
				}
			}
			labels[i] = math.Copysign(1, row[0]+row[1]-row[2]-row[12]+0.5*rng.NormFloat64())
		}
		x := fromDense(t, n, p, data)
		var entries []sparse.Triplet
		for k := range p {
			group := k / 10 * 10
			for j := group; j < min(group+10, p); j++ {
				if j != k && rng.IntN(10) != 0 {
					entries = append(entries, sparse.Triplet{Row: k, Col: j, Value: math.Copysign(1, float64(j-k))})
				}
			}
			entries = append(entries, sparse.Triplet{Row: p + k, Col: k, Value: 1})
		}
		a := fromTriplets(t, 2*p, p, entries)
		q := penalisedProblem(x, labels, term.Logistic{}, a, 0.004, 1e-4)
		q.MaxWorking = p
		if r := mustSetSolver(t, q).finish(make([]float64, p), nil, nil, &Settings{Tol: 1e-9}); !(r.Gap <= 1e-9) {
			t.Errorf("seed %d: gap %.2g after %d steps", seed, r.Gap, r.Iterations)
		}
	}
}
