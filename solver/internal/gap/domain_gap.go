package gap

import (
	"math"

	"github.com/scas-admm/scas/solver/internal/linalg"
)

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
	candidates := [6]float64{
		squareSlope - limit, squareSlope + limit, -e / entry, (errorBound - e) / entry,
		(-errorBound - e) / entry, p.nearestMultiplier(j, row),
	}
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
		cost := p.Penalty.fenchelAt(row, z, v) + float64(zErr*math.Abs(v)) +
			p.domainGapAt(j, residual, eErr, x)
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

// setGroupMultipliers sets the multipliers of the rows in inGroupOfSingletons. It makes the dual residuals eⱼ
// zero if the group's limit allows this. Otherwise it minimises the sum of the group's terms eⱼ²/(2 Ridgeⱼ).
func (p *Problem) setGroupMultipliers() {
	d := &p.dual
	weight := make([]float64, len(d.z)) // for each row: Ridgeⱼ divided by the square of the row's entry
	for _, j := range p.optimisedFeatures {
		row, entry := p.Penalty.Singleton[j], p.Penalty.SingletonEntry[j]
		d.z[row], weight[row] = -d.e[j]/entry, p.Ridge[j]/float64(entry*entry)
	}
	for k := range p.Penalty.Groups {
		if g := &p.Penalty.Groups[k]; p.inGroupOfSingletons[g.Rows[0]] {
			g.shrink(d.z, weight)
			g.clip(d.z)
		}
	}
	for _, j := range p.optimisedFeatures {
		row := p.Penalty.Singleton[j]
		p.setMultiplier(int(j), int(row), d.z[row])
	}
}
