package newton

import (
	"math"

	"github.com/scas-admm/scas/solver/internal/ending"
	"github.com/scas-admm/scas/solver/internal/pass"
	"github.com/scas-admm/scas/solver/internal/term"
)

// ending returns why a method ended with r, whose other fields are set.
func (f *Finisher) ending(r *Result, tol float64, full, spent bool) ending.Why {
	return ending.Of(r.Err, r.Gap, tol, full, func() bool { return f.separable(r.X) }, spent)
}

// separable reports whether the losses fall without end along the part of x that neither
// penalty nor domain holds.
func (f *Finisher) separable(x []float64) bool {
	box, ok := f.domain().Box()
	if f.Ridge > 0 || f.rows.AllOwn() || !ok {
		return false
	}
	d, along := make([]float64, f.p), make([]float64, f.n)
	for j, v := range x {
		end := box.Upper[j]
		if v < 0 {
			end = box.Lower[j]
		}
		if math.IsInf(end, 0) && !f.rows.Touches(j) {
			d[j] = v
		}
	}
	f.margins(along, d)
	return Falls(f.Team, f.Loss, along, f.Labels, f.Coef)
}

// Falls reports whether along a direction, in which margins change by along, the loss of
// no sample with a coefficient rises, however far, and that of one never stops falling.
func Falls(t *pass.Team, l term.Loss, along, labels, coef []float64) bool {
	return l.Traits().NeverZero && t.Separates(l, along, labels, coef)
}
