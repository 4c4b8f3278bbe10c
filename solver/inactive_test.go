package solver_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/scas-admm/scas/solver"
	"github.com/scas-admm/scas/solver/internal/solvertest"
	"github.com/scas-admm/scas/sparse"
	"github.com/scas-admm/scas/sparse/graph"
)

// sparseChain returns a random problem with the fused lasso of a chain, and a random penalty weight for each
// row of A.
func sparseChain(t testing.TB, seed uint64, loss solver.Loss) *solver.Problem {
	t.Helper()
	const n, p, entries = 60, 60, 2
	rng := rand.New(rand.NewPCG(seed, 5))
	triplets, labels := []sparse.Triplet(nil), make([]float64, n)
	for i := range n {
		margin := rng.NormFloat64()
		for _, j := range rng.Perm(p)[:entries] {
			triplets = append(triplets, sparse.Triplet{Row: i, Col: j, Value: 1})
			margin += 2 * float64(j/5%3-1)
		}
		labels[i] = math.Copysign(1, margin)
	}
	x, err := sparse.FromTriplets(n, p, triplets)
	if err != nil {
		t.Fatal(err)
	}
	weights := make([]float64, 2*p-1)
	for j := range weights {
		weights[j] = 0.5 + rng.Float64()
	}
	return &solver.Problem{
		Data: x, Labels: labels, Loss: loss, Constraint: graph.Chain(p).FusedLasso(),
		Penalty: solver.L1{Lambda: 0.004, Weights: weights},
	}
}

// mirroredProblem returns p as a problem in v, where x_j = sign_j v_j and each sign_j is 1 or −1.
func mirroredProblem(t testing.TB, p *solver.Problem, signs []float64) *solver.Problem {
	t.Helper()
	q := *p
	var err error
	q.Data, err = p.Data.ScaleColumns(signs)
	if err != nil {
		t.Fatal(err)
	}
	q.Constraint, err = p.Constraint.(*sparse.CSR).ScaleColumns(signs)
	if err != nil {
		t.Fatal(err)
	}
	return &q
}

// TestInactiveSet checks problems whose solution does not change if a domain is added. With the domain, the
// result must have the same zeros and ties as without it, and a valid gap.
func TestInactiveSet(t *testing.T) {
	for _, loss := range solvertest.Losses(0.5, -1, 1) {
		for _, net := range []bool{false, true} {
			for _, domain := range []string{"box", "nonnegative"} {
				for seed := range uint64(3) {
					t.Run(fmt.Sprintf("%T/net %v/%s/%d", loss, net, domain, seed), func(t *testing.T) {
						p := sparseChain(t, seed, loss)
						if l1 := p.Penalty.(solver.L1); net {
							p.Penalty = solver.ElasticNet{L1: l1.Lambda, L2: 0.002, Weights: l1.Weights}
						}
						want := solvertest.Minimize(t, p, &solver.Settings{RelTol: 1e-12})
						q := *p
						if domain == "nonnegative" {
							signs := make([]float64, len(want.X))
							for j, v := range want.X {
								signs[j] = math.Copysign(1, v)
							}
							p = mirroredProblem(t, p, signs)
							want = solvertest.Minimize(t, p, &solver.Settings{RelTol: 1e-12})
							q = *p
							q.Domain = solver.Nonnegative{}
						} else {
							q.Domain = solver.NewBox(len(want.X), -10, 10)
						}
						checkStructure(t, solvertest.Minimize(t, &q, &solver.Settings{RelTol: 1e-10}), want,
							q.Constraint.(*sparse.CSR))
						defaultRun := solvertest.Minimize(t, &q, nil)
						if excess := defaultRun.At.Objective - want.At.Objective; defaultRun.Status != solver.Converged || !defaultRun.Stats.Rounded || excess > defaultRun.DualityGap {
							t.Errorf("by default %s, structure %v, %.1e above the optimum, proved %.1e",
								defaultRun.Status, defaultRun.Stats.Rounded, excess, defaultRun.DualityGap)
						}
					})
				}
			}
		}
	}
}

// TestScaledColumns multiplies columns, and the weights of their penalty, by 1e-8 and by 1e8, and adds a box
// that contains the solution. The zeros must stay the same.
func TestScaledColumns(t *testing.T) {
	for _, loss := range solvertest.Losses(0.5, -1, 1) {
		for seed := range uint64(4) {
			t.Run(fmt.Sprintf("%T/%d", loss, seed), func(t *testing.T) {
				p := sparseChain(t, seed, loss)
				weights := p.Penalty.(solver.L1).Weights
				_, features := p.Data.Dims()
				units, scaledWeights, box := make([]float64, features), make([]float64, features),
					solver.NewBox(features, -10, 10)
				for j := range units {
					units[j] = []float64{1e-8, 1, 1e8}[j%3]
					scaledWeights[j] = units[j] * weights[j]
					box.Lower[j] /= units[j]
					box.Upper[j] /= units[j]
				}
				p.Constraint, p.Penalty = nil, solver.L1{Lambda: 0.01, Weights: weights[:features]}
				want := solvertest.Minimize(t, p, &solver.Settings{RelTol: 1e-12})
				var err error
				p.Data, err = p.Data.ScaleColumns(units)
				if err != nil {
					t.Fatal(err)
				}
				p.Penalty, p.Domain = solver.L1{Lambda: 0.01, Weights: scaledWeights}, box
				checkStructure(t, solvertest.Minimize(t, p, &solver.Settings{RelTol: 1e-10}), want, sparse.Identity(features))
			})
		}
	}
}

// TestScaledTies checks the zeros and ties of a fused lasso on a chain, with the columns of the data
// multiplied by 1e-8, 1 or 1e8. Adding the domain x ≥ 0, which contains the solution, must not change the
// zeros and ties.
func TestScaledTies(t *testing.T) {
	for _, loss := range []solver.Loss{solver.Logistic{}, solver.Squared{}} {
		for _, seed := range []uint64{0, 2, 3, 5} {
			t.Run(fmt.Sprintf("%T/%d", loss, seed), func(t *testing.T) {
				p := sparseChain(t, seed, loss)
				_, features := p.Data.Dims()
				units, signs := make([]float64, features), make([]float64, features)
				for j := range units {
					units[j] = []float64{1e-8, 1, 1e8}[j%3]
				}
				var err error
				p.Data, err = p.Data.ScaleColumns(units)
				if err != nil {
					t.Fatal(err)
				}
				for j, v := range solvertest.Minimize(t, p, &solver.Settings{RelTol: 1e-12}).X {
					signs[j] = math.Copysign(1, v)
				}
				p = mirroredProblem(t, p, signs)
				want := solvertest.Minimize(t, p, &solver.Settings{RelTol: 1e-12})
				p.Domain = solver.Nonnegative{}
				checkStructure(t, solvertest.Minimize(t, p, &solver.Settings{RelTol: 1e-10}), want, p.Constraint.(*sparse.CSR))
			})
		}
	}
}

// checkStructure checks that A x has the same zeros for the solutions res and want, and that there is a zero.
// res must have converged, with exact zeros and ties and a valid gap.
func checkStructure(t *testing.T, res, want *solver.Result, a *sparse.CSR) {
	t.Helper()
	if excess := res.At.Objective - want.At.Objective; res.Status != solver.Converged || !res.Stats.Rounded ||
		excess > res.DualityGap || excess < -want.DualityGap {
		t.Errorf("%s, structure %v, %.1e above the optimum, proved %.1e", res.Status, res.Stats.Rounded, excess, res.DualityGap)
	}
	l, _ := a.Dims()
	got, v := make([]float64, l), make([]float64, l)
	a.MulVec(got, res.X)
	a.MulVec(v, want.X)
	zeroCount := 0
	for j, u := range v {
		if u == 0 {
			zeroCount++
		}
		if (u == 0) != (got[j] == 0) {
			t.Errorf("row %d of A x is %g, without the domain %g", j, got[j], u)
		}
	}
	if zeroCount == 0 {
		t.Error("the solution has no zeros")
	}
}
