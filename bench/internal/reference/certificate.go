package reference

import (
	"math"

	"gonum.org/v1/gonum/floats"

	"github.com/scas-admm/scas/solver"
	"github.com/scas-admm/scas/sparse"
)

// Certificate bounds the excess of the objective at x over the optimum by
// duality, given any multipliers beta of A x = y; it is never negative. a is the
// constraint, which must contain a row with a single entry for every feature,
// like [G; I]. With mu = 0 it is known for the logistic loss alone, +Inf
// elsewhere.
//
// The dual point is φ'(aᵢ'x) with multipliers clipped to [−λ, λ], of which
// those of the single-entry rows are chosen anew. Where mu > 0 the bound is
//
//	(1/2mu)|∇f(x) + A'beta|² + Σ λ|(Ax)_j| − beta_j (Ax)_j
//
// and otherwise the dual point is scaled until it is feasible.
func Certificate(p *solver.Problem, a *sparse.CSR, x, beta []float64) float64 {
	lambda := p.Penalty.(solver.L1).Lambda
	own := ownRows(a)
	alpha, gradient := gradientAt(p, x)
	l, features := a.Dims()
	b := make([]float64, l)
	for j, v := range beta {
		b[j] = clip(v, lambda)
	}
	for _, row := range own {
		if row >= 0 {
			b[row] = 0
		}
	}
	v := make([]float64, features)
	a.MulVecTrans(v, b)
	floats.Add(v, gradient)
	if p.L2 > 0 {
		return certificateStrong(p, a, x, b, v, own)
	}
	if _, logistic := lossOf(p).(solver.Logistic); !logistic {
		return math.Inf(1)
	}
	scale := 1.0
	for j, u := range v {
		if own[j] < 0 {
			return math.Inf(1)
		}
		_, val := a.Row(own[j])
		scale = math.Min(scale, lambda*math.Abs(val[0])/math.Abs(u))
	}
	var conjugate float64
	for i, s := range alpha {
		conjugate += entropy(-p.Labels[i] * s * scale)
	}
	return math.Max(0, p.Evaluate(x).Objective+conjugate/float64(len(alpha)))
}

// certificateStrong is the bound for mu > 0. v = ∇f(x) + A'b with b zero on the
// own rows, which are set to what makes the bound least.
func certificateStrong(p *solver.Problem, a *sparse.CSR, x, b, v []float64, own []int) float64 {
	lambda := p.Penalty.(solver.L1).Lambda
	var norm2 float64
	for j, u := range v {
		u += p.L2 * x[j]
		if row := own[j]; row >= 0 {
			_, val := a.Row(row)
			b[row] = clip(-u/val[0], lambda)
			u += b[row] * val[0]
		}
		norm2 += u * u
	}
	gap := norm2 / (2 * p.L2)
	ax := make([]float64, len(b))
	a.MulVec(ax, x)
	for j, y := range ax {
		gap += lambda*math.Abs(y) - b[j]*y
	}
	return math.Max(0, gap)
}

// clip returns the number nearest to v in [−limit, limit].
func clip(v, limit float64) float64 { return max(-limit, min(limit, v)) }

// gradientAt returns φ'(aᵢ'x) and the gradient of the mean loss.
func gradientAt(p *solver.Problem, x []float64) (slopes, gradient []float64) {
	n, features := p.Data.Dims()
	slopes, gradient = make([]float64, n), make([]float64, features)
	p.Data.MulVec(slopes, x)
	lossOf(p).Slopes(slopes, slopes, p.Labels)
	p.Data.MulVecTrans(gradient, slopes)
	for j := range gradient {
		gradient[j] /= float64(n)
	}
	return slopes, gradient
}

// ownRows returns for each feature a row of a that holds it alone, or −1.
func ownRows(a *sparse.CSR) []int {
	l, features := a.Dims()
	own := make([]int, features)
	for j := range own {
		own[j] = -1
	}
	for row := range l {
		if idx, val := a.Row(row); len(idx) == 1 && val[0] != 0 {
			own[idx[0]] = row
		}
	}
	return own
}

// entropy returns s log s + (1−s) log(1−s), the conjugate of the logistic loss.
func entropy(s float64) float64 {
	s = math.Max(0, math.Min(1, s))
	var sum float64
	if s > 0 {
		sum += s * math.Log(s)
	}
	if s < 1 {
		sum += (1 - s) * math.Log1p(-s)
	}
	return sum
}
