package gap_test

import (
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/scas-admm/scas/solver/internal/exact"
	"github.com/scas-admm/scas/solver/internal/gap"
	"github.com/scas-admm/scas/solver/internal/linalg"
	"github.com/scas-admm/scas/solver/internal/term"
	"github.com/scas-admm/scas/sparse"
)

// TestScreen compares the estimates of Screen with X'Cα in exact arithmetic, for dual points near a straight
// line and for one far from it.
func TestScreen(t *testing.T) {
	const n, p = 60, 80
	d, err := sparse.NewSynthetic(sparse.SyntheticOptions{Rows: n, Features: p, NonzerosPerRow: 20, Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	m := testProblemOf(&exact.Problem{
		Data: d.X, Rows: d.X.Compact(false), Labels: d.Labels, Loss: term.Logistic{}, A: linalg.New(nil, p),
		Limit: slices.Repeat([]float64{0.3}, p), Ridge: make([]float64, p),
	})
	columns, rng := d.X.Transpose(), rand.New(rand.NewPCG(1, 1))
	start, direction, x := make([]float64, n), make([]float64, n), make([]float64, p)
	for i := range n {
		start[i], direction[i] = rng.NormFloat64(), rng.NormFloat64()
	}
	x[7] = 1
	head, errors := make([]float64, p), make([]float64, p)
	var references gap.References
	for k := range 6 {
		alpha := slices.Clone(start)
		for i := range alpha {
			alpha[i] += 0.1*float64(k)*direction[i] + 1e-3*float64(k*k)*rng.NormFloat64()
			switch k {
			case 1: // a multiple of the reference, so that only rounding errors remain
				alpha[i] = start[i] / 3
			case 5: // far from the references
				alpha[i] = rng.NormFloat64()
			}
		}
		needed := m.Screen(references, head, errors, alpha, x)
		if good := len(needed) < p/2; good != (1 <= k && k < 5) || !slices.Contains(needed, 7) {
			t.Errorf("dual point %d: %d features are needed: %v", k, len(needed), needed)
		}
		for j := range p {
			difference := big.NewFloat(-head[j]).SetPrec(300)
			idx, val := columns.Row(j)
			for e, i := range idx {
				term := big.NewFloat(val[e]).SetPrec(300)
				term.Mul(term, big.NewFloat(alpha[i]))
				difference.Add(difference, term.Mul(term, big.NewFloat(m.Sums.MeanWeights[i])))
			}
			if v, _ := difference.Float64(); math.Abs(v) > errors[j] {
				t.Errorf("dual point %d, feature %d: the error is %g, bound %g", k, j, v, errors[j])
			}
			if size := math.Abs(head[j]) + errors[j]; size > 0.9*0.3 && !slices.Contains(needed, int32(j)) {
				t.Errorf("dual point %d: feature %d may have %g, but is not needed", k, j, size)
			}
		}
		m.Sums.MulTrans(head, m.rows, alpha)
		m.AddReference(&references, alpha, head)
	}
}
