package solver

import (
	"fmt"
	"math"
	"slices"

	"github.com/scas-admm/scas/kernels"
)

// lazyFrom is the number of features per nonzero of a row from which steps on
// the nonzeros alone beat steps on every coordinate.
const lazyFrom = 6

// diagonalOfK returns the diagonal of K and whether there is nothing beside it.
func (r *run) diagonalOfK() ([]float64, bool) {
	k := make([]float64, r.p)
	diagonal := true
	switch {
	case r.kappa > 0:
		for j := range k {
			k[j] = r.kappa + r.prob.L2
		}
	case r.prob.Constraint == nil:
		for j := range k {
			k[j] = r.rho + r.prob.L2
		}
	default:
		a, ok := asMatrix(r.prob.Constraint)
		if !ok {
			return nil, false
		}
		gram := a.Gram()
		for j := range k {
			k[j] = r.prob.L2
			cols, val := gram.Row(j)
			for i, c := range cols {
				if int(c) == j {
					k[j] = math.FMA(r.rho, val[i], r.prob.L2)
				} else if val[i] != 0 {
					diagonal = false
				}
			}
		}
	}
	return k, diagonal
}

// newDiagonalPlan chooses among the plans for diagonal K.
func newDiagonalPlan(r *run, kind kernels.LossKind, k []float64) plan {
	base := diagonal{r: r, kind: kind, k: k, c: make([]float64, r.p), e: make([]float64, r.p)}
	kappa := k[0]
	scalar := !slices.ContainsFunc(k, func(v float64) bool { return v != kappa })
	nonzeros := float64(r.prob.Data.NNZ()) / float64(r.n)
	lazy := scalar && float64(r.p) > lazyFrom*nonzeros
	switch x := r.prob.Domain.(type) {
	case nil:
		if lazy {
			base.why = fmt.Sprintf("A'A is a multiple of the identity: %.3g nonzeros a step instead of %d features", nonzeros, r.p)
			return newLazyPlan(base)
		}
		base.why = fmt.Sprintf("A'A is diagonal and %d features are few", r.p)
		return &elementPlan{diagonal: base, h: make([]float64, r.p), w0: make([]float64, r.p), dense: newDensePlan(r, "")}
	case Box:
		base.why = "A'A is diagonal; a box needs every coordinate"
		return &boxPlan{diagonal: base, box: x}
	case Ball:
		if scalar {
			base.why = "A'A is a multiple of the identity: the ball through a tracked norm"
			return newBallPlan(base, x.Radius)
		}
	}
	return newDensePlan(r, "a step for every coordinate: no fused inner loop for this domain")
}

// diagonal is what the plans for diagonal K share.
type diagonal struct {
	r     *run
	kind  kernels.LossKind
	why   string
	k     []float64 // diagonal of K
	c, e  []float64 // 1 − η k and −η d
	taken int       // steps of the block so far
}

func (*diagonal) name() string      { return "diagonal" }
func (d *diagonal) explain() string { return d.why }

func (d *diagonal) begin() {
	r := d.r
	for j, k := range d.k {
		d.c[j] = math.FMA(-r.eta, k, 1)
		d.e[j] = -(r.eta * r.d[j])
	}
	d.taken = 0
}

// elementPlan passes over all of w each step; the running sum telescopes.
type elementPlan struct {
	diagonal
	h, w0    []float64
	dense    *densePlan // for η k too small to telescope
	stepwise bool
}

func (p *elementPlan) begin() {
	r := p.r
	if p.stepwise = !telescopes(r.eta, p.k, r.set.InnerSteps/r.dualUpdates); p.stepwise {
		p.dense.begin()
		return
	}
	p.diagonal.begin()
	clear(p.h)
	copy(p.w0, r.w)
}

func (p *elementPlan) advance(sampled []int32) {
	if p.stepwise {
		p.dense.advance(sampled)
		return
	}
	s := p.r.innerSteps(p.kind)
	kernels.InnerDense(p.r.w, p.h, p.c, p.e, &s, sampled)
	p.taken += len(sampled)
}

func (p *elementPlan) end(bool) {
	if !p.stepwise {
		telescope(p.r.s, p.w0, p.r.w, p.c, p.e, p.h, p.taken)
	}
}

// boxPlan passes over all of w each step, clips, and sums.
type boxPlan struct {
	diagonal
	box Box
}

func (p *boxPlan) begin() {
	p.diagonal.begin()
	clear(p.r.s)
}

func (p *boxPlan) advance(sampled []int32) {
	s := p.r.innerSteps(p.kind)
	kernels.InnerBox(p.r.w, p.r.s, p.c, p.e, p.box.Lower, p.box.Upper, &s, sampled)
}

func (*boxPlan) end(bool) {}
