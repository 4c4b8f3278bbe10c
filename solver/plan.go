package solver

import (
	"math"
	"slices"

	"github.com/scas-admm/scas/kernels"
	"github.com/scas-admm/scas/sparse"
)

// A plan runs inner steps
//
//	w ← π_X( w − η [ (φ'(aᵢ'w) − φ'(aᵢ'x_t)) aᵢ + d + K w ] ),  s ← s + w
//
// with K = ρ A'A + mu I, for the rows i given (algorithm 1, inner loop, with
// the L2 gradient kept exact).
type plan interface {
	name() string
	advance(rows []int32)
}

// newPlan chooses how to run the inner loop of r.
func newPlan(r *run) plan {
	return &densePlan{r: r, k: quadratic(r), q: make([]float64, r.p)}
}

// densePlan does a whole-vector step per sample, for any A and any domain.
type densePlan struct {
	r *run
	k *sparse.CSR // K; nil if K is kappa times the identity
	q []float64   // K w
}

func (*densePlan) name() string { return "dense" }

// quadratic returns K = ρ A'A + mu I, or nil if A = I.
func quadratic(r *run) *sparse.CSR {
	if r.prob.Constraint == nil {
		return nil
	}
	gram := r.prob.Constraint.Gram()
	ptr := make([]int64, 1, r.p+1)
	idx := make([]int32, 0, gram.NNZ()+int64(r.p))
	val := make([]float64, 0, cap(idx))
	for j := range int32(r.p) {
		cols, g := gram.Row(int(j))
		diagonal := r.prob.L2
		for k, c := range cols {
			if c == j {
				diagonal = math.FMA(r.rho, g[k], diagonal)
			}
		}
		at, _ := slices.BinarySearch(cols, j)
		for k, c := range cols[:at] {
			idx, val = append(idx, c), append(val, r.rho*g[k])
		}
		idx, val = append(idx, j), append(val, diagonal)
		for k, c := range cols[at:] {
			if c != j {
				idx, val = append(idx, c), append(val, r.rho*g[at+k])
			}
		}
		ptr = append(ptr, int64(len(idx)))
	}
	k, err := sparse.New(r.p, r.p, ptr, idx, val)
	if err != nil {
		panic(err) // the rows are sorted and finite by construction
	}
	return k
}

func (d *densePlan) advance(rows []int32) {
	r := d.r
	var margin, slope [1]float64
	for _, row := range rows {
		i := int(row)
		sample := r.prob.Data.Rows(i, i+1)
		kernels.Margins(margin[:], sample, r.w)
		r.loss.Slopes(slope[:], margin[:], r.prob.Labels[i:i+1])
		delta := slope[0] - r.slope0[i]
		if d.k != nil {
			d.k.MulVec(d.q, r.w)
		} else {
			kappa := r.rho + r.prob.L2
			for j, w := range r.w {
				d.q[j] = kappa * w
			}
		}
		slope[0] = -(r.eta * delta)
		kernels.Gradient(r.w, sample, slope[:])
		d.update()
	}
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
