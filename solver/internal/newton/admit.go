package newton

import (
	"math"

	"github.com/scas-admm/scas/solver/internal/quad"
	"github.com/scas-admm/scas/solver/internal/term"
)

// The dual point of a problem with a domain, mu > 0, groups or squares leaves e = X'Cα +
// A'z, which domain and quadratic take, at the price of Domain.excess. At open
// features, which neither of them holds, e = 0 must be exact, as for absolute values.

// findOpen returns which features are open; nil if none is.
func (f *Finisher) findOpen() []bool {
	if f.Ridge > 0 {
		return nil
	}
	open, any := make([]bool, f.p), false
	box, ok := f.domain().Box()
	for j := range open {
		open[j] = ok && math.IsInf(box.Lower[j], -1) && math.IsInf(box.Upper[j], 1)
		any = any || open[j]
	}
	if !any {
		return nil
	}
	return open
}

// admitTerms is admit for conic problems.
func (f *Finisher) admitTerms(d *dual, pt *point, m metric, goal float64) float64 {
	shrink, ok := f.start(d)
	if !ok {
		return d.gap
	}
	quad.Scale(d.alpha, shrink)
	quad.Scale(d.z, shrink)
	if f.open == nil {
		f.rows.fitTerms(d.z)
	}
	for j, row := range f.rows.own {
		if row >= 0 && (f.isOpen(j) || f.chooses(int(row))) {
			d.z[row] = 0
		}
	}
	f.residual(f.sum, d.alpha, d.z, false)
	if f.open != nil || f.takenError(pt) > goal {
		f.residual(f.sum, d.alpha, d.z, true)
	}
	copy(d.e, f.sum.y)
	copy(d.error, f.sum.error)
	if f.open != nil && !f.closeOpen(d, m) {
		return d.gap
	}
	if !f.rows.grouped() && !f.chooseOwn(d, pt) {
		return d.gap
	}
	return f.evaluateTerms(d, pt)
}

func (f *Finisher) isOpen(j int) bool { return f.open != nil && f.open[j] }

// closeOpen makes e zero at open features, by their own rows and by a correction that
// exists but is not formed (see dual), and scales the point until z fits. It reports
// whether that could be done.
func (f *Finisher) closeOpen(d *dual, m metric) bool {
	for j := range f.sum.y {
		row := f.rows.own[j]
		if !f.open[j] {
			f.sum.y[j], f.sum.error[j] = 0, 0
			continue
		}
		if d.e[j], d.error[j] = 0, 0; row >= 0 {
			entry := f.rows.entry[j]
			d.z[row] = -f.sum.y[j] / entry
			d.slack[row] = f.sum.error[j]/math.Abs(entry) + float64(2*unit*math.Abs(d.z[row]))
			f.sum.y[j], f.sum.error[j] = 0, 0
		}
	}
	switch {
	case f.free != nil:
		f.closeFree(d, m.curve)
		for j, open := range f.open {
			if !open && !f.apart.settles(j) {
				d.error[j] += float64(1.5 * f.free.norm[j] * d.drift)
			}
		}
	case !f.rows.all:
		f.closeRest(d, m)
		for j, h := range m.domain {
			d.error[j] += float64(math.Sqrt(h) * d.drift)
		}
	}
	if d.drift > 0 && (math.IsInf(d.drift, 1) || f.free == nil && !f.stays(d, m)) {
		return false
	}
	if shrink := f.rows.fitAll(d); shrink < 1 {
		shrink *= 1 - 4*unit
		for _, v := range [][]float64{d.alpha, d.z, d.e, d.error} {
			quad.Scale(v, shrink)
		}
	}
	return true
}

// takenError is what errors of e cost about.
func (f *Finisher) takenError(pt *point) float64 {
	if f.Ridge > 0 {
		return f.roundingCost()
	}
	var sum float64
	for j, v := range f.sum.error {
		sum += float64(v * (math.Abs(pt.x[j]) + 1/math.Max(f.columns[j], 1e-300)))
	}
	return sum
}

// fitAll returns the factor that brings z into the domain of the conjugate, whatever
// slack and drift are.
func (r *penalty) fitAll(d *dual) float64 {
	shrink := 1.0
	if !r.grouped() {
		for j, z := range d.z {
			if limit := r.limit[j]; !r.squared(j) {
				size := math.Abs(z) + d.slack[j] + float64(math.Sqrt(d.h[j])*d.drift)
				shrink = math.Min(shrink, limit/math.Max(size, limit))
			}
		}
		return shrink
	}
	for k := range r.groups {
		g := &r.groups[k]
		size := float64(g.norm(d.z)*(1+g.rounding())) + g.norm(d.slack) + float64(math.Sqrt(d.h[g.rows[0]])*d.drift)
		shrink = math.Min(shrink, g.limit/math.Max(size, g.limit))
	}
	return shrink
}

// chooses reports whether the multiplier of a feature's own row is chosen by chooseOwn,
// rather than that of Newton's step.
func (f *Finisher) chooses(row int) bool {
	if f.rows.grouped() {
		return false
	}
	_, box := f.domain().Box()
	return box || !f.rows.squared(row)
}

// chooseOwn sets the z of rows that are a feature's own, and with it e, to what costs
// least. Where a side of the domain is open and z has too little room, all of the point
// is scaled; it reports whether it could be made feasible.
func (f *Finisher) chooseOwn(d *dual, pt *point) bool {
	box, ok := f.domain().Box()
	if !ok {
		f.aimOwn(d)
		return true
	}
	if shrink := f.openSides(d, box); shrink < 1 {
		if shrink == 0 {
			return false
		}
		shrink *= 1 - 8*unit
		for _, v := range [][]float64{d.alpha, d.z, d.e, d.error} {
			quad.Scale(v, shrink)
		}
	}
	for j, row := range f.rows.own {
		if row >= 0 && !f.isOpen(j) {
			f.cheapest(d, box, j, pt)
		}
	}
	return true
}

// openSides returns the factor by which the point must shrink for own multipliers to
// make e right where the box has an open side; 0 if there is none.
func (f *Finisher) openSides(d *dual, b term.Box) float64 {
	shrink := 1.0
	if f.Ridge > 0 {
		return shrink
	}
	for j, row := range f.rows.own {
		if f.isOpen(j) {
			continue
		}
		room := 0.0
		if row >= 0 {
			room = f.rows.room(int(row)) * math.Abs(f.rows.entry[j])
			room *= 1 - 16*unit
		}
		over, off := 0.0, d.error[j] // what is missing
		if row >= 0 {
			off += float64(8 * unit * math.Abs(d.e[j]))
		}
		if math.IsInf(b.Upper[j], 1) {
			over = math.Max(over, off-d.e[j])
		}
		if math.IsInf(b.Lower[j], -1) {
			over = math.Max(over, off+d.e[j])
		}
		switch {
		case over <= room:
		case room == 0:
			return 0
		default:
			shrink = math.Min(shrink, room/over)
		}
	}
	return shrink
}

// cheapest tries for the multiplier of feature j's own row the ends of its range, what
// closes the equality, from either side of the error, and with a square its minimiser
// for R^p.
func (f *Finisher) cheapest(d *dual, b term.Box, j int, pt *point) {
	row, entry := int(f.rows.own[j]), f.rows.entry[j]
	v, x, e, off := pt.image[row], pt.x[j], d.e[j], d.error[j]
	limit, square := f.rows.limit[row], 0.0
	if f.rows.quad != nil {
		square = float64(f.rows.quad[row] * v)
	}
	pad := 2*off + float64(32*unit*math.Abs(e))
	trials := []float64{square - limit, square + limit, -e / entry, (pad - e) / entry, (-pad - e) / entry}
	if f.rows.squared(row) {
		q := f.rows.quad[row]
		first := math.Max(-limit, math.Min(-e/entry, limit))
		rest := math.FMA(first, entry, e)
		trials = append(trials, first-float64(entry*rest*(q/(f.Ridge+float64(entry*entry*q)))))
	}
	best := math.Inf(1)
	for k, z := range trials {
		if !f.rows.squared(row) {
			z = math.Max(-limit, math.Min(z, limit))
		}
		rest, slack := math.FMA(z, entry, e), 0.0
		moved := off + float64(4*unit*(math.Abs(e)+math.Abs(float64(z*entry))))
		if room := f.rows.room(row); k == 2 && math.Abs(z)+moved/math.Abs(entry) <= room {
			rest, slack, moved = 0, moved/math.Abs(entry), 0 // what closes it exactly is near
		}
		cost := f.rows.cost(row, z, v) + float64(slack*math.Abs(v)) + b.ExcessAt(j, rest, moved, x, f.Ridge)
		if cost < best {
			best = cost
			d.z[row], d.slack[row], d.e[j], d.error[j] = z, slack, rest, moved
		}
	}
}

// aimOwn sets own multipliers where the domain is a ball, towards e = 0, or a simplex,
// where a larger e costs nothing.
func (f *Finisher) aimOwn(d *dual) {
	for j, row := range f.rows.own {
		if row < 0 || !f.chooses(int(row)) {
			continue
		}
		entry, limit := f.rows.entry[j], f.rows.limit[row]
		z := math.Copysign(limit, entry)
		if !f.Domain.Flat() {
			z = math.Max(-limit, math.Min(-d.e[j]/entry, limit))
		}
		d.z[row] = z
		d.error[j] += float64(4 * unit * (math.Abs(d.e[j]) + math.Abs(float64(z*entry))))
		d.e[j] = math.FMA(z, entry, d.e[j])
	}
}

// evaluateTerms is evaluate for conic problems.
func (f *Finisher) evaluateTerms(d *dual, pt *point) float64 {
	fenchel := f.fenchel(d.alpha, pt)
	gap := fenchel + f.rows.costs(d.z, d.slack, pt.image) + f.imageError(d, pt)
	if d.drift > 0 {
		gap += f.driftCost(d, pt, fenchel)
	}
	gap += f.domain().Excess(d.e, d.error, pt.x, f.Ridge)
	gap += f.marginError(fenchel, pt)
	d.gap = gap * (1 + 1e-11)
	if math.IsNaN(d.gap) {
		d.gap = math.Inf(1)
	}
	return d.gap
}
