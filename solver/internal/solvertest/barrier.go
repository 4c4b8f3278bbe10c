package solvertest

import (
	"math"
	"slices"
	"testing"

	"github.com/scas-admm/scas/kernels"
	"github.com/scas-admm/scas/solver"
	"github.com/scas-admm/scas/solver/internal/term"
	"github.com/scas-admm/scas/sparse"
	"github.com/scas-admm/scas/sparse/sparsetest"
)

// A barrier is the objective of p with a smooth penalty: for each entry v of A x, limit |v| is replaced by
// h(v), the minimum of limit·t − τ log(t² − v²) over all t above |v|.
type barrier struct {
	p     *solver.Problem
	loss  solver.Loss
	a     *sparse.CSR
	limit func(row int) float64
	tau   float64
	dual  []float64 // h'(v) for each entry v of A x; set by derivatives
}

// BarrierNewton returns the solution x of p and its objective, the optimum. p must have an L1 penalty and a
// matrix A. BarrierNewton applies Newton's method to the barrier, with ever smaller τ, until the objective is
// within about 5e-14 of the optimum. beta has the multipliers for the last τ above 1e-10, because for smaller
// τ rounding errors dominate the multipliers.
func BarrierNewton(t testing.TB, p *solver.Problem) (x, beta []float64, optimum float64) {
	t.Helper()
	_, dim := p.Data.Dims()
	b := &barrier{p: p, loss: p.Loss, a: p.Constraint.(*sparse.CSR), limit: term.L1(p.Penalty.(solver.L1)).Limit}
	if b.loss == nil {
		b.loss = solver.Logistic{}
	}
	l, _ := b.a.Dims()
	x, beta, b.dual = make([]float64, dim), make([]float64, l), make([]float64, l)
	for b.tau = 1e-3; 2*b.tau*float64(l) > 1e-14; b.tau *= 0.2 {
		for range 100 {
			next, decrement := b.newton(x)
			if next == nil {
				break
			}
			if x = next; decrement < 1e-9*b.tau {
				break
			}
		}
		if b.tau > 1e-10 {
			copy(beta, b.dual)
		}
	}
	return x, beta, p.Evaluate(x).Objective
}

// newton returns the end of a damped Newton step from x. It returns nil if no step lowers the barrier.
// decrement is the squared Newton decrement at x.
func (b *barrier) newton(x []float64) (next []float64, decrement float64) {
	h, g := b.derivatives(x)
	step := sparsetest.Solve(h, g)
	decrement = kernels.Dot(g, step)
	at := b.value(x)
	for size := 1.0; size > 1e-10; size /= 2 {
		y := slices.Clone(x)
		for j := range y {
			y[j] -= size * step[j]
		}
		if b.value(y) <= at-1e-4*size*decrement+1e-15 {
			return y, decrement
		}
	}
	return nil, decrement
}

func (b *barrier) value(x []float64) float64 {
	n, _ := b.p.Data.Dims()
	sum := b.p.L2 / 2 * kernels.Dot(x, x)
	for i := range n {
		sum += b.loss.Value(Dot(b.p.Data, i, x), b.p.Labels[i]) / float64(n)
	}
	for r := range b.dual {
		v, lambda := Dot(b.a, r, x), b.limit(r)
		t := (b.tau + math.Sqrt(b.tau*b.tau+lambda*lambda*v*v)) / lambda
		sum += lambda*t - b.tau*math.Log(2*b.tau*t/lambda)
	}
	return sum
}

// derivatives returns the Hessian and the gradient of the barrier at x, and sets b.dual.
func (b *barrier) derivatives(x []float64) (h, g []float64) {
	n, dim := b.p.Data.Dims()
	h, g = make([]float64, dim*dim), make([]float64, dim)
	add := func(idx []int32, val []float64, slope, curvature float64) {
		for k, j := range idx {
			g[j] += slope * val[k]
			for m, c := range idx {
				h[int(j)*dim+int(c)] += curvature * val[k] * val[m]
			}
		}
	}
	for i := range n {
		idx, val := b.p.Data.Row(i)
		margin := Dot(b.p.Data, i, x)
		slope := b.loss.Slope(margin, b.p.Labels[i])
		add(idx, val, slope/float64(n), b.loss.SecondDerivative(margin, slope, b.p.Labels[i])/float64(n))
	}
	for r := range b.dual {
		idx, val := b.a.Row(r)
		v, lambda := Dot(b.a, r, x), b.limit(r)
		q := math.Sqrt(b.tau*b.tau + lambda*lambda*v*v)
		t := (b.tau + q) / lambda
		b.dual[r] = lambda * v / t
		add(idx, val, b.dual[r], lambda/t*(1-lambda*v*v/(q*t)))
	}
	for j := range g {
		g[j] += b.p.L2 * x[j]
		h[j*dim+j] += b.p.L2
	}
	return h, g
}
