package solver_test

import (
	"fmt"
	"testing"

	"github.com/scas-admm/scas/solver"
	"github.com/scas-admm/scas/sparse"
	"github.com/scas-admm/scas/sparse/graph"
)

// BenchmarkEmptyColumns measures the time of an inner step for 8,000 columns with entries and 0, 8,000 or
// 24,000 empty columns. The time should be the same.
func BenchmarkEmptyColumns(b *testing.B) {
	const rows, features, nonzeros = 4000, 8000, 40
	s, err := sparse.NewSynthetic(sparse.SyntheticOptions{Rows: rows, Features: features, NonzerosPerRow: nonzeros, Seed: 1})
	if err != nil {
		b.Fatal(err)
	}
	for _, coupled := range []bool{false, true} {
		for _, times := range []int{1, 2, 4} {
			p := features * times
			source := s.X.Rows(0, rows)
			x, err := sparse.New(rows, p, source.Ptr, source.Idx, source.Val)
			if err != nil {
				b.Fatal(err)
			}
			prob := &solver.Problem{Data: x, Labels: s.Labels, Penalty: solver.L1{Lambda: 1e-3}}
			if coupled {
				var pairs [][2]int32
				for j := int32(0); j+1 < int32(p); j += 16 {
					pairs = append(pairs, [2]int32{j, j + 1})
				}
				g, err := graph.FromPairs(p, pairs)
				if err != nil {
					b.Fatal(err)
				}
				prob.Constraint = g.FusedLasso()
			}
			advance := solver.InnerStepper(b, prob)
			b.Run(fmt.Sprintf("coupled=%v/p=%d", coupled, p), func(b *testing.B) {
				for b.Loop() {
					advance()
				}
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*solver.StepsPerCall), "ns/step")
			})
		}
	}
}
