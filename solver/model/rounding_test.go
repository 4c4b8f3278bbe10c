package model

import (
	"math/big"
	"testing"

	"github.com/scas-admm/scas/solver"
	"github.com/scas-admm/scas/sparse"
)

// TestGapOfRoundedMargins checks that the objective minus the gap is at most the optimum, in exact
// arithmetic, for problems with one row in which rounding matters: of the label minus the offset in the first
// case, of the margin in the second. The objective of the default fit is an upper bound of the optimum.
func TestGapOfRoundedMargins(t *testing.T) {
	for name, c := range map[string]struct {
		row           []float64
		label, offset float64
		spec          Spec
	}{
		"label minus offset": {
			[]float64{1.8511758593825043}, -0.9162722121451243, 1000,
			Spec{NoIntercept: true, PenaltyFactors: []float64{0}},
		},
		"margin": {
			[]float64{1.0561917365605428e12, -1.15046102583674e11, 0.36027494091589163},
			1.7821051814858578e14, 0, Spec{Lambda: 2.8409702963922467e-07},
		},
	} {
		features := []int32{0, 1, 2}[:len(c.row)]
		x, err := sparse.New(1, len(c.row), []int64{0, int64(len(c.row))}, features, c.row)
		if err != nil {
			t.Fatal(err)
		}
		spec := c.spec
		spec.Loss, spec.Standardize, spec.Offsets = solver.Squared{}, StandardizeOff, []float64{c.offset}
		// objective returns the exact objective of a column.
		objective := func(m *Column) *big.Float {
			number := func(v float64) *big.Float { return new(big.Float).SetPrec(400).SetFloat64(v) }
			residual, penalty := number(m.Intercept), number(0)
			residual.Add(residual, number(c.offset)).Sub(residual, number(c.label))
			for j, v := range m.Coefficients {
				residual.Add(residual, number(0).Mul(number(c.row[j]), number(v)))
				size := number(0).Abs(number(v))
				penalty.Add(penalty, size.Mul(size, number(spec.Lambda)))
			}
			return penalty.Add(penalty, residual.Mul(residual, residual))
		}
		optimum := objective(&mustFit(t, &spec, x, []float64{c.label}).Columns[0])
		spec.Method, spec.Passes = solver.SCASK{}, 30
		for _, spec.RelTol = range []float64{1e-4, 1e-6, 1e-8, 1e-10} {
			m := &mustFit(t, &spec, x, []float64{c.label}).Columns[0]
			lowest := objective(m)
			lowest.Sub(lowest, new(big.Float).SetFloat64(m.Certificate.Gap))
			if lowest.Cmp(optimum) > 0 {
				t.Errorf("%s, RelTol %g: objective minus gap is %g, optimum at most %g", name, spec.RelTol, lowest, optimum)
			}
		}
	}
}
