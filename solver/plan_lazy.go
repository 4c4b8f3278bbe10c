package solver

import (
	"math"

	"github.com/scas-admm/scas/kernels"
)

// minLazyFactor is the least 1 − η κ for which the lazy loops run: below it w
// would have to be formed every few steps.
const minLazyFactor = 0.5

// lazyPlan holds w = α u + γ d, so that a step costs as many operations as the
// row has nonzeros; u lives in r.w. The running sum telescopes.
type lazyPlan struct {
	diagonal
	h, w0 []float64
	state kernels.Lazy
	dense *densePlan // for η κ out of range
	sums  bool
}

func (p *lazyPlan) begin() {
	r := p.r
	factor := math.FMA(-r.eta, p.k[0], 1)
	if p.sums = factor < minLazyFactor || !telescopes(r.eta, p.k[:1], r.set.InnerSteps/r.dualUpdates); p.sums {
		p.dense.begin()
		return
	}
	p.diagonal.begin()
	clear(p.h)
	copy(p.w0, r.w)
	p.state = kernels.Lazy{Alpha: 1, Q: p.c[0]}
}

func (p *lazyPlan) advance(sampled []int32) {
	if p.sums {
		p.dense.advance(sampled)
		return
	}
	s := p.r.innerSteps(p.kind)
	p.taken += len(sampled)
	for len(sampled) > 0 {
		done := kernels.InnerLazy(p.r.w, p.h, p.r.d, &p.state, &s, sampled)
		if sampled = sampled[done:]; len(sampled) > 0 {
			p.form()
		}
	}
}

// form makes u the point itself.
func (p *lazyPlan) form() {
	formLazy(p.r.w, p.r.d, &p.state)
}

func formLazy(u, d []float64, l *kernels.Lazy) {
	for j, v := range u {
		u[j] = math.FMA(l.Alpha, v, float64(l.Gamma*d[j]))
	}
	l.Alpha, l.Gamma = 1, 0
}

func (p *lazyPlan) end(bool) {
	if !p.sums {
		p.form()
		telescope(p.r.s, p.w0, p.r.w, p.c, p.e, p.h, p.taken)
	}
}

// ballPlan is lazyPlan with projection onto a ball, whose norm is tracked. The
// running sum is AlphaSum u − q + GammaSum d.
type ballPlan struct {
	diagonal
	radius float64
	norm2  []float64
	q      []float64
	state  kernels.LazyBall
	dense  *densePlan
	sums   bool
}

func newBallPlan(base diagonal, radius float64) *ballPlan {
	r := base.r
	p := &ballPlan{diagonal: base, radius: radius, norm2: make([]float64, r.n), q: make([]float64, r.p), dense: newDensePlan(r, "")}
	for i := range p.norm2 {
		_, val := r.prob.Data.Row(i)
		p.norm2[i] = sumSquares(val)
	}
	return p
}

func (p *ballPlan) begin() {
	r := p.r
	p.diagonal.begin()
	if p.sums = p.c[0] < minLazyFactor; p.sums {
		p.dense.begin()
		return
	}
	clear(r.s)
	clear(p.q)
	p.state = kernels.LazyBall{Lazy: kernels.Lazy{Alpha: 1, Q: p.c[0]}, Radius: p.radius}
	p.measure()
}

// measure takes the inner products that the kernel then updates.
func (p *ballPlan) measure() {
	l := &p.state
	l.UU, l.UD, l.DD = kernels.Dot(p.r.w, p.r.w), kernels.Dot(p.r.w, p.r.d), kernels.Dot(p.r.d, p.r.d)
	l.GammaLimit = math.Inf(1)
	if l.DD > 0 {
		l.GammaLimit = 64 * p.radius / math.Sqrt(l.DD)
	}
}

func (p *ballPlan) advance(sampled []int32) {
	if p.sums {
		p.dense.advance(sampled)
		return
	}
	s := p.r.innerSteps(p.kind)
	for len(sampled) > 0 {
		done := kernels.InnerLazyBall(p.r.w, p.q, p.r.d, p.norm2, &p.state, &s, sampled)
		if sampled = sampled[done:]; len(sampled) > 0 {
			p.form()
			p.measure()
		}
	}
}

// form adds to the sum and makes u the point itself.
func (p *ballPlan) form() {
	l := &p.state
	for j, u := range p.r.w {
		p.r.s[j] += math.FMA(l.AlphaSum, u, math.FMA(l.GammaSum, p.r.d[j], -p.q[j]))
	}
	clear(p.q)
	l.AlphaSum, l.GammaSum = 0, 0
	formLazy(p.r.w, p.r.d, &l.Lazy)
}

func (p *ballPlan) end(bool) {
	if !p.sums {
		p.form()
	}
}
