package suite

import (
	"math"

	"github.com/scas-admm/scas/bench/internal/measure"
	"github.com/scas-admm/scas/bench/internal/naive"
	"github.com/scas-admm/scas/kernels"
)

func dot(v [][]float64) measure.Case {
	x, y, out := v[0], v[1], make([]float64, 1)
	return measure.Case{
		Run:   func() { out[0] = kernels.Dot(x, y) },
		Naive: func() { out[0] = naive.Dot(x, y) },
		State: [][]float64{out},
		// The products nearly cancel, so rounding is large compared to the sum.
		Tolerance: 1e-12 * naive.Dot(x, x) / math.Abs(naive.Dot(x, y)),
	}
}

func logisticSlopes(v [][]float64) measure.Case {
	slope, margin, label, sum := v[0], v[1], v[2], make([]float64, 1)
	for i := range margin {
		margin[i] *= 3
		label[i] = math.Copysign(1, label[i])
	}
	return measure.Case{
		Run:   func() { sum[0] = kernels.LogisticSlopes(slope, margin, label) },
		Naive: func() { sum[0] = naive.LogisticSlopes(slope, margin, label) },
		State: [][]float64{slope, sum},
	}
}

func logisticFenchel(v [][]float64) measure.Case {
	alpha, margin, label, weight, sum := v[0], v[1], v[2], v[3], make([]float64, 1)
	for i, t := range margin {
		label[i] = math.Copysign(1, label[i])
		weight[i] = math.Abs(weight[i])
		alpha[i] = kernels.LogisticSlope(t+float64(0.01*alpha[i]), label[i])
	}
	return measure.Case{
		Run:       func() { sum[0] = kernels.LogisticFenchel(alpha, margin, label, weight) },
		Naive:     func() { sum[0] = naive.LogisticFenchel(alpha, margin, label, weight) },
		State:     [][]float64{sum},
		Tolerance: 1e-9, // the plain formula loses digits near a term of 0
	}
}

func poissonSlopes(v [][]float64) measure.Case {
	slope, margin, label, sum := v[0], v[1], v[2], make([]float64, 1)
	for i, b := range label {
		label[i] = math.Floor(math.Abs(3 * b))
	}
	return measure.Case{
		Run:   func() { sum[0] = kernels.PoissonSlopes(slope, margin, label) },
		Naive: func() { sum[0] = naive.PoissonSlopes(slope, margin, label) },
		State: [][]float64{slope, sum},
	}
}

func poissonFenchel(v [][]float64) measure.Case {
	alpha, margin, label, weight, sum := v[0], v[1], v[2], v[3], make([]float64, 1)
	for i, t := range margin {
		label[i], weight[i] = math.Floor(math.Abs(3*label[i])), math.Abs(weight[i])
		alpha[i] = kernels.Exp(t+float64(0.3*alpha[i])) - label[i]
	}
	return measure.Case{
		Run:       func() { sum[0] = kernels.PoissonFenchel(alpha, margin, label, weight) },
		Naive:     func() { sum[0] = naive.PoissonFenchel(alpha, margin, label, weight) },
		State:     [][]float64{sum},
		Tolerance: 1e-9, // the plain formula loses digits near a term of 0
	}
}

func squaredSlopes(v [][]float64) measure.Case {
	slope, margin, label, sum := v[0], v[1], v[2], make([]float64, 1)
	return measure.Case{
		Run:   func() { sum[0] = kernels.SquaredSlopes(slope, margin, label) },
		Naive: func() { sum[0] = naive.SquaredSlopes(slope, margin, label) },
		State: [][]float64{slope, sum},
	}
}

func clip(v [][]float64) measure.Case {
	x, lo, hi := v[0], v[1], v[2]
	for i := range lo {
		lo[i], hi[i] = -math.Abs(lo[i]), math.Abs(hi[i])
	}
	return measure.Case{
		Run:   func() { kernels.Clip(x, lo, hi) },
		Naive: func() { naive.Clip(x, lo, hi) },
		State: [][]float64{x},
	}
}

func proxDual(v [][]float64) measure.Case {
	beta, y, ax, limit := v[0], v[1], v[2], v[3]
	for i := range limit {
		limit[i] = math.Abs(limit[i])
		beta[i] = min(max(beta[i], -limit[i]), limit[i])
	}
	const rho = 1.5
	return measure.Case{
		Run:   func() { kernels.ProxDual(beta, y, ax, limit, rho) },
		Naive: func() { naive.ProxDual(beta, y, ax, limit, rho) },
		State: [][]float64{beta, y},
	}
}
