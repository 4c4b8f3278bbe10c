package solver

import (
	"fmt"
	"math"

	"github.com/scas-admm/scas/kernels"
)

const (
	maxComponent     = 512     // features of a component up to which it is diagonalised
	maxDense         = 512     // features up to which rotated rows may be dense
	maxRotatedMemory = 2 << 30 // bytes of rotated data
)

// newCoupledPlan chooses a plan for coupled A'A and a domain that commutes with
// rotations.
func newCoupledPlan(r *run, kind kernels.LossKind) plan {
	a, matrix := asMatrix(r.prob.Constraint)
	if !matrix {
		return newDensePlan(r, "a step for every coordinate: A is an operator, not a matrix")
	}
	gram := a.Gram()
	s := componentsOf(gram)
	if size, _ := s.largest(); size > maxComponent {
		return newDensePlan(r, fmt.Sprintf("a component of %d features is too large to rotate (at most %d)", size, maxComponent))
	}
	nonzeros := s.fill(r.prob.Data)
	dense := int64(r.n) * int64(padded(r.p))
	_, ball := r.prob.Domain.(Ball)
	useDense := r.p <= maxDense && (ball || 4*nonzeros > dense)
	bytes := 12 * nonzeros
	if useDense {
		bytes = 8 * dense
	}
	switch {
	case bytes > maxRotatedMemory:
		return newDensePlan(r, fmt.Sprintf("the rotated data of %s would take %.1f GiB (at most %d)", s.describe(), float64(bytes)/(1<<30), maxRotatedMemory>>30))
	case ball && !useDense:
		return newDensePlan(r, fmt.Sprintf("%d features are too many to project rotated rows onto a ball (at most %d)", r.p, maxDense))
	}
	s = spectrumOf(a, gram, s)
	if useDense {
		return newRotatedPlan(r, kind, s)
	}
	return newSparseRotatedPlan(r, kind, s, nonzeros)
}

func padded(p int) int { return (p + 7) &^ 7 }

// rotatedPlan works in the eigenbasis of A'A = V diag(σ) V', where every K is
// diagonal; projections onto R^p and balls do not notice. The data are rotated
// once, to dense rows.
type rotatedPlan struct {
	r      *run
	kind   kernels.LossKind
	s      *spectrum
	stride int
	x      []float64 // X V, one row of length stride per sample
	radius float64

	w, sum, c, e []float64
}

func newRotatedPlan(r *run, kind kernels.LossKind, s *spectrum) *rotatedPlan {
	stride := padded(r.p)
	p := &rotatedPlan{r: r, kind: kind, s: s, stride: stride, x: make([]float64, r.n*stride)}
	for _, v := range []*[]float64{&p.w, &p.sum, &p.c, &p.e} {
		*v = make([]float64, stride)
	}
	mark := make([]int32, len(s.members))
	for i := range r.n {
		idx, val := r.prob.Data.Row(i)
		s.rotateRow(p.x[i*stride:i*stride+r.p], idx, val, nil, mark, int32(i+1))
	}
	if ball, ok := r.prob.Domain.(Ball); ok {
		p.radius = ball.Radius
	}
	return p
}

func (*rotatedPlan) name() string { return "rotated" }

func (p *rotatedPlan) explain() string {
	return fmt.Sprintf("%s; %.3g MiB of dense rotated rows", p.s.describe(), float64(len(p.x))*8/(1<<20))
}

func (p *rotatedPlan) begin() {
	r := p.r
	p.s.rotate(p.w[:r.p], r.w)
	p.s.rotate(p.e[:r.p], r.d)
	for j, sigma := range p.s.sigma {
		p.e[j] = -(r.eta * p.e[j])
		p.c[j] = math.FMA(-r.eta, math.FMA(r.rho, sigma, r.prob.L2), 1)
	}
	clear(p.sum)
}

func (p *rotatedPlan) advance(sampled []int32) {
	s := p.r.innerSteps(p.kind)
	kernels.InnerRotated(p.w, p.sum, p.c, p.e, p.x, p.radius, &s, sampled)
}

func (p *rotatedPlan) end(last bool) {
	p.s.unrotate(p.r.s, p.sum)
	if last {
		p.s.unrotate(p.r.w, p.w)
	}
}
