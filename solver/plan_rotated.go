package solver

import (
	"fmt"
	"math"

	"github.com/scas-admm/scas/kernels"
)

const (
	maxRotated       = 256     // features up to which K is diagonalised
	maxRotatedMemory = 2 << 30 // bytes of rotated data
)

// rotatable returns why r cannot be rotated, or "".
func rotatable(r *run) string {
	bytes := float64(r.n) * float64(padded(r.p)) * 8
	_, matrix := asMatrix(r.prob.Constraint)
	switch {
	case !matrix:
		return "A is an operator, not a matrix"
	case r.p > maxRotated:
		return fmt.Sprintf("%d features are too many to rotate (at most %d)", r.p, maxRotated)
	case bytes > maxRotatedMemory:
		return fmt.Sprintf("the rotated data would take %.1f GiB (at most %d)", bytes/(1<<30), maxRotatedMemory>>30)
	}
	return ""
}

func padded(p int) int { return (p + 7) &^ 7 }

// rotatedPlan works in the eigenbasis of A'A = V diag(σ) V', where every K is
// diagonal; projections onto R^p and balls do not notice. The data are rotated
// once, to dense rows.
type rotatedPlan struct {
	r      *run
	kind   kernels.LossKind
	stride int
	v      []float64 // V: row j, of length stride, belongs to feature j
	sigma  []float64 // eigenvalues, 0 beyond p
	x      []float64 // X V, one row of length stride per sample
	radius float64

	w, sum, c, e []float64
}

func newRotatedPlan(r *run, kind kernels.LossKind) *rotatedPlan {
	stride := padded(r.p)
	p := &rotatedPlan{r: r, kind: kind, stride: stride}
	for _, v := range []*[]float64{&p.w, &p.sum, &p.c, &p.e, &p.sigma} {
		*v = make([]float64, stride)
	}
	a, _ := asMatrix(r.prob.Constraint)
	sigma, vectors := eigenSymmetric(a.Gram())
	copy(p.sigma, sigma)
	p.v = make([]float64, r.p*stride)
	for k := range r.p {
		for j := range r.p {
			p.v[j*stride+k] = vectors[k*r.p+j]
		}
	}
	p.x = make([]float64, r.n*stride)
	for i := range r.n {
		idx, val := r.prob.Data.Row(i)
		row := p.x[i*stride : (i+1)*stride]
		for k, j := range idx {
			kernels.Axpy(val[k], p.feature(int(j)), row)
		}
	}
	if ball, ok := r.prob.Domain.(Ball); ok {
		p.radius = ball.Radius
	}
	return p
}

func (*rotatedPlan) name() string { return "rotated" }

func (p *rotatedPlan) explain() string {
	return fmt.Sprintf("the eigenbasis of A'A for %d features, %.3g MiB of rotated data", p.r.p, float64(len(p.x))*8/(1<<20))
}

func (p *rotatedPlan) feature(j int) []float64 { return p.v[j*p.stride : (j+1)*p.stride] }

// rotate sets dst = V'src.
func (p *rotatedPlan) rotate(dst, src []float64) {
	clear(dst)
	for j, v := range src {
		if v != 0 {
			kernels.Axpy(v, p.feature(j), dst)
		}
	}
}

// unrotate sets dst = V src.
func (p *rotatedPlan) unrotate(dst, src []float64) {
	for j := range dst {
		dst[j] = kernels.Dot(p.feature(j), src)
	}
}

func (p *rotatedPlan) begin() {
	r := p.r
	p.rotate(p.w, r.w)
	p.rotate(p.e, r.d)
	for j, d := range p.e {
		p.e[j] = -(r.eta * d)
		p.c[j] = math.FMA(-r.eta, math.FMA(r.rho, p.sigma[j], r.prob.L2), 1)
	}
	clear(p.sum)
}

func (p *rotatedPlan) advance(sampled []int32) {
	s := p.r.innerSteps(p.kind)
	kernels.InnerRotated(p.w, p.sum, p.c, p.e, p.x, p.radius, &s, sampled)
}

func (p *rotatedPlan) end(last bool) {
	p.unrotate(p.r.s, p.sum)
	if last {
		p.unrotate(p.r.w, p.w)
	}
}
