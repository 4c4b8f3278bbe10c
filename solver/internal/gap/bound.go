package gap

import (
	"math"

	"github.com/scas-admm/scas/solver/internal/linalg"
	"github.com/scas-admm/scas/solver/internal/term"
)

// A Problem holds everything that a bound depends on except the samples: the penalty, the ridges,
// the set X, and the magnitudes of the data columns. A Problem is not safe for concurrent use.
type Problem struct {
	Penalty *Penalty
	Ridge   []float64   // rⱼ; all rⱼ are equal unless X is a box or R^p
	Set     term.Region // X; nil for R^p
	Columns Columns
	// Vanishing marks the features j with X_j'Cα = 0 exactly, because αᵢ = 0 at every sample with an
	// entry in column j. nil means that there is no such feature.
	Vanishing []bool

	// Bound sets Dependent to true if the columns X n of the roots (see root) are linearly dependent,
	// or nearly so. Then no gap is proved.
	Dependent bool

	box          term.Box
	product      bool    // X is a box or R^p
	relaxed      []bool  // relaxed[j]: eⱼ need not be 0
	oneSided     []int32 // features at which checkSigns decides whether eⱼ must be 0
	correction   *correction
	rootsVersion int
	// singletonGroup marks the rows of groups that consist of singleton rows only.
	singletonGroup []bool
	// optimised lists features with a singleton row. Bound chooses the multipliers of these rows to
	// make the bound small.
	optimised []int32
	// recomputed lists the rows whose multipliers Bound computes, instead of taking the given ones.
	recomputed []int32
	work       work
}

// Columns holds the magnitudes of the columns of the data matrix.
type Columns struct {
	Largest []float64 // max over i of |x_ij|
	Norm    []float64 // an upper bound of √(Σ cᵢ x_ij²); may be nil if there are no roots
	Entries []float64 // the number of entries of each column; nil if unknown, see Sum.Roundings
	Offset  float64   // max over i of |oᵢ|
	// LongestRow is the largest number of entries of a row of X; 0 if it is not known.
	LongestRow float64
}

// work holds scratch memory, and the dual point for which a bound is computed.
type work struct {
	image   []float64 // A x
	z, zErr []float64 // per row of A: the stored multiplier, and a bound of its distance from the exact one
	e, eErr []float64 // per feature: eⱼ as computed, and a bound of its error
}

// A Sum is X'Cα as computed, with bounds of its rounding errors.
type Sum struct {
	Head, Tail []float64 // X'Cα ≈ Head + Tail; Tail is nil unless the summation was compensated
	// Roundings bounds the number of rounding errors that affect one term of the sum Head[j]. If
	// Columns.Entries is not nil, Bound adds Entries[j] to this number.
	Roundings float64
	Samples   float64   // the number of samples of all processes
	Base      []float64 // the point at which the margins were computed; nil for x
	Error     []float64 // bounds a further error of each entry of Head; nil for none
	// Hessian returns the upper triangle of N'X'CΦXN. For Φ see Tally.Phi. N has one column for each root
	// that exists at the time of the call (see RootRow). Hessian may be nil if there are no roots.
	Hessian func() []float64
}

// A Bound is a proved bound of P(x) − P*.
type Bound struct {
	Gap      float64   // P(x) − P* ≤ Gap in real arithmetic; +Inf if nothing is proved
	Rounding float64   // an estimate of how much the rounding of X'Cα adds to Gap
	Shrink   float64   // the factor by which the dual point was scaled
	Fenchel  float64   // how much the Fenchel terms of the samples add to Gap
	Z        []float64 // the multipliers of the dual point, valid until the next call
	Tail     []float64 // set by Memory.Prove: the tail of X'Cα if it was summed with compensation, else nil
}

// Prepare decides how dual feasibility is restored. The caller sets the exported fields before this
// call. Afterwards only the values of limits, squares and ridges may change: positive ones must stay
// positive, and zeros must stay zero.
func (p *Problem) Prepare() {
	n := len(p.Ridge)
	p.product = true
	p.box = term.Box{}
	if p.Set != nil {
		p.box, p.product = p.Set.Box()
	}
	p.relaxed = make([]bool, n)
	for j := range p.relaxed {
		singleton := p.Penalty.Singleton[j] >= 0
		p.relaxed[j] = p.Ridge[j] > 0 || !p.product || p.vanishing(j) ||
			p.bounded(j) || p.halfBounded(j) && singleton && !p.Penalty.Grouped() ||
			!singleton && p.Columns.Largest[j] == 0 && !p.Penalty.Touches(j)
		if !p.relaxed[j] && p.halfBounded(j) {
			p.oneSided = append(p.oneSided, int32(j))
		}
	}
	p.correction = newCorrection(p.Penalty, p.relaxed, p.Columns.Largest)
	p.findSingletonGroups()
	for j, row := range p.Penalty.Singleton {
		if row >= 0 && p.optimises(j, int(row)) {
			p.optimised, p.recomputed = append(p.optimised, int32(j)), append(p.recomputed, row)
		}
	}
	for _, s := range p.correction.steps {
		if s.singleton && !p.halfBounded(int(s.feature)) {
			p.recomputed = append(p.recomputed, s.row)
		}
	}
	for _, v := range []*[]float64{&p.work.image, &p.work.z, &p.work.zErr} {
		*v = make([]float64, p.Penalty.Len())
	}
	for _, v := range []*[]float64{&p.work.e, &p.work.eErr} {
		*v = make([]float64, n)
	}
}

// findSingletonGroups sets singletonGroup, or leaves it nil if the penalty has no groups.
func (p *Problem) findSingletonGroups() {
	if !p.Penalty.Grouped() {
		return
	}
	singleton := make([]bool, p.Penalty.Len())
	for _, row := range p.Penalty.Singleton {
		if row >= 0 {
			singleton[row] = true
		}
	}
	p.singletonGroup = make([]bool, p.Penalty.Len())
	for k := range p.Penalty.Groups {
		all := true
		for _, row := range p.Penalty.Groups[k].Rows {
			all = all && singleton[row]
		}
		for _, row := range p.Penalty.Groups[k].Rows {
			p.singletonGroup[row] = all
		}
	}
}

func (p *Problem) vanishing(j int) bool { return p.Vanishing != nil && p.Vanishing[j] }

func (p *Problem) bounded(j int) bool {
	return p.box.Lower != nil && !math.IsInf(p.box.Lower[j], 0) && !math.IsInf(p.box.Upper[j], 0)
}

func (p *Problem) halfBounded(j int) bool {
	return p.box.Lower != nil && (math.IsInf(p.box.Lower[j], 0) != math.IsInf(p.box.Upper[j], 0))
}

// Roots returns the number of roots: features at which no multiplier makes eⱼ = 0.
func (p *Problem) Roots() int { return len(p.correction.roots) }

// Value returns P(x), given the mean loss at x.
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

// Bound returns the bound that the dual point (α, z) proves for x. The tally t has the sums over
// the samples that depend on α, and sum is X'Cα. Bound replaces the multipliers of some singleton
// rows by others that make the bound smaller.
func (p *Problem) Bound(x, z []float64, t *Tally, sum *Sum) Bound {
	value, exceeds := p.Value(x, t.Loss), p.exceeds(z)
	best := p.bound(x, z, t, sum, value, true)
	if exceeds { // scaling the whole dual point may be better than clipping single multipliers
		best.Z = append([]float64(nil), best.Z...)
		if other := p.bound(x, z, t, sum, value, false); other.Gap < best.Gap {
			best = other
		}
	}
	return best
}

// exceeds reports whether a given multiplier that Bound uses lies beyond its limit.
func (p *Problem) exceeds(z []float64) bool {
	if len(p.recomputed) == len(z) {
		return false
	}
	copy(p.work.z, z)
	p.clearRecomputed(p.work.z)
	clear(p.work.zErr)
	return p.Penalty.scaling(p.work.z, p.work.zErr) < 1-1e-12
}

// bound is Bound for one of two treatments of given multipliers that lie beyond their limits. If clip
// is true, each of them is moved to its limit. Otherwise the whole dual point is scaled down.
func (p *Problem) bound(x, z []float64, t *Tally, sum *Sum, value float64, clip bool) Bound {
	w, none := &p.work, Bound{Gap: math.Inf(1)}
	p.start(z, t, sum, clip)
	p.checkSigns()
	by := p.rootChange(sum)
	if !(phiSlope*by.reach <= 0.5) { // the changed α may leave the domain of φ*
		if phiSlope*by.exactReach <= 0.5 {
			none.Rounding = math.Inf(1)
		}
		return none
	}
	if p.Roots() > 0 {
		// The change δ of α also changes e at features that are no roots. So the correction is repeated with
		// larger errors: |X_j'Cδ| ≤ √(X_j'CX_j) √(Σ cᵢδᵢ²), and Σ cᵢδᵢ² ≤ MaxPhi by.norm².
		p.start(z, t, sum, clip)
		size := 1.5 * math.Sqrt(t.MaxPhi) * by.norm
		for j, norm := range p.Columns.Norm {
			if !p.vanishing(j) { // else X_j'Cδ = 0: the samples of column j have αᵢ = 0, an end of the domain, so Φᵢ = 0
				w.eErr[j] += float64(size * norm)
			}
		}
	}
	p.correction.apply(p.Penalty, w.e, w.eErr, w.z, w.zErr)
	for _, r := range p.correction.roots {
		w.e[r.feature], w.eErr[r.feature] = 0, 0
	}
	shrink, rounding := p.scaling(value)
	if !(shrink > 0) {
		return none
	}
	tally := *t
	if shrink < 1 {
		shrink = float64(shrink * (1 - 8*roundoff))
		for _, v := range [][]float64{w.z, w.zErr, w.e, w.eErr} {
			linalg.Scale(v, shrink)
		}
		tally = t.scaled(shrink)
	}
	gap := tally.Fenchel + p.domainGap(x)
	gap += p.Penalty.fenchel(w.z, w.zErr, w.image) + p.Penalty.imageError(x, w.image, w.z)
	gap += tally.rootChangeCost(by.norm, by.reach)
	base := x
	if sum.Base != nil {
		base = sum.Base
	}
	gap += tally.marginErrorCost(p.marginErrors(base)) + float64(8*roundoff*math.Abs(value-t.Loss))
	if gap *= 1 + 1e-11; math.IsNaN(gap) {
		return none
	}
	return Bound{Gap: gap, Rounding: rounding + p.roundingCost(), Shrink: shrink, Fenchel: tally.Fenchel, Z: w.z}
}

// start copies the given multipliers to work.z, with 0 for the recomputed ones, and computes e. If clip
// is true, it moves multipliers beyond their limits to the limits.
func (p *Problem) start(z []float64, t *Tally, sum *Sum, clip bool) {
	copy(p.work.z, z)
	clear(p.work.zErr)
	p.clearRecomputed(p.work.z)
	if clip && len(p.recomputed) < len(z) {
		p.Penalty.Clip(p.work.z)
	}
	p.setResidual(t, sum)
}

// The sign of eⱼ is considered certain if |eⱼ| is more than clearSign times its error bound.
const clearSign = 1e3

// checkSigns updates relaxed for the features of oneSided, which have one finite bound. If the bound is a
// lower one, every eⱼ ≥ 0 is feasible; if it is an upper one, every eⱼ ≤ 0 is. So eⱼ need not be 0 if its
// sign is the right one for certain.
func (p *Problem) checkSigns() {
	if len(p.oneSided) == 0 {
		return
	}
	w, changed := &p.work, false
	for _, j := range p.oneSided {
		e := w.e[j]
		if math.IsInf(p.box.Lower[j], 0) {
			e = -e
		}
		right := e > clearSign*w.eErr[j]
		changed = changed || right != p.relaxed[j]
		p.relaxed[j] = right
	}
	if changed {
		p.correction = newCorrection(p.Penalty, p.relaxed, p.Columns.Largest)
		p.rootsVersion++
	}
}

// RootsVersion returns a number that changes whenever Bound chooses the roots anew. A RootRow, and sums
// that were formed with it, are valid only for the version at which the RootRow was made.
func (p *Problem) RootsVersion() int { return p.rootsVersion }

func (p *Problem) clearRecomputed(z []float64) {
	for _, row := range p.recomputed {
		z[row] = 0
	}
}

// optimises reports whether domainGap chooses the multiplier of feature j's singleton row.
func (p *Problem) optimises(j, row int) bool {
	switch {
	case p.Penalty.Grouped():
		return p.Set == nil && p.Ridge[j] > 0 && p.singletonGroup[row]
	case p.product:
		return p.Ridge[j] > 0 || p.bounded(j) || p.halfBounded(j)
	}
	return !p.Penalty.Squared(row)
}

// setResidual sets e = X'Cα + A'z and bounds its errors. The recomputed multipliers count as 0.
func (p *Problem) setResidual(t *Tally, sum *Sum) {
	w := &p.work
	compensated, norm := sum.Tail != nil, 1.001*math.Sqrt(t.Square)
	copy(w.e, sum.Head)
	clear(w.eErr)
	if len(p.recomputed) < len(w.z) {
		p.Penalty.absTrans(w.eErr, w.z)
	}
	for j, size := range w.eErr {
		rows := float64(p.Penalty.count(j) + 8)
		if p.vanishing(j) {
			w.e[j] = 0
			w.eErr[j] = float64(rows * roundoff * size)
			continue
		}
		terms := sum.Roundings + rows
		if p.Columns.Entries != nil {
			terms += p.Columns.Entries[j]
		}
		// Two bounds of Σ cᵢ|αᵢx_ij|: by the largest entry, and by Cauchy-Schwarz.
		absolute := float64(t.Size * p.Columns.Largest[j])
		if p.Columns.Norm != nil {
			absolute = min(absolute, norm*p.Columns.Norm[j])
		}
		size += absolute
		if compensated {
			w.eErr[j] = float64(compensatedRoundoff * math.Max(1, sum.Samples/maxTerms) * size)
		} else {
			w.eErr[j] = float64(terms * roundoff * size)
		}
		if sum.Error != nil {
			w.eErr[j] += sum.Error[j]
		}
	}
	if !compensated {
		if len(p.recomputed) < len(w.z) {
			p.Penalty.AddTrans(w.e, w.z)
		}
		return
	}
	tail := append([]float64(nil), sum.Tail...)
	p.Penalty.addPairs(w.e, tail, w.z)
	for j, v := range tail {
		if !p.vanishing(j) {
			w.e[j] += v
			w.eErr[j] += float64(2 * roundoff * math.Abs(w.e[j]))
		}
	}
}

// leastPivot is the smallest pivot at which the rounding errors of a Cholesky factor are negligible. The
// matrix is scaled to a unit diagonal.
const leastPivot = 1e-7

// A rootChange bounds the change δ = ΦXN d of α that makes eⱼ = 0 at the roots F. Here H d = −e_F with
// H = N'X'CΦXN. XN has one column for each root (see root).
type rootChange struct {
	norm       float64 // bounds √(d'H d)
	reach      float64 // bounds the change of every margin, max |(XN d)ᵢ|; +Inf if d may not exist
	exactReach float64 // reach without rounding errors
}

// rootChange returns bounds of the change of α that makes eⱼ = 0 at the roots. If there are roots, it
// first lets the multipliers correct work.e at the other features.
func (p *Problem) rootChange(sum *Sum) (by rootChange) {
	roots, w := p.correction.roots, &p.work
	k := len(roots)
	if k == 0 {
		return by
	}
	p.correction.apply(p.Penalty, w.e, w.eErr, w.z, w.zErr)
	feasible := true // eⱼ = 0 at all roots already, for example because α = 0 and z = 0
	for _, r := range roots {
		feasible = feasible && w.e[r.feature] == 0 && w.eErr[r.feature] == 0
	}
	if feasible {
		return by
	}
	scale, h := make([]float64, k), sum.Hessian()
	chol := linalg.NewCholesky(k)
	p.Dependent = false
	for a := range k {
		scale[a] = 1 / math.Sqrt(h[a*k+a])
		p.Dependent = p.Dependent || math.IsNaN(scale[a]) || math.IsInf(scale[a], 0)
	}
	if p.Dependent = p.Dependent || !chol.Factor(h, scale, 0) || chol.LeastPivot() < leastPivot; p.Dependent {
		return rootChange{reach: math.Inf(1), exactReach: math.Inf(1)}
	}
	// d'H d = e_F'H⁻¹e_F. For root k, |d_k| ≤ √(H⁻¹)_kk √(d'H d), which bounds the change of the margins. An
	// error ε of e_F at root k changes √(d'H d) by at most √(H⁻¹)_kk |ε|.
	v := make([]float64, k)
	for a, r := range roots {
		v[a] = w.e[r.feature] * scale[a]
	}
	chol.SolveLower(v, v)
	var norm2, errors, largestMove float64
	for _, u := range v {
		norm2 += float64(u * u)
	}
	for a, r := range roots {
		clear(v)
		v[a] = 1
		chol.Solve(v, v)
		inverse, largest := scale[a]*math.Sqrt(math.Max(v[a], 0)), 0.0 // √(H⁻¹)_aa; a bound of |(X n)ᵢ|
		for _, m := range r.n {
			largest += math.Abs(float64(m.value * p.Columns.Largest[m.index]))
		}
		largestMove += float64(largest * inverse)
		errors += float64(w.eErr[r.feature] * inverse)
	}
	size := float64(1.001 * math.Sqrt(norm2))
	by.norm = size + float64(2*errors)
	by.reach, by.exactReach = largestMove*by.norm, largestMove*size
	return by
}

// scaling returns the factor by which the dual point must be scaled to be feasible. It also returns an
// estimate of how much rounding enlarges the gap through this factor. value is P(x).
func (p *Problem) scaling(value float64) (by, rounding float64) {
	w := &p.work
	by, exact := p.Penalty.scaling(w.z, w.zErr), 1.0
	if by < 1 {
		exact = p.Penalty.scaling(w.z, make([]float64, len(w.z)))
	}
	if p.product && p.box.Lower != nil && !p.Penalty.Grouped() {
		side, exactSide := p.openSideScaling()
		by, exact = math.Min(by, side), math.Min(exact, exactSide)
	}
	return by, (exact - by) * value
}

// openSideScaling returns the scaling factor for the features j with one finite bound and a singleton
// row. After scaling, the multiplier of this row can give eⱼ the required sign. exact is the factor
// without rounding errors.
func (p *Problem) openSideScaling() (shrink, exact float64) {
	shrink, exact = 1, 1
	for j, row := range p.Penalty.Singleton {
		if row < 0 || p.Ridge[j] > 0 || !p.halfBounded(j) {
			continue
		}
		most := p.Penalty.maxMultiplier(int(row)) * math.Abs(p.Penalty.SingletonEntry[j]) * (1 - 16*roundoff)
		e := p.work.e[j]
		over := -e // how far e is from having the required sign
		if math.IsInf(p.box.Lower[j], 0) {
			over = e
		}
		exact = math.Min(exact, most/math.Max(over, most))
		if over += p.work.eErr[j] + float64(8*roundoff*math.Abs(e)); over > most {
			shrink = math.Min(shrink, most/over)
		}
	}
	return shrink, exact
}

// roundingCost estimates how much the errors of e and of the multipliers enlarge the gap. For e it
// counts only features with a ridge. It leaves out the effect of the errors on the scaling factor.
func (p *Problem) roundingCost() (sum float64) {
	for j, v := range p.work.image {
		sum += math.Abs(float64(p.work.zErr[j] * v))
	}
	for j, r := range p.Ridge {
		if r > 0 {
			sum += float64(p.work.eErr[j]*p.work.eErr[j]) / r
		}
	}
	return sum
}

// domainGap chooses the multipliers of the singleton rows of the features in p.optimised. It returns an
// upper bound of h(x) + h*(−e) + e'x, the third bracket in the package comment.
func (p *Problem) domainGap(x []float64) (sum float64) {
	w := &p.work
	if p.Penalty.Grouped() {
		p.setGroups()
	}
	if !p.product {
		p.setBallOrSimplex()
		return p.Set.Excess(w.e, w.eErr, x, p.Ridge[0])
	}
	for _, j := range p.optimised {
		switch row := int(p.Penalty.Singleton[j]); {
		case p.Penalty.Grouped():
		case p.Set == nil:
			p.setMultiplier(int(j), row, p.nearest(int(j), row))
		default:
			p.setCheapest(int(j), row, x[j])
		}
	}
	for j, v := range x {
		if p.Ridge[j] > 0 || w.e[j] != 0 || w.eErr[j] != 0 {
			sum += p.domainGapAt(j, w.e[j], w.eErr[j], v)
		}
	}
	return sum
}

// domainGapAt returns the term of feature j in the bound of domainGap, for a box or R^p.
func (p *Problem) domainGapAt(j int, e, err, x float64) float64 {
	if p.box.Lower != nil {
		return p.box.ExcessAt(j, e, err, x, p.Ridge[j])
	}
	rest := math.Abs(math.FMA(p.Ridge[j], x, e)) + err
	return float64(rest*rest) / (2 * p.Ridge[j])
}

// nearest returns the multiplier of feature j's singleton row that minimises the bound if X = R^p and the
// feature has a ridge. Without a square, this is the multiplier within its limit that makes |eⱼ| smallest.
// With a square, the multiplier may lie beyond its limit.
func (p *Problem) nearest(j, row int) float64 {
	e, entry, limit := p.work.e[j], p.Penalty.SingletonEntry[j], p.Penalty.Limit[row]
	z := math.Max(-limit, math.Min(-e/entry, limit))
	if p.Penalty.Squared(row) {
		q := p.Penalty.Square[row]
		rest := math.FMA(z, entry, e)
		z -= float64(entry * rest * (q / (p.Ridge[j] + float64(entry*entry*q))))
	}
	return z
}

// setMultiplier sets the multiplier of feature j's singleton row, and updates eⱼ.
func (p *Problem) setMultiplier(j, row int, z float64) {
	w, entry := &p.work, p.Penalty.SingletonEntry[j]
	w.z[row] = z
	w.eErr[j] += float64(4 * roundoff * (math.Abs(w.e[j]) + math.Abs(float64(z*entry))))
	w.e[j] = math.FMA(z, entry, w.e[j])
}

// setCheapest sets the multiplier of feature j's singleton row to the candidate with the smallest
// bound. The candidates are: the two ends of the subdifferential of g at (A x)_row, or without a square
// its limits; the value that makes eⱼ = 0; the two values for which |eⱼ| is a little more than twice its
// error; and the minimiser for X = R^p.
func (p *Problem) setCheapest(j, row int, x float64) {
	w, entry := &p.work, p.Penalty.SingletonEntry[j]
	v, e, err := w.image[row], w.e[j], w.eErr[j]
	if x == 0 && e == 0 && err == 0 {
		return
	}
	limit, square := p.Penalty.Limit[row], 0.0
	if p.Penalty.Square != nil {
		square = float64(p.Penalty.Square[row] * v)
	}
	margin := 2*err + float64(32*roundoff*math.Abs(e))
	candidates := [6]float64{square - limit, square + limit, -e / entry, (margin - e) / entry, (-margin - e) / entry, p.nearest(j, row)}
	best := math.Inf(1)
	for k, z := range candidates {
		if !p.Penalty.Squared(row) {
			z = math.Max(-limit, math.Min(z, limit))
		}
		rest, zErr := math.FMA(z, entry, e), 0.0
		eErr := err + float64(4*roundoff*(math.Abs(e)+math.Abs(float64(z*entry))))
		if most := p.Penalty.maxMultiplier(row); k == 2 && math.Abs(z)+eErr/math.Abs(entry) <= most {
			rest, zErr, eErr = 0, eErr/math.Abs(entry), 0 // eⱼ = 0 exactly, for a multiplier near z
		}
		cost := p.Penalty.fenchelAt(row, z, v) + float64(zErr*math.Abs(v)) + p.domainGapAt(j, rest, eErr, x)
		if cost < best {
			best = cost
			w.z[row], w.zErr[row], w.e[j], w.eErr[j] = z, zErr, rest, eErr
		}
	}
}

// setBallOrSimplex sets the multipliers of the features in p.optimised if X is a ball or a simplex. For a
// ball it makes |eⱼ| small. For a simplex it makes eⱼ as large as possible, which never enlarges the bound.
func (p *Problem) setBallOrSimplex() {
	simplex := p.Set.Walls(len(p.Ridge)).Total > 0
	for _, j := range p.optimised {
		row := int(p.Penalty.Singleton[j])
		z := math.Copysign(p.Penalty.Limit[row], p.Penalty.SingletonEntry[j])
		if !simplex {
			z = p.nearest(int(j), row)
		}
		p.setMultiplier(int(j), row, z)
	}
}

// setGroups sets the multipliers of the groups of singleton rows: to the numbers that make eⱼ = 0, scaled
// down to the limit of the group.
func (p *Problem) setGroups() {
	w := &p.work
	for _, j := range p.optimised {
		w.z[p.Penalty.Singleton[j]] = -w.e[j] / p.Penalty.SingletonEntry[j]
	}
	for k := range p.Penalty.Groups {
		if g := &p.Penalty.Groups[k]; p.singletonGroup[g.Rows[0]] {
			g.clip(w.z)
		}
	}
	for _, j := range p.optimised {
		row := p.Penalty.Singleton[j]
		p.setMultiplier(int(j), int(row), w.z[row])
	}
}

// marginErrors returns the arguments of Tally.marginErrorCost for margins that were computed at x.
func (p *Problem) marginErrors(x []float64) (err, terms float64) {
	var size, count float64
	for j, v := range x {
		if v != 0 {
			size += math.Abs(float64(v * p.Columns.Largest[j]))
			count++
		}
	}
	// A margin may be summed in several lanes, but one lane may have all its terms.
	if terms = 32 + count; p.Columns.LongestRow > 0 {
		terms = min(terms, 32+p.Columns.LongestRow)
	}
	return float64(roundoff * (float64(terms*size) + float64(4*p.Columns.Offset))), terms
}

// NeedsCompensation reports whether X'Cα should be summed again with compensation, because the rounding
// of X'Cα may be the reason that the gap is above goal.
func (b *Bound) NeedsCompensation(goal float64) bool {
	return b.Gap > 0.5*goal && (b.Rounding > 0.05*goal && b.Gap < 4*goal || b.Rounding >= 0.5*b.Gap)
}

// NeedsScaledTally reports whether the Fenchel terms should be computed for the scaled α. Bound only
// bounds them by convexity, which may be the reason that the gap is above goal. t is the tally of the
// unscaled α.
func (b *Bound) NeedsScaledTally(t *Tally, goal float64) bool {
	return b.Gap > goal && b.Shrink < 1 && (1-b.Shrink)*(t.Loss+t.Zero) > 0.1*goal
}

// GapWithFenchel returns the gap with fenchel in the place of b.Fenchel. fenchel is the sum of the
// Fenchel terms of the scaled α, as computed; t is the tally of the unscaled α. Rounding of the scaled αᵢ
// changes the sum by less than err, because the terms are convex in the scaling factor.
func (b *Bound) GapWithFenchel(t *Tally, fenchel float64) float64 {
	err := float64(2 * roundoff * ((t.Loss+t.Zero)/b.Shrink + t.Fenchel/(1-b.Shrink)))
	return b.Gap + (fenchel + err - b.Fenchel) + float64(1e-15*b.Gap)
}

// NeedsPhi reports whether a bound may have to change α at roots. Then Tally.Phi must be called.
func (p *Problem) NeedsPhi() bool { return len(p.oneSided) > 0 || p.Roots() > 0 }

// Trivial returns the bound that the dual point 0 proves for x, where value is P(x). Apart from rounding,
// the bound is value itself if the least loss is 0. t is the tally of x and any α. The proof uses no
// slopes, so their rounding adds nothing: Weighted is 0.
func (p *Problem) Trivial(x []float64, value float64, t *Tally) float64 {
	p.Penalty.Mul(p.work.image, x)
	zero := Tally{Mismatch: t.Mismatch + t.Size, Curvature: t.Curvature} // Σ cᵢ|φ'(tᵢ)| is at most this Mismatch
	return float64((value+t.Zero)*(1+1e-11)) + zero.marginErrorCost(p.marginErrors(x)) + p.Penalty.imageError(x, p.work.image, nil)
}

// objectiveRounding bounds the relative rounding error of the computed objective P(x).
const objectiveRounding = 0x1p-50

// Rounded returns a bound for the objective as computed, given a bound gap of P(x) − P* in real
// arithmetic. It assumes that the terms of the computed objective are accurate to their last digits. At a
// nearly perfect fit they are not, because margins are rounded; then the computed objective may have a
// larger error, while the bound of P(x) still holds.
func Rounded(gap, objective float64) float64 {
	if gap += float64(objectiveRounding * math.Abs(objective)); math.IsNaN(gap) {
		return math.Inf(1)
	}
	return gap
}

// AtObjective returns a bound for a point with objective to, given the bound gap of another point with
// objective from. The two objectives may have been summed in different orders.
func AtObjective(gap, from, to float64) float64 {
	return Rounded(math.Max(gap+(to-from)+float64(1e-12*math.Abs(to)), 0), to)
}
