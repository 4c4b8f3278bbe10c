package admm

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/scas-admm/scas/kernels"
	"github.com/scas-admm/scas/solver/internal/linalg"
	"github.com/scas-admm/scas/solver/internal/term"
	"github.com/scas-admm/scas/sparse"
)

// BenchmarkDiagonal measures the plans for a diagonal matrix K (see Plan). One operation is a round of
// 512 steps.
func BenchmarkDiagonal(b *testing.B) {
	for _, shape := range []struct{ features, nonzeros int }{
		{54, 12}, {123, 14}, {300, 14}, {600, 14}, {4932, 430}, {47236, 75},
	} {
		s, err := sparse.NewSynthetic(sparse.SyntheticOptions{
			Rows: 4000, Features: shape.features, NonzerosPerRow: shape.nonzeros, Noise: 1, Seed: 4,
		})
		if err != nil {
			b.Fatal(err)
		}
		l := &InnerLoop{
			Data: s.X, Rows: s.X.Compact(false), Labels: s.Labels, Slope0: make([]float64, 4000),
			Loss: term.Logistic{},
			A:    linalg.New(nil, shape.features), Rho: 1e-3, Samples: 4000, RoundSamples: 512,
		}
		l.scratch = kernels.NewScratch(l.Rows)
		newPlanBase := func() diagonalBase { return newDiagonalBase(l, l.diagonalOfK()) }
		x, sum := make([]float64, shape.features), make([]float64, shape.features)
		rng, rows := rand.New(rand.NewPCG(1, 2)), make([]int32, 512)
		for k := range rows {
			rows[k] = rng.Int32N(4000)
		}
		for _, plan := range []Plan{
			newLazy(newPlanBase()), newDecay(newPlanBase()),
			&elementPlan{diagonalBase: newPlanBase(), h: make([]float64, shape.features)},
		} {
			b.Run(fmt.Sprintf("p=%d/nnz=%d/%s", shape.features, shape.nonzeros, plan.Name()), func(b *testing.B) {
				for b.Loop() {
					plan.Begin(x, x, 0.5)
					plan.Advance(rows)
					plan.End(sum, nil)
				}
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/512, "ns/step")
			})
		}
	}
}
