package solver

import (
	"math"
	"slices"

	"github.com/scas-admm/scas/kernels"
	"github.com/scas-admm/scas/sparse"
)

// densePlan does a whole-vector step per sample, for any A, loss and domain.
type densePlan struct {
	r   *run
	why string
	k   *sparse.CSR // K; nil if it is a multiple of the identity or A no matrix
	q   []float64   // K w

	gain []float64 // −(η/b)(φ'(aᵢ'w) − φ'(aᵢ'x_t)) of the samples of a step
}

func newDensePlan(r *run, why string) *densePlan {
	return &densePlan{r: r, why: why, k: quadratic(r), q: make([]float64, r.p), gain: make([]float64, max(1, r.set.BatchSize))}
}

// multiply sets d.q = K w.
func (d *densePlan) multiply() {
	r := d.r
	if d.k != nil {
		d.k.MulVec(d.q, r.w)
		return
	}
	kappa := r.prob.L2 + r.rho
	if r.kappa > 0 {
		kappa = r.prob.L2 + r.kappa
	} else if r.prob.Constraint != nil {
		kappa = r.prob.L2
		r.product.mul(r.dual, r.w)
		r.product.mulTrans(d.q, r.dual)
		for j, w := range r.w {
			d.q[j] = math.FMA(kappa, w, float64(r.rho*d.q[j]))
		}
		return
	}
	for j, w := range r.w {
		d.q[j] = kappa * w
	}
}

func (d *densePlan) name() string {
	if d.r.batch > 1 {
		return "minibatch"
	}
	return "dense"
}
func (d *densePlan) explain() string { return d.why }
func (d *densePlan) begin()          { clear(d.r.s) }
func (*densePlan) end(bool)          {}

// quadratic returns K = ρ A'A + mu I, or nil if it is a multiple of the
// identity or A is not a matrix.
func quadratic(r *run) *sparse.CSR {
	a, ok := asMatrix(r.prob.Constraint)
	if !ok || r.kappa > 0 {
		return nil
	}
	gram := a.Gram()
	ptr := make([]int64, 1, r.p+1)
	idx := make([]int32, 0, gram.NNZ()+int64(r.p))
	val := make([]float64, 0, cap(idx))
	for j := range int32(r.p) {
		cols, g := gram.Row(int(j))
		at, found := slices.BinarySearch(cols, j)
		diagonal := r.prob.L2
		if found {
			diagonal = math.FMA(r.rho, g[at], diagonal)
		}
		for k, c := range cols[:at] {
			idx, val = append(idx, c), append(val, r.rho*g[k])
		}
		idx, val = append(idx, j), append(val, diagonal)
		if found {
			at++
		}
		for k, c := range cols[at:] {
			idx, val = append(idx, c), append(val, r.rho*g[at+k])
		}
		ptr = append(ptr, int64(len(idx)))
	}
	k, err := sparse.New(r.p, r.p, ptr, idx, val)
	if err != nil {
		panic(err) // the rows are sorted and finite by construction
	}
	return k
}

func (d *densePlan) advance(sampled []int32) {
	r := d.r
	var margin, slope [1]float64
	scale := -(r.eta / float64(r.batch))
	for ; len(sampled) > 0; sampled = sampled[r.batch:] {
		d.multiply()
		for k, row := range sampled[:r.batch] {
			i := int(row)
			kernels.Margins(margin[:], r.row(i), r.w)
			r.loss.Slopes(slope[:], margin[:], r.prob.Labels[i:i+1])
			d.gain[k] = float64(scale * (slope[0] - r.slope0[i]))
		}
		for k, row := range sampled[:r.batch] {
			kernels.Gradient(r.w, r.row(int(row)), d.gain[k:k+1])
		}
		d.update()
	}
}

// row returns row i of the data alone.
func (r *run) row(i int) kernels.Rows {
	a := r.data
	a.Ptr = a.Ptr[i : i+2]
	return a
}

// update takes the dense part of the step, projects, and adds to the sum.
func (d *densePlan) update() {
	r := d.r
	switch x := r.prob.Domain.(type) {
	case nil:
		kernels.ProjectedUpdate(r.w, r.s, r.d, d.q, r.eta)
	case Box:
		kernels.ProjectedUpdateBox(r.w, r.s, r.d, d.q, x.Lower, x.Upper, r.eta)
	case Ball:
		kernels.ProjectedUpdateBall(r.w, r.s, r.d, d.q, r.eta, x.Radius)
	default:
		for j, w := range r.w {
			r.w[j] = math.FMA(-r.eta, r.d[j]+d.q[j], w)
		}
		x.Project(r.w)
		for j, w := range r.w {
			r.s[j] += w
		}
	}
}
