package newton

import (
	"math"

	"github.com/scas-admm/scas/solver/internal/pass"
	"github.com/scas-admm/scas/solver/internal/quad"
	"github.com/scas-admm/scas/sparse"
)

// Free are the columns F of features that no multiplier can make up for, and what closes
// their equalities X_F'Cα + e = 0 exactly: α + Φ X_F d with H d = −(X_F'Cα + e), H =
// X_F'CΦX_F. It is never formed. Φ is φ”, but no more than Steep times the distance of α
// from where φ* ends, so that |X_F d| ≤ ½/Steep leaves α in the domain of φ*.
type Free struct {
	Columns []int32
	team    *pass.Team
	idx     [][]int32
	val     [][]float64
}

// Steep bounds Φ; see Free.
const Steep = 1e4

// leastPivot is one of H scaled to a unit diagonal: what rounding did to it is nothing.
const leastPivot = 1e-7

// NewFree returns the columns of x, whose rows a team has.
func NewFree(t *pass.Team, x *sparse.CSR, columns []int32) *Free {
	f := &Free{Columns: columns, team: t, idx: make([][]int32, len(columns)), val: make([][]float64, len(columns))}
	n, p := x.Dims()
	place := make([]int32, p)
	for k, j := range columns {
		place[j] = int32(k) + 1
	}
	for i := range n {
		idx, val := x.Row(i)
		for m, j := range idx {
			if k := place[j] - 1; k >= 0 {
				f.idx[k] = append(f.idx[k], int32(i))
				f.val[k] = append(f.val[k], val[m])
			}
		}
	}
	return f
}

// Phi returns Φ of a sample with the given φ”, α and domain of φ*.
func Phi(curve, alpha, lo, hi float64) float64 {
	return max(0, min(curve, Steep*min(alpha-lo, hi-alpha)))
}

// Drift bounds √(d'H d) of the correction for the sums e, of which the errors are bounded,
// and reports whether it leaves α in the domain of φ*. phi is cᵢΦᵢ; the others have an
// entry per feature, largest that of |x_ij|. Other sums are then off by |X_j'CΦX_F d| ≤ √2
// |x_j|_C drift, as φ” ≤ 2.
func (f *Free) Drift(phi, e, errors, largest []float64) (float64, bool) {
	return FreeDrift(f.hessian(phi), f.Columns, e, errors, largest)
}

// FreeDrift is Free.Drift of columns, given the upper triangle of H.
func FreeDrift(h []float64, columns []int32, e, errors, largest []float64) (float64, bool) {
	k := len(columns)
	if k == 0 {
		return 0, true
	}
	scale := make([]float64, k)
	for a := range k {
		scale[a] = 1 / math.Sqrt(h[a*k+a])
		if math.IsNaN(scale[a]) || math.IsInf(scale[a], 0) {
			return 0, false
		}
	}
	chol := quad.NewCholesky(k)
	if !chol.FactorScaled(h, scale, 0, 1) || chol.LeastPivot() < leastPivot {
		return 0, false
	}
	// |e|_{H⁻¹}, and for the errors of e and of the factor the diagonal of H⁻¹.
	v := make([]float64, k)
	for a, j := range columns {
		v[a] = e[j] * scale[a]
	}
	chol.SolveLower(v, v)
	var norm2, reach, rest float64
	for _, u := range v {
		norm2 += float64(u * u)
	}
	for a, j := range columns {
		clear(v)
		v[a] = 1
		chol.Solve(v, v)
		root := scale[a] * math.Sqrt(math.Max(v[a], 0))
		reach += float64(largest[j] * root)
		rest += float64(errors[j] * root)
	}
	drift := float64(1.001*math.Sqrt(norm2)) + 2*rest
	return drift, Steep*drift*reach <= 0.5
}

// hessian returns X_F'CΦX_F, its upper triangle.
func (f *Free) hessian(phi []float64) []float64 {
	k := len(f.Columns)
	h := make([]float64, k*k)
	for a := range k {
		for b := a; b < k; b++ {
			h[a*k+b] = f.inner(a, b, phi)
		}
	}
	f.team.Sum(h)
	return h
}

// inner returns Σ phiᵢ x_ia x_ib.
func (f *Free) inner(a, b int, phi []float64) (sum float64) {
	j, other := 0, f.idx[b]
	for m, i := range f.idx[a] {
		for j < len(other) && other[j] < i {
			j++
		}
		if j < len(other) && other[j] == i {
			sum += float64(float64(phi[i]*f.val[a][m]) * f.val[b][j])
		}
	}
	return sum
}

// FreeCost bounds what the correction δ of α adds to the Fenchel terms: Σ c (u − t)δ +
// δ²/2φ”, φ*'(α) = u, |δ| ≤ √(Φ/c) drift.
func FreeCost(drift, fenchel float64) float64 {
	return float64(4 * drift * (math.Sqrt(Steep*fenchel) + float64(Steep*drift)))
}

// freeSide is what a Wide has of features without a penalised row of their own.
type freeSide struct {
	*Free
	norm []float64 // √(Σ cᵢ x_ij²) of every feature
	phi  []float64 // n: scratch
}

// newFreeSide returns nil where every feature has a row of its own.
func newFreeSide(f *Finisher) *freeSide {
	if f.rows.all {
		return nil
	}
	var columns []int32
	for j, row := range f.rows.own {
		if row < 0 && (f.open == nil || f.open[j]) && !f.apart.settles(j) {
			columns = append(columns, int32(j))
		}
	}
	s := &freeSide{Free: NewFree(f.Team, f.Data, columns), norm: make([]float64, f.p), phi: make([]float64, f.n)}
	for i := range f.n {
		idx, val := f.Data.Row(i)
		for k, j := range idx {
			s.norm[j] += float64(f.Coef[i] * float64(val[k]*val[k]))
		}
	}
	f.Team.Sum(s.norm)
	for j, v := range s.norm {
		s.norm[j] = math.Sqrt(v)
	}
	return s
}

// isFree reports whether a feature is one of a Wide's free side.
func (f *Finisher) isFree(j int) bool { return f.free != nil && f.rows.own[j] < 0 }

// closeFree closes the equality at the free features; the multipliers of other features'
// own rows make up for what that does to them.
func (f *Finisher) closeFree(d *dual, curve []float64) {
	for i, a := range d.alpha {
		lo, hi := f.Loss.SlopeRange(f.Labels[i])
		f.free.phi[i] = float64(f.Coef[i] * Phi(curve[i], a, lo, hi))
		if f.apart != nil && f.apart.Samples[i] {
			f.free.phi[i] = 0
		}
	}
	drift, ok := f.free.Drift(f.free.phi, f.sum.y, f.sum.error, f.columns)
	if !ok {
		drift = math.Inf(1)
	}
	d.drift = drift
	for j, row := range f.rows.own {
		if row >= 0 {
			d.slack[row] += float64(1.5*f.free.norm[j]*drift) / math.Abs(f.rows.entry[j])
		}
	}
}
