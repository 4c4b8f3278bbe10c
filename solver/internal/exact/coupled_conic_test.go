package exact

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/scas-admm/scas/solver/internal/ending"
	"github.com/scas-admm/scas/solver/internal/linalg"
	"github.com/scas-admm/scas/solver/internal/term"
	"github.com/scas-admm/scas/sparse/graph"
)

// conicProblems returns problems by name, one for each combination of loss, penalty and domain. It leaves out
// the domain R^p with the penalty l1.
func conicProblems(t *testing.T) map[string]*Problem {
	t.Helper()
	const p = 8
	box := term.NewBox(p, math.Inf(-1), 0.3)
	box.Lower[1], box.Upper[1] = 0.1, 0.1
	box.Upper[2], box.Lower[3] = math.Inf(1), 0
	problems := make(map[string]*Problem)
	for _, loss := range []term.Loss{term.Logistic{}, term.SquaredHinge{}} {
		for _, penalty := range []string{"l1", "elastic", "square", "group"} {
			for name, set := range map[string]term.Region{
				"none": nil, "box": term.NewBox(p, -0.3, 0.2), "away": term.NewBox(p, 0.1, 0.5),
				"nonnegative": term.NewBox(p, 0, math.Inf(1)),
				"ball":        term.Ball{Radius: 0.4}, "simplex": term.Simplex{Total: 1.5}, "held": box,
			} {
				q := pattern{loss, "graph", 0, 0.03}.draw(t, 60, p, 2)
				q.Set = set
				if set == nil && penalty == "l1" {
					continue
				}
				switch penalty {
				case "elastic", "square":
					q.Square = make([]float64, len(q.Limit))
					for k := range q.Square {
						q.Square[k] = 0.02
						if penalty == "square" {
							q.Limit[k] = 0
						}
					}
				case "group":
					for k := 0; k+2 < len(q.Limit); k += 3 {
						q.Groups = append(q.Groups, []int{k, k + 1, k + 2})
					}
				}
				problems[fmt.Sprintf("%T/%s/%s", loss, penalty, name)] = q
			}
		}
	}
	return problems
}

// TestConic checks that Finish proves a gap of 1e-12, that zeros and ties are exact, and that no random point
// of the domain is better than the optimum. The gap that Certify proves for such a point must be at least the
// true gap, and at most about twice as large.
func TestConic(t *testing.T) {
	for name, q := range conicProblems(t) {
		rng := rand.New(rand.NewPCG(3, 3))
		s := mustNew(t, q)
		best := s.Finish(nil, &Settings{Tol: 1e-12})
		if !(best.Gap <= 1e-12) || !best.Polished {
			t.Errorf("%s: gap %.2g after %d steps, polished %v", name, best.Gap, best.Iterations, best.Polished)
		}
		for k := range 12 {
			distance, x := math.Pow(10, float64(-k)/2), make([]float64, s.p)
			for j, v := range best.X {
				x[j] = v + distance*rng.NormFloat64()
			}
			if q.Set != nil {
				q.Set.Project(x)
			}
			s.Start(x)
			s.setLambda(1)
			s.visit()
			value := s.model.value(s.current.loss)
			excess := value - best.Objective
			if excess < -best.Gap-1e-15 {
				t.Fatalf("%s: a gap of %.3g is proved, and a point %.3g better", name, best.Gap, -excess)
			}
			if b := s.Certify(x, &Settings{}); !(b >= excess-4e-15*(1+value)) || !(b <= 2*excess+2e-9) {
				t.Errorf("%s: gap %.3g proved of a point %.3g above the optimum", name, b, excess)
			}
		}
	}
}

// TestHalfBounded checks that the tolerance is reached for x ≥ 0 and a penalty of differences only.
func TestHalfBounded(t *testing.T) {
	const p = 8
	g, err := graph.FromPairs(p, [][2]int32{{0, 3}, {1, 2}, {3, 5}, {4, 6}})
	if err != nil {
		t.Fatal(err)
	}
	for seed := range uint64(20) {
		q := kind{loss: term.Logistic{}, free: 1, offset: true}.random(80, p, seed)
		q.A, q.Limit, q.Ridge = linalg.New(g.Incidence(), p), slices.Repeat([]float64{0.01}, 4), make([]float64, p)
		q.Set = term.NewBox(p, 0, math.Inf(1))
		if r := mustNew(t, q).Finish(nil, &Settings{Tol: 1e-6}); !(r.Gap <= 1e-6) {
			t.Errorf("seed %d: %v, gap %g after %d steps", seed, r.Why, r.Gap, r.Iterations)
		}
	}
}

// TestTiesOnSimplex checks that a small tolerance is reached on a simplex if many coefficients are tied.
func TestTiesOnSimplex(t *testing.T) {
	const p = 20
	for _, limit := range []float64{0.3, 3} {
		for seed := range uint64(5) {
			q := kind{loss: term.Squared{}, free: 1}.random(100, p, seed)
			q.A, q.Limit, q.Ridge = linalg.New(graph.Chain(p).FusedLasso(), p),
				slices.Repeat([]float64{limit}, 2*p-1), make([]float64, p)
			q.Set = term.Simplex{Total: 10}
			s := mustNew(t, q)
			if r := s.Finish(nil, &Settings{Tol: 1e-9 * s.Scale()}); r.Why != ending.Reached {
				t.Errorf("limit %g, seed %d: %v, gap %g of %g after %d steps", limit, seed, r.Why, r.Gap, s.Scale(), r.Iterations)
			}
		}
	}
}

// TestSquaresAsRidge checks that Problem.Square, set for the rows of I in A = [G; I], gives the same zeros of
// A x as an equal Problem.Ridge.
func TestSquaresAsRidge(t *testing.T) {
	const n, p, mu = 40, 30, 0.01
	for _, loss := range losses {
		for seed := range uint64(4) {
			ridge := pattern{loss, "graph", mu, 0.01}.draw(t, n, p, seed)
			want := mustNew(t, ridge).Finish(nil, &Settings{Tol: 1e-13})
			q := *ridge
			q.Ridge, q.Square = make([]float64, p), make([]float64, len(q.Limit))
			for j := range p {
				q.Square[len(q.Square)-p+j] = mu
			}
			got := mustNew(t, &q).Finish(nil, &Settings{Tol: 1e-10})
			u, v := imageOf(ridge, want.X), imageOf(ridge, got.X)
			for k, u := range u {
				if !got.Polished || (u == 0) != (v[k] == 0) {
					t.Errorf("%T, seed %d: row %d of A x is %g, want %g; polished %v", loss, seed, k, v[k], u, got.Polished)
				}
			}
		}
	}
}
