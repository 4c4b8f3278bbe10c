package solver_test

import (
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/scas-admm/scas/solver"
	"github.com/scas-admm/scas/sparse"
)

// TestGapOfInterpolation checks gaps of problems whose solution fits the labels exactly. The optimum is then
// 0, and the gap must not be below the objective at the result, computed with 1,000 bits.
func TestGapOfInterpolation(t *testing.T) {
	const n, p = 6, 4
	toBig := func(v float64) *big.Float { return new(big.Float).SetPrec(1000).SetFloat64(v) }
	for seed := range uint64(40) {
		rng := rand.New(rand.NewPCG(seed, 5))
		dense, labels, a := make([]float64, n*p), make([]float64, n), []float64{1, 0, 0, 0}
		for i := range labels {
			for j := 1; j < p; j++ {
				dense[i*p+j] = float64(1+rng.IntN(9)) / 8
				labels[i] += dense[i*p+j] * float64(j) / 4
			}
		}
		dense[0] = 1
		x, err := sparse.FromDense(n, p, dense)
		if err != nil {
			t.Fatal(err)
		}
		m, err := sparse.FromDense(1, p, a)
		if err != nil {
			t.Fatal(err)
		}
		for k, q := range []*solver.Problem{
			{Penalty: solver.L1{Lambda: 0.1, Weights: a}},
			{Penalty: solver.L1{Lambda: 0.1}, Constraint: m},
		} {
			q.Data, q.Labels, q.Loss = x, labels, solver.Squared{}
			res, err := solver.Minimize(t.Context(), q, &solver.Settings{RelTol: 1e-12})
			if err != nil {
				t.Errorf("seed %d, problem %d: %v", seed, k, err)
				continue
			}
			objective := toBig(0)
			for i, b := range labels {
				r := toBig(b)
				for j, v := range dense[i*p : (i+1)*p] {
					r.Sub(r, new(big.Float).Mul(toBig(v), toBig(res.X[j])))
				}
				objective.Add(objective, r.Mul(r, r))
			}
			objective.Quo(objective, toBig(n))
			objective.Add(objective, new(big.Float).Mul(toBig(0.1), new(big.Float).Abs(toBig(res.X[0]))))
			if objective.Cmp(toBig(res.DualityGap)) > 0 {
				t.Errorf("seed %d, problem %d: a gap of %.3g, and the objective is %.3g", seed, k, res.DualityGap, objective)
			}
		}
	}
}
