package term

import (
	"math"
	"testing"
)

// TestSetClassProbabilities checks SetClassProbabilities and ClassLogLoss, also for very small and very large
// margins.
func TestSetClassProbabilities(t *testing.T) {
	for _, c := range []struct{ margins, want []float64 }{
		{[]float64{0, 0, 0, 0}, []float64{0.25, 0.25, 0.25, 0.25}},
		{[]float64{-800, -800 + math.Log(3), -900}, []float64{0.25, 0.75, 0.25 * math.Exp(-100)}},
		{[]float64{-1e300, -2e300}, []float64{1, 0}},
		{[]float64{-669, -670}, []float64{math.E / (1 + math.E), 1 / (1 + math.E)}}, // the formula changes at about −668
		{[]float64{-667, -668}, []float64{math.E / (1 + math.E), 1 / (1 + math.E)}},
		{[]float64{900, 900, -900}, []float64{0.5, 0.5, 0}},
	} {
		p := make([]float64, len(c.margins))
		SetClassProbabilities(Logistic{}, p, c.margins)
		for k, v := range p {
			if !(math.Abs(v-c.want[k]) <= 1e-12*c.want[k]+1e-300) {
				t.Errorf("%v: %v, want %v", c.margins, p, c.want)
				break
			}
			if c.want[k] > 0 {
				if off := ClassLogLoss(Logistic{}, c.margins, k) + math.Log(v); !(math.Abs(off) < 1e-11*math.Max(1, -math.Log(v))) {
					t.Errorf("%v: log loss of class %d is %v, -log p %v",
						c.margins, k, ClassLogLoss(Logistic{}, c.margins, k), -math.Log(v))
				}
			}
		}
	}
}
