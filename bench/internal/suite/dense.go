package suite

import (
	"fmt"
	"math"

	"github.com/scas-admm/scas/bench/internal/measure"
	"github.com/scas-admm/scas/kernels"
)

// denseGroups has the kernels on vectors, short and long.
func denseGroups(s Scale) []Group {
	lengths := []int{123, 10000}
	if s == Tiny {
		lengths = []int{37, 123}
	}
	var groups []Group
	for _, n := range lengths {
		sh := fmt.Sprintf("n=%d", n)
		build := func() []measure.Case {
			return []measure.Case{
				dotCase(n), slopesCase(n), updateCase(n), updateBoxCase(n), updateBallCase(n),
				proxDualCase(n),
			}
		}
		var names []string
		for _, k := range []string{"Dot", "LogisticSlopes", "ProjectedUpdate", "ProjectedUpdateBox",
			"ProjectedUpdateBall", "ProxDual"} {
			names = append(names, k+"/"+sh)
		}
		groups = append(groups, Group{names, build})
	}
	return groups
}

// denseCase fills in what the kernels on n elements have in common. moved is
// the number of vectors brought in, held how many there are.
func denseCase(kernel string, n int, flops float64, moved, held int, w measure.Work) measure.Case {
	return measure.Case{
		Kernel: kernel, Shape: fmt.Sprintf("n=%d", n), Unit: "elem", Units: n,
		Flops:   flops * float64(n),
		Traffic: []measure.Traffic{{Bytes: float64(8 * n * moved), Size: 8 * n * held}},
		Work:    w,
	}
}

func dotCase(n int) measure.Case {
	v, out := vectors(n, 2), make([]float64, 1)
	x, y := v[0], v[1]
	w := measure.Work{
		Kernel: func() { out[0] = kernels.Dot(x, y) },
		Naive:  func() { out[0] = naiveDot(x, y) },
		State:  [][]float64{out},
		// Terms cancel: the sum is small beside their absolute values.
		Tolerance: 1e-12 * naiveDot(x, x) / math.Abs(naiveDot(x, y)),
	}
	if f := simd().dot; f != nil {
		w.SIMD = func() { out[0] = f(x, y) }
	}
	return denseCase("Dot", n, 2, 2, 2, w)
}

func slopesCase(n int) measure.Case {
	v, sum := vectors(n, 3), make([]float64, 1)
	slope, margin, label := v[0], v[1], v[2]
	for i := range margin {
		margin[i] *= 3
		label[i] = math.Copysign(1, label[i])
	}
	return denseCase("LogisticSlopes", n, slopeFlops+lossFlops, 3, 3, measure.Work{
		Kernel: func() { sum[0] = kernels.LogisticSlopes(slope, margin, label) },
		Naive:  func() { sum[0] = naiveLogisticSlopes(slope, margin, label) },
		State:  [][]float64{slope, sum},
	})
}

// Repeated updates must not run away: a step this small moves nothing far.
const tinyStep = 1e-9

func updateCase(n int) measure.Case {
	v := vectors(n, 4)
	w, s, d, q := v[0], v[1], v[2], v[3]
	work := measure.Work{
		Kernel: func() { kernels.ProjectedUpdate(w, s, d, q, tinyStep) },
		Naive: func() {
			for i := range w {
				w[i] -= tinyStep * (d[i] + q[i])
				s[i] += w[i]
			}
		},
		State: [][]float64{w, s},
	}
	if f := simd().update; f != nil {
		work.SIMD = func() { f(w, s, d, q, tinyStep) }
	}
	return denseCase("ProjectedUpdate", n, 4, 4, 4, work)
}

func updateBoxCase(n int) measure.Case {
	v := vectors(n, 6)
	w, s, d, q, lo, hi := v[0], v[1], v[2], v[3], v[4], v[5]
	for i := range lo {
		lo[i], hi[i] = -math.Abs(lo[i]), math.Abs(hi[i])
	}
	return denseCase("ProjectedUpdateBox", n, 6, 6, 6, measure.Work{
		Kernel: func() { kernels.ProjectedUpdateBox(w, s, d, q, lo, hi, tinyStep) },
		Naive: func() {
			for i := range w {
				w[i] = min(max(w[i]-tinyStep*(d[i]+q[i]), lo[i]), hi[i])
				s[i] += w[i]
			}
		},
		State: [][]float64{w, s},
	})
}

func updateBallCase(n int) measure.Case {
	v := vectors(n, 4)
	w, s, d, q := v[0], v[1], v[2], v[3]
	radius := 0.9 * math.Sqrt(naiveDot(w, w))
	return denseCase("ProjectedUpdateBall", n, 8, 5, 4, measure.Work{
		Kernel: func() { kernels.ProjectedUpdateBall(w, s, d, q, tinyStep, radius) },
		Naive: func() {
			var norm float64
			for i := range w {
				w[i] -= tinyStep * (d[i] + q[i])
				norm += w[i] * w[i]
			}
			f := 1.0
			if norm = math.Sqrt(norm); norm > radius {
				f = radius / norm
			}
			for i := range w {
				w[i] *= f
				s[i] += w[i]
			}
		},
		State: [][]float64{w, s},
	})
}

func proxDualCase(n int) measure.Case {
	v, out := vectors(n, 4), make([]float64, 2)
	beta, y, ax, limit := v[0], v[1], v[2], v[3]
	for i := range limit {
		limit[i] = math.Abs(limit[i])
		beta[i] = min(max(beta[i], -limit[i]), limit[i])
	}
	const rho = 1.5
	work := measure.Work{
		Kernel: func() { out[0], out[1] = kernels.ProxDual(beta, y, ax, limit, rho) },
		Naive: func() {
			var primal, change float64
			for i, a := range ax {
				v := beta[i] + rho*a
				beta[i] = min(max(v, -limit[i]), limit[i])
				u := (v - beta[i]) / rho
				primal += (a - u) * (a - u)
				change += (u - y[i]) * (u - y[i])
				y[i] = u
			}
			out[0], out[1] = primal, change
		},
		State: [][]float64{beta, y, out},
	}
	if f := simd().prox; f != nil {
		work.SIMD = func() { out[0], out[1] = f(beta, y, ax, limit, rho) }
	}
	return denseCase("ProxDual", n, 12, 4, 4, work)
}
