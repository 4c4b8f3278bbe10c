package admm

import (
	"math"

	"github.com/scas-admm/scas/kernels"
)

// lazyPlan is a plan for a K (see Plan) that is a multiple of I. It represents w as α u + γ d, where d is the
// constant part of the gradient. A step changes the numbers α and γ, and the vector u at the nonzeros of its
// row. So a step costs only as many operations as the row has nonzeros.
type lazyPlan struct {
	diagonalBase
	cells  kernels.Cells // u, d, and the sum that End copies to rowSum
	rowSum []float64     // sum of the multiples of rows that the steps have added to w; computed by End
	state  kernels.Lazy  // the numbers α and γ of w = α u + γ d
}

func newLazy(base diagonalBase) *lazyPlan {
	p := base.features()
	return &lazyPlan{diagonalBase: base, cells: kernels.NewCells(p), rowSum: make([]float64, p)}
}

func (*lazyPlan) Name() string { return "diagonal-lazy" }

func (p *lazyPlan) fits(eta float64) bool {
	return math.FMA(-eta, p.k[0], 1) >= minFactor && p.canTelescope(eta, p.k[:1])
}

func (p *lazyPlan) Begin(x, d []float64, eta float64) {
	p.diagonalBase.Begin(x, d, eta)
	p.cells.Set(x, d)
	p.state = kernels.Lazy{Alpha: 1, Q: p.c[0]}
}

func (p *lazyPlan) Advance(sampled []int32) {
	s := p.kernelSteps(p.eta)
	p.stepCount += len(sampled)
	for len(sampled) > 0 {
		stepsDone := kernels.InnerLazy(p.cells, nil, &p.state, &s, sampled)
		sampled = sampled[stepsDone:]
		if len(sampled) > 0 {
			p.cells.Form(&p.state)
		}
	}
}

func (p *lazyPlan) End(sum, endpoint []float64) {
	p.cells.Point(p.w, &p.state)
	p.cells.RowSum(p.rowSum)
	telescope(sum, p.x, p.w, p.c, p.e, p.rowSum, p.stepCount)
	copy(endpoint, p.w)
}

// ballPlan is a lazyPlan with projection onto a ball. For the projection, each step updates the norm of w.
// The sum of the iterates since the last call of initState is state.AlphaSum u − q + state.GammaSum d.
type ballPlan struct {
	summedBase               // the sum is over the iterates until the last call of collect
	cells      kernels.Cells // u and d as in lazyPlan, and the vector q (see kernels.InnerLazy)
	norm2      []float64     // |aᵢ|² of each row
	q          []float64     // scratch memory: collect copies the vector q of cells to it
	state      kernels.Lazy
}

func newBall(base diagonalBase) *ballPlan {
	p := len(base.k)
	return &ballPlan{
		summedBase: newSummedBase(base), cells: kernels.NewCells(p), norm2: squaredNorms(base.Rows),
		q: make([]float64, p),
	}
}

// squaredNorms returns |aᵢ|² of each row aᵢ of a. If a stores no values, its entries are ones.
func squaredNorms(a kernels.Rows) []float64 {
	norm2 := make([]float64, a.Len())
	for i := range norm2 {
		for k := a.Ptr[i]; k < a.Ptr[i+1]; k++ {
			v := 1.0
			switch {
			case a.Val != nil:
				v = a.Val[k]
			case a.Val32 != nil:
				v = float64(a.Val32[k])
			}
			norm2[i] += float64(v * v)
		}
	}
	return norm2
}

func (*ballPlan) Name() string { return "diagonal-ball" }

func (p *ballPlan) fits(eta float64) bool { return math.FMA(-eta, p.k[0], 1) >= minFactor }

func (p *ballPlan) Begin(x, d []float64, eta float64) {
	p.summedBase.Begin(x, d, eta)
	p.initState()
}

// initState stores w and d in the cells, and computes w'w, w'd and d'd for the state of the kernel.
func (p *ballPlan) initState() {
	w, d, radius := p.w, p.d, p.bounds.Radius
	p.cells.Set(w, d)
	p.state = kernels.Lazy{
		Alpha: 1, Q: p.c[0], Radius: radius, GammaLimit: math.Inf(1),
		UU: kernels.Dot(w, w), UD: kernels.Dot(w, d), DD: kernels.Dot(d, d),
	}
	if p.state.DD > 0 {
		p.state.GammaLimit = 64 * radius / math.Sqrt(p.state.DD)
	}
}

func (p *ballPlan) Advance(sampled []int32) {
	s := p.kernelSteps(p.eta)
	for len(sampled) > 0 {
		stepsDone := kernels.InnerLazy(p.cells, p.norm2, &p.state, &s, sampled)
		sampled = sampled[stepsDone:]
		if len(sampled) > 0 {
			p.collect()
			p.initState()
		}
	}
}

// collect adds the iterates since the last call of initState to the sum, and sets w to the last iterate.
func (p *ballPlan) collect() {
	l := &p.state
	p.cells.RowSum(p.q)
	p.cells.Point(p.w, &kernels.Lazy{Alpha: 1}) // u
	for j, v := range p.w {
		p.sum[j] += math.FMA(l.AlphaSum, v, math.FMA(l.GammaSum, p.d[j], -p.q[j]))
	}
	p.cells.Point(p.w, l)
}

func (p *ballPlan) End(sum, endpoint []float64) {
	p.collect()
	p.summedBase.End(sum, endpoint)
}
