package exact

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/scas-admm/scas/kernels"
	"github.com/scas-admm/scas/solver/internal/linalg"
	"github.com/scas-admm/scas/solver/internal/quadratic"
	"github.com/scas-admm/scas/solver/internal/term"
	"github.com/scas-admm/scas/sparse"
	"github.com/scas-admm/scas/sparse/graph"
)

// implicitProblem returns a problem with a chain, for which a coupled model has a quadratic.Implicit: with few
// rows of dense data, with more rows of sparse data, or with rows that have entries in neighbouring columns.
func implicitProblem(t *testing.T, k kind, want quadratic.SystemKind, seed uint64) *Problem {
	t.Helper()
	rng := rand.New(rand.NewPCG(seed, 12))
	n, p, density := 30, 400, 1.0
	switch want {
	case quadratic.ManyRows:
		n, p, density = 450, 400, 0.02
	case quadratic.SparseRows:
		n, p = 450, 400
	}
	q := k.random(n, p, seed)
	data := make([]float64, n*p)
	for i := range data {
		isNear := want != quadratic.SparseRows || i%p-i/p*p/n <= 4 && i%p >= i/p*p/n
		if isNear && rng.Float64() < density {
			data[i] = rng.NormFloat64()
		}
	}
	q.setData(fromDense(t, n, p, data))
	q.A = linalg.New(graph.Chain(p).FusedLasso(), p)
	lambda := q.Limit[0]
	q.Limit = slices.Repeat([]float64{0.3 * lambda}, 2*p-1)
	systems := q.linearSystems()
	if got := systems.size.kind(); got != want {
		t.Fatalf("kind %v, want %v", got, want)
	}
	return q
}

// TestImplicitHessian checks on a path that a problem has the same optimum with an implicit Hessian as with a
// matrix, and that its zeros and ties are exact.
func TestImplicitHessian(t *testing.T) {
	for _, loss := range losses {
		for _, system := range []quadratic.SystemKind{quadratic.ManyRows, quadratic.FewRows, quadratic.SparseRows} {
			k := kind{loss: loss, weighted: system != quadratic.FewRows, ridge: 0.1, offset: true}
			t.Run(fmt.Sprintf("%T %d", loss, system), func(t *testing.T) {
				q := implicitProblem(t, k, system, 3)
				s := mustNew(t, q)
				formed := *q
				formed.formsHessians = true
				other := mustNew(t, &formed)
				tol := 1e-9 * s.Scale()
				for _, lambda := range []float64{1, 0.2, 0, 0.3} {
					r, want := s.Solve(lambda, &Settings{Tol: tol}), other.Solve(lambda, &Settings{Tol: tol})
					if !(r.Gap <= tol) && want.Gap <= tol || !(math.Abs(r.Objective-want.Objective) <= r.Gap+want.Gap) {
						t.Errorf("lambda %g: objective %v, gap %.2g, want %v, gap %.2g", lambda, r.Objective, r.Gap, want.Objective, want.Gap)
					}
				}
				if !s.hasImplicitHessian() && system == quadratic.SparseRows {
					t.Error("the implicit Hessian was given up for lambda 0")
				}
				best := s.Finish(nil, &Settings{Tol: tol})
				if !(best.Gap <= tol) || !best.Polished || !best.Structure.Holds(best.X) {
					t.Errorf("gap %.2g, polished %v", best.Gap, best.Polished)
				}
			})
		}
	}
}

// TestImplicitDomain checks problems with more than DenseFeatures features that a setSolver cannot solve. Each has
// one of these: bounds, a ball, a simplex, unequal ridges, squares of rows of A, or groups of rows of A. One has a long
// row of A, too. They must be solved without a Hessian matrix.
func TestImplicitDomain(t *testing.T) {
	q := implicitProblem(t, kind{loss: losses[0]}, quadratic.FewRows, 3)
	const p = DenseFeatures + 100
	wide := *q
	n, _ := q.dims()
	rng, data := rand.New(rand.NewPCG(5, 5)), make([]float64, n*p)
	for i := range data {
		data[i] = rng.NormFloat64()
	}
	wide.setData(fromDense(t, n, p, data))
	wide.A, wide.Limit = linalg.New(graph.Chain(p).FusedLasso(), p), slices.Repeat([]float64{q.Limit[0]}, 2*p-1)
	wide.Ridge = make([]float64, p)
	if _, err := New(&wide); !errors.Is(err, ErrNotApplicable) {
		t.Errorf("a problem for working sets: %v", err)
	}
	ridges, squares := slices.Repeat([]float64{0.1}, p), slices.Repeat([]float64{0.1}, 2*p-1)
	ridges[7], squares[7] = 0, 0
	var edgePairs [][]int
	for k := 0; k < 2*p-2; k += 2 {
		edgePairs = append(edgePairs, []int{k, k + 1})
	}
	for name, change := range map[string]func(q *Problem){
		"nonnegative": func(q *Problem) { q.Set = term.Nonnegative{}.Region(p) },
		"ball":        func(q *Problem) { q.Set = term.Ball{Radius: 0.5}.Region(p) },
		"simplex":     func(q *Problem) { q.Set = term.Simplex{Total: 2}.Region(p) },
		"ball alone": func(q *Problem) {
			q.Set, q.A, q.Limit = term.Ball{Radius: 0.5}.Region(p), linalg.New(nil, p), make([]float64, p)
		},
		"ridges":  func(q *Problem) { q.Ridge = ridges },
		"squares": func(q *Problem) { q.Square = squares },
		"differences": func(q *Problem) {
			q.A, q.Limit = linalg.New(graph.Chain(p).Incidence(), p), q.Limit[:p-1]
		},
		"long row": func(q *Problem) {
			ones := fromDense(t, 1, p, slices.Repeat([]float64{1}, p))
			q.A = linalg.New(must(sparse.Stack(ones, graph.Chain(p).FusedLasso())), p)
			q.Ridge, q.Limit = ridges, slices.Repeat([]float64{wide.Limit[0]}, 2*p)
		},
		"groups": func(q *Problem) { q.Groups, q.Set = edgePairs, term.Nonnegative{}.Region(p) },
	} {
		q := wide
		change(&q)
		r := mustNew(t, &q).Finish(nil, &Settings{Tol: 1e-8})
		distance := slices.Clone(r.X)
		if q.Set != nil {
			q.Set.Project(distance)
		}
		kernels.Axpy(-1, r.X, distance)
		if !(r.Gap <= 1e-8) || !(linalg.Norm(distance) <= 1e-13) {
			t.Errorf("%s: gap %g, distance %g from the set", name, r.Gap, linalg.Norm(distance))
		}
	}
}

// TestGroupsBeyondRoom checks a group lasso whose solution has more coefficients than a working set of groups.
func TestGroupsBeyondRoom(t *testing.T) {
	const n, p, size = 40, mostFeatures + 104, 700
	rng := rand.New(rand.NewPCG(8, 8))
	q, data := (kind{loss: losses[0]}).random(n, p, 3), make([]float64, n*p)
	for i := range data {
		data[i] = rng.NormFloat64()
	}
	q.setData(fromDense(t, n, p, data))
	q.A, q.Limit, q.Ridge = linalg.New(nil, p), slices.Repeat([]float64{1e-5}, p), make([]float64, p)
	for first := 0; first < p; first += size {
		var group []int
		for j := first; j < min(first+size, p); j++ {
			group = append(group, j)
		}
		q.Groups = append(q.Groups, group)
	}
	s := mustNew(t, q)
	r := s.Finish(nil, &Settings{Tol: 1e-7})
	if _, isCoupled := s.model.(*coupled); !(r.Gap <= 1e-7) || r.Full || !isCoupled {
		t.Errorf("gap %g, full %v, the model is a %T", r.Gap, r.Full, s.model)
	}
}

// TestImplicitFallback checks two difficult problems. In the first, the columns are nearly proportional. Then the
// conjugate gradient method converges slowly, and the Hessian must be formed after all. In the second, some
// features of the graph have neither data nor singleton rows. Then the preconditioner is singular without its shift.
func TestImplicitFallback(t *testing.T) {
	const n, p = 400, 500
	rng := rand.New(rand.NewPCG(1, 1))
	var entries []sparse.Triplet
	labels := make([]float64, n)
	for i := range n {
		common := 100 * rng.NormFloat64()
		for j := range p {
			if rng.IntN(50) == 0 {
				v := rng.NormFloat64() + common
				entries = append(entries, sparse.Triplet{Row: i, Col: j, Value: v})
				labels[i] += v * float64(j/100-2)
			}
		}
		labels[i] += rng.NormFloat64()
	}
	fused := graph.Chain(p).FusedLasso()
	correlated := penalisedProblem(fromTriplets(t, n, p, entries), labels, term.Squared{}, fused, 1e-5, 0)
	var edges []sparse.Triplet // a chain without the edge from 9 to 10
	for j := range p - 1 {
		if j != 9 {
			row := len(edges) / 2
			edges = append(edges, sparse.Triplet{Row: row, Col: j, Value: 1}, sparse.Triplet{Row: row, Col: j + 1, Value: -1})
		}
	}
	filled := slices.DeleteFunc(entries, func(e sparse.Triplet) bool { return e.Col < 10 })
	for k := range filled {
		filled[k].Value = rng.NormFloat64()
	}
	empty := penalisedProblem(fromTriplets(t, n, p, filled), labels, term.Squared{}, fromTriplets(t, p-2, p, edges), 0.1, 0)
	for k, q := range []*Problem{correlated, empty} {
		s := mustNew(t, q)
		if !s.hasImplicitHessian() {
			t.Fatal("the Hessian is formed")
		}
		tol := 1e-8 * s.Scale()
		if r := s.Finish(nil, &Settings{Tol: tol}); !(r.Gap <= tol) {
			t.Errorf("gap %g of %g after %d steps", r.Gap, tol, r.Iterations)
		}
		if isCorrelated := k == 0; s.hasImplicitHessian() == isCorrelated {
			t.Errorf("problem %d: the Hessian is implicit at the end: %v", k, s.hasImplicitHessian())
		}
	}
}

// TestImplicitBits checks that results do not depend on the kernel level or the number of goroutines.
func TestImplicitBits(t *testing.T) {
	oldLevel := kernels.Active()
	defer func() { _ = kernels.Use(oldLevel) }()
	for _, system := range []quadratic.SystemKind{quadratic.ManyRows, quadratic.FewRows, quadratic.SparseRows} {
		var want *Solution
		for _, level := range kernels.Available() {
			if err := kernels.Use(level); err != nil {
				t.Fatal(err)
			}
			for _, threads := range []int{1, 3} {
				q := implicitProblem(t, kind{loss: losses[0]}, system, 4)
				q.Threads = threads
				got := mustNew(t, q).Finish(nil, &Settings{Tol: 1e-8})
				if want == nil {
					want = got
				}
				if !slices.Equal(got.X, want.X) || !slices.Equal(got.Z, want.Z) || got.Gap != want.Gap {
					t.Errorf("system %d, level %v, %d threads: other bits", system, level, threads)
				}
			}
		}
	}
}

// TestSetsWithoutMatrix checks that a working set has room for more than mostFeatures columns if no matrix is
// formed for it.
func TestSetsWithoutMatrix(t *testing.T) {
	const n, p = 200, mostFeatures + 2000
	rng := rand.New(rand.NewPCG(2, 13))
	var entries []sparse.Triplet
	labels := make([]float64, n)
	for i := range n {
		for j := rng.IntN(20); j < p; j += 1 + rng.IntN(20) {
			entries = append(entries, sparse.Triplet{Row: i, Col: j, Value: rng.NormFloat64()})
		}
		labels[i] = math.Copysign(1, rng.NormFloat64())
	}
	q := penalisedProblem(fromTriplets(t, n, p, entries), labels, losses[0], graph.Chain(p).FusedLasso(), 1e-6, 0.1)
	w := mustSetSolver(t, q)
	if r := w.finish(make([]float64, p), nil, nil, &Settings{Tol: 1e-8}); !(r.Gap <= 1e-8) || w.maxColumns != p {
		t.Errorf("gap %g with sets of up to %d of %d columns", r.Gap, w.maxColumns, p)
	}
}
