package gap

import (
	"math"
	"slices"

	"github.com/scas-admm/scas/solver/internal/linalg"
	"github.com/scas-admm/scas/solver/internal/term"
)

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
	// Moved is true if Head is the sum of a gradient at another point and a Move. The gradient may then have
	// larger terms than cᵢαᵢx_ij.
	Moved bool
	// RootSums returns k² + k sums over the samples of all processes, where k is the number of roots. The
	// first k² are the matrix H in the comment of type rootChange; only its upper triangle is set. The others
	// are Σ |cᵢαᵢ(XN)ᵢₐ| for each root a; if Moved is true, they are not used, and may be missing. If all
	// numbers are NaN, nothing is proved. RootSums may be nil if there are no roots.
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

// Bound returns the bound of P(x) − P* that the dual point (α, z) proves after it is made feasible. t is the
// tally of x and α, and sum is X'Cα (see the package comment). Bound does not change z.
func (p *Problem) Bound(x, z []float64, t *Tally, sum *Sum) Bound {
	if p.hasFarBounds && p.chooseSet(x) {
		p.chooseSteps()
	}
	objective, exceedsLimit := p.Value(x, t.Loss), p.exceedsLimit(z)
	bestBound := p.bound(x, z, t, sum, objective, true)
	if p.DependentRoots && p.hasFarBounds { // with all their bounds, fewer features are roots
		p.hasFarBounds = false
		if p.chooseSet(x) {
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
		if !(term.Steepest*change.reach <= 0.5) { // the changed α may be outside the domain of φ*
			if term.Steepest*change.exactReach <= 0.5 {
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
	gap *= 1 + 1e-11
	if math.IsNaN(gap) {
		return noBound
	}
	return Bound{
		Gap: gap, Rounding: rounding + p.roundingCost(), Shrink: shrink, Fenchel: tally.Fenchel, Z: d.z,
	}
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

func (p *Problem) clearRecomputed(z []float64) {
	for _, row := range p.recomputedRows {
		z[row] = 0
	}
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

// residualError bounds the error of the computed eⱼ. size bounds the sum of the absolute values of its terms.
// With a compensated sum, the rounding of the last addition, Head + Tail, is not included.
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
		excess += p.dual.eErr[j] + float64(8*roundoff*math.Abs(e))
		if excess > maxChange {
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

// TrivialBound returns the bound of P(x) − P* that the dual point 0 proves: objective + t.ConjugateAtZero,
// apart from rounding. objective is P(x). t is the tally of x and any α.
func (p *Problem) TrivialBound(x []float64, objective float64, t *Tally) float64 {
	p.Penalty.Mul(p.image, x)
	// With α = 0, Mismatch is Σ cᵢ|φ'(tᵢ)|. This is at most Σ cᵢ|φ'(tᵢ) − αᵢ| + Σ cᵢ|αᵢ| for the α of t.
	tallyAtZero := Tally{Mismatch: t.Mismatch + t.Size, Curvature: t.Curvature, Unbounded: t.Unbounded}
	return float64((objective+t.ConjugateAtZero)*(1+1e-11)) + tallyAtZero.marginErrorCost(p.marginErrors(x)) +
		p.Penalty.imageError(x, p.image, nil)
}
