package newton

import (
	"math"

	"github.com/scas-admm/scas/solver/internal/gap"
	"github.com/scas-admm/scas/solver/internal/quad"
)

// A dual is a dual point, feasible up to rounding and scale, and what it proves.
type dual struct {
	alpha []float64 // n
	z     []float64 // rows of the penalty
	scale float64   // of the feasible point that proves the gap,
	exact []float64 // and its z
	goal  float64   // of the gap: it is proved with more care if that may reach the goal
	gap   float64   // at the point where it was last evaluated; 0 if never
}

func (f *Finisher) newDual() *dual {
	return &dual{alpha: make([]float64, f.n), z: make([]float64, f.rows.Len())}
}

// pose makes the problem of bounds.
func (f *Finisher) pose() {
	q := &gap.Problem{Rows: f.rows.Rows, Ridge: make([]float64, f.p), Set: f.Domain, Columns: f.columns}
	for j := range q.Ridge {
		q.Ridge[j] = f.Ridge
	}
	if f.apart != nil {
		q.Settled = f.apart.Columns
	}
	q.Prepare()
	f.bounds = &gap.Memory{Problem: q, Sums: f.Sums, Team: f.Team, Data: f.Data, Sparse: f.Rows, Loss: f.Loss, Labels: f.Labels}
}

// Dependent reports whether features without a penalised row were found to depend on each
// other, or nearly so: then no gap is proved.
func (f *Finisher) Dependent() bool { return f.bounds.Dependent }

// admit makes d, of which alpha and z are given, dual feasible, and returns the gap that it
// proves of the point, +Inf if it cannot be made feasible.
func (f *Finisher) admit(d *dual, pt *point, goal float64) float64 {
	d.gap, d.goal, d.exact = math.Inf(1), goal, nil
	shrink, ok := f.intoDomain(d.alpha)
	if !ok {
		return d.gap
	}
	if shrink < 1 {
		quad.Scale(d.alpha, shrink)
		quad.Scale(d.z, shrink)
	}
	return f.evaluate(d, pt)
}

// evaluate returns the gap that d proves of the point, and keeps it.
func (f *Finisher) evaluate(d *dual, pt *point) float64 {
	b := f.bounds.Prove(pt.known(), d.alpha, d.z, f.head, nil, d.goal)
	d.gap, d.scale, d.exact = b.Gap, b.Shrink, b.Z
	return d.gap
}

// feasible returns the feasible point that proves what d does, the second over all rows of A;
// where it proves nothing, d as it is.
func (f *Finisher) feasible(d *dual) (alpha, z []float64) {
	if d.exact == nil {
		return d.alpha, f.rows.Expand(d.z)
	}
	alpha = append([]float64(nil), d.alpha...)
	quad.Scale(alpha, d.scale)
	return alpha, f.rows.Expand(d.exact)
}

// known returns the point for a bound.
func (pt *point) known() *gap.Point {
	return &gap.Point{X: pt.x, Margin: pt.margin, Slope: pt.slope, Loss: pt.loss}
}

// intoDomain clips alpha into the domain of φ* if z can make up for it; else it returns the
// factor that brings alpha there, if there is one.
func (f *Finisher) intoDomain(alpha []float64) (shrink float64, ok bool) {
	shrink = f.Least(func(lo, hi int) float64 { return f.partIntoDomain(alpha, lo, hi) })
	return shrink, shrink >= 0
}

// partIntoDomain is intoDomain for the samples lo to hi−1; −1 says that there is no factor.
func (f *Finisher) partIntoDomain(alpha []float64, low, high int) (shrink float64) {
	shrink = 1
	clip := f.clips()
	for i := low; i < high; i++ {
		a := alpha[i]
		lo, hi := f.Loss.SlopeRange(f.Labels[i])
		switch {
		case f.apart != nil && f.apart.Samples[i]:
			alpha[i] = 0
		case a >= lo && a <= hi:
		case math.IsNaN(a):
			return -1
		case clip || f.Coef[i] == 0:
			alpha[i] = math.Max(lo, math.Min(a, hi))
		case a > hi && hi > 0:
			shrink = math.Min(shrink, hi/a)
		case a < lo && lo < 0:
			shrink = math.Min(shrink, lo/a)
		default:
			return -1
		}
	}
	return shrink
}

// clips reports whether any α in the domain can be made feasible by z, or needs not be.
func (f *Finisher) clips() bool {
	return f.Ridge > 0 || f.held || f.Domain != nil && f.Domain.Bounded()
}
