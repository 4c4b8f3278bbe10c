package reference

import (
	"context"
	"fmt"
	"math"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/scas-admm/scas/solver"
	"github.com/scas-admm/scas/sparse"
)

// The barrier replaces λ|v| by
//
//	h(v) = min_t λt − τ log(t² − v²) = λt − τ log(2τt/λ),  t = (τ+q)/λ,  q = √(τ²+λ²v²)
//
// whose derivative λv/t is a multiplier strictly within (−λ, λ). At the minimum
// of f(x) + Σ h((Ax)_j) over x the duality gap is at most 2τl; τ falls
// geometrically, each minimum being found by Newton's method from the last.
const (
	firstTau  = 1e-4
	tauFactor = 0.2
	maxInner  = 60 // Newton steps per τ
)

// A barrierRun is the state of the method.
type barrierRun struct {
	*restriction
	lambda, tau       float64
	x, dx, g          []float64
	margin, dmargin   []float64
	v, dv, beta, curv []float64 // v is A x
	slope, weight     []float64
	hess              *mat.SymDense
	chol              mat.Cholesky
	at                *sparse.CSR
}

// barrier minimises the restricted problem from a start and the τ for it. It shows
// x and multipliers for every τ, and returns the last x, spread over all features.
// The last multipliers are not the best: where (Ax)_j = 0 they are quotients of two
// numbers as small as τ.
func barrier(ctx context.Context, r *restriction, start []float64, tau, tol float64, show func(x, beta []float64)) (x []float64, err error) {
	b := newBarrierRun(r, start)
	for b.tau = tau; ; b.tau *= tauFactor {
		if err := b.centre(ctx); err != nil {
			return nil, err
		}
		if err := b.dual(show); err != nil {
			return nil, err
		}
		if 2*float64(len(b.v))*b.tau < tol {
			x, _ := r.spread(b.x, b.beta)
			return x, nil
		}
	}
}

// dual shows the dual point after one more Newton step, h'(v) + h”(v) dv at
// x + dx, for which A'beta = −∇f up to second order. At the centre found it can
// fail by as much as λ: h” is large where v is nearly zero.
func (b *barrierRun) dual(show func(x, beta []float64)) error {
	if _, err := b.newton(); err != nil {
		return err
	}
	x, beta := make([]float64, len(b.x)), make([]float64, len(b.v))
	floats.AddTo(x, b.x, b.dx)
	for j := range beta {
		beta[j] = b.beta[j] + b.curv[j]*b.dv[j]
	}
	show(x, beta)
	return nil
}

// centre minimises the barrier function of the current τ by Newton's method. A
// step from a small decrement is quadratically close, and the last.
func (b *barrierRun) centre(ctx context.Context) error {
	for range maxInner {
		if err := ctx.Err(); err != nil {
			return err
		}
		decrement, err := b.newton()
		if err != nil {
			return err
		}
		if decrement < 1e-3*b.tau || !b.search(decrement) || decrement < 0.1*b.tau*float64(len(b.v)) {
			return nil
		}
	}
	return nil
}

func newBarrierRun(r *restriction, start []float64) *barrierRun {
	b := &barrierRun{restriction: r, lambda: r.p.Penalty.(solver.L1).Lambda, at: r.a.Transpose()}
	n, features := r.p.Data.Dims()
	for _, v := range []*[]float64{&b.x, &b.dx, &b.g} {
		*v = make([]float64, features)
	}
	for _, v := range []*[]float64{&b.margin, &b.dmargin, &b.slope, &b.weight} {
		*v = make([]float64, n)
	}
	for _, v := range []*[]float64{&b.v, &b.dv, &b.beta, &b.curv} {
		*v = make([]float64, len(r.rows))
	}
	for k, j := range r.keep {
		if start != nil {
			b.x[k] = start[j]
		}
	}
	r.p.Data.MulVec(b.margin, b.x)
	r.a.MulVec(b.v, b.x)
	b.hess = mat.NewSymDense(features, nil)
	return b
}

// multipliers sets beta = h'(v) and curv = h”(v).
func (b *barrierRun) multipliers() {
	for j, v := range b.v {
		q := math.Hypot(b.tau, b.lambda*v)
		t := (b.tau + q) / b.lambda
		b.beta[j] = b.lambda * v / t
		b.curv[j] = b.lambda / t * (1 - b.lambda*v/q*v/t)
	}
}

// newton sets dx to the Newton direction and returns the decrement squared.
func (b *barrierRun) newton() (float64, error) {
	b.multipliers()
	n := float64(len(b.margin))
	b.p.Loss.Slopes(b.slope, b.margin, b.p.Labels)
	for i, m := range b.margin {
		b.weight[i] = b.p.Loss.SecondDerivative(m, b.slope[i], b.p.Labels[i]) / n
		b.slope[i] /= n
	}
	b.p.Data.MulVecTrans(b.g, b.slope)
	b.at.MulVec(b.dx, b.beta)
	for j := range b.g {
		b.g[j] += b.p.L2*b.x[j] + b.dx[j]
	}
	b.assemble()
	if err := b.factor(); err != nil {
		return 0, err
	}
	dx := mat.NewVecDense(len(b.x), b.dx)
	if err := b.chol.SolveVecTo(dx, mat.NewVecDense(len(b.x), b.g)); err != nil {
		if _, badly := err.(mat.Condition); !badly {
			return 0, fmt.Errorf("reference: %w", err)
		}
	}
	var decrement float64
	for j, d := range b.dx {
		decrement += d * b.g[j]
		b.dx[j] = -d
	}
	b.p.Data.MulVec(b.dmargin, b.dx)
	b.a.MulVec(b.dv, b.dx)
	return decrement, nil
}

// assemble sets hess = (1/n) X'diag(φ”)X + mu I + A'diag(h”)A.
func (b *barrierRun) assemble() {
	raw := b.hess.RawSymmetric()
	clear(raw.Data)
	add := func(m *sparse.CSR, weight []float64) {
		for i, w := range weight {
			idx, val := m.Row(i)
			for s, j := range idx {
				row := raw.Data[int(j)*raw.Stride:]
				wv := w * val[s]
				for e := s; e < len(idx); e++ {
					row[idx[e]] += wv * val[e]
				}
			}
		}
	}
	add(b.p.Data, b.weight)
	add(b.a, b.curv)
	for j := range b.x {
		raw.Data[j*raw.Stride+j] += b.p.L2
	}
}

// factor factors hess, with a ridge just large enough where rounding has made it
// indefinite: X is rank deficient where features are indicators.
func (b *barrierRun) factor() error {
	if b.chol.Factorize(b.hess) {
		return nil
	}
	raw, trace := b.hess.RawSymmetric(), mat.Trace(b.hess)
	for ridge := 1e-17 * trace; ridge < trace; ridge *= 10 {
		for j := range b.x {
			raw.Data[j*raw.Stride+j] += ridge
		}
		if b.chol.Factorize(b.hess) {
			return nil
		}
	}
	return fmt.Errorf("reference: the Hessian of %d features is not positive definite", len(b.x))
}

// search goes along dx until the barrier function has fallen enough, and reports
// whether it has.
func (b *barrierRun) search(decrement float64) bool {
	before := b.value(0)
	for step := 1.0; step > 1e-9; step /= 2 {
		if b.value(step) > before-0.25*step*decrement+1e-16*math.Abs(before) {
			continue
		}
		floats.AddScaled(b.x, step, b.dx)
		floats.AddScaled(b.margin, step, b.dmargin)
		floats.AddScaled(b.v, step, b.dv)
		return true
	}
	return false
}

// value returns the barrier function at x + step·dx.
func (b *barrierRun) value(step float64) float64 {
	var loss, ridge, barrier float64
	for i, m := range b.margin {
		loss += b.p.Loss.Value(m+step*b.dmargin[i], b.p.Labels[i])
	}
	for j, x := range b.x {
		w := x + step*b.dx[j]
		ridge += w * w
	}
	for j, v := range b.v {
		v += step * b.dv[j]
		t := (b.tau + math.Hypot(b.tau, b.lambda*v)) / b.lambda
		barrier += b.lambda*t - b.tau*math.Log(2*b.tau*t/b.lambda)
	}
	return loss/float64(len(b.margin)) + b.p.L2/2*ridge + barrier
}
