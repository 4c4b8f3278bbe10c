package solver

import (
	"math"

	"github.com/scas-admm/scas/kernels"
)

// minLazyFactor is the least 1 − η κ for which the lazy loops run: below it w
// would have to be formed every few steps.
const minLazyFactor = 0.5

// lazyPlan holds w = α u + γ d, so that a step costs as many operations as the
// row has nonzeros. The running sum telescopes.
type lazyPlan struct {
	diagonal
	cells    kernels.Cells // u, d and h
	h, w0    []float64
	state    kernels.Lazy
	dense    *densePlan // for η κ out of range
	stepwise bool
}

func newLazyPlan(base diagonal) *lazyPlan {
	p := base.r.p
	return &lazyPlan{diagonal: base, cells: kernels.NewCells(p), h: make([]float64, p), w0: make([]float64, p), dense: newDensePlan(base.r, "")}
}

func (p *lazyPlan) begin() {
	r := p.r
	factor := math.FMA(-r.eta, p.k[0], 1)
	if p.stepwise = factor < minLazyFactor || !telescopes(r.eta, p.k[:1], r.set.InnerSteps/r.dualUpdates); p.stepwise {
		p.dense.begin()
		return
	}
	p.diagonal.begin()
	copy(p.w0, r.w)
	p.cells.Set(r.w, r.d)
	p.state = kernels.Lazy{Alpha: 1, Q: p.c[0]}
}

func (p *lazyPlan) advance(sampled []int32) {
	if p.stepwise {
		p.dense.advance(sampled)
		return
	}
	s := p.r.innerSteps(p.kind)
	p.taken += len(sampled)
	for len(sampled) > 0 {
		done := kernels.InnerLazyCells(p.cells, &p.state, &s, sampled)
		if sampled = sampled[done:]; len(sampled) > 0 {
			p.cells.Form(&p.state)
		}
	}
}

func (p *lazyPlan) end(bool) {
	if p.stepwise {
		return
	}
	p.cells.Point(p.r.w, &p.state)
	p.cells.Sparse(p.h)
	telescope(p.r.s, p.w0, p.r.w, p.c, p.e, p.h, p.taken)
}

// ballPlan is lazyPlan with projection onto a ball, whose norm is tracked. The
// running sum is AlphaSum u − q + GammaSum d.
type ballPlan struct {
	diagonal
	cells    kernels.Cells // u, d and q
	radius   float64
	norm2    []float64
	q        []float64
	state    kernels.LazyBall
	dense    *densePlan
	stepwise bool
}

func newBallPlan(base diagonal, radius float64) *ballPlan {
	r := base.r
	p := &ballPlan{diagonal: base, cells: kernels.NewCells(r.p), radius: radius, norm2: make([]float64, r.n), q: make([]float64, r.p), dense: newDensePlan(r, "")}
	for i := range p.norm2 {
		_, val := r.prob.Data.Row(i)
		for _, v := range val {
			if r.data.Val32 != nil { // what the kernels see
				v = float64(float32(v))
			}
			p.norm2[i] += float64(v * v)
		}
	}
	return p
}

func (p *ballPlan) begin() {
	r := p.r
	p.diagonal.begin()
	clear(r.s)
	if p.stepwise = p.c[0] < minLazyFactor; p.stepwise {
		p.dense.begin()
		return
	}
	p.start()
}

// start makes r.w the point of the cells and takes the inner products that the
// kernel then updates.
func (p *ballPlan) start() {
	w, d := p.r.w, p.r.d
	p.cells.Set(w, d)
	p.state = kernels.LazyBall{
		Lazy: kernels.Lazy{Alpha: 1, Q: p.c[0]}, Radius: p.radius, GammaLimit: math.Inf(1),
		UU: kernels.Dot(w, w), UD: kernels.Dot(w, d), DD: kernels.Dot(d, d),
	}
	if p.state.DD > 0 {
		p.state.GammaLimit = 64 * p.radius / math.Sqrt(p.state.DD)
	}
}

func (p *ballPlan) advance(sampled []int32) {
	if p.stepwise {
		p.dense.advance(sampled)
		return
	}
	s := p.r.innerSteps(p.kind)
	for len(sampled) > 0 {
		done := kernels.InnerLazyBallCells(p.cells, p.norm2, &p.state, &s, sampled)
		if sampled = sampled[done:]; len(sampled) > 0 {
			p.collect()
			p.start()
		}
	}
}

// collect adds to the running sum and sets r.w to the point.
func (p *ballPlan) collect() {
	l, r := &p.state, p.r
	p.cells.Sparse(p.q)
	u := kernels.Lazy{Alpha: 1}
	p.cells.Point(r.w, &u)
	for j, v := range r.w {
		r.s[j] += math.FMA(l.AlphaSum, v, math.FMA(l.GammaSum, r.d[j], -p.q[j]))
	}
	p.cells.Point(r.w, &l.Lazy)
}

func (p *ballPlan) end(bool) {
	if !p.stepwise {
		p.collect()
	}
}
