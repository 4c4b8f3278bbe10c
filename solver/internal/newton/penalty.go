package newton

import (
	"math"

	"github.com/scas-admm/scas/kernels"
	"github.com/scas-admm/scas/solver/internal/quad"
	"github.com/scas-admm/scas/sparse"
)

// A penalty is Σ limitⱼ |(A x)ⱼ| over the rows of A that have a limit and an entry;
// the others, of which |v| says nothing, are left out.
type penalty struct {
	m, t  *sparse.CSR // the rows and their transpose; nil for the identity
	limit []float64
	from  []int32 // where a row is in A
	total int     // rows of A
	p     int

	stride int // of matrices that addGram adds to: see triangle

	// Features that have a row of their own: the row, −1 if there is none, and
	// its entry. Of several it is the one with the most room.
	own   []int32
	entry []float64
	all   bool // every feature has one

	quad   []float64 // of squares; nil if there are none
	groups []group   // nil unless norms are penalised
}

func newPenalty(a *quad.Algebra, limit, square []float64) *penalty {
	l, p := a.Dims()
	r := &penalty{total: l, p: p, own: make([]int32, p), entry: make([]float64, p)}
	whole := a.Matrix()
	if whole == nil {
		whole = sparse.Identity(p)
	}
	var kept []int
	for j := range l {
		if _, val := whole.Row(j); (limit[j] > 0 || square != nil && square[j] > 0) && nonzeros(val) > 0 {
			kept = append(kept, j)
			r.from = append(r.from, int32(j))
			r.limit = append(r.limit, limit[j])
			if square != nil {
				r.quad = append(r.quad, square[j])
			}
		}
	}
	if !a.Identity() || len(kept) < l {
		var err error
		if r.m, err = whole.SelectRows(kept); err != nil {
			panic(err) // the rows are there
		}
		r.t = r.m.Transpose()
	}
	r.findOwn(whole)
	return r
}

func nonzeros(val []float64) (count int) {
	for _, v := range val {
		if v != 0 {
			count++
		}
	}
	return count
}

func (r *penalty) findOwn(whole *sparse.CSR) {
	for j := range r.own {
		r.own[j] = -1
	}
	for row, from := range r.from {
		idx, val := whole.Row(int(from))
		if nonzeros(val) != 1 {
			continue
		}
		k := 0
		for val[k] == 0 {
			k++
		}
		j := idx[k]
		if was := r.own[j]; was < 0 || r.room(row)*math.Abs(val[k]) > r.room(int(was))*math.Abs(r.entry[j]) {
			r.own[j], r.entry[j] = int32(row), val[k]
		}
	}
	r.all = true
	for _, row := range r.own {
		r.all = r.all && row >= 0
	}
}

// room is how large the multiplier of a row may be.
func (r *penalty) room(row int) float64 {
	if r.squared(row) {
		return math.Inf(1)
	}
	return r.limit[row]
}

// len returns the number of rows.
func (r *penalty) len() int { return len(r.limit) }

// mul sets dst = A x.
func (r *penalty) mul(dst, x []float64) {
	if r.m == nil {
		copy(dst, x)
		return
	}
	r.m.MulVec(dst, x)
}

// addTrans adds A'z to dst.
func (r *penalty) addTrans(dst, z []float64) {
	if r.m == nil {
		for j, v := range z {
			dst[j] += v
		}
		return
	}
	for j := range dst {
		rows, val := r.t.Row(j)
		for k, row := range rows {
			dst[j] = math.FMA(val[k], z[row], dst[j])
		}
	}
}

// addGram adds A' diag(h) A to the upper triangle dst.
func (r *penalty) addGram(dst, h []float64) {
	if r.m == nil {
		for j, w := range h {
			dst[j*r.stride+j] += w
		}
		return
	}
	for row, w := range h {
		idx, val := r.m.Row(row)
		for k, j := range idx {
			v, out := float64(w*val[k]), dst[int(j)*r.stride:]
			for m := k; m < len(idx); m++ {
				out[idx[m]] = math.FMA(v, val[m], out[idx[m]])
			}
		}
	}
}

// value returns Σ limit |v|, or what is there in its place.
func (r *penalty) value(v []float64) float64 {
	var sum float64
	if r.grouped() {
		for k := range r.groups {
			sum += float64(r.groups[k].limit * r.groups[k].norm(v))
		}
		return sum
	}
	for j, u := range v {
		sum += float64(r.limit[j] * math.Abs(u))
	}
	if r.quad != nil {
		sum += r.square(v)
	}
	return sum
}

// smooth sets z and h to the first and second derivative at v of
//
//	min over t of limit t − τ log(t² − v²),  t = (τ + q)/limit, q = √(τ² + limit²v²)
//
// which is convex. |z| < limit, and h > 0 unless |v| is huge.
func (r *penalty) smooth(z, h, v []float64, tau float64) {
	for j, u := range v {
		limit := r.limit[j]
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
		return r.value(v)
	}
	var sum float64
	for j, u := range v {
		limit := r.limit[j]
		q := root(tau, float64(limit*u))
		// limit t − τ log(t² − u²) with t² − u² = 2τt/limit
		sum += tau + q - float64(tau*kernels.Log(2*tau*(tau+q)/float64(limit*limit)))
	}
	return sum
}

// root returns √(a² + b²). math.Hypot differs between machines; nothing here is near
// the ends of the range.
func root(a, b float64) float64 { return math.Sqrt(math.FMA(a, a, float64(b*b))) }
