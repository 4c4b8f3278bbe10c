package gap

import (
	"math"
	"slices"
)

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
	for a := 0; a < k && !sum.Moved; a++ {
		// If feature j is rare, α may be very small, or 0, at all samples that have it. Then this bound is
		// much smaller than the one of setResidual.
		if j := int(roots[a].feature); !p.Penalty.Touches(j) {
			size := float64(1.001 * sums[k*k+a])
			bound := p.residualError(sum, j, size) + float64(2*roundoff*math.Abs(d.e[j]))
			d.eErr[j] = min(d.eErr[j], bound)
		}
	}
	if p.isFeasibleAtRoots() {
		return change
	}
	factor := &p.rootFactor
	factor.Resize(k)
	noChange := rootChange{reach: math.Inf(1), exactReach: math.Inf(1)}
	settled := make([]bool, k) // e is 0 at the root, and no change of α changes it
	for a, r := range roots {
		settled[a] = d.e[r.feature] == 0 && d.eErr[r.feature] == 0 && h[a*k+a] == 0
		if settled[a] {
			h[a*k+a] = 1 // instead of 0, so that H can be factored
		}
		scale[a] = 1 / math.Sqrt(h[a*k+a])
		if math.IsNaN(scale[a]) || math.IsInf(scale[a], 0) || scale[a] == 0 {
			return noChange // the square overflows or underflows, or the column is 0
		}
	}
	p.DependentRoots = !factor.Factor(h, scale, 0) || factor.LeastPivot() < leastPivot
	if p.DependentRoots {
		return noChange
	}
	// For H, d and e_F of the type rootChange: d'H d = e_F'H⁻¹e_F, and |d_a| ≤ √(H⁻¹)_aa √(d'H d) for root a.
	// An error ε of e at root a changes √(d'H d) by at most √(H⁻¹)_aa |ε|.
	v := make([]float64, k)
	for a, r := range roots {
		v[a] = d.e[r.feature] * scale[a]
	}
	factor.SolveLower(v, v)
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
		factor.Solve(v, v)
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
	return !slices.ContainsFunc(p.correction.roots,
		func(r root) bool { return p.dual.e[r.feature] != 0 || p.dual.eErr[r.feature] != 0 })
}

// largestRootEntry returns a bound of |(X n)ᵢ| for every sample i, where n is r.n.
func (p *Problem) largestRootEntry(r root) (sum float64) {
	for _, m := range r.n {
		sum += math.Abs(float64(m.value * p.Columns.LargestEntry[m.index]))
	}
	return sum
}
