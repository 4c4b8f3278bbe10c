package stream

import (
	"math"

	"github.com/scas-admm/scas/kernels"
	"github.com/scas-admm/scas/solver/internal/fenchel"
	"github.com/scas-admm/scas/solver/internal/newton"
	"github.com/scas-admm/scas/solver/internal/quad"
	"github.com/scas-admm/scas/sparse"
)

// A model of the loss is a parabola with the Hessian H and the gradient g at x. With p
// features it is a mean of p squares,
//
//	(1/p) Σ (rᵢ'u − bᵢ)²,  R'R = (p/2) H,  R'(R x − b) = (p/2) g,
//
// so that the problem of the data with the model in the place of the loss is one of p
// samples that package newton solves in memory, penalty and all.

const (
	firstLift, lastLift = 1e-15, 1e-4 // of the scaled Hessian's diagonal
	noCurve             = 1e-8        // R's entry, beside ones of about 1, of features without data
)

// minimise minimises the model from x to a gap of tol.
func (s *run) minimise(h, g, x []float64, tol float64) *newton.Result {
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
	q.Rows, q.Weights, q.Loss = q.Data.Rows(0, p), nil, fenchel.Squared{}
	q.Labels = make([]float64, p)
	q.Data.MulVec(q.Labels, x)
	chol.SolveLower(scaled, scaled)
	kernels.Axpy(-math.Sqrt(float64(p)/2), scaled, q.Labels)
	f, err := newton.New(&q)
	if err != nil {
		panic(err) // it was made for the whole problem's features
	}
	return f.Finish(x, &newton.Settings{Tol: tol, Brief: true, Interrupt: s.interrupted, Stop: s.interrupted})
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
