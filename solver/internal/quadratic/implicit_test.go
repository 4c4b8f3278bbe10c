package quadratic

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/scas-admm/scas/kernels"
	"github.com/scas-admm/scas/solver/internal/linalg"
	"github.com/scas-admm/scas/solver/internal/term"
	"github.com/scas-admm/scas/sparse"
)

// makeImplicit gives q an Implicit in place of the matrix H. The Hessian becomes X'CX plus a ridge, for a random
// sparse X with the given number of rows. The result has the same Hessian as a matrix.
func makeImplicit(t *testing.T, rng *rand.Rand, q *Coupled, rows int, ridge float64, kind SystemKind) (formed *Coupled) {
	t.Helper()
	order := q.Order
	xt := make([]float64, order*rows)
	for i := range xt {
		if rng.IntN(4) == 0 {
			xt[i] = rng.NormFloat64()
		}
	}
	m, err := sparse.FromDense(order, rows, xt)
	if err != nil {
		t.Fatal(err)
	}
	h := &Columns{XT: m.Compact(false), Cols: make([]int32, order), Weights: make([]float64, rows)}
	for j := range h.Cols {
		h.Cols[j] = int32(j)
	}
	for i := range h.Weights {
		h.Weights[i] = rng.ExpFloat64()
	}
	h.Weights[0] = 0
	ridges := make([]float64, order)
	for j := range ridges {
		ridges[j] = ridge
	}
	h.Prepare(ridges)
	copied := *q
	formed = &copied
	formed.H = make([]float64, order*order)
	for j := range order {
		h.Column(formed.H[j*order:(j+1)*order], j)
	}
	// The gradient is in the range of the Hessian, so that there is a minimum.
	v := make([]float64, order)
	for j := range v {
		v[j] = rng.NormFloat64()
	}
	h.multiply(q.Gradient, v)
	a, _ := WithoutLongRows(q.Penalty.M, order/2)
	if kind == SparseRows {
		if a, err = sparse.Stack(a, m.Transpose()); err != nil {
			t.Fatal(err)
		}
	}
	q.H, q.Implicit = nil, NewImplicit(kind, h, q.Penalty, linalg.NewSparseCholesky(a, order, math.Inf(1)))
	return formed
}

// TestImplicit checks that an implicit Hessian leads to the same solution, zeros and ties as the matrix. It tries each
// preconditioner, with more rows of X than columns and with fewer. It also tries several matrices A, one of them with
// long rows. Each combination is solved with a ridge, with squares, with groups, in a box with a fixed coordinate, in a
// ball, and in a simplex.
func TestImplicit(t *testing.T) {
	const order = 40
	box := term.NewBox(order, 0, math.Inf(1))
	box.Upper[3], box.Upper[7] = 0, 0.01
	variants := []struct {
		name    string
		ridge   float64
		squares bool
		groups  bool
		domain  term.Set
	}{
		{name: "plain"}, {name: "ridge", ridge: 0.1}, {name: "squares", squares: true}, {name: "groups", groups: true},
		{name: "box", domain: box}, {name: "box and ridge", ridge: 0.1, domain: box},
		{name: "box and groups", groups: true, domain: box}, {name: "ball", domain: term.Ball{Radius: 0.3}},
		{name: "large ball", domain: term.Ball{Radius: 300}}, {name: "simplex", domain: term.Simplex{Total: 2}},
		{name: "simplex and squares", squares: true, domain: term.Simplex{Total: 2}},
	}
	for _, a := range []string{"chain and identity", "chain", "second differences", "long rows and identity"} {
		for _, rows := range []int{15, 80} {
			for _, kind := range []SystemKind{ManyRows, FewRows, SparseRows} {
				for _, v := range variants {
					name := fmt.Sprintf("%s, %d rows, kind %d, %s", a, rows, kind, v.name)
					rng := rand.New(rand.NewPCG(uint64(rows), 8))
					matrix, groups := matrixOf(t, a, order), [][]int(nil)
					if l, _ := matrix.Dims(); v.groups {
						for k := 0; k < l; k += 2 {
							groups = append(groups, []int{k, min(k+1, l-1)}[:min(2, l-k)])
						}
					}
					q := randomCoupled(t, rng, order, 1, matrix, groups, v.domain)
					formed := makeImplicit(t, rng, q, rows, v.ridge, kind)
					if v.squares {
						for range q.Penalty.Len() {
							q.Implicit.Square = append(q.Implicit.Square, max(0, rng.NormFloat64()))
						}
						AddGram(formed.H, formed.Penalty.M, q.Implicit.Square)
					}
					set := &CoupledSettings{Gap: 1e-10, StartTau: 0.1}
					if !q.Solve(set) || !formed.Solve(set) {
						t.Fatalf("%s: not solved", name)
					}
					partition, ok := q.MakeExact(1e-8, make([]float64, order))
					wanted, wantedOK := formed.MakeExact(1e-8, make([]float64, order))
					if !(math.Abs(q.Value()-formed.Value()) <= 1e-9) || ok != wantedOK || partition.GroupCount != wanted.GroupCount {
						t.Errorf("%s: value %v, want %v; exact %v, want %v; %d groups, want %d", name,
							q.Value(), formed.Value(), ok, wantedOK, partition.GroupCount, wanted.GroupCount)
					}
					r := make([]float64, order)
					q.multiply(r, q.Move)
					kernels.Axpy(1, q.Gradient, r)
					q.Penalty.AddTrans(r, q.Z)
					for j, residual := range r {
						if v.domain == nil && !(math.Abs(residual) <= 1e-7) {
							t.Errorf("%s: residual %g at coordinate %d", name, residual, j)
						}
					}
				}
			}
		}
	}
}

// TestResidual checks that the multipliers are as accurate as CoupledSettings.Residual asks for, and that less accurate
// ones need fewer iterations.
func TestResidual(t *testing.T) {
	const order = 200
	var iterations []float64
	for _, part := range []float64{0, 1e-6, 1e-3} {
		rng := rand.New(rand.NewPCG(2, 8))
		q := randomCoupled(t, rng, order, 1, matrixOf(t, "chain and identity", order), nil, nil)
		makeImplicit(t, rng, q, 300, 0, ManyRows)
		if !q.Solve(&CoupledSettings{Gap: 1e-8, StartTau: 0.1, Residual: part}) {
			t.Fatalf("residual %g: not solved", part)
		}
		iterations = append(iterations, q.Implicit.iterations)
		residual, capacity := make([]float64, order), make([]float64, order)
		q.multiply(residual, q.Move)
		kernels.Axpy(1, q.Gradient, residual)
		q.Penalty.AddTrans(residual, q.Z)
		for k, limit := range q.Penalty.Limit {
			q.Penalty.EachEntry(int32(k), func(j int32, v float64) { capacity[j] += limit * math.Abs(v) })
		}
		for j, v := range residual {
			if !(math.Abs(v) <= max(1.001*part, 1e-8)*capacity[j]) {
				t.Errorf("residual %g: %g at coordinate %d, capacity %g", part, v, j, capacity[j])
			}
		}
	}
	if !(iterations[0] > iterations[1] && iterations[1] > iterations[2]) {
		t.Errorf("%v iterations", iterations)
	}
}
