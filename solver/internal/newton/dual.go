package newton

import "math"

// A dual is a dual feasible point up to rounding, whose size is known.
//
// For mu = 0 the equality X'Cα + A'z = 0 is made exact, in real numbers, in two ways.
// A feature with a penalised row of its own has that row's z defined as what closes
// the equality: the number stored is off by at most slack, and |z| + slack ≤ limit is
// what is checked. What is left of the equality at the other features is closed by a
// correction that exists but is never formed: d with H d = −e, α + Φ X d and z +
// diag(h) A d, H the Newton matrix. Its size is drift = |e|_{H⁻¹}, and as leverages
// are at most one, |δz_j| ≤ √h_j drift and |δα_i| ≤ √(φ”ᵢ/cᵢ) drift.
// For mu > 0 there is no equality; rounding enters |mu x + e|.
type dual struct {
	alpha []float64 // n
	z     []float64 // rows of the penalty
	slack []float64 // of each row: how far the stored z may be off
	e     []float64 // mu > 0: X'Cα + A'z
	error []float64 // mu > 0: of e
	h     []float64 // weights of the rows, where drift > 0
	drift float64
	gap   float64 // at the point where it was last evaluated; 0 if never, when it is that of α = 0, z = 0
}

func (f *Finisher) newDual() *dual {
	l := f.rows.len()
	d := &dual{alpha: make([]float64, f.n)}
	for _, v := range []*[]float64{&d.z, &d.slack, &d.h} {
		*v = make([]float64, l)
	}
	d.e, d.error = make([]float64, f.p), make([]float64, f.p)
	return d
}

// evaluate returns a bound of P − D at the point, never below P − P*, and keeps it.
func (f *Finisher) evaluate(d *dual, pt *point) float64 {
	if !f.Absolute() {
		return f.evaluateTerms(d, pt)
	}
	return f.bound(f.fenchel(d.alpha, pt), d, pt)
}

// bound is evaluate for absolute values, given the Fenchel terms.
func (f *Finisher) bound(fenchel float64, d *dual, pt *point) float64 {
	gap := fenchel + f.slackness(d, pt)
	if f.Ridge > 0 {
		var norm2 float64
		for j, x := range pt.x {
			r := math.Abs(math.FMA(f.Ridge, x, d.e[j])) + d.error[j]
			norm2 = math.FMA(r, r, norm2)
		}
		gap += norm2 / (2 * f.Ridge)
	}
	if d.drift > 0 {
		gap += f.driftCost(d, pt, fenchel)
	}
	gap += f.marginError(fenchel, pt)
	d.gap = gap * (1 + 1e-11)
	if math.IsNaN(d.gap) {
		d.gap = math.Inf(1)
	}
	return d.gap
}

// driftCost bounds what the correction that closes the equality adds. First order in
// drift: Σ c (u − t) δα with |u − t|² c φ” ≈ twice the Fenchel terms, Σ v δz; second
// order: the Fenchel terms of δ alone.
func (f *Finisher) driftCost(d *dual, pt *point, fenchel float64) float64 {
	if f.free != nil {
		return FreeCost(d.drift, fenchel)
	}
	var norm2 float64
	for j, v := range pt.image {
		norm2 += float64(d.h[j] * float64(v*v))
	}
	return float64(d.drift * (2*math.Sqrt(2*fenchel) + math.Sqrt(norm2) + 2*d.drift))
}

// fenchel returns Σ cᵢ [φ(tᵢ) + φ*(αᵢ) − αᵢtᵢ].
func (f *Finisher) fenchel(alpha []float64, pt *point) float64 {
	return f.Over(func(lo, hi int) float64 {
		return f.Loss.Fenchel(alpha[lo:hi], pt.slope[lo:hi], pt.margin[lo:hi], f.Labels[lo:hi], f.Coef[lo:hi])
	})
}

// slackness bounds Σ limitⱼ|vⱼ| − zⱼvⱼ from above.
func (f *Finisher) slackness(d *dual, pt *point) float64 {
	var sum float64
	for j, v := range pt.image {
		room := f.rows.limit[j] - math.Copysign(d.z[j], v*d.z[j])
		sum += float64((room + d.slack[j]) * math.Abs(v))
	}
	return sum + f.imageError(d, pt)
}

// imageError bounds what the rounding of v = A x does to slackness; of a row with one
// entry it is relative.
func (f *Finisher) imageError(d *dual, pt *point) (sum float64) {
	if f.rows.m == nil {
		return 0
	}
	for row := range pt.image {
		idx, val := f.rows.m.Row(row)
		if len(idx) < 2 {
			continue
		}
		var size, off float64
		for k, j := range idx {
			u := float64(val[k] * pt.x[j])
			size += math.Abs(u)
			off += u
		}
		if off != 0 || pt.image[row] != 0 {
			rate := f.rows.limit[row] + math.Abs(d.z[row])
			if f.rows.quad != nil {
				rate += float64(f.rows.quad[row] * math.Abs(pt.image[row]))
			}
			sum += float64(float64(len(idx)) * unit * size * rate)
		}
	}
	return sum
}

// marginError bounds how much the rounding of margins and slopes changes F, the sum of the
// Fenchel terms. The derivative of a term is φ'(t) − α, whose mean size is about √(2 φ” F),
// with φ” ≤ 2. If the samples are interpolated, F is zero and only the second order is left.
func (f *Finisher) marginError(fenchel float64, pt *point) float64 {
	var size float64
	for j, x := range pt.x {
		size += math.Abs(float64(x * f.columns[j]))
	}
	terms := float64(32 + f.p/2) // twice those of a lane: a margin is summed in eight
	first, second := float64(terms*unit*(4+size)), float64(terms*unit*size)
	return float64(first*math.Sqrt(fenchel)) + float64(second*second)
}
