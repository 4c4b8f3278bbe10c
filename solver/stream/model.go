package stream

import (
	"math"
	"slices"

	"github.com/scas-admm/scas/kernels"
	"github.com/scas-admm/scas/solver/internal/exact"
	"github.com/scas-admm/scas/solver/internal/quad"
	"github.com/scas-admm/scas/solver/internal/term"
	"github.com/scas-admm/scas/sparse"
)

// A model of the loss is a parabola with the Hessian H and the gradient g at x. With p
// features it is a mean of p squares,
//
//	(1/p) Σ (rᵢ'u − bᵢ)²,  R'R = (p/2) H,  R'(R x − b) = (p/2) g,
//
// so that the problem of the data with the model in the place of the loss is one of p
// samples that package exact solves in memory, penalty and all.

const (
	firstLift, lastLift = 1e-15, 1e-4 // of the scaled Hessian's diagonal
	noCurve             = 1e-8        // R's entry, beside ones of about 1, of features without data
)

// A step is to the minimiser of a model.
type step struct {
	*exact.Solution
	// dual is where the gradient of the model is what the multipliers close: not quite X,
	// which is exact to the tolerance alone; nil for X.
	dual []float64
}

// minimise minimises the model from x to a gap of tol.
func (s *run) minimise(h, g, x []float64, tol float64) step {
	p := len(x)
	scale, scaled := make([]float64, p), make([]float64, p)
	for j := range scale {
		scale[j] = 1
		if v := h[j*p+j]; v > 0 {
			_, exp := math.Frexp(v)
			scale[j] = math.Ldexp(1, -exp/2) // which rounds nothing
		}
		scaled[j] = float64(scale[j] * g[j])
	}
	chol := quad.NewCholesky(p)
	for lift := firstLift; !chol.FactorScaled(h, scale, lift, s.q.Threads) && lift < lastLift; {
		lift *= 100
	}
	q := *s.q
	q.Data = factorRows(chol, h, scale)
	q.Rows, q.Weights, q.Loss = q.Data.Rows(0, p), nil, term.Squared{}
	q.Labels = make([]float64, p)
	q.Data.MulVec(q.Labels, x)
	chol.SolveLower(scaled, scaled)
	kernels.Axpy(-math.Sqrt(float64(p)/2), scaled, q.Labels)
	res, err := s.inMemory(&part{&q, nil}, x, tol)
	if err != nil {
		panic(err) // it was made for the whole problem's features
	}
	if res.Alpha == nil {
		return step{res, nil}
	}
	// H (dual − x) = R'α/p − g
	dual := make([]float64, p)
	q.Data.MulVecTrans(dual, res.Alpha)
	for j, v := range dual {
		dual[j] = float64(scale[j] * (v/float64(p) - g[j]))
	}
	chol.Solve(dual, dual)
	for j, v := range dual {
		dual[j] = math.FMA(scale[j], v, x[j])
	}
	return step{res, dual}
}

// inMemory solves a problem with the penalty of the whole one from x, or 0 if that is nil.
func (s *run) inMemory(p *part, x []float64, tol float64) (*exact.Solution, error) {
	q := *p.Problem
	q.A, q.Limit, q.Groups, q.Ridge, q.Offset = s.q.A, s.q.Limit, s.q.Groups, s.extra.ridge, p.offset
	f, err := exact.New(&q)
	if err != nil {
		return nil, err
	}
	return f.Finish(x, &exact.Settings{Tol: tol, Interrupt: s.asks(), Stop: s.asks()}), nil
}

// sampled solves the problem of the samples, to their error.
func (s *run) sampled(p *part, start []float64, goal float64) ([]float64, error) {
	columns, m := float64(len(s.extra.ridge)), float64(s.facts.sampled)
	const share = 0.1
	r, err := s.inMemory(p, start, math.Max(goal, share*columns/m*s.facts.zero))
	if err != nil { // Hessians that take too long
		return slices.Clone(append(start, make([]float64, len(s.extra.ridge)-len(start))...)), nil
	}
	return r.X, r.Err
}

// factorRows returns R, the transpose of the factor of the scaled Hessian, unscaled.
func factorRows(chol *quad.Cholesky, h, scale []float64) *sparse.CSR {
	p := len(scale)
	ptr := make([]int64, 1, p+1)
	idx, val := make([]int32, 0, p*(p+1)/2), make([]float64, 0, p*(p+1)/2)
	size := math.Sqrt(float64(p) / 2)
	for k := range p {
		for i := k; i < p; i++ {
			v := float64(size*chol.Entry(i, k)) / scale[i]
			if h[k*p+k] == 0 {
				v *= noCurve
			}
			idx, val = append(idx, int32(i)), append(val, v)
		}
		ptr = append(ptr, int64(len(idx)))
	}
	r, err := sparse.New(p, p, ptr, idx, val)
	if err != nil {
		panic(err)
	}
	return r
}
