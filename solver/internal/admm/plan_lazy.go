package admm

import (
	"math"

	"github.com/scas-admm/scas/kernels"
)

// lazy is a plan for a K (see Plan) that is a multiple of I. It represents w as α u + γ d, where d is the
// constant part of the gradient. A step changes the numbers α and γ, and the vector u at the nonzeros of its
// row. So a step costs only as many operations as the row has nonzeros.
type lazy struct {
	diagonal
	cells  kernels.Cells // u, d, and the sum that End copies to rowSum
	rowSum []float64     // sum of the multiples of rows that the steps have added to w; computed by End
	state  kernels.Lazy  // the numbers α and γ of w = α u + γ d
}

func newLazy(base diagonal) *lazy {
	p := base.features()
	return &lazy{diagonal: base, cells: kernels.NewCells(p), rowSum: make([]float64, p)}
}

func (*lazy) Name() string { return "diagonal-lazy" }

func (p *lazy) fits(eta float64) bool {
	return math.FMA(-eta, p.k[0], 1) >= minFactor && p.telescopes(eta, p.k[:1])
}

func (p *lazy) Begin(x, d []float64, eta float64) {
	p.diagonal.Begin(x, d, eta)
	p.cells.Set(x, d)
	p.state = kernels.Lazy{Alpha: 1, Q: p.c[0]}
}

func (p *lazy) Advance(sampled []int32) {
	s := p.kernelSteps(p.eta)
	p.stepCount += len(sampled)
	for len(sampled) > 0 {
		count := kernels.InnerLazyCells(p.cells, &p.state, &s, sampled)
		if sampled = sampled[count:]; len(sampled) > 0 {
			p.cells.Form(&p.state)
		}
	}
}

func (p *lazy) End(sum, endpoint []float64) {
	p.cells.Point(p.w, &p.state)
	p.cells.RowSum(p.rowSum)
	telescope(sum, p.x, p.w, p.c, p.e, p.rowSum, p.stepCount)
	copy(endpoint, p.w)
}

// ball is the plan lazy with projection onto a ball. For the projection, each step updates the norm of w. The
// sum of the iterates since the last call of start is state.AlphaSum u − q + state.GammaSum d.
type ball struct {
	diagonal
	cells kernels.Cells // u and d as in lazy, and the vector q (see kernels.InnerLazyBallCells)
	norm2 []float64     // |aᵢ|² of each row
	q     []float64     // scratch memory: collect copies the vector q of cells to it
	sum   []float64     // sum of the iterates until the last call of collect
	state kernels.LazyBall
}

func newBall(base diagonal) *ball {
	p := &ball{diagonal: base, cells: kernels.NewCells(len(base.k)), norm2: squaredNorms(base.Rows)}
	p.q, p.sum = make([]float64, len(base.k)), make([]float64, len(base.k))
	return p
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

func (*ball) Name() string { return "diagonal-ball" }

func (p *ball) fits(eta float64) bool { return math.FMA(-eta, p.k[0], 1) >= minFactor }

func (p *ball) Begin(x, d []float64, eta float64) {
	p.diagonal.Begin(x, d, eta)
	clear(p.sum)
	p.start()
}

// start stores w and d in the cells, and computes w'w, w'd and d'd for the state of the kernel.
func (p *ball) start() {
	w, d, radius := p.w, p.d, p.walls.Radius
	p.cells.Set(w, d)
	p.state = kernels.LazyBall{
		Lazy: kernels.Lazy{Alpha: 1, Q: p.c[0]}, Radius: radius, GammaLimit: math.Inf(1),
		UU: kernels.Dot(w, w), UD: kernels.Dot(w, d), DD: kernels.Dot(d, d),
	}
	if p.state.DD > 0 {
		p.state.GammaLimit = 64 * radius / math.Sqrt(p.state.DD)
	}
}

func (p *ball) Advance(sampled []int32) {
	s := p.kernelSteps(p.eta)
	for len(sampled) > 0 {
		count := kernels.InnerLazyBallCells(p.cells, p.norm2, &p.state, &s, sampled)
		if sampled = sampled[count:]; len(sampled) > 0 {
			p.collect()
			p.start()
		}
	}
}

// collect adds the iterates since the last call of start to the sum, and sets w to the last iterate.
func (p *ball) collect() {
	l := &p.state
	p.cells.RowSum(p.q)
	u := kernels.Lazy{Alpha: 1}
	p.cells.Point(p.w, &u)
	for j, v := range p.w {
		p.sum[j] += math.FMA(l.AlphaSum, v, math.FMA(l.GammaSum, p.d[j], -p.q[j]))
	}
	p.cells.Point(p.w, &l.Lazy)
}

func (p *ball) End(sum, endpoint []float64) {
	p.collect()
	copy(sum, p.sum)
	copy(endpoint, p.w)
}
