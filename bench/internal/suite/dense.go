package suite

import (
	"fmt"
	"math"

	"github.com/scas-admm/scas/bench/internal/measure"
	"github.com/scas-admm/scas/bench/internal/naive"
	"github.com/scas-admm/scas/kernels"
)

// A denseKernel is one on vectors of one length.
type denseKernel struct {
	name    string
	vectors int     // that it works on
	flops   float64 // per element
	moved   int     // vectors brought in
	work    func(v [][]float64) measure.Work
}

var denseKernels = []denseKernel{
	{"Dot", 2, 2, 2, dotWork},
	{"LogisticSlopes", 3, slopeFlops + lossFlops, 3, slopesWork},
	{"ProjectedUpdate", 4, 4, 4, updateWork},
	{"ProjectedUpdateBox", 6, 6, 6, updateBoxWork},
	{"ProjectedUpdateBall", 4, 8, 5, updateBallWork},
	{"ProxDual", 4, 12, 4, proxDualWork},
}

// denseGroups has the kernels on vectors, short and long.
func denseGroups(s Scale) []Group {
	lengths := []int{123, 10000}
	if s == Tiny {
		lengths = []int{37, 123}
	}
	var groups []Group
	for _, n := range lengths {
		var g Group
		for _, k := range denseKernels {
			g.Names = append(g.Names, fmt.Sprintf("%s/n=%d", k.name, n))
		}
		g.Build = func() []measure.Case {
			var cases []measure.Case
			for _, k := range denseKernels {
				cases = append(cases, measure.Case{
					Kernel: k.name, Shape: fmt.Sprintf("n=%d", n), Unit: "elem", Units: n,
					Flops:   k.flops * float64(n),
					Traffic: []measure.Traffic{{Bytes: float64(8 * n * k.moved), Size: 8 * n * k.vectors}},
					Work:    k.work(vectors(n, k.vectors)),
				})
			}
			return cases
		}
		groups = append(groups, g)
	}
	return groups
}

func dotWork(v [][]float64) measure.Work {
	x, y, out := v[0], v[1], make([]float64, 1)
	w := measure.Work{
		Kernel: func() { out[0] = kernels.Dot(x, y) },
		Naive:  func() { out[0] = naive.Dot(x, y) },
		State:  [][]float64{out},
		// Terms cancel: the sum is small beside their absolute values.
		Tolerance: 1e-12 * naive.Dot(x, x) / math.Abs(naive.Dot(x, y)),
	}
	if f := simd().dot; f != nil {
		w.SIMD = func() { out[0] = f(x, y) }
	}
	return w
}

func slopesWork(v [][]float64) measure.Work {
	slope, margin, label, sum := v[0], v[1], v[2], make([]float64, 1)
	for i := range margin {
		margin[i] *= 3
		label[i] = math.Copysign(1, label[i])
	}
	return measure.Work{
		Kernel: func() { sum[0] = kernels.LogisticSlopes(slope, margin, label) },
		Naive:  func() { sum[0] = naive.LogisticSlopes(slope, margin, label) },
		State:  [][]float64{slope, sum},
	}
}

// Repeated updates must not run away: a step this small moves nothing far.
const tinyStep = 1e-9

func updateWork(v [][]float64) measure.Work {
	w, s, d, q := v[0], v[1], v[2], v[3]
	work := measure.Work{
		Kernel: func() { kernels.ProjectedUpdate(w, s, d, q, tinyStep) },
		Naive:  func() { naive.Update(w, s, d, q, tinyStep) },
		State:  [][]float64{w, s},
	}
	if f := simd().update; f != nil {
		work.SIMD = func() { f(w, s, d, q, tinyStep) }
	}
	return work
}

func updateBoxWork(v [][]float64) measure.Work {
	w, s, d, q, lo, hi := v[0], v[1], v[2], v[3], v[4], v[5]
	for i := range lo {
		lo[i], hi[i] = -math.Abs(lo[i]), math.Abs(hi[i])
	}
	return measure.Work{
		Kernel: func() { kernels.ProjectedUpdateBox(w, s, d, q, lo, hi, tinyStep) },
		Naive:  func() { naive.UpdateBox(w, s, d, q, lo, hi, tinyStep) },
		State:  [][]float64{w, s},
	}
}

func updateBallWork(v [][]float64) measure.Work {
	w, s, d, q := v[0], v[1], v[2], v[3]
	radius := 0.9 * math.Sqrt(naive.Dot(w, w))
	return measure.Work{
		Kernel: func() { kernels.ProjectedUpdateBall(w, s, d, q, tinyStep, radius) },
		Naive:  func() { naive.UpdateBall(w, s, d, q, tinyStep, radius) },
		State:  [][]float64{w, s},
	}
}

func proxDualWork(v [][]float64) measure.Work {
	beta, y, ax, limit, out := v[0], v[1], v[2], v[3], make([]float64, 2)
	for i := range limit {
		limit[i] = math.Abs(limit[i])
		beta[i] = min(max(beta[i], -limit[i]), limit[i])
	}
	const rho = 1.5
	work := measure.Work{
		Kernel: func() { out[0], out[1] = kernels.ProxDual(beta, y, ax, limit, rho) },
		Naive:  func() { out[0], out[1] = naive.ProxDual(beta, y, ax, limit, rho) },
		State:  [][]float64{beta, y, out},
	}
	if f := simd().prox; f != nil {
		work.SIMD = func() { out[0], out[1] = f(beta, y, ax, limit, rho) }
	}
	return work
}
