package gap

import (
	"math"

	"github.com/scas-admm/scas/solver/internal/linalg"
	"github.com/scas-admm/scas/solver/internal/term"
)

// A Problem is what a bound depends on beside the samples. It is not for concurrent use.
type Problem struct {
	Penalty *Penalty
	Ridge   []float64   // rⱼ; the same for all features where X is no box
	Set     term.Region // X; nil for R^p
	Columns Columns
	// Vanishing names features with X_j'Cα = 0 exactly, as all of their samples have α = 0; nil
	// for none.
	Vanishing []bool

	// Dependent reports whether columns that only a change of α closes were found to depend on
	// each other, or nearly so: then nothing is proved.
	Dependent bool

	box      term.Box
	product  bool   // X is a box or R^p
	closed   []bool // features at which e need not be 0
	closings int
	sided    []int32 // features with one bound and no multiplier: e may have one sign, see side
	closing  *closing
	pure     []bool  // rows in groups that have nothing but features' own rows
	chosen   []int32 // features whose own row has the multiplier that costs least, see chooses
	cleared  []int32 // rows whose multipliers are not asked for
	work     work
}

// Columns are what is known of columns.
type Columns struct {
	Largest []float64 // |x_ij|
	Norm    []float64 // √(Σ cᵢ x_ij²), from above; nil if unknown, which is allowed without roots
	Entries []float64 // of each column; nil if unknown, see Sum.Roundings
	Offset  float64   // the largest |oᵢ|
}

// work is scratch, and the dual point in hand.
type work struct {
	image    []float64 // A x
	z, slack []float64 // of rows; how far the stored z may be off
	e, off   []float64 // of features; the error of e
}

// A Sum is X'Cα as computed.
type Sum struct {
	Head, Tail []float64 // the sum is Head + Tail; Tail is nil unless it was computed with compensation
	Roundings  float64   // that a term of Head went through, beside one for each entry of its column if Columns.Entries are known
	Samples    float64   // in all
	Base       []float64 // where the margins were computed; nil for x
	Off        []float64 // how far Head may be off beside that; nil for not at all
	// Hessian returns N'X'CΦXN, upper triangle, for the columns that RootRow has when it is called.
	// It may be nil if there are no roots.
	Hessian func() []float64
}

// A Bound is what is proved of a point.
type Bound struct {
	Gap       float64   // Objective − P* is at most this, for P in real numbers; +Inf if nothing is proved
	Objective float64   // P(x) as computed
	Rounding  float64   // about the part of Gap that is due to the rounding of X'Cα
	Shrink    float64   // the factor by which the dual point was scaled
	Fenchel   float64   // the bound of its Fenchel terms
	Z         []float64 // its multipliers, valid until the next call
	Tail      []float64 // of the sum, see Sum; nil if it was computed without compensation
}

// Prepare finds how the equalities are closed. The exported fields are there, and are not
// changed afterwards, but for limits, squares and ridges that stay positive or stay zero.
func (p *Problem) Prepare() {
	n := len(p.Ridge)
	p.product = true
	p.box = term.Box{}
	if p.Set != nil {
		p.box, p.product = p.Set.Box()
	}
	p.closed = make([]bool, n)
	for j := range p.closed {
		own := p.Penalty.Singleton[j] >= 0
		p.closed[j] = p.Ridge[j] > 0 || !p.product || p.settled(j) ||
			p.bounded(j) || p.halfBounded(j) && own && !p.Penalty.Grouped() ||
			!own && p.Columns.Largest[j] == 0 && !p.Penalty.Touches(j)
		if !p.closed[j] && p.halfBounded(j) {
			p.sided = append(p.sided, int32(j))
		}
	}
	p.closing = newClosing(p.Penalty, p.closed, p.Columns.Largest)
	p.findPure()
	for j, row := range p.Penalty.Singleton {
		if row >= 0 && p.chooses(j, int(row)) {
			p.chosen, p.cleared = append(p.chosen, int32(j)), append(p.cleared, row)
		}
	}
	for _, s := range p.closing.steps {
		if s.alone && !p.halfBounded(int(s.feature)) {
			p.cleared = append(p.cleared, s.row)
		}
	}
	for _, v := range []*[]float64{&p.work.image, &p.work.z, &p.work.slack} {
		*v = make([]float64, p.Penalty.Len())
	}
	for _, v := range []*[]float64{&p.work.e, &p.work.off} {
		*v = make([]float64, n)
	}
}

// findPure sets pure; nil where there are no groups.
func (p *Problem) findPure() {
	if !p.Penalty.Grouped() {
		return
	}
	own := make([]bool, p.Penalty.Len())
	for _, row := range p.Penalty.Singleton {
		if row >= 0 {
			own[row] = true
		}
	}
	p.pure = make([]bool, p.Penalty.Len())
	for k := range p.Penalty.Groups {
		all := true
		for _, row := range p.Penalty.Groups[k].Rows {
			all = all && own[row]
		}
		for _, row := range p.Penalty.Groups[k].Rows {
			p.pure[row] = all
		}
	}
}

func (p *Problem) settled(j int) bool { return p.Vanishing != nil && p.Vanishing[j] }

func (p *Problem) bounded(j int) bool {
	return p.box.Lower != nil && !math.IsInf(p.box.Lower[j], 0) && !math.IsInf(p.box.Upper[j], 0)
}

func (p *Problem) halfBounded(j int) bool {
	return p.box.Lower != nil && (math.IsInf(p.box.Lower[j], 0) != math.IsInf(p.box.Upper[j], 0))
}

// Roots returns how many features no row closes.
func (p *Problem) Roots() int { return len(p.closing.roots) }

// Value returns P(x), given the mean loss there.
func (p *Problem) Value(x []float64, loss float64) float64 {
	p.Penalty.Mul(p.work.image, x)
	value := loss + p.Penalty.Value(p.work.image)
	for j, r := range p.Ridge {
		if r > 0 {
			value += float64(0.5 * r * float64(x[j]*x[j]))
		}
	}
	return value
}

// Bound returns what is proved of x by α, of which t and sum are known, and the multipliers z
// of the rows. Multipliers of rows that are a feature's own are chosen here, where that pays.
func (p *Problem) Bound(x, z []float64, t *Tally, sum *Sum) Bound {
	value, exceeds := p.Value(x, t.Loss), p.exceeds(z)
	best := p.bound(x, z, t, sum, value, true)
	if exceeds { // is it better to scale all of the point than to cut off what exceeds?
		best.Z = append([]float64(nil), best.Z...)
		if other := p.bound(x, z, t, sum, value, false); other.Gap < best.Gap {
			best = other
		}
	}
	return best
}

// exceeds reports whether a multiplier that is not chosen here is beyond its limit.
func (p *Problem) exceeds(z []float64) bool {
	if len(p.cleared) == len(z) {
		return false
	}
	copy(p.work.z, z)
	p.clear(p.work.z)
	clear(p.work.slack)
	return p.Penalty.shrink(p.work.z, p.work.slack) < 1-1e-12
}

func (p *Problem) bound(x, z []float64, t *Tally, sum *Sum, value float64, clip bool) Bound {
	w, none := &p.work, Bound{Gap: math.Inf(1), Objective: value}
	p.begin(z, t, sum, clip)
	p.side()
	by := p.shift(sum)
	if !(steep*by.reach <= 0.5) { // α may leave the domain of φ*
		if steep*by.exact <= 0.5 {
			none.Rounding = math.Inf(1)
		}
		return none
	}
	if p.Roots() > 0 { // once more, with what the change of α does to all features
		p.begin(z, t, sum, clip)
		part := 1.5 * math.Sqrt(t.MaxPhi) * by.drift
		for j, norm := range p.Columns.Norm {
			if !p.settled(j) { // those have samples with α = 0, where Φ is 0
				w.off[j] += float64(part * norm)
			}
		}
	}
	p.closing.run(p.Penalty, w.e, w.off, w.z, w.slack)
	for _, r := range p.closing.roots {
		w.e[r.feature], w.off[r.feature] = 0, 0
	}
	shrink, due := p.shrink(value)
	if !(shrink > 0) {
		return none
	}
	tally := *t
	if shrink < 1 {
		shrink = float64(shrink * (1 - 8*unit))
		for _, v := range [][]float64{w.z, w.slack, w.e, w.off} {
			linalg.Scale(v, shrink)
		}
		tally = t.scaled(shrink)
	}
	gap := tally.Fenchel + p.close(x)
	gap += p.Penalty.costs(w.z, w.slack, w.image) + p.Penalty.imageError(x, w.image, w.z)
	gap += tally.moved(by.drift, by.reach)
	base := x
	if sum.Base != nil {
		base = sum.Base
	}
	gap += tally.marginError(p.marginOff(base)) + float64(8*unit*math.Abs(value-t.Loss))
	if gap *= 1 + 1e-11; math.IsNaN(gap) {
		return none
	}
	return Bound{Gap: gap, Objective: value, Rounding: due + p.due(), Shrink: shrink, Fenchel: tally.Fenchel, Z: w.z}
}

// begin puts the multipliers that are asked for in place, and the equality with them.
func (p *Problem) begin(z []float64, t *Tally, sum *Sum, clip bool) {
	copy(p.work.z, z)
	clear(p.work.slack)
	p.clear(p.work.z)
	if clip && len(p.cleared) < len(z) {
		p.Penalty.Clip(p.work.z)
	}
	p.equality(t, sum)
}

// surely is how many times its error e is, where its sign is taken for granted.
const surely = 1e3

// side finds the features with one bound that e has the right sign for: they need not be closed.
func (p *Problem) side() {
	if len(p.sided) == 0 {
		return
	}
	w, changed := &p.work, false
	for _, j := range p.sided {
		e := w.e[j]
		if math.IsInf(p.box.Lower[j], 0) {
			e = -e
		}
		right := e > surely*w.off[j]
		changed = changed || right != p.closed[j]
		p.closed[j] = right
	}
	if changed {
		p.closing = newClosing(p.Penalty, p.closed, p.Columns.Largest)
		p.closings++
	}
}

// RootsVersion counts how often the roots were chosen anew: a RootRow and what it added up are of the
// roots that there were when it was made.
func (p *Problem) RootsVersion() int { return p.closings }

// clear clears the multipliers that are not asked for.
func (p *Problem) clear(z []float64) {
	for _, row := range p.cleared {
		z[row] = 0
	}
}

// chooses reports whether the multiplier of a feature's own row is chosen by close.
func (p *Problem) chooses(j, row int) bool {
	switch {
	case p.Penalty.Grouped():
		return p.Set == nil && p.Ridge[j] > 0 && p.pure[row]
	case p.product:
		return p.Ridge[j] > 0 || p.bounded(j) || p.halfBounded(j)
	}
	return !p.Penalty.Squared(row)
}

// equality sets e = X'Cα + A'z, of which the own rows that are chosen are left out, and bounds its
// errors.
func (p *Problem) equality(t *Tally, sum *Sum) {
	w := &p.work
	careful, norm := sum.Tail != nil, 1.001*math.Sqrt(t.Square)
	copy(w.e, sum.Head)
	clear(w.off)
	if len(p.cleared) < len(w.z) {
		p.Penalty.absTrans(w.off, w.z)
	}
	for j, size := range w.off {
		rows := float64(p.Penalty.count(j) + 8)
		if p.settled(j) {
			w.e[j] = 0
			w.off[j] = float64(rows * unit * size)
			continue
		}
		terms := sum.Roundings + rows
		if p.Columns.Entries != nil {
			terms += p.Columns.Entries[j]
		}
		absolute := float64(t.Size * p.Columns.Largest[j]) // Σ cᵢ|αᵢx_ij|, or by the norm of the column
		if p.Columns.Norm != nil {
			absolute = min(absolute, norm*p.Columns.Norm[j])
		}
		size += absolute
		if careful {
			w.off[j] = float64(tiny * math.Max(1, sum.Samples/most) * size)
		} else {
			w.off[j] = float64(terms * unit * size)
		}
		if sum.Off != nil {
			w.off[j] += sum.Off[j]
		}
	}
	if !careful {
		if len(p.cleared) < len(w.z) {
			p.Penalty.AddTrans(w.e, w.z)
		}
		return
	}
	tail := append([]float64(nil), sum.Tail...)
	p.Penalty.addPairs(w.e, tail, w.z)
	for j, v := range tail {
		if !p.settled(j) {
			w.e[j] += v
			w.off[j] += float64(2 * unit * math.Abs(w.e[j]))
		}
	}
}

// leastPivot is one of H scaled to a unit diagonal: what rounding did to it is nothing.
const leastPivot = 1e-7

// A shift is the change of α that closes the roots.
type shift struct {
	drift float64 // √(d'H d)
	reach float64 // what it moves a margin by at most; +Inf where it may not exist
	exact float64 // reach without rounding
}

// shift bounds the change of α that closes the roots, given e.
func (p *Problem) shift(sum *Sum) (by shift) {
	roots, w := p.closing.roots, &p.work
	k := len(roots)
	if k == 0 {
		return by
	}
	p.closing.run(p.Penalty, w.e, w.off, w.z, w.slack)
	closed := true // as with α = 0, z = 0
	for _, r := range roots {
		closed = closed && w.e[r.feature] == 0 && w.off[r.feature] == 0
	}
	if closed {
		return by
	}
	scale, h := make([]float64, k), sum.Hessian()
	chol := linalg.NewCholesky(k)
	p.Dependent = false
	for a := range k {
		scale[a] = 1 / math.Sqrt(h[a*k+a])
		p.Dependent = p.Dependent || math.IsNaN(scale[a]) || math.IsInf(scale[a], 0)
	}
	if p.Dependent = p.Dependent || !chol.FactorScaled(h, scale, 0, 1) || chol.LeastPivot() < leastPivot; p.Dependent {
		return shift{reach: math.Inf(1), exact: math.Inf(1)}
	}
	// |e|_{H⁻¹}, and for the errors of e and of the factor the diagonal of H⁻¹.
	v := make([]float64, k)
	for a, r := range roots {
		v[a] = w.e[r.feature] * scale[a]
	}
	chol.SolveLower(v, v)
	var norm2, rest, most float64
	for _, u := range v {
		norm2 += float64(u * u)
	}
	for a, r := range roots {
		clear(v)
		v[a] = 1
		chol.Solve(v, v)
		side, largest := scale[a]*math.Sqrt(math.Max(v[a], 0)), 0.0
		for _, m := range r.n {
			largest += math.Abs(float64(m.value * p.Columns.Largest[m.feature]))
		}
		most += float64(largest * side)
		rest += float64(w.off[r.feature] * side)
	}
	size := float64(1.001 * math.Sqrt(norm2))
	by.drift = size + float64(2*rest)
	by.reach, by.exact = most*by.drift, most*size
	return by
}

// shrink returns the factor that brings the dual point into the domain of g*, and what the
// rounding of X'Cα costs by it, given P(x).
func (p *Problem) shrink(value float64) (by, due float64) {
	w := &p.work
	by, exact := p.Penalty.shrink(w.z, w.slack), 1.0
	if by < 1 {
		exact = p.Penalty.shrink(w.z, make([]float64, len(w.z)))
	}
	if p.product && p.box.Lower != nil && !p.Penalty.Grouped() {
		side, least := p.openSides()
		by, exact = math.Min(by, side), math.Min(exact, least)
	}
	return by, (exact - by) * value
}

// openSides returns the factor by which the point must shrink for own multipliers to make e
// right where the box has an open side, and what it would be without rounding.
func (p *Problem) openSides() (shrink, exact float64) {
	shrink, exact = 1, 1
	for j, row := range p.Penalty.Singleton {
		if row < 0 || p.Ridge[j] > 0 || !p.halfBounded(j) {
			continue
		}
		room := p.Penalty.room(int(row)) * math.Abs(p.Penalty.SingletonEntry[j]) * (1 - 16*unit)
		e := p.work.e[j]
		over := -e // what is missing
		if math.IsInf(p.box.Lower[j], 0) {
			over = e
		}
		exact = math.Min(exact, room/math.Max(over, room))
		if over += p.work.off[j] + float64(8*unit*math.Abs(e)); over > room {
			shrink = math.Min(shrink, room/over)
		}
	}
	return shrink, exact
}

// due is about what the errors of e cost beside that: by the slack of rows, and at features with a
// ridge.
func (p *Problem) due() (sum float64) {
	for j, v := range p.work.image {
		sum += math.Abs(float64(p.work.slack[j] * v))
	}
	for j, r := range p.Ridge {
		if r > 0 {
			sum += float64(p.work.off[j]*p.work.off[j]) / r
		}
	}
	return sum
}

// close chooses the multipliers of own rows that close nothing, and returns the part of X and
// the ridges in the gap.
func (p *Problem) close(x []float64) (sum float64) {
	w := &p.work
	if p.Penalty.Grouped() {
		p.project()
	}
	if !p.product {
		p.aim()
		return p.Set.Excess(w.e, w.off, x, p.Ridge[0])
	}
	for _, j := range p.chosen {
		switch row := int(p.Penalty.Singleton[j]); {
		case p.Penalty.Grouped():
		case p.Set == nil:
			p.nearest(int(j), row)
		default:
			p.cheapest(int(j), row, x[j])
		}
	}
	for j, v := range x {
		if p.Ridge[j] > 0 || w.e[j] != 0 || w.off[j] != 0 {
			sum += p.excess(j, w.e[j], w.off[j], v)
		}
	}
	return sum
}

// excess is the part of feature j of a box.
func (p *Problem) excess(j int, e, off, x float64) float64 {
	if p.box.Lower != nil {
		return p.box.ExcessAt(j, e, off, x, p.Ridge[j])
	}
	rest := math.Abs(math.FMA(p.Ridge[j], x, e)) + off
	return float64(rest*rest) / (2 * p.Ridge[j])
}

// nearest sets the multiplier of a feature's own row to what brings e closest to 0: with a
// ridge, that costs least.
func (p *Problem) nearest(j, row int) {
	w, entry, room := &p.work, p.Penalty.SingletonEntry[j], p.Penalty.Limit[row]
	z := math.Max(-room, math.Min(-w.e[j]/entry, room))
	if p.Penalty.Squared(row) { // between the ridge and the square
		q := p.Penalty.Square[row]
		rest := math.FMA(z, entry, w.e[j])
		z -= float64(entry * rest * (q / (p.Ridge[j] + float64(entry*entry*q))))
	}
	p.set(j, row, z)
}

// set sets the multiplier of a feature's own row.
func (p *Problem) set(j, row int, z float64) {
	w, entry := &p.work, p.Penalty.SingletonEntry[j]
	w.z[row] = z
	w.off[j] += float64(4 * unit * (math.Abs(w.e[j]) + math.Abs(float64(z*entry))))
	w.e[j] = math.FMA(z, entry, w.e[j])
}

// cheapest tries for the multiplier of a feature's own row the ends of its range, what closes
// the equality, from either side of the error, and with a square its minimiser for R^p.
func (p *Problem) cheapest(j, row int, x float64) {
	w, entry := &p.work, p.Penalty.SingletonEntry[j]
	v, e, off := w.image[row], w.e[j], w.off[j]
	if x == 0 && e == 0 && off == 0 {
		return
	}
	limit, square := p.Penalty.Limit[row], 0.0
	if p.Penalty.Square != nil {
		square = float64(p.Penalty.Square[row] * v)
	}
	pad := 2*off + float64(32*unit*math.Abs(e))
	trials := [6]float64{square - limit, square + limit, -e / entry, (pad - e) / entry, (-pad - e) / entry, -e / entry}
	squared := p.Penalty.Squared(row)
	if squared {
		q := p.Penalty.Square[row]
		first := math.Max(-limit, math.Min(-e/entry, limit))
		rest := math.FMA(first, entry, e)
		trials[5] = first - float64(entry*rest*(q/(p.Ridge[j]+float64(entry*entry*q))))
	}
	best := math.Inf(1)
	for k, z := range trials {
		if !squared {
			z = math.Max(-limit, math.Min(z, limit))
		}
		rest, slack := math.FMA(z, entry, e), 0.0
		moved := off + float64(4*unit*(math.Abs(e)+math.Abs(float64(z*entry))))
		if room := p.Penalty.room(row); k == 2 && math.Abs(z)+moved/math.Abs(entry) <= room {
			rest, slack, moved = 0, moved/math.Abs(entry), 0 // what closes it exactly is near
		}
		cost := p.Penalty.cost(row, z, v) + float64(slack*math.Abs(v)) + p.excess(j, rest, moved, x)
		if cost < best {
			best = cost
			w.z[row], w.slack[row], w.e[j], w.off[j] = z, slack, rest, moved
		}
	}
}

// aim sets own multipliers where X is a ball, towards e = 0, or a simplex, where a larger e
// costs nothing.
func (p *Problem) aim() {
	for _, j := range p.chosen {
		row := int(p.Penalty.Singleton[j])
		entry, limit := p.Penalty.SingletonEntry[j], p.Penalty.Limit[row]
		z := math.Copysign(limit, entry)
		if p.Set.Walls(len(p.Ridge)).Total == 0 {
			z = math.Max(-limit, math.Min(-p.work.e[j]/entry, limit))
		}
		p.set(int(j), row, z)
	}
}

// project sets the multipliers of groups of own rows to what brings e closest to 0, as far as
// limits allow.
func (p *Problem) project() {
	w := &p.work
	for _, j := range p.chosen {
		w.z[p.Penalty.Singleton[j]] = -w.e[j] / p.Penalty.SingletonEntry[j]
	}
	for k := range p.Penalty.Groups {
		if g := &p.Penalty.Groups[k]; p.pure[g.Rows[0]] {
			g.fit(w.z)
		}
	}
	for _, j := range p.chosen {
		row := p.Penalty.Singleton[j]
		p.set(int(j), int(row), w.z[row])
	}
}

// marginOff bounds the rounding of margins and of the terms of slopes; see Tally.marginError.
func (p *Problem) marginOff(x []float64) (off, terms float64) {
	var size float64
	count := 0
	for j, v := range x {
		if v != 0 {
			size += math.Abs(float64(v * p.Columns.Largest[j]))
			count++
		}
	}
	terms = float64(32 + count/2) // twice those of a lane: a margin is summed in eight
	return float64(unit * (float64(terms*size) + float64(4*p.Columns.Offset))), terms
}

// NeedsCompensation reports whether the rounding of X'Cα may be what keeps the gap above goal.
func (b *Bound) NeedsCompensation(goal float64) bool {
	return b.Gap > 0.5*goal && (b.Rounding > 0.05*goal && b.Gap < 4*goal || b.Rounding >= 0.5*b.Gap)
}

// NeedsScaledTally reports whether the bound of the Fenchel terms of the scaled dual point may be what keeps the
// gap above goal; t is the tally.
func (b *Bound) NeedsScaledTally(t *Tally, goal float64) bool {
	return b.Gap > goal && b.Shrink < 1 && (1-b.Shrink)*(t.Loss+t.Zero) > 0.1*goal
}

// GapWithFenchel returns the gap with the Fenchel terms of the scaled α, as computed. The rounding of a scaled
// number moves its term, which is convex along the way to 0, by less than off.
func (b *Bound) GapWithFenchel(t *Tally, fenchel float64) float64 {
	off := float64(2 * unit * ((t.Loss+t.Zero)/b.Shrink + t.Fenchel/(1-b.Shrink)))
	return b.Gap + (fenchel + off - b.Fenchel) + float64(1e-15*b.Gap)
}

// NeedsPhi reports whether equalities may be closed by a change of α, so that a Tally needs Phi.
func (p *Problem) NeedsPhi() bool { return len(p.sided) > 0 || p.Roots() > 0 }

// Trivial returns what the dual point 0 proves of a point with objective value: that itself, where
// the least loss is 0. Of the tally Zero, Curve and Mismatch are asked for, which is Σ cᵢ|φ'(tᵢ)|.
func (p *Problem) Trivial(x []float64, value float64, t *Tally) float64 {
	p.Penalty.Mul(p.work.image, x)
	return float64((value+t.Zero)*(1+1e-11)) + t.marginError(p.marginOff(x)) + p.Penalty.imageError(x, p.work.image, nil)
}

// ofObjective is what rounding may make of P as computed, a sum, as a part of it.
const ofObjective = 0x1p-50

// Rounded makes a gap of P(x), in real numbers, one of the objective as computed: a sum of terms that
// have all their digits. At a fit that is nearly perfect the terms have fewer, as the margins
// are rounded, and the computed objective may be off by more than this; the bound of P(x) is not.
func Rounded(gap, objective float64) float64 {
	if gap += float64(ofObjective * math.Abs(objective)); math.IsNaN(gap) {
		return math.Inf(1)
	}
	return gap
}

// AtObjective makes a gap proved where the objective is from one of a point where it is to, as
// computed by sums that differ by rounding.
func AtObjective(gap, from, to float64) float64 {
	return Rounded(math.Max(gap+(to-from)+float64(1e-12*math.Abs(to)), 0), to)
}
