package newton

import (
	"math"

	"github.com/scas-admm/scas/solver/internal/term"
)

// A path is an iterate of the predictor-corrector method and its scratch. Every row
// of the penalty has a bound t ≥ |v| with slacks s± = t ∓ v and multipliers u± =
// (limit ± z)/2 of them, so that z = u+ − u−; on the central path u± s± = τ.
// Slacks and multipliers are kept as such: t ∓ v would cancel.
type path struct {
	f  *Finisher
	pt *point

	plus, minus   []float64 // s+, s−
	uplus, uminus []float64 // u+, u−
	z             []float64
	w             []float64 // weights of the rows: 4ab/(a + b), a = u+/s+, b = u−/s−

	soft  float64   // of the curvatures, see Loss
	curve []float64 // φ''(t)
	base  []float64 // X'C diag(curve) X + mu I, upper triangle
	r     []float64 // residual X'C φ'(t) + mu x + A'z
	pred  direction
	corr  direction
	other direction // another corrector
}

// A direction is a step of all variables.
type direction struct {
	x                          []float64
	v, z                       []float64
	plus, minus, uplus, uminus []float64
	rhs                        []float64
}

func newDirection(p, l int) direction {
	d := direction{x: make([]float64, p), rhs: make([]float64, p)}
	for _, v := range []*[]float64{&d.v, &d.z, &d.plus, &d.minus, &d.uplus, &d.uminus} {
		*v = make([]float64, l)
	}
	return d
}

func (f *Finisher) newPath() *path {
	l := f.rows.Len()
	p := &path{f: f, pt: f.newPoint(), curve: make([]float64, f.n), r: make([]float64, f.p), base: make([]float64, f.tri.size())}
	for _, v := range []*[]float64{&p.plus, &p.minus, &p.uplus, &p.uminus, &p.z, &p.w} {
		*v = make([]float64, l)
	}
	p.pred, p.corr, p.other = newDirection(f.p, l), newDirection(f.p, l), newDirection(f.p, l)
	return p
}

// center puts slacks and multipliers on the central path of τ for the point's v.
func (p *path) center(tau float64) {
	for j, v := range p.pt.image {
		limit := p.f.rows.Limit[j]
		q := root(tau, float64(limit*v))
		t := (tau + q) / limit
		big := t + math.Abs(v)
		small := 2 * tau / limit * (t / big) // t² − v² = 2τt/limit
		p.plus[j], p.minus[j] = small, big
		p.uplus[j], p.uminus[j] = limit*(big/(2*t)), limit*(small/(2*t))
		if v < 0 {
			p.plus[j], p.minus[j] = big, small
			p.uplus[j], p.uminus[j] = p.uminus[j], p.uplus[j]
		}
		p.z[j] = p.uplus[j] - p.uminus[j]
	}
}

// synchronise makes slacks and multipliers consistent with v, |z| and the limits
// again, which rounding and nonlinearity do not touch but by roundings: of each pair
// the smaller one is kept.
func (p *path) synchronise() {
	for j, v := range p.pt.image {
		if v >= 0 {
			p.minus[j] = p.plus[j] + 2*v
		} else {
			p.plus[j] = p.minus[j] - 2*v
		}
		limit := p.f.rows.Limit[j]
		if p.uplus[j] < p.uminus[j] {
			p.uminus[j] = limit - p.uplus[j]
		} else {
			p.uplus[j] = limit - p.uminus[j]
		}
		p.z[j] = p.uplus[j] - p.uminus[j]
	}
}

// complementarity returns the mean of u s.
func (p *path) complementarity() float64 {
	if len(p.z) == 0 {
		return 0
	}
	var sum float64
	for j := range p.z {
		sum += float64(p.uplus[j]*p.plus[j]) + float64(p.uminus[j]*p.minus[j])
	}
	return sum / float64(2*len(p.z))
}

// hessian computes the smooth part's Hessian at the iterate.
func (p *path) hessian() {
	p.f.curvatures(p.curve, p.pt, p.soft)
	p.f.hessian(p.base, p.curve)
}

// weigh computes the weights of the rows.
func (p *path) weigh() {
	for j := range p.w {
		a, b := p.uplus[j]/p.plus[j], p.uminus[j]/p.minus[j]
		p.w[j] = 4 * a * (b / (a + b))
	}
}

// prepare computes weights, residual and factor at the iterate, whose Hessian is
// there, and reports whether the factor exists.
func (p *path) prepare() bool {
	f := p.f
	p.weigh()
	copy(p.r, p.pt.grad)
	f.rows.AddTrans(p.r, p.z)
	copy(f.system.h, p.base)
	f.rows.addGram(f.system.h, p.w)
	return f.system.factor()
}

// solve sets d to the step with H dx + A'dz = −r, u+ ds+ + s+ du+ = rp and u− ds− + s−
// du− = rm, given ra = rp/s+ in d.uplus and rb = rm/s− in d.uminus.
func (p *path) solve(d *direction) {
	f := p.f
	for j := range d.z {
		a, b := p.uplus[j]/p.plus[j], p.uminus[j]/p.minus[j]
		d.z[j] = 2 * (float64(b*d.uplus[j]) - float64(a*d.uminus[j])) / (a + b)
	}
	copy(d.rhs, p.r)
	f.rows.AddTrans(d.rhs, d.z)
	for j, v := range d.rhs {
		d.rhs[j] = -v
	}
	f.system.solve(d.x, d.rhs)
	f.rows.Mul(d.v, d.x)
	for j, v := range d.v {
		a, b := p.uplus[j]/p.plus[j], p.uminus[j]/p.minus[j]
		c := d.uplus[j] + d.uminus[j]
		d.plus[j] = math.FMA(-2*b, v, c) / (a + b)
		d.minus[j] = math.FMA(2*a, v, c) / (a + b)
		d.z[j] = math.FMA(p.w[j], v, d.z[j])
		d.uplus[j] -= float64(a * d.plus[j])
		d.uminus[j] -= float64(b * d.minus[j])
	}
}

// predict takes the affine direction, and returns the complementarity it aims at
// (Mehrotra 1992): τ (τ'/τ)³, τ' that after the longest affine step; and the
// product of that step's lengths, a weight of the second-order terms: those of a full
// step where only a short one fits make the method cycle (Colombo and Gondzio 2008).
func (p *path) predict(tau float64) (goal, weight float64) {
	d := &p.pred
	for j := range d.uplus {
		d.uplus[j], d.uminus[j] = -p.uplus[j], -p.uminus[j]
	}
	p.solve(d)
	primal, dual := p.room(d)
	var after float64
	for j := range d.z {
		after += float64(math.FMA(dual, d.uplus[j], p.uplus[j]) * math.FMA(primal, d.plus[j], p.plus[j]))
		after += float64(math.FMA(dual, d.uminus[j], p.uminus[j]) * math.FMA(primal, d.minus[j], p.minus[j]))
	}
	if len(d.z) == 0 {
		return 0, 0
	}
	ratio := math.Max(0, after/float64(2*len(d.z))/tau)
	return float64(ratio*ratio*ratio) * tau, primal * dual
}

// chooseCorrector takes Mehrotra's corrector, or that with less of the second-order
// terms if the first allows but a short step and the other a longer one.
func (p *path) chooseCorrector(goal, weight float64) {
	p.correct(goal, 1)
	length := p.reach()
	if length > longStep {
		return
	}
	p.corr, p.other = p.other, p.corr
	if p.correct(goal, weight); p.reach() < 1.1*length {
		p.corr, p.other = p.other, p.corr
	}
}

// longStep is the length from which on a step is not questioned.
const longStep = 0.9

// correct takes the direction to the given complementarity with so much of the
// second-order terms of the predictor.
func (p *path) correct(goal, weight float64) {
	d, e := &p.corr, &p.pred
	for j := range d.uplus {
		d.uplus[j] = (goal-float64(weight*float64(e.uplus[j]*e.plus[j])))/p.plus[j] - p.uplus[j]
		d.uminus[j] = (goal-float64(weight*float64(e.uminus[j]*e.minus[j])))/p.minus[j] - p.uminus[j]
	}
	p.solve(d)
}

// room returns the longest steps, at most 1, that keep slacks and multipliers
// nonnegative.
func (p *path) room(d *direction) (primal, dual float64) {
	primal, dual = 1, 1
	for j := range d.z {
		primal = term.Shorten(primal, p.plus[j], d.plus[j])
		primal = term.Shorten(primal, p.minus[j], d.minus[j])
		dual = term.Shorten(dual, p.uplus[j], d.uplus[j])
		dual = term.Shorten(dual, p.uminus[j], d.uminus[j])
	}
	return primal, dual
}

// reach returns the length of the step in the corrected direction that keeps a two
// hundredth of the way to the boundary.
func (p *path) reach() float64 {
	length := math.Min(p.room(&p.corr))
	if length < 1 {
		length *= 0.995
	}
	return length
}

// move takes the corrected direction.
func (p *path) move(length float64) {
	d := &p.corr
	add(p.pt.x, d.x, length)
	add(p.plus, d.plus, length)
	add(p.minus, d.minus, length)
	add(p.uplus, d.uplus, length)
	add(p.uminus, d.uminus, length)
}

func add(v, step []float64, length float64) {
	for j, s := range step {
		v[j] = math.FMA(length, s, v[j])
	}
}
