package newton

import (
	"math"
	"slices"

	"github.com/scas-admm/scas/kernels"
)

// Beyond absolute values a penalty can have squares and norms of groups of rows, see gap.Rows.

// square returns Σ (quad/2) v².
func (r *penalty) square(v []float64) float64 {
	var sum float64
	for j, q := range r.Square {
		sum += float64(0.5 * q * float64(v[j]*v[j]))
	}
	return sum
}

// addSquares adds the gradient of the squares to dst.
func (r *penalty) addSquares(dst, v []float64) {
	z := make([]float64, len(v))
	for j, q := range r.Square {
		z[j] = float64(q * v[j])
	}
	r.AddTrans(dst, z)
}

// A bend is the Hessian of smoothed rows at v: diag(h), for a group less part v v'.
type bend struct {
	h    []float64
	part []float64 // of each group
	v    []float64
}

func (r *penalty) newBend() *bend {
	return &bend{make([]float64, r.Len()), make([]float64, len(r.Groups)), make([]float64, r.Len())}
}

// smoothTerms sets z and b to the derivatives at v of the smoothed rows, without
// squares: for a group the function that smooth has for a number is one of |v_k|.
func (r *penalty) smoothTerms(z []float64, b *bend, v []float64, tau float64) {
	copy(b.v, v)
	if !r.Grouped() {
		r.smooth(z, b.h, v, tau)
		for j, limit := range r.Limit {
			if limit == 0 {
				z[j], b.h[j] = 0, 0
			}
		}
		return
	}
	for k := range r.Groups {
		g := &r.Groups[k]
		q := root(tau, float64(g.Limit*g.Norm(v)))
		t := (tau + q) / g.Limit
		h := g.Limit / t
		b.part[k] = h * (g.Limit / t / q)
		for _, row := range g.Rows {
			z[row], b.h[row] = float64(h*v[row]), h
		}
	}
}

// smoothedTerms returns the sum of the smoothed rows and the squares.
func (r *penalty) smoothedTerms(v []float64, tau float64) float64 {
	var sum float64
	if !r.Grouped() {
		for j, limit := range r.Limit {
			if limit > 0 {
				q := root(tau, float64(limit*v[j]))
				sum += tau + q - float64(tau*kernels.Log(2*tau*(tau+q)/float64(limit*limit)))
			}
		}
		return sum + r.square(v)
	}
	for k := range r.Groups {
		g := &r.Groups[k]
		q := root(tau, float64(g.Limit*g.Norm(v)))
		sum += tau + q - float64(tau*kernels.Log(2*tau*(tau+q)/float64(g.Limit*g.Limit)))
	}
	return sum + r.square(v)
}

// addBend adds A'BA to the upper triangle dst, with the squares.
func (r *penalty) addBend(dst []float64, b *bend, work []float64) {
	r.addGram(dst, r.withSquares(b.h))
	for k := range r.Groups {
		idx, val := r.column(work, r.Groups[k].Rows, b.v)
		r.subtract(dst, b.part[k], idx, val)
	}
}

// withSquares returns weights of the rows and those of their squares.
func (r *penalty) withSquares(h []float64) []float64 {
	if r.Square == nil {
		return h
	}
	all := slices.Clone(h)
	add(all, r.Square, 1)
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
		if r.M == nil {
			idx, val = append(idx, row), append(val, v[row])
			continue
		}
		features, a := r.M.Row(int(row))
		for k, j := range features {
			if work[j] == 0 {
				idx = append(idx, j)
			}
			work[j] = math.FMA(v[row], a[k], work[j])
		}
	}
	if r.M == nil {
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
	for k := range r.Groups {
		var inner float64
		for _, row := range r.Groups[k].Rows {
			inner = math.FMA(b.v[row], step[row], inner)
		}
		for _, row := range r.Groups[k].Rows {
			z[row] -= float64(b.part[k] * inner * b.v[row])
		}
	}
	for j, s := range step {
		z[j] = math.FMA(b.h[j], s, z[j])
		if r.Square != nil {
			z[j] = math.FMA(r.Square[j], b.v[j]+s, z[j])
		}
	}
}
