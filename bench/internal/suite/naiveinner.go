package suite

import (
	"math"

	"github.com/scas-admm/scas/kernels"
	"github.com/scas-admm/scas/sparse"
)

// naiveGain is what the inner loops below share: the sampled row's part of the
// step, -eta times the variance-reduced gradient.
func naiveGain(s *kernels.Steps, i int32, w []float64) (g float64, idx []int32, val []float64) {
	idx, val = naiveRow(s.Rows, int(i))
	t := naiveRowDot(idx, val, w)
	return -s.Eta * (naiveSlope(t, s.Label[i]) - s.Slope0[i]), idx, val
}

// naiveInner is the inner loop of Algorithm 1 for K = kappa I, with the running
// sum, over whole vectors.
func naiveInner(w, sum, d []float64, kappa float64, s *kernels.Steps, sampled []int32) {
	for _, i := range sampled {
		g, idx, val := naiveGain(s, i, w)
		for j := range w {
			w[j] -= s.Eta * (d[j] + kappa*w[j])
		}
		for k, j := range idx {
			w[j] += g * val[k]
		}
		for j, v := range w {
			sum[j] += v
		}
	}
}

// naiveInnerBox is naiveInner with a projection onto a box.
func naiveInnerBox(w, sum, d, lo, hi []float64, kappa float64, s *kernels.Steps, sampled []int32) {
	for _, i := range sampled {
		g, idx, val := naiveGain(s, i, w)
		for j := range w {
			w[j] -= s.Eta * (d[j] + kappa*w[j])
		}
		for k, j := range idx {
			w[j] += g * val[k]
		}
		for j, v := range w {
			w[j] = min(max(v, lo[j]), hi[j])
			sum[j] += w[j]
		}
	}
}

// naiveInnerBall is naiveInner with a projection onto a ball.
func naiveInnerBall(w, sum, d []float64, radius, kappa float64, s *kernels.Steps, sampled []int32) {
	for _, i := range sampled {
		g, idx, val := naiveGain(s, i, w)
		for j := range w {
			w[j] -= s.Eta * (d[j] + kappa*w[j])
		}
		for k, j := range idx {
			w[j] += g * val[k]
		}
		f := 1.0
		if norm := math.Sqrt(naiveDot(w, w)); norm > radius {
			f = radius / norm
		}
		for j := range w {
			w[j] *= f
			sum[j] += w[j]
		}
	}
}

// naiveInnerGraph is naiveInner for any K, a sparse matrix; q is scratch.
func naiveInnerGraph(w, sum, d, q []float64, k *sparse.CSR, s *kernels.Steps, sampled []int32) {
	n, _ := k.Dims()
	kr := k.Rows(0, n)
	for _, i := range sampled {
		g, idx, val := naiveGain(s, i, w)
		naiveMargins(q, kr, w)
		for j := range w {
			w[j] -= s.Eta * (d[j] + q[j])
		}
		for k, j := range idx {
			w[j] += g * val[k]
		}
		for j, v := range w {
			sum[j] += v
		}
	}
}

// naiveLazy is the O(nnz) step on w = alpha u + gamma d, with h summing the
// sparse parts.
func naiveLazy(u, h, d []float64, alpha, gamma, q float64, s *kernels.Steps, sampled []int32) (alphaOut, gammaOut float64) {
	for _, i := range sampled {
		idx, val := naiveRow(s.Rows, int(i))
		t := alpha*naiveRowDot(idx, val, u) + gamma*naiveRowDot(idx, val, d)
		g := -s.Eta * (naiveSlope(t, s.Label[i]) - s.Slope0[i])
		alpha *= q
		gamma = q*gamma - s.Eta
		for k, j := range idx {
			u[j] += g / alpha * val[k]
			h[j] += g * val[k]
		}
		if alpha < 1e-2 {
			for j := range u {
				u[j] = alpha*u[j] + gamma*d[j]
			}
			alpha, gamma = 1, 0
		}
	}
	return alpha, gamma
}

// naiveInnerDiagonal is naiveInner with a different k for every coordinate.
func naiveInnerDiagonal(w, sum, d, k []float64, s *kernels.Steps, sampled []int32) {
	for _, i := range sampled {
		g, idx, val := naiveGain(s, i, w)
		for j := range w {
			w[j] -= s.Eta * (d[j] + k[j]*w[j])
		}
		for k, j := range idx {
			w[j] += g * val[k]
		}
		for j, v := range w {
			sum[j] += v
		}
	}
}

// naiveDecay advances a coordinate when a row touches it, through the closed form
// of its decay, and brings all up to date in the end. state is that of
// kernels.InnerDecay.
func naiveDecay(w, state []float64, s *kernels.Steps, sampled []int32) {
	decayed := func(cell []float64, now int) float64 {
		skipped := float64(now) - cell[kernels.DecayLast]
		return math.Exp(-skipped*cell[kernels.DecayRate]) * cell[kernels.DecayDeviation]
	}
	for m, i := range sampled {
		idx, val := naiveRow(s.Rows, int(i))
		var t float64
		for k, j := range idx {
			cell := state[int(j)*kernels.DecayStride:][:kernels.DecayStride]
			cell[kernels.DecayDeviation] = decayed(cell, m)
			t += val[k] * (cell[kernels.DecayDeviation] + cell[kernels.DecayFixed])
		}
		g := -s.Eta * (naiveSlope(t, s.Label[i]) - s.Slope0[i])
		for k, j := range idx {
			cell := state[int(j)*kernels.DecayStride:][:kernels.DecayStride]
			cell[kernels.DecayDeviation] = cell[kernels.DecayFactor]*cell[kernels.DecayDeviation] + g*val[k]
			cell[kernels.DecayGain] += g * val[k]
			cell[kernels.DecayLast] = float64(m + 1)
		}
	}
	for j := range w {
		cell := state[j*kernels.DecayStride:][:kernels.DecayStride]
		w[j] = decayed(cell, len(sampled)) + cell[kernels.DecayFixed]
	}
}
