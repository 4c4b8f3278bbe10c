package exact

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/scas-admm/scas/solver/internal/linalg"
	"github.com/scas-admm/scas/solver/internal/term"
	"github.com/scas-admm/scas/sparse"
)

// groupProblem returns a random group lasso. The groups have 1 to 4 features and different limits; some
// features are in no group. If scaled is true, the coefficients have factors: A is a diagonal matrix with its
// rows in reverse order.
func groupProblem(t *testing.T, k kind, n, p int, seed uint64, scaled bool) *Problem {
	t.Helper()
	q := k.random(n, p, seed)
	inGroup := make([]bool, p)
	for first, size := 0, 1; first+size+k.free <= p; first, size = first+size, size%4+1 {
		if first%11 == 5 {
			continue // these features are in no group
		}
		var group []int
		for j := first; j < first+size; j++ {
			group, inGroup[j], q.Limit[j] = append(group, j), true, q.Limit[first]
		}
		q.Groups = append(q.Groups, group)
	}
	for j := range p {
		if !inGroup[j] {
			q.Limit[j] = 0
		}
	}
	q.A = linalg.New(nil, p)
	if !scaled {
		return q
	}
	var entries []sparse.Triplet
	limits := slices.Clone(q.Limit)
	for j := range p {
		row := p - 1 - j
		limits[row] = q.Limit[j]
		entries = append(entries, sparse.Triplet{Row: row, Col: j, Value: 0.5 + float64(j%3)})
	}
	for _, group := range q.Groups {
		for m, j := range group {
			group[m] = p - 1 - j
		}
	}
	a, err := sparse.FromTriplets(p, p, entries)
	if err != nil {
		t.Fatal(err)
	}
	q.A, q.Limit = linalg.New(a, p), limits
	return q
}

// TestFeatureGroups checks that working sets of groups give the same optimum as a model with all columns, on
// a path and alone, with certified gaps and with multipliers that are feasible.
func TestFeatureGroups(t *testing.T) {
	const n, p, tol = 50, 120, 1e-9
	for _, loss := range losses {
		for v := range 4 {
			k := kind{loss: loss, weighted: v == 1, offset: v == 2, free: v % 2}
			t.Run(fmt.Sprint(k), func(t *testing.T) {
				q := groupProblem(t, k, n, p, uint64(v), v >= 2)
				if v%2 == 1 {
					q.Ridge, q.FixedRidge = slices.Repeat([]float64{1e-3}, p), slices.Repeat([]float64{1e-2}, p)
				}
				s := mustNew(t, q)
				if s.set.needsAll {
					t.Fatal("the working set has all columns")
				}
				whole := *q
				whole.joint = true
				all := mustNew(t, &whole)
				for _, lambda := range []float64{1, 0.3, 0.1, 0.03, 0, 0.2} {
					r := s.Solve(lambda, &Settings{Tol: tol * s.Scale()})
					if lambda == 0 {
						continue // no gap is proved for separable classes
					}
					want := all.Solve(lambda, &Settings{Tol: tol * s.Scale()})
					if !(r.Gap <= tol*s.Scale()) || !(math.Abs(r.Objective-want.Objective) <= r.Gap+want.Gap) {
						t.Errorf("lambda %g: objective %v, gap %.2g, want %v, gap %.2g: %v",
							lambda, r.Objective, r.Gap, want.Objective, want.Gap, r.Err)
					}
					if lambda == 1 && len(s.set.cols) == p {
						t.Errorf("lambda 1: the working set has all columns")
					}
				}
				one := mustNew(t, q).Finish(nil, &Settings{Tol: tol * s.Scale()})
				if !(one.Gap <= tol*s.Scale()) || !one.Polished || !one.Structure.Holds(one.X) {
					t.Errorf("gap %.2g, polished %v", one.Gap, one.Polished)
				}
				for g, rows := range q.Groups {
					if norm := linalg.NormAt(one.Z, rows); !(norm <= q.Limit[rows[0]]*(1+1e-12)) {
						t.Errorf("group %d: multipliers of norm %v, the limit is %v", g, norm, q.Limit[rows[0]])
					}
				}
			})
		}
	}
}

// TestGroupStarts checks working sets that become empty, starts far from the optimum, and gaps at a given
// point.
func TestGroupStarts(t *testing.T) {
	const n, p = 40, 100
	for _, loss := range losses {
		q := groupProblem(t, kind{loss: loss}, n, p, 3, true)
		for j := range q.Limit {
			q.Limit[j] += 0.1 // no coefficient is free
		}
		grouped := make([]bool, p)
		for _, group := range q.Groups {
			for _, j := range group {
				grouped[j] = true
			}
		}
		for j, isGrouped := range grouped {
			if !isGrouped {
				q.Groups = append(q.Groups, []int{j})
			}
		}
		s := mustNew(t, q)
		tol := 1e-9 * s.Scale()
		for _, lambda := range []float64{0.01, 1e5, 0.01} {
			if r := s.Solve(lambda, &Settings{Tol: tol}); !(r.Gap <= tol) {
				t.Errorf("%v, lambda %g: gap %.2g", loss, lambda, r.Gap)
			}
			if empty := !slices.ContainsFunc(s.x, func(v float64) bool { return v != 0 }); empty != (lambda == 1e5) {
				t.Errorf("%v, lambda %g: all coefficients are zero: %v", loss, lambda, empty)
			}
		}
		best := s.Finish(slices.Repeat([]float64{0.5}, p), &Settings{Tol: tol})
		if !(best.Gap <= tol) {
			t.Errorf("%v, from a far start: gap %.2g", loss, best.Gap)
		}
		for _, distance := range []float64{0, 1e-3, 1} {
			x := slices.Clone(best.X)
			x[3] += distance
			value := valueAt(t, q, x)
			excess := value - best.Objective
			if b := s.Certify(x, &Settings{}); !(b >= excess-1e-12*value) || !(b <= 2*excess+3*tol) {
				t.Errorf("%v, distance %g: gap %.3g, %.3g above the best", loss, distance, b, excess)
			}
		}
	}
}

// valueAt returns the objective at x for lambda = 1.
func valueAt(t *testing.T, q *Problem, x []float64) float64 {
	t.Helper()
	s := mustNew(t, q)
	s.setLambda(1)
	s.Start(x)
	s.visit()
	return s.model.value(s.current.loss)
}

// TestUnprovedGroups checks that runs which end without a proof on a path end near the optimum.
func TestUnprovedGroups(t *testing.T) {
	q := groupProblem(t, kind{loss: losses[0]}, 60, 200, 5, false)
	s := mustNew(t, q)
	tol := 1e-6 * s.Scale()
	for lambda := 1.0; lambda > 0.02; lambda *= 0.85 {
		r := s.Solve(lambda, &Settings{Tol: tol, Unproved: true})
		best := mustNew(t, q).Solve(lambda, &Settings{Tol: 1e-4 * tol})
		if excess := r.Objective - best.Objective; !(excess <= 2*tol) {
			t.Errorf("lambda %.3g: %.3g times the tolerance above the optimum", lambda, excess/tol)
		}
	}
}

// TestNearlyEqualColumns checks that a coupled model ends a run in which grouped models are not solved.
func TestNearlyEqualColumns(t *testing.T) {
	const n, p = 43, 145
	rng := rand.New(rand.NewPCG(1, 9))
	data, q := make([]float64, n*p), &Problem{
		Loss: term.Poisson{}, A: linalg.New(nil, p), Limit: slices.Repeat([]float64{1e-4}, p),
		Ridge: make([]float64, p), Threads: 1,
	}
	for i := range n {
		for j := range p {
			data[i*p+j] = rng.NormFloat64()
			if j > 0 {
				data[i*p+j] = 0.99999*data[i*p+j-1] + float64(0.005*data[i*p+j])
			}
		}
		q.Labels = append(q.Labels, float64(rng.IntN(8)))
	}
	for j := range p {
		q.Groups = append(q.Groups, []int{j})
	}
	q.Data = fromDense(t, n, p, data)
	q.Rows = q.Data.Compact(false)
	s := mustNew(t, q)
	if r := s.Solve(1, &Settings{Tol: 1e-6 * s.Scale()}); !(r.Gap <= 1e-6*s.Scale()) {
		t.Errorf("gap %g after %d steps", r.Gap, r.Iterations)
	}
	if _, isCoupled := s.model.(*coupled); !isCoupled {
		t.Errorf("the model is a %T", s.model)
	}
	for steps := 4; steps < 10; steps++ { // the model that replaces another one must make a step
		if r := mustNew(t, q).Finish(nil, &Settings{MaxIterations: steps}); linalg.Norm(r.Z) == 0 {
			t.Errorf("no multipliers after %d steps", steps)
		}
	}
}

// TestGroupRoom checks that a working set never has more than MaxWorking columns, and that the result says so.
func TestGroupRoom(t *testing.T) {
	q := groupProblem(t, kind{loss: losses[0]}, 60, 300, 2, false)
	q.MaxWorking = 40
	for _, largest := range []int{4, 200} {
		if largest > 4 {
			q.Groups = [][]int{nil}
			for j := range largest {
				q.Groups[0], q.Limit[j] = append(q.Groups[0], j), 0.1
			}
			for j := largest; j < len(q.Limit); j++ {
				q.Groups, q.Limit[j] = append(q.Groups, []int{j}), 100
			}
		}
		s := mustNew(t, q)
		r := s.Solve(0.01, &Settings{Tol: 1e-9 * s.Scale()})
		if !r.Full || len(s.set.cols) > q.MaxWorking {
			t.Errorf("groups of %d: full %v, %d columns", largest, r.Full, len(s.set.cols))
		}
	}
}
