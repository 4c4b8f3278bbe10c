package newton

import (
	"math"

	"github.com/scas-admm/scas/kernels"
	"github.com/scas-admm/scas/solver/internal/gap"
)

// A penalty is one of rows of A, with smoothings of its absolute values and norms.
type penalty struct {
	*gap.Rows
	stride int // of matrices that addGram adds to: see triangle
}

// addGram adds A' diag(h) A to the upper triangle dst.
func (r *penalty) addGram(dst, h []float64) {
	if r.M == nil {
		for j, w := range h {
			dst[j*r.stride+j] += w
		}
		return
	}
	for row, w := range h {
		idx, val := r.M.Row(row)
		for k, j := range idx {
			v, out := float64(w*val[k]), dst[int(j)*r.stride:]
			for m := k; m < len(idx); m++ {
				out[idx[m]] = math.FMA(v, val[m], out[idx[m]])
			}
		}
	}
}

// smooth sets z and h to the first and second derivative at v of
//
//	min over t of limit t − τ log(t² − v²),  t = (τ + q)/limit, q = √(τ² + limit²v²)
//
// which is convex. |z| < limit, and h > 0 unless |v| is huge.
func (r *penalty) smooth(z, h, v []float64, tau float64) {
	for j, u := range v {
		limit := r.Limit[j]
		q := root(tau, float64(limit*u))
		t := (tau + q) / limit
		z[j] = float64(limit * (u / t))
		// 1 − limit u²/(q t) = τ/q, as limit² u² = q² − τ².
		h[j] = float64(limit / t * (tau / q))
	}
}

// smoothed returns Σ of the function above, and its limit for τ = 0.
func (r *penalty) smoothed(v []float64, tau float64) float64 {
	if tau == 0 {
		return r.Value(v)
	}
	var sum float64
	for j, u := range v {
		limit := r.Limit[j]
		q := root(tau, float64(limit*u))
		// limit t − τ log(t² − u²) with t² − u² = 2τt/limit
		sum += tau + q - float64(tau*kernels.Log(2*tau*(tau+q)/float64(limit*limit)))
	}
	return sum
}

// root returns √(a² + b²). math.Hypot differs between machines; nothing here is near
// the ends of the range.
func root(a, b float64) float64 { return math.Sqrt(math.FMA(a, a, float64(b*b))) }
