package gap

import (
	"math"
	"slices"

	"github.com/scas-admm/scas/solver/internal/linalg"
	"github.com/scas-admm/scas/solver/internal/term"
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
	// inGroupOfSingletons marks the rows of A whose group has only singleton rows, all of features with a
	// ridge.
	inGroupOfSingletons []bool
	// optimisedFeatures lists features. domainGap chooses the multipliers of their singleton rows.
	optimisedFeatures []int32
	// recomputedRows lists the rows of A for which Bound ignores the given multipliers and computes others.
	recomputedRows []int32
	image          []float64       // A x
	dual           dualPoint       // the dual point that is bounded
	rootFactor     linalg.Cholesky // the factor of the last H, see rootChange
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
	box, isBox := p.Set.(term.Box)
	isBox = isBox || p.Set == nil // R^p
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
		set = box
		if !bounded {
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
	return isBox != oldProduct || !slices.Equal(box.Lower, oldBox.Lower) ||
		!slices.Equal(box.Upper, oldBox.Upper)
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

func (p *Problem) chooseCorrection() {
	p.correction = newCorrection(p.Penalty, p.relaxed, p.Columns.LargestEntry)
	p.rootsVersion++
}

// RootsVersion returns a number that changes whenever Bound chooses roots anew. After a change, every
// RootTally is invalid.
func (p *Problem) RootsVersion() int { return p.rootsVersion }

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

// needsPhi reports whether there are roots, or whether Bound may choose a correction that has roots. For
// roots, Bound may have to change α, and then needs Tally.Phi and Sum.RootSums.
func (p *Problem) needsPhi() bool {
	return p.hasFarBounds || len(p.oneSidedFeatures) > 0 || p.RootCount() > 0
}
