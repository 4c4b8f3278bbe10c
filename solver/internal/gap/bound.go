package gap

import (
	"math"
	"slices"

	"github.com/scas-admm/scas/solver/internal/linalg"
	"github.com/scas-admm/scas/solver/internal/term"
	"github.com/scas-admm/scas/sparse"
)

// A Problem has what Bound needs to know of a problem, except its samples. The package comment in doc.go
// explains the symbols. A Problem is not safe for concurrent use.
type Problem struct {
	Penalty *Penalty
	Ridge   []float64   // rⱼ; all are equal unless Set is a box or R^p
	Set     term.Region // S; nil for R^p
	Columns Columns

	// DependentRoots is true if the last call of Bound found the columns of the roots nearly linearly
	// dependent.
	DependentRoots bool

	// set is the set for which bounds are proved: Set without the bounds that are far away, see chooseSet.
	set              term.Region
	box              term.Box // set, if it is a box
	productDomain    bool     // set is a box or R^p
	hasFarBounds     bool     // some bounds of Set may be far away; false after they were needed
	relaxed          []bool   // relaxed[j] is true if the dual residual eⱼ need not be 0
	oneSidedFeatures []int32  // features whose entry of relaxed depends on the sign of eⱼ, see checkSigns
	correction       *correction
	rootsVersion     int // see RootsVersion
	// inGroupOfSingletons marks the rows of A whose group has only singleton rows, all of features with a ridge.
	inGroupOfSingletons []bool
	// optimisedFeatures lists features. domainGap chooses the multipliers of their singleton rows.
	optimisedFeatures []int32
	// recomputedRows lists the rows of A for which Bound ignores the given multipliers and computes others.
	recomputedRows []int32
	image          []float64 // A x
	dual           dualPoint // the dual point that is bounded
}

// Columns has statistics of the columns of the data matrix. Rows of weight 0 do not count.
type Columns struct {
	LargestEntry []float64 // max over i of |x_ij|
	// Norm has upper bounds of √(Σ cᵢ x_ij²), where cᵢ is the weight of sample i. It may be nil if no feature
	// is a root.
	Norm          []float64
	EntryCount    []float64 // the number of entries of each column; nil if it is not known
	LargestOffset float64   // the largest absolute offset of a sample
	// LongestRow is the largest number of entries of a row of X; 0 if it is not known.
	LongestRow float64
}

// A dualPoint has the multipliers and the dual residual of a dual point (α, z), with bounds of their errors.
type dualPoint struct {
	z, zErr []float64 // for each row of A: the stored multiplier, and a bound of its error
	e, eErr []float64 // for each feature: the computed dual residual eⱼ, and a bound of its error
}

// A Sum is the vector X'Cα of the package comment as computed, with bounds of its rounding errors.
type Sum struct {
	Head, Tail []float64 // X'Cα is about Head + Tail; Tail is nil if the summation was not compensated
	// Roundings bounds how often a term cᵢαᵢx_ij of the sum Head[j] is rounded: in its own products, and in
	// each partial sum that contains the term. If Columns.EntryCount is not nil, the bound is
	// Roundings + Columns.EntryCount[j].
	Roundings   float64
	Samples     float64   // the number of samples of all processes
	Base        []float64 // the point at which the margins were computed; nil if it is x
	ExtraErrors []float64 // bounds of the errors of Head that Roundings does not count; nil if it counts all
	// RootSums returns k² + k sums over the samples of all processes, where k is the number of roots. The first
	// k² are the matrix H in the comment of type rootChange; only its upper triangle is set. The others are
	// Σ |cᵢαᵢ(XN)ᵢₐ| for each root a, or +Inf if this sum is not known. If all numbers are NaN, nothing is
	// proved. RootSums may be nil if there are no roots.
	RootSums func() []float64
}

// A Bound is a proved bound of P(x) − P*.
type Bound struct {
	Gap      float64   // P(x) − P* ≤ Gap in real arithmetic; +Inf if nothing is proved
	Rounding float64   // an estimate of the part of Gap that comes from rounding of X'Cα
	Shrink   float64   // the factor by which the dual point was scaled
	Fenchel  float64   // the part of Gap that comes from the Fenchel terms of the samples
	Z        []float64 // the multipliers of the dual point, valid until the next call of Bound
	// Tail has the rounding errors of X'Cα. DataProblem.Prove sets Tail; nil means that the summation was not
	// compensated.
	Tail []float64
}

// Prepare decides how a dual point is made feasible. The caller must set the exported fields except
// DependentRoots, and then call Prepare once. Later only the values of positive limits, squares and ridges
// may change, and they must stay positive.
func (p *Problem) Prepare() {
	p.findFarBounds()
	p.chooseSet(make([]float64, len(p.Ridge)))
	p.findSingletonGroups()
	p.chooseSteps()
	for _, v := range []*[]float64{&p.image, &p.dual.z, &p.dual.zErr} {
		*v = make([]float64, p.Penalty.Len())
	}
	for _, v := range []*[]float64{&p.dual.e, &p.dual.eErr} {
		*v = make([]float64, len(p.Ridge))
	}
}

// chooseSteps decides how a dual point is made feasible for the set p.set.
func (p *Problem) chooseSteps() {
	p.relaxed = make([]bool, len(p.Ridge))
	p.oneSidedFeatures, p.optimisedFeatures, p.recomputedRows = nil, nil, nil
	for j := range p.relaxed {
		singleton := p.Penalty.Singleton[j] >= 0
		p.relaxed[j] = p.Ridge[j] > 0 || !p.productDomain ||
			p.bounded(j) || p.halfBounded(j) && singleton && !p.Penalty.Grouped() ||
			!singleton && p.Columns.LargestEntry[j] == 0 && !p.Penalty.Touches(j)
		if !p.relaxed[j] && p.halfBounded(j) {
			p.oneSidedFeatures = append(p.oneSidedFeatures, int32(j))
		}
	}
	p.chooseCorrection()
	for j, row := range p.Penalty.Singleton {
		if row >= 0 && p.choosesMultiplier(j, int(row)) {
			p.optimisedFeatures = append(p.optimisedFeatures, int32(j))
			p.recomputedRows = append(p.recomputedRows, row)
		}
	}
	for _, s := range p.correction.steps {
		if s.singleton && !p.halfBounded(int(s.feature)) {
			p.recomputedRows = append(p.recomputedRows, s.row)
		}
	}
}

// farAway says which bounds of a coefficient xⱼ are far away: those at a distance of more than farAway
// times the sum of |xⱼ| and the coefficient's typical size, the reciprocal of the largest entry of its
// column.
const farAway = 1e4

// isFar reports whether a bound at this distance from x, the coefficient of feature j, is far away. Infinite
// bounds are not.
func (p *Problem) isFar(j int, x, distance float64) bool {
	typicalSize := 1.0
	if largest := p.Columns.LargestEntry[j]; largest > 0 {
		typicalSize = 1 / largest
	}
	return !math.IsInf(distance, 1) && distance > farAway*(typicalSize+math.Abs(x))
}

// findFarBounds sets hasFarBounds: it is true if bounds of Set are far away from 0. At other points no other
// bounds are far away.
func (p *Problem) findFarBounds() {
	p.hasFarBounds = false
	if p.Set == nil {
		return
	}
	b := p.Set.Bounds(len(p.Ridge))
	for j := range p.Ridge {
		p.hasFarBounds = p.hasFarBounds || b.Radius > 0 && p.isFar(j, 0, b.Radius) ||
			b.Lower != nil && b.Total == 0 && (p.isFar(j, 0, -b.Lower[j]) || p.isFar(j, 0, b.Upper[j]))
	}
}

// chooseSet sets p.set to Set without the bounds that are far away from x, and reports whether p.set
// changes. A lower bound of the minimum over a larger set is also one of the minimum over Set. The cost of
// a rounding error of eⱼ is the error times the distance of a bound. Without the bound eⱼ must be exactly
// 0, which costs less.
func (p *Problem) chooseSet(x []float64) (changed bool) {
	box, isBox := term.Box{}, true
	if p.Set != nil {
		box, isBox = p.Set.Box()
	}
	set, oldBox, oldProduct := p.Set, p.box, p.productDomain
	switch {
	case !p.hasFarBounds:
	case isBox:
		box = term.Box{Lower: slices.Clone(box.Lower), Upper: slices.Clone(box.Upper)}
		bounded := false
		for j, v := range x {
			lo, hi := &box.Lower[j], &box.Upper[j]
			if p.isFar(j, v, v-*lo) {
				*lo = math.Inf(-1)
			}
			if p.isFar(j, v, *hi-v) {
				*hi = math.Inf(1)
			}
			bounded = bounded || !math.IsInf(*lo, -1) || !math.IsInf(*hi, 1)
		}
		if set = box; !bounded {
			set, box = nil, term.Box{}
		}
	default:
		norm, far := linalg.Norm(x), true
		distance := p.Set.Bounds(len(x)).Radius - norm
		for j := range x {
			far = far && p.isFar(j, norm, distance)
		}
		if far {
			set, isBox = nil, true
		}
	}
	p.set, p.box, p.productDomain = set, box, isBox
	return isBox != oldProduct || !slices.Equal(box.Lower, oldBox.Lower) || !slices.Equal(box.Upper, oldBox.Upper)
}

func (p *Problem) findSingletonGroups() {
	if !p.Penalty.Grouped() {
		return
	}
	isSingleton := make([]bool, p.Penalty.Len())
	for j, row := range p.Penalty.Singleton {
		if row >= 0 && p.Ridge[j] > 0 {
			isSingleton[row] = true
		}
	}
	p.inGroupOfSingletons = make([]bool, p.Penalty.Len())
	for k := range p.Penalty.Groups {
		all := true
		for _, row := range p.Penalty.Groups[k].Rows {
			all = all && isSingleton[row]
		}
		for _, row := range p.Penalty.Groups[k].Rows {
			p.inGroupOfSingletons[row] = all
		}
	}
}

func (p *Problem) bounded(j int) bool {
	return p.box.Lower != nil && !math.IsInf(p.box.Lower[j], 0) && !math.IsInf(p.box.Upper[j], 0)
}

func (p *Problem) halfBounded(j int) bool {
	return p.box.Lower != nil && (math.IsInf(p.box.Lower[j], 0) != math.IsInf(p.box.Upper[j], 0))
}

// RootCount returns the number of roots.
func (p *Problem) RootCount() int { return len(p.correction.roots) }

// Value returns the objective P(x). loss is the mean loss at x.
func (p *Problem) Value(x []float64, loss float64) float64 {
	p.Penalty.Mul(p.image, x)
	value := loss + p.Penalty.Value(p.image)
	for j, r := range p.Ridge {
		if r > 0 && x[j] != 0 { // r may be infinite, and Inf·0 is NaN
			value += float64(0.5 * r * float64(x[j]*x[j]))
		}
	}
	return value
}

// Bound returns the bound of P(x) − P* that the dual point (α, z) proves after it is made feasible. t is the
// tally of x and α, and sum is X'Cα (see the package comment). Bound does not change z.
func (p *Problem) Bound(x, z []float64, t *Tally, sum *Sum) Bound {
	if p.hasFarBounds && p.chooseSet(x) {
		p.chooseSteps()
	}
	objective, exceedsLimit := p.Value(x, t.Loss), p.exceedsLimit(z)
	bestBound := p.bound(x, z, t, sum, objective, true)
	if p.DependentRoots && p.hasFarBounds { // with all their bounds, fewer features are roots
		if p.hasFarBounds = false; p.chooseSet(x) {
			p.chooseSteps()
			exceedsLimit = p.exceedsLimit(z)
			bestBound = p.bound(x, z, t, sum, objective, true)
		}
	}
	if exceedsLimit { // scaling of the dual point may be better than clipping of single multipliers
		bestBound.Z = slices.Clone(bestBound.Z)
		if otherBound := p.bound(x, z, t, sum, objective, false); otherBound.Gap < bestBound.Gap {
			bestBound = otherBound
		}
	}
	return bestBound
}

// exceedsLimit reports whether a multiplier in z is beyond its limit. It ignores the rows in
// p.recomputedRows.
func (p *Problem) exceedsLimit(z []float64) bool {
	if len(p.recomputedRows) == len(z) {
		return false
	}
	copy(p.dual.z, z)
	p.clearRecomputed(p.dual.z)
	clear(p.dual.zErr)
	return p.Penalty.scaling(p.dual.z, p.dual.zErr) < 1-1e-12
}

// bound is Bound for one choice of clip. If clip is true, bound first sets each multiplier that is beyond
// its limit to the limit. objective is the objective at x.
func (p *Problem) bound(x, z []float64, t *Tally, sum *Sum, objective float64, clip bool) Bound {
	d, noBound := &p.dual, Bound{Gap: math.Inf(1)}
	p.setDualPoint(z, t, sum, clip)
	p.checkSigns()
	var change rootChange
	for {
		change = p.rootChange(sum)
		if !(phiSlope*change.reach <= 0.5) { // the changed α may be outside the domain of φ*
			if phiSlope*change.exactReach <= 0.5 {
				noBound.Rounding = math.Inf(1)
			}
			return noBound
		}
		if p.RootCount() > 0 {
			// The change of α that makes eⱼ = 0 at the roots also changes e at the other features: by at most
			// changeBound times the norm of their columns. So the multipliers are computed again with errors
			// that include these numbers.
			p.setDualPoint(z, t, sum, clip)
			changeBound := 1.5 * math.Sqrt(t.MaxPhi) * change.norm
			for j, norm := range p.Columns.Norm {
				d.eErr[j] += float64(changeBound * norm)
			}
		}
		p.correction.apply(p.Penalty, d.e, d.eErr, d.z, d.zErr)
		if !p.dropUncertainSigns() {
			break
		}
		p.setDualPoint(z, t, sum, clip)
	}
	for _, r := range p.correction.roots {
		d.e[r.feature], d.eErr[r.feature] = 0, 0
	}
	if !d.finite() {
		return noBound
	}
	shrink, rounding := p.scaling(objective)
	if !(shrink > 0) {
		return noBound
	}
	tally := *t
	if shrink < 1 {
		shrink = float64(shrink * (1 - 8*roundoff))
		for _, v := range [][]float64{d.z, d.zErr, d.e, d.eErr} {
			linalg.Scale(v, shrink)
		}
		tally = t.scaledBy(shrink)
	}
	gap := tally.Fenchel + p.domainGap(x)
	gap += p.Penalty.fenchel(d.z, d.zErr, p.image) + p.Penalty.imageError(x, p.image, d.z)
	gap += tally.rootChangeCost(change.norm, change.reach)
	marginPoint := x
	if sum.Base != nil {
		marginPoint = sum.Base
	}
	gap += tally.marginErrorCost(p.marginErrors(marginPoint)) + float64(8*roundoff*math.Abs(objective-t.Loss))
	if gap *= 1 + 1e-11; math.IsNaN(gap) {
		return noBound
	}
	return Bound{Gap: gap, Rounding: rounding + p.roundingCost(), Shrink: shrink, Fenchel: tally.Fenchel, Z: d.z}
}

// finite reports whether all numbers of the dual point are finite. Comparisons and products with 0 further on
// would lose a NaN.
func (d *dualPoint) finite() bool {
	for _, v := range [][]float64{d.z, d.zErr, d.e, d.eErr} {
		for _, u := range v {
			if math.IsNaN(u - u) {
				return false
			}
		}
	}
	return true
}

// setDualPoint copies z to p.dual.z, without the multipliers of the rows in p.recomputedRows, and computes
// the dual residual p.dual.e. If clip is true, it moves multipliers beyond their limits to the limits.
func (p *Problem) setDualPoint(z []float64, t *Tally, sum *Sum, clip bool) {
	copy(p.dual.z, z)
	clear(p.dual.zErr)
	p.clearRecomputed(p.dual.z)
	if clip && len(p.recomputedRows) < len(z) {
		p.Penalty.Clip(p.dual.z)
	}
	p.setResidual(t, sum)
}

// The sign of a dual residual eⱼ is considered certain if |eⱼ| is more than clearSign times its error bound.
const clearSign = 1e3

// checkSigns updates relaxed[j] for the features j in oneSidedFeatures, which have one finite bound.
// relaxed[j] becomes true if eⱼ certainly has the feasible sign; then eⱼ need not be 0.
func (p *Problem) checkSigns() {
	if len(p.oneSidedFeatures) == 0 {
		return
	}
	changed := false
	for _, j := range p.oneSidedFeatures {
		feasibleSign := p.feasibleResidual(j) > clearSign*p.dual.eErr[j]
		changed = changed || feasibleSign != p.relaxed[j]
		p.relaxed[j] = feasibleSign
	}
	if changed {
		p.chooseCorrection()
	}
}

// dropUncertainSigns sets relaxed[j] to false if j is in oneSidedFeatures and the correction has made the
// sign of eⱼ uncertain. If this changes relaxed, dropUncertainSigns chooses a new correction and returns
// true.
func (p *Problem) dropUncertainSigns() (changed bool) {
	for _, j := range p.oneSidedFeatures {
		if p.relaxed[j] && !(p.feasibleResidual(j) >= p.dual.eErr[j]) {
			p.relaxed[j], changed = false, true
		}
	}
	if changed {
		p.chooseCorrection()
	}
	return changed
}

// feasibleResidual returns the dual residual eⱼ if feasible dual points have eⱼ ≥ 0, and −eⱼ if they have eⱼ
// ≤ 0. Feature j must have one finite bound.
func (p *Problem) feasibleResidual(j int32) float64 {
	if math.IsInf(p.box.Lower[j], 0) {
		return -p.dual.e[j]
	}
	return p.dual.e[j]
}

func (p *Problem) chooseCorrection() {
	p.correction = newCorrection(p.Penalty, p.relaxed, p.Columns.LargestEntry)
	p.rootsVersion++
}

// RootsVersion returns a number that changes whenever Bound chooses roots anew. After a change, every RootRow
// and every sum computed from a RootRow is invalid.
func (p *Problem) RootsVersion() int { return p.rootsVersion }

func (p *Problem) clearRecomputed(z []float64) {
	for _, row := range p.recomputedRows {
		z[row] = 0
	}
}

// choosesMultiplier reports whether domainGap chooses the multiplier of feature j's singleton row.
func (p *Problem) choosesMultiplier(j, row int) bool {
	switch {
	case p.Penalty.Grouped():
		return p.set == nil && p.inGroupOfSingletons[row]
	case p.productDomain:
		return p.Ridge[j] > 0 || p.bounded(j) || p.halfBounded(j)
	}
	return !p.Penalty.Squared(row)
}

// setResidual sets p.dual.e to X'Cα + A'z and p.dual.eErr to bounds of its errors. z is p.dual.z, in which
// the multipliers of the rows in p.recomputedRows are 0.
func (p *Problem) setResidual(t *Tally, sum *Sum) {
	d := &p.dual
	compensated, alphaNorm := sum.Tail != nil, 1.001*math.Sqrt(t.Square)
	copy(d.e, sum.Head)
	clear(d.eErr)
	if len(p.recomputedRows) < len(d.z) {
		absTrans(d.eErr, p.Penalty.M, d.z)
	}
	for j, size := range d.eErr {
		// Σ cᵢ|αᵢx_ij| is bounded in two ways: by the largest |x_ij|, and by the Cauchy-Schwarz inequality.
		absoluteSum := float64(t.Size * p.Columns.LargestEntry[j])
		if p.Columns.Norm != nil {
			absoluteSum = min(absoluteSum, alphaNorm*p.Columns.Norm[j])
		}
		d.eErr[j] = p.residualError(sum, j, size+absoluteSum)
	}
	if !compensated {
		if len(p.recomputedRows) < len(d.z) {
			p.Penalty.AddTrans(d.e, d.z)
		}
		return
	}
	tail := slices.Clone(sum.Tail)
	p.Penalty.addPairs(d.e, tail, d.z)
	for j, v := range tail {
		d.e[j] += v
		d.eErr[j] += float64(2 * roundoff * math.Abs(d.e[j]))
	}
}

// residualError bounds the error of the computed eⱼ. size bounds the sum of the absolute values of its terms. With a
// compensated sum, the rounding of the last addition, Head + Tail, is not included.
func (p *Problem) residualError(sum *Sum, j int, size float64) (bound float64) {
	if sum.Tail != nil {
		bound = float64(compensatedRoundoff * math.Max(1, sum.Samples/maxTerms) * size)
	} else {
		roundings := sum.Roundings + float64(p.Penalty.entryCount(j)+8)
		if p.Columns.EntryCount != nil {
			roundings += p.Columns.EntryCount[j]
		}
		bound = float64(roundings * roundoff * size)
	}
	if sum.ExtraErrors != nil {
		bound += sum.ExtraErrors[j]
	}
	return bound
}

// leastPivot is the smallest pivot of a Cholesky factor at which rounding errors are negligible. The factored
// matrix has the diagonal 1.
const leastPivot = 1e-7

// A rootChange bounds the change δ = ΦXN d of α that makes eⱼ = 0 at all roots. e and C are explained in the
// package comment. N has one column for each root, its vector n (see root). Φ is the diagonal matrix with the
// numbers Φᵢ of Tally.Phi. d solves H d = −e_F with H = N'X'CΦXN, where e_F has the values of e at the roots.
type rootChange struct {
	norm       float64 // bounds √(d'H d)
	reach      float64 // bounds |(XN d)ᵢ| for every sample i; +Inf if H may be singular
	exactReach float64 // what reach would be without rounding errors
}

// rootChange bounds the change of α, the dual point's numbers for the samples, that makes the dual residual
// eⱼ = 0 at all roots. Before that it changes multipliers, so that eⱼ = 0 at the features with a step of the
// correction (see correction.apply). Without roots it changes nothing, and returns zeros.
func (p *Problem) rootChange(sum *Sum) (change rootChange) {
	roots, d := p.correction.roots, &p.dual
	k := len(roots)
	p.DependentRoots = false
	if k == 0 {
		return change
	}
	p.correction.apply(p.Penalty, d.e, d.eErr, d.z, d.zErr)
	if p.isFeasibleAtRoots() {
		return change
	}
	sums := slices.Clone(sum.RootSums())
	scale, h := make([]float64, k), sums[:k*k]
	for a, size := range sums[k*k:] {
		// If feature j is rare, α may be very small, or 0, at all samples that have it. Then this bound is
		// much smaller than the one of setResidual.
		if j := int(roots[a].feature); !p.Penalty.Touches(j) {
			bound := p.residualError(sum, j, float64(1.001*size)) + float64(2*roundoff*math.Abs(d.e[j]))
			d.eErr[j] = min(d.eErr[j], bound)
		}
	}
	if p.isFeasibleAtRoots() {
		return change
	}
	chol := linalg.NewCholesky(k)
	noChange := rootChange{reach: math.Inf(1), exactReach: math.Inf(1)}
	settled := make([]bool, k) // e is 0 at the root, and no change of α changes it
	for a, r := range roots {
		settled[a] = d.e[r.feature] == 0 && d.eErr[r.feature] == 0 && h[a*k+a] == 0
		if settled[a] {
			h[a*k+a] = 1 // instead of 0, so that H can be factored
		}
		if scale[a] = 1 / math.Sqrt(h[a*k+a]); math.IsNaN(scale[a]) || math.IsInf(scale[a], 0) || scale[a] == 0 {
			return noChange // the square overflows or underflows, or the column is 0
		}
	}
	if p.DependentRoots = !chol.Factor(h, scale, 0) || chol.LeastPivot() < leastPivot; p.DependentRoots {
		return noChange
	}
	// For H, d and e_F of the type rootChange: d'H d = e_F'H⁻¹e_F, and |d_a| ≤ √(H⁻¹)_aa √(d'H d) for root a.
	// An error ε of e at root a changes √(d'H d) by at most √(H⁻¹)_aa |ε|.
	v := make([]float64, k)
	for a, r := range roots {
		v[a] = d.e[r.feature] * scale[a]
	}
	chol.SolveLower(v, v)
	var norm2, errors, largestMove float64
	for _, u := range v {
		norm2 += float64(u * u)
	}
	for a, r := range roots {
		if settled[a] {
			continue
		}
		clear(v)
		v[a] = 1
		chol.Solve(v, v)
		inverseRoot := scale[a] * math.Sqrt(math.Max(v[a], 0)) // the square root of (H⁻¹)_aa
		largestMove += float64(p.largestRootEntry(r) * inverseRoot)
		errors += float64(d.eErr[r.feature] * inverseRoot)
	}
	exactNorm := float64(1.001 * math.Sqrt(norm2))
	change.norm = exactNorm + float64(2*errors)
	change.reach, change.exactReach = largestMove*change.norm, largestMove*exactNorm
	return change
}

// isFeasibleAtRoots reports whether the dual residual eⱼ is exactly 0 at all roots.
func (p *Problem) isFeasibleAtRoots() bool {
	return !slices.ContainsFunc(p.correction.roots, func(r root) bool { return p.dual.e[r.feature] != 0 || p.dual.eErr[r.feature] != 0 })
}

// largestRootEntry returns a bound of |(X n)ᵢ| for every sample i, where n is r.n.
func (p *Problem) largestRootEntry(r root) (sum float64) {
	for _, m := range r.n {
		sum += math.Abs(float64(m.value * p.Columns.LargestEntry[m.index]))
	}
	return sum
}

// scaling returns the factor by which the dual point must be multiplied to be feasible; it is at most 1.
// rounding estimates how much the gap grows because rounding errors make the factor smaller. objective is
// P(x).
func (p *Problem) scaling(objective float64) (factor, rounding float64) {
	d := &p.dual
	factor, exactFactor := p.Penalty.scaling(d.z, d.zErr), 1.0
	if factor < 1 {
		exactFactor = p.Penalty.scaling(d.z, make([]float64, len(d.z)))
	}
	if p.productDomain && p.box.Lower != nil && !p.Penalty.Grouped() {
		signFactor, exactSignFactor := p.signScaling()
		factor, exactFactor = math.Min(factor, signFactor), math.Min(exactFactor, exactSignFactor)
	}
	return factor, (exactFactor - factor) * objective
}

// signScaling returns a factor shrink ≤ 1 for the dual point. After the multiplication by shrink, a
// multiplier of feature j's singleton row, within its limit, can give the dual residual eⱼ the feasible sign.
// This holds for all features j with one finite bound, no ridge, and a singleton row without a square.
// exactShrink is shrink without rounding errors.
func (p *Problem) signScaling() (shrink, exactShrink float64) {
	shrink, exactShrink = 1, 1
	for j, row := range p.Penalty.Singleton {
		if row < 0 || p.Ridge[j] > 0 || !p.halfBounded(j) || p.Penalty.Squared(int(row)) {
			continue
		}
		// A multiplier within its limit can change the dual residual e by maxChange, despite rounding.
		maxChange := p.Penalty.Limit[row] * math.Abs(p.Penalty.SingletonEntry[j]) * (1 - 16*roundoff)
		e := p.dual.e[j]
		excess := -e // positive if e has the wrong sign
		if math.IsInf(p.box.Lower[j], 0) {
			excess = e
		}
		exactShrink = math.Min(exactShrink, maxChange/math.Max(excess, maxChange))
		if excess += p.dual.eErr[j] + float64(8*roundoff*math.Abs(e)); excess > maxChange {
			shrink = math.Min(shrink, maxChange/excess)
		}
	}
	return shrink, exactShrink
}

// roundingCost estimates how much rounding errors enlarge the gap: the errors of the multipliers, and the
// errors of the dual residual e at features with a ridge.
func (p *Problem) roundingCost() (sum float64) {
	for j, v := range p.image {
		sum += math.Abs(float64(p.dual.zErr[j] * v))
	}
	for j, r := range p.Ridge {
		if r > 0 {
			sum += float64(p.dual.eErr[j]*p.dual.eErr[j]) / r
		}
	}
	return sum
}

// domainGap chooses the multipliers of the singleton rows of the features in p.optimisedFeatures. It returns
// an upper bound of the last bracket in the package comment, h(x) + h*(−e) + e'x. There h is the sum of the
// ridge terms on the set S, and e is the dual residual.
func (p *Problem) domainGap(x []float64) (sum float64) {
	d := &p.dual
	if p.Penalty.Grouped() {
		p.setGroupMultipliers()
	}
	if !p.productDomain {
		p.setBallOrSimplexMultipliers()
		return p.set.Excess(d.e, d.eErr, x, p.Ridge[0])
	}
	for _, j := range p.optimisedFeatures {
		switch row := int(p.Penalty.Singleton[j]); {
		case p.Penalty.Grouped():
		case p.set == nil:
			p.setMultiplier(int(j), row, p.nearestMultiplier(int(j), row))
		default:
			p.setCheapestMultiplier(int(j), row, x[j])
		}
	}
	for j, v := range x {
		if p.Ridge[j] > 0 || d.e[j] != 0 || d.eErr[j] != 0 {
			sum += p.domainGapAt(j, d.e[j], d.eErr[j], v)
		}
	}
	return sum
}

// domainGapAt returns the term of feature j in the bound of domainGap, if S is a box or R^p. e is the dual
// residual eⱼ, err a bound of its error, and x the coefficient.
func (p *Problem) domainGapAt(j int, e, err, x float64) float64 {
	if p.box.Lower != nil {
		return p.box.ExcessAt(j, e, err, x, p.Ridge[j])
	}
	residualBound := math.Abs(math.FMA(p.Ridge[j], x, e)) + err
	return productOver(residualBound, residualBound, 2*p.Ridge[j])
}

// nearestMultiplier returns a multiplier of feature j's singleton row. If the row has no square, it is the
// number within the row's limit that makes the dual residual eⱼ nearest to 0. If S = R^p and the feature has
// a ridge, the result minimises the bound.
func (p *Problem) nearestMultiplier(j, row int) float64 {
	e, entry, limit := p.dual.e[j], p.Penalty.SingletonEntry[j], p.Penalty.Limit[row]
	z := linalg.Clip(-e/entry, limit)
	if p.Penalty.Squared(row) {
		q := p.Penalty.Square[row]
		residual := math.FMA(z, entry, e)
		z -= float64(entry * residual * (q / (p.Ridge[j] + float64(entry*entry*q))))
	}
	return z
}

// setMultiplier sets the multiplier of feature j's singleton row to z and updates eⱼ.
func (p *Problem) setMultiplier(j, row int, z float64) {
	d, entry := &p.dual, p.Penalty.SingletonEntry[j]
	d.z[row] = z
	d.eErr[j] += float64(4 * roundoff * (math.Abs(d.e[j]) + math.Abs(float64(z*entry))))
	d.e[j] = math.FMA(z, entry, d.e[j])
}

// setCheapestMultiplier sets the multiplier of feature j's singleton row to the one of six candidates for
// which the bound is smallest.
func (p *Problem) setCheapestMultiplier(j, row int, x float64) {
	d, entry := &p.dual, p.Penalty.SingletonEntry[j]
	v, e, err := p.image[row], d.e[j], d.eErr[j]
	if x == 0 && e == 0 && err == 0 {
		return
	}
	limit, squareSlope := p.Penalty.Limit[row], 0.0
	if p.Penalty.Square != nil {
		squareSlope = float64(p.Penalty.Square[row] * v)
	}
	errorBound := 2*err + float64(32*roundoff*math.Abs(e))
	candidates := [6]float64{squareSlope - limit, squareSlope + limit, -e / entry, (errorBound - e) / entry, (-errorBound - e) / entry, p.nearestMultiplier(j, row)}
	bestCost := math.Inf(1)
	for k, z := range candidates {
		if !p.Penalty.Squared(row) {
			z = linalg.Clip(z, limit)
		}
		residual, zErr := math.FMA(z, entry, e), 0.0
		eErr := err + float64(4*roundoff*(math.Abs(e)+math.Abs(float64(z*entry))))
		if maxZ := p.Penalty.maxMultiplier(row); k == 2 && math.Abs(z)+eErr/math.Abs(entry) <= maxZ {
			// A multiplier within the new zErr of z makes eⱼ exactly 0.
			residual, zErr, eErr = 0, eErr/math.Abs(entry), 0
		}
		cost := p.Penalty.fenchelAt(row, z, v) + float64(zErr*math.Abs(v)) + p.domainGapAt(j, residual, eErr, x)
		if cost < bestCost {
			bestCost = cost
			d.z[row], d.zErr[row], d.e[j], d.eErr[j] = z, zErr, residual, eErr
		}
	}
}

// setBallOrSimplexMultipliers sets the multipliers of the singleton rows of the features in
// p.optimisedFeatures, for a ball or a simplex S. For a ball it makes the dual residuals |eⱼ| small. For a
// simplex it makes eⱼ as large as possible: this never enlarges the bound.
func (p *Problem) setBallOrSimplexMultipliers() {
	isSimplex := p.set.Bounds(len(p.Ridge)).Total > 0
	for _, j := range p.optimisedFeatures {
		row := int(p.Penalty.Singleton[j])
		z := math.Copysign(p.Penalty.Limit[row], p.Penalty.SingletonEntry[j])
		if !isSimplex {
			z = p.nearestMultiplier(int(j), row)
		}
		p.setMultiplier(int(j), row, z)
	}
}

// setGroupMultipliers sets the multipliers of the rows in inGroupOfSingletons. It makes the dual
// residuals eⱼ zero, but then reduces the multipliers of a group that exceed its limit.
func (p *Problem) setGroupMultipliers() {
	d := &p.dual
	for _, j := range p.optimisedFeatures {
		d.z[p.Penalty.Singleton[j]] = -d.e[j] / p.Penalty.SingletonEntry[j]
	}
	for k := range p.Penalty.Groups {
		if g := &p.Penalty.Groups[k]; p.inGroupOfSingletons[g.Rows[0]] {
			g.clip(d.z)
		}
	}
	for _, j := range p.optimisedFeatures {
		row := p.Penalty.Singleton[j]
		p.setMultiplier(int(j), int(row), d.z[row])
	}
}

// marginErrors returns two bounds for margins that were computed at x: err for the error of a margin, and
// roundings for the number of roundings in a margin and its slope.
func (p *Problem) marginErrors(x []float64) (err, roundings float64) {
	var size, count float64
	for j, v := range x {
		if v != 0 {
			size += math.Abs(float64(v * p.Columns.LargestEntry[j]))
			count++
		}
	}
	// In the worst case, one lane of a vector register sums all terms of a margin.
	if roundings = 32 + count; p.Columns.LongestRow > 0 {
		roundings = min(roundings, 32+p.Columns.LongestRow)
	}
	return float64(roundoff * (float64(roundings*size) + float64(4*p.Columns.LargestOffset))), roundings
}

// NeedsCompensation reports whether to compute X'Cα (see Sum) again by compensated summation. Its rounding
// may then be the only reason that the gap is above goal.
func (b *Bound) NeedsCompensation(goal float64) bool {
	return b.Gap > 0.5*goal && (b.Rounding > 0.05*goal && b.Gap < 4*goal || b.Rounding >= 0.5*b.Gap)
}

// NeedsScaledTally reports whether the gap may be above goal only because b.Fenchel, an upper bound of the
// sum of the Fenchel terms, is too large. The terms should then be computed for α times b.Shrink. t is the
// tally of α. If nothing is proved, b.Shrink is 0, and the result is false.
func (b *Bound) NeedsScaledTally(t *Tally, goal float64) bool {
	return b.Gap > goal && 0 < b.Shrink && b.Shrink < 1 && (1-b.Shrink)*(t.Loss+t.ConjugateAtZero) > 0.1*goal
}

// GapWithFenchel returns the gap with fenchel in place of b.Fenchel. fenchel is the computed sum of the
// Fenchel terms for α times b.Shrink, and t is the tally of α. err bounds the error of fenchel from rounding
// of the products b.Shrink·αᵢ. The result keeps the part 1e-11·b.Fenchel of b.Gap, which allows for
// rounding of slopes.
func (b *Bound) GapWithFenchel(t *Tally, fenchel float64) float64 {
	err := float64(2 * roundoff * ((t.Loss+t.ConjugateAtZero)/b.Shrink + t.Fenchel/(1-b.Shrink)))
	return b.Gap + (fenchel + err - b.Fenchel) + float64(1e-15*b.Gap)
}

// NeedsPhi reports whether Bound may have to change α because of roots. Then the caller must call Tally.Phi
// and set Sum.Hessian.
func (p *Problem) NeedsPhi() bool {
	return p.hasFarBounds || len(p.oneSidedFeatures) > 0 || p.RootCount() > 0
}

// TrivialBound returns the bound of P(x) − P* that the dual point 0 proves: objective + t.ConjugateAtZero,
// apart from rounding. objective is P(x). t is the tally of x and any α.
func (p *Problem) TrivialBound(x []float64, objective float64, t *Tally) float64 {
	p.Penalty.Mul(p.image, x)
	// With α = 0, Mismatch is Σ cᵢ|φ'(tᵢ)|. This is at most Σ cᵢ|φ'(tᵢ) − αᵢ| + Σ cᵢ|αᵢ| for the α of t.
	tallyAtZero := Tally{Mismatch: t.Mismatch + t.Size, Curvature: t.Curvature, Unbounded: t.Unbounded}
	return float64((objective+t.ConjugateAtZero)*(1+1e-11)) + tallyAtZero.marginErrorCost(p.marginErrors(x)) + p.Penalty.imageError(x, p.image, nil)
}

// objectiveRounding bounds the relative rounding error of a computed objective, see RoundedGap.
const objectiveRounding = 0x1p-50

// RoundedGap turns gap, a bound of P(x) − P* in real arithmetic, into a bound for the computed objective. It
// assumes that every term of the objective is accurate to its last digit. Near a perfect fit this
// assumption may be false. A NaN becomes +Inf.
func RoundedGap(gap, objective float64) float64 {
	if gap += float64(objectiveRounding * math.Abs(objective)); math.IsNaN(gap) {
		return math.Inf(1)
	}
	return gap
}

// GapAtObjective turns a bound of P(z) − P* at a point z into a bound of P(x) − P* at another point x, and
// returns this bound. boundObjective is P(z) and objective is P(x), both as computed. Their rounding errors that
// come from rounded margins add up to at most rounding, see LossError. If boundObjective has overflowed, the
// result is +Inf.
func GapAtObjective(bound, boundObjective, objective, rounding float64) float64 {
	if math.IsInf(boundObjective, 1) {
		return math.Inf(1)
	}
	bound += objective - boundObjective + math.Max(1e-12*math.Abs(objective), rounding)
	return RoundedGap(math.Max(bound, 0), objective)
}

// LossError bounds the error of a computed mean loss, if the error of no margin exceeds marginError. For a
// loss φ ≥ 0 whose second derivative is at most curvature, φ'² ≤ 2·curvature·φ. So an error d of the margin
// changes φ by at most √(2·curvature·φ) d + curvature·d²/2. LossError returns 0 if curvature has no bound.
func LossError(loss, marginError, curvature float64) float64 {
	if marginError == 0 || math.IsInf(curvature, 1) {
		return 0
	}
	return float64(marginError * (math.Sqrt(2*curvature*loss) + float64(0.5*curvature*marginError)))
}

// MarginError bounds the errors of the computed margins of the rows of data at x.
func MarginError(data *sparse.CSR, x []float64) (largest float64) {
	n, _ := data.Dims()
	for i := range n {
		idx, val := data.Row(i)
		size := 0.0
		for k, j := range idx {
			size += math.Abs(float64(val[k] * x[j]))
		}
		largest = math.Max(largest, float64(len(idx)+8)*roundoff*size)
	}
	return largest
}

// LossErrorAt bounds the rounding error of the mean loss at x, like LossError. It bounds the errors of the
// margins by the statistics in p.Columns, without reading the data.
func (p *Problem) LossErrorAt(x []float64, loss, curvature float64) float64 {
	marginError, _ := p.marginErrors(x)
	return LossError(loss, marginError, curvature)
}
