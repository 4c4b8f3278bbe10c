package rows

import (
	"testing"

	"github.com/scas-admm/scas/solver/internal/term"
)

func TestSeparates(t *testing.T) {
	for _, c := range []struct {
		changes, labels, weights []float64
		want                     bool
	}{
		{[]float64{1, 0, -1}, []float64{1, 1, -1}, nil, true},
		{[]float64{0, 0}, []float64{1, -1}, nil, false},
		{[]float64{1, 2}, []float64{1, -1}, nil, false},
		{[]float64{1, 2}, []float64{1, -1}, []float64{1, 0}, true},
	} {
		if got := (*Team)(nil).Separates(term.Logistic{}, c.changes, c.labels, c.weights); got != c.want {
			t.Errorf("margins %v of labels %v with weights %v: %v", c.changes, c.labels, c.weights, got)
		}
	}
}
