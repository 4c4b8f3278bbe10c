package newton

import (
	"math"

	"github.com/scas-admm/scas/solver/internal/quad"
)

// A metric is the diagonal matrices of a Newton matrix X'C diag(curve) X + mu I +
// A' diag(h) A.
type metric struct {
	curve []float64 // n
	h     []float64 // rows of the penalty
	// Of the domain's barrier, on the diagonal; nil without one.
	domain []float64
}

// admit makes d, of which alpha and z are given, dual feasible, and evaluates it at
// the point; m is what f.system was factored with. Rounding errors are bounded the
// cheap way if that costs the bound no more than goal. The gap is +Inf if the point
// cannot be made feasible.
func (f *Finisher) admit(d *dual, pt *point, m metric, goal float64) float64 {
	if !f.Absolute() {
		return f.admitTerms(d, pt, m, goal)
	}
	shrink, ok := f.start(d)
	if !ok {
		return d.gap
	}
	if f.Ridge > 0 {
		return f.admitRidge(d, pt, goal)
	}
	f.clearOwn(d.z)
	// Scaling costs at most its part of P, and where φ* ends no less than that.
	fits, rounded := 1.0, 0.0
	if !f.coarse(d.alpha, pt.value, goal) {
		fits, rounded = f.close(d, m, false)
	}
	if (fits-rounded)*pt.value > goal || d.drift > 0 {
		f.clearOwn(d.z)
		_, rounded = f.close(d, m, true)
	}
	if d.drift > 0 && (math.IsInf(d.drift, 1) || f.free == nil && !f.stays(d, m)) {
		return d.gap
	}
	if shrink = math.Min(shrink, rounded); shrink < 1 {
		shrink *= 1 - 4*unit
		quad.Scale(d.alpha, shrink)
		quad.Scale(d.z, shrink)
	}
	return f.evaluate(d, pt)
}

// coarse reports whether the cheap bound of rounding errors is too large for the goal,
// whatever it is of: at a row that is a feature's own, where z is near its limit.
func (f *Finisher) coarse(alpha []float64, value, goal float64) bool {
	total, least := f.size(alpha), math.Inf(1)
	for j, row := range f.rows.own {
		if row >= 0 && f.columns[j] > 0 {
			least = math.Min(least, f.rows.limit[row]*math.Abs(f.rows.entry[j])/f.columns[j])
		}
	}
	return float64(float64(f.All.Samples)*unit*total)/least*value > 2*goal
}

// close closes the equality for mu = 0, and returns the factor that brings the z
// stored within the limits, and the smaller one that does so whatever rounding did.
func (f *Finisher) close(d *dual, m metric, careful bool) (fits, rounded float64) {
	f.residual(f.sum, d.alpha, d.z, careful)
	f.closeOwn(d)
	switch {
	case f.free != nil:
		f.closeFree(d, m.curve)
	case !f.rows.all:
		f.closeRest(d, m)
	}
	fits, rounded = 1, 1
	for j, z := range d.z {
		limit, size := f.rows.limit[j], math.Abs(z)
		off := d.slack[j] + float64(math.Sqrt(d.h[j])*d.drift)
		fits = math.Min(fits, limit/math.Max(size, limit))
		rounded = math.Min(rounded, limit/math.Max(size+off, limit))
	}
	return fits, rounded
}

// start forgets what is known of d, and is intoDomain for its alpha.
func (f *Finisher) start(d *dual) (shrink float64, ok bool) {
	d.gap, d.drift = math.Inf(1), 0
	clear(d.slack)
	return f.intoDomain(d.alpha)
}

// intoDomain clips alpha into the domain of φ* if z can make up for it; else it
// returns the factor that brings alpha there, if there is one.
func (f *Finisher) intoDomain(alpha []float64) (shrink float64, ok bool) {
	shrink = f.Least(func(lo, hi int) float64 { return f.partIntoDomain(alpha, lo, hi) })
	return shrink, shrink >= 0
}

// partIntoDomain is intoDomain for the samples lo to hi−1; −1 says that there is no
// factor.
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
	return f.Ridge > 0 || f.rows.all || f.Domain != nil && f.Domain.Bounded()
}

// clearOwn clears the z of rows that are a feature's own.
func (f *Finisher) clearOwn(z []float64) {
	for _, row := range f.rows.own {
		if row >= 0 {
			z[row] = 0
		}
	}
}

// closeOwn closes the equality at features with a row of their own.
func (f *Finisher) closeOwn(d *dual) {
	for j, row := range f.rows.own {
		if row >= 0 {
			entry := f.rows.entry[j]
			d.z[row] = -f.sum.y[j] / entry
			d.slack[row] = f.sum.error[j]/math.Abs(entry) + float64(2*unit*math.Abs(d.z[row]))
			f.sum.y[j], f.sum.error[j] = 0, 0
		}
	}
}

// closeRest sets drift from the equality at the other features, +Inf where the correction
// that closes it may be far away or not exist.
func (f *Finisher) closeRest(d *dual, m metric) {
	copy(d.h, m.h)
	d.drift = f.distance(f.sum.y, f.sum.error, m)
}

// leastPart is the part of the diagonal of the losses' Hessian that H must exceed for the
// correction to be bounded, and at least what rounding may add to H's own diagonal: a factor
// of H that is dominated by the penalty says nothing of less. Where free columns depend on
// each other, or nearly so, it does not.
const leastPart = 1e-10

// Dependent reports whether features without a penalised row depend on each other, or
// nearly so, at the point where that was asked for last: then no gap is proved.
func (f *Finisher) Dependent() bool { return f.system.checked && !f.system.known }

// distance bounds 2|e|_{H⁻¹} for every e within the errors of y, H being what f.system was
// factored with: by the solution of H d = y, of which the residual counts as an error.
func (f *Finisher) distance(y, errors []float64, m metric) float64 {
	if len(f.work) == 0 {
		f.work = make([]float64, 3*f.p)
	}
	d, rest, part := f.work[:f.p], f.work[f.p:2*f.p], f.work[2*f.p:]
	if !f.system.definite(func() []float64 { return f.leastOf(part, m.curve) }) {
		return math.Inf(1)
	}
	f.system.solve(d, y)
	f.system.mul(rest, d)
	square, error2 := 0.0, 0.0
	for j, v := range y {
		square = math.FMA(v, d[j], square)
		if off := math.Abs(v-rest[j]) + float64(4*unit*math.Abs(v)) + errors[j]; off > 0 {
			error2 += float64(off * (off / part[j]))
		}
	}
	return 2 * (math.Sqrt(math.Max(0, square)) + math.Sqrt(error2))
}

// leastOf sets part to leastPart times the diagonal of X'C diag(curve) X + mu I, at least
// to what forming and factoring H may be off by.
func (f *Finisher) leastOf(part, curve []float64) []float64 {
	clear(part)
	for i, c := range curve {
		idx, val := f.Data.Row(i)
		c *= f.Coef[i]
		for k, j := range idx {
			part[j] += float64(c * float64(val[k]*val[k]))
		}
	}
	f.Team.Sum(part)
	for j := range part {
		part[j] = math.Max(leastPart*(part[j]+f.Ridge), float64(16*(f.tri.width+1))*unit*f.system.h[j*f.tri.stride+j])
	}
	return part
}

// stays reports whether the correction that closes the equality leaves α in the domain
// of φ*. Besides the leverage bound of |δα_i| there is φ”ᵢ Σ|x_ij||d_j|, which is better
// where φ” is next to nothing.
func (f *Finisher) stays(d *dual, m metric) bool {
	var size float64
	for j, part := range f.work[2*f.p:] { // of distance: |d_j| is at most drift/√part
		if c := f.columns[j]; c > 0 {
			size += c / math.Sqrt(part)
		}
	}
	size *= d.drift
	return !f.Team.Any(f.leaves(d, m, size))
}

// leaves reports whether the correction, with |x_i'd| ≤ size, may take the α of a sample
// of this process out of the domain of φ*.
func (f *Finisher) leaves(d *dual, m metric, size float64) bool {
	for i, a := range d.alpha {
		curve := m.curve[i]
		if curve == 0 || f.Coef[i] == 0 {
			continue
		}
		lo, hi := f.Loss.SlopeRange(f.Labels[i])
		move := math.Min(math.Sqrt(curve/f.Coef[i])*d.drift, curve*size)
		if a-move < lo || a+move > hi {
			return true
		}
	}
	return false
}

// admitRidge is admit for mu > 0. What exceeds the limits is cut off, or all of the
// point is scaled first, whichever is better.
func (f *Finisher) admitRidge(d *dual, pt *point, goal float64) float64 {
	shrink := 1.0
	for j, z := range d.z {
		if size := math.Abs(z); size > f.rows.limit[j] {
			shrink = math.Min(shrink, f.rows.limit[j]/size)
		}
	}
	if shrink == 1 {
		return f.admitClipped(d, pt, goal)
	}
	if f.spare == nil {
		f.spare = f.newDual()
	}
	copy(f.spare.alpha, d.alpha)
	copy(f.spare.z, d.z)
	quad.Scale(f.spare.alpha, shrink)
	quad.Scale(f.spare.z, shrink)
	f.admitClipped(f.spare, pt, goal)
	if f.admitClipped(d, pt, goal); f.spare.gap < d.gap {
		*d, *f.spare = *f.spare, *d
	}
	return d.gap
}

// roundingCost returns what the errors of f.sum add to (1/2mu)|mu x + e|² at most, if
// mu x + e is about as large as they are.
func (f *Finisher) roundingCost() float64 {
	var sum float64
	for _, v := range f.sum.error {
		sum = math.FMA(v, v, sum)
	}
	return 4 * sum / (2 * f.Ridge)
}

// admitClipped cuts off what exceeds the limits, and sets the z of rows that are a
// feature's own to what is best: e = 0, if the limit allows.
func (f *Finisher) admitClipped(d *dual, pt *point, goal float64) float64 {
	f.clip(d.z)
	f.clearOwn(d.z)
	f.residual(f.sum, d.alpha, d.z, false)
	if f.roundingCost() > goal {
		f.residual(f.sum, d.alpha, d.z, true)
	}
	f.fitOwn(d)
	return f.evaluate(d, pt)
}

// fitOwn sets the multipliers of rows that are a feature's own for mu > 0, given the sums
// of the others.
func (f *Finisher) fitOwn(d *dual) {
	copy(d.e, f.sum.y)
	copy(d.error, f.sum.error)
	for j, row := range f.rows.own {
		if row < 0 {
			continue
		}
		entry, limit := f.rows.entry[j], f.rows.limit[row]
		z := math.Max(-limit, math.Min(-d.e[j]/entry, limit))
		d.z[row] = z
		d.error[j] += float64(4 * unit * (math.Abs(d.e[j]) + math.Abs(float64(z*entry))))
		d.e[j] = math.FMA(z, entry, d.e[j])
	}
}

func (f *Finisher) clip(z []float64) {
	for j, limit := range f.rows.limit {
		z[j] = math.Max(-limit, math.Min(z[j], limit))
	}
}
