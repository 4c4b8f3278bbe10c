package admm

import (
	"math"
	"testing"
)

// TestSampler checks that rows are drawn in proportion to their weights, and that a row
// of weight zero is never drawn.
func TestSampler(t *testing.T) {
	for _, weights := range [][]float64{nil, {1, 1, 1}, {0, 1, 3, 0, 6}, {1e-9, 5}, {0, 0, 2}} {
		n, totalWeight := len(weights), 0.0
		if weights == nil {
			n = 4
		}
		for _, v := range weights {
			totalWeight += v
		}
		s := NewSampler(7, n, weights)
		const draws = 200000
		rows, counts := make([]int32, draws), make([]float64, n)
		s.Draw(rows)
		for _, i := range rows {
			counts[i]++
		}
		for i, c := range counts {
			p := 1 / float64(n)
			if weights != nil {
				p = weights[i] / totalWeight
			}
			if sd := math.Sqrt(draws * p * (1 - p)); math.Abs(c-draws*p) > 5*sd+1e-9 {
				t.Errorf("weights %v: row %d drawn %v times, want %v ± %v", weights, i, c, draws*p, sd)
			}
		}
	}
}
