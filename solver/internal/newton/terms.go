package newton

import (
	"math"
	"slices"

	"github.com/scas-admm/scas/kernels"
)

// Beyond Σ limitⱼ|vⱼ|, a penalty can have squares, Σ (quadⱼ/2) vⱼ², and in the place of
// absolute values norms of groups of rows, Σ limit_k |v_k|₂. Their dual points have the
// multiplier of the square in them: z = z₁ + quad v at the optimum, |z₁| ≤ limit.

// A group is a set of rows whose norm is penalised.
type group struct {
	rows  []int32
	limit float64
}

// join takes groups in the place of single rows, given over the rows of A, which have
// the limit of their group as theirs.
func (r *penalty) join(groups [][]int) {
	if groups == nil {
		return
	}
	at := make([]int32, r.total)
	for j := range at {
		at[j] = -1
	}
	for k, row := range r.from {
		at[row] = int32(k)
	}
	r.groups = []group{}
	for _, rows := range groups {
		var g group
		for _, row := range rows {
			if k := at[row]; k >= 0 {
				g.rows = append(g.rows, k)
				g.limit = r.limit[k]
			}
		}
		if len(g.rows) > 0 {
			r.groups = append(r.groups, g)
		}
	}
}

// grouped reports whether norms of groups are penalised.
func (r *penalty) grouped() bool { return r.groups != nil }

// norm returns |v_k|₂.
func (g *group) norm(v []float64) float64 {
	var sum float64
	for _, row := range g.rows {
		sum = math.FMA(v[row], v[row], sum)
	}
	return math.Sqrt(sum)
}

// square returns Σ (quad/2) v².
func (r *penalty) square(v []float64) float64 {
	var sum float64
	for j, q := range r.quad {
		sum += float64(0.5 * q * float64(v[j]*v[j]))
	}
	return sum
}

// addSquares adds the gradient of the squares to dst.
func (r *penalty) addSquares(dst, v []float64) {
	z := make([]float64, len(v))
	for j, q := range r.quad {
		z[j] = float64(q * v[j])
	}
	r.addTrans(dst, z)
}

// A bend is the Hessian of smoothed rows at v: diag(h), for a group less part v v'.
type bend struct {
	h    []float64
	part []float64 // of each group
	v    []float64
}

func (r *penalty) newBend() *bend {
	return &bend{make([]float64, r.len()), make([]float64, len(r.groups)), make([]float64, r.len())}
}

// smoothTerms sets z and b to the derivatives at v of the smoothed rows, without
// squares: for a group the function that smooth has for a number is one of |v_k|.
func (r *penalty) smoothTerms(z []float64, b *bend, v []float64, tau float64) {
	copy(b.v, v)
	if !r.grouped() {
		r.smooth(z, b.h, v, tau)
		for j, limit := range r.limit {
			if limit == 0 {
				z[j], b.h[j] = 0, 0
			}
		}
		return
	}
	for k := range r.groups {
		g := &r.groups[k]
		q := root(tau, float64(g.limit*g.norm(v)))
		t := (tau + q) / g.limit
		h := g.limit / t
		b.part[k] = h * (g.limit / t / q)
		for _, row := range g.rows {
			z[row], b.h[row] = float64(h*v[row]), h
		}
	}
}

// smoothedTerms returns the sum of the smoothed rows and the squares.
func (r *penalty) smoothedTerms(v []float64, tau float64) float64 {
	var sum float64
	if !r.grouped() {
		for j, limit := range r.limit {
			if limit > 0 {
				q := root(tau, float64(limit*v[j]))
				sum += tau + q - float64(tau*kernels.Log(2*tau*(tau+q)/float64(limit*limit)))
			}
		}
		return sum + r.square(v)
	}
	for k := range r.groups {
		g := &r.groups[k]
		q := root(tau, float64(g.limit*g.norm(v)))
		sum += tau + q - float64(tau*kernels.Log(2*tau*(tau+q)/float64(g.limit*g.limit)))
	}
	return sum + r.square(v)
}

// addBend adds A'BA to the upper triangle dst, with the squares.
func (r *penalty) addBend(dst []float64, b *bend, work []float64) {
	r.addGram(dst, r.withSquares(b.h))
	for k := range r.groups {
		idx, val := r.column(work, r.groups[k].rows, b.v)
		r.subtract(dst, b.part[k], idx, val)
	}
}

// withSquares returns weights of the rows and those of their squares.
func (r *penalty) withSquares(h []float64) []float64 {
	if r.quad == nil {
		return h
	}
	all := slices.Clone(h)
	add(all, r.quad, 1)
	return all
}

// subtract takes part u u' from the upper triangle dst, of u given
// by its entries.
func (r *penalty) subtract(dst []float64, part float64, idx []int32, val []float64) {
	for i, a := range idx {
		u := float64(part * val[i])
		for m, c := range idx {
			if c >= a {
				dst[int(a)*r.stride+int(c)] -= float64(u * val[m])
			}
		}
	}
}

// column returns the entries of Σ v_row a_row over some rows, by feature; work is a
// p-vector of zeros, and is left so.
func (r *penalty) column(work []float64, rows []int32, v []float64) (idx []int32, val []float64) {
	for _, row := range rows {
		if r.m == nil {
			idx, val = append(idx, row), append(val, v[row])
			continue
		}
		features, a := r.m.Row(int(row))
		for k, j := range features {
			if work[j] == 0 {
				idx = append(idx, j)
			}
			work[j] = math.FMA(v[row], a[k], work[j])
		}
	}
	if r.m == nil {
		return idx, val
	}
	seen := idx[:0]
	for _, j := range idx {
		if work[j] != 0 { // else it cancelled, or is there already
			seen, val = append(seen, j), append(val, work[j])
			work[j] = 0
		}
	}
	return seen, val
}

// push sets z += B step + quad (v + step): multipliers after a Newton step, those of
// squares included.
func (r *penalty) push(z, step []float64, b *bend) {
	for k := range r.groups {
		var inner float64
		for _, row := range r.groups[k].rows {
			inner = math.FMA(b.v[row], step[row], inner)
		}
		for _, row := range r.groups[k].rows {
			z[row] -= float64(b.part[k] * inner * b.v[row])
		}
	}
	for j, s := range step {
		z[j] = math.FMA(b.h[j], s, z[j])
		if r.quad != nil {
			z[j] = math.FMA(r.quad[j], b.v[j]+s, z[j])
		}
	}
}

// fitTerms brings z into the domain of the conjugate.
func (r *penalty) fitTerms(z []float64) {
	if !r.grouped() {
		for j, limit := range r.limit {
			if !r.squared(j) {
				z[j] = math.Max(-limit, math.Min(z[j], limit))
			}
		}
		return
	}
	for k := range r.groups {
		g := &r.groups[k]
		// Norms are rounded.
		if norm := g.norm(z); norm > g.limit*(1-g.rounding()) {
			by := g.limit / norm * (1 - float64(2*g.rounding()))
			for _, row := range g.rows {
				z[row] *= by
			}
		}
	}
}

// rounding bounds the relative error of a norm and of products of two vectors.
func (g *group) rounding() float64 { return float64(float64(len(g.rows)+8) * unit) }

// squared reports whether the row has a square.
func (r *penalty) squared(j int) bool { return r.quad != nil && r.quad[j] > 0 }

// cost returns g(v) + g*(z) − z v of a row that is in no group, as a sum of terms that
// are not negative. z is in the domain of g*.
func (r *penalty) cost(j int, z, v float64) float64 {
	limit := r.limit[j]
	if !r.squared(j) {
		return float64((limit - math.Copysign(z, v*z)) * math.Abs(v))
	}
	first := math.Max(-limit, math.Min(z, limit))
	d := math.FMA(r.quad[j], v, first-z)
	return float64((limit-math.Copysign(first, v*first))*math.Abs(v)) + float64(d*d)/(2*r.quad[j])
}

// costs returns Σ g(v) + g*(z) − z'v from above.
func (r *penalty) costs(z, slack, v []float64) float64 {
	var sum float64
	for j, u := range v {
		if !r.grouped() {
			sum += r.cost(j, z[j], u)
		}
		sum += float64(slack[j] * math.Abs(u))
	}
	for k := range r.groups {
		sum += r.groups[k].cost(z, v)
	}
	return sum
}

// cost returns limit |v| − z'v as |v| (|z − limit v/|v||² + limit² − |z|²)/(2 limit),
// from above.
func (g *group) cost(z, v []float64) float64 {
	norm := g.norm(v)
	if norm == 0 {
		return 0
	}
	size, apart := g.norm(z), 0.0
	for _, row := range g.rows {
		d := z[row] - float64(g.limit*(v[row]/norm))
		apart = math.FMA(d, d, apart)
	}
	left := math.Max(0, float64((g.limit-size)*(g.limit+size)))
	return norm * (float64(apart+left)/(2*g.limit) + float64(2*g.rounding()*g.limit))
}
