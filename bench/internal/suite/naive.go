package suite

import (
	"math"

	"github.com/scas-admm/scas/kernels"
	"github.com/scas-admm/scas/sparse"
)

// The loops a Go programmer would write. They are benchmarked as they stand:
// nothing here may be made faster or slower on purpose.

func naiveDot(x, y []float64) float64 {
	var sum float64
	for i, v := range x {
		sum += v * y[i]
	}
	return sum
}

func naiveRowDot(idx []int32, val, w []float64) float64 {
	var sum float64
	for k, j := range idx {
		sum += val[k] * w[j]
	}
	return sum
}

func naiveRow(a kernels.Rows, i int) ([]int32, []float64) {
	lo, hi := a.Ptr[i], a.Ptr[i+1]
	return a.Idx[lo:hi], a.Val[lo:hi]
}

func naiveMargins(dst []float64, a kernels.Rows, w []float64) {
	for i := range dst {
		idx, val := naiveRow(a, i)
		dst[i] = naiveRowDot(idx, val, w)
	}
}

func naiveGradient(z []float64, a kernels.Rows, slope []float64) {
	for i, g := range slope {
		idx, val := naiveRow(a, i)
		for k, j := range idx {
			z[j] += g * val[k]
		}
	}
}

func naiveSlope(margin, label float64) float64 {
	if z := label * margin; z > 0 {
		e := math.Exp(-z)
		return -label * e / (1 + e)
	} else {
		return -label / (1 + math.Exp(z))
	}
}

func naiveLoss(margin, label float64) (slope, loss float64) {
	if z := label * margin; z > 0 {
		e := math.Exp(-z)
		return -label * e / (1 + e), math.Log1p(e)
	} else {
		e := math.Exp(z)
		return -label / (1 + e), math.Log1p(e) - z
	}
}

func naiveLogisticSlopes(slope, margin, label []float64) float64 {
	var sum float64
	for i, t := range margin {
		s, loss := naiveLoss(t, label[i])
		slope[i] = s
		sum += loss
	}
	return sum
}

// naiveMarginsGradient does everything row by row, which is both the obvious
// loop and the one that reads the data once.
func naiveMarginsGradient(z, margin, slope, label []float64, a kernels.Rows, w []float64) float64 {
	var sum float64
	for i := range margin {
		idx, val := naiveRow(a, i)
		t := naiveRowDot(idx, val, w)
		s, loss := naiveLoss(t, label[i])
		margin[i], slope[i] = t, s
		sum += loss
		for k, j := range idx {
			z[j] += s * val[k]
		}
	}
	return sum
}

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
