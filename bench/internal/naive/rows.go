// Package naive contains the computations of package kernels, and SCAS-ADMM, as plain Go loops. They are the
// baseline of the benchmarks, so they should become neither faster nor slower.
//
// A step of an inner loop subtracts eta (d + K w) from the iterate w, and adds a multiple of the sampled row.
// d and the matrix K are constant during the loop.
package naive

import (
	"math"

	"github.com/scas-admm/scas/kernels"
)

// Dot returns x'y.
func Dot(x, y []float64) float64 {
	var sum float64
	for i, v := range x {
		sum += v * y[i]
	}
	return sum
}

// rowDot returns the product of a sparse row and w.
func rowDot(idx []int32, val, w []float64) float64 {
	var sum float64
	for k, j := range idx {
		sum += val[k] * w[j]
	}
	return sum
}

// addRow adds g times a sparse row to w.
func addRow(w []float64, g float64, idx []int32, val []float64) {
	for k, j := range idx {
		w[j] += g * val[k]
	}
}

// Row returns the column numbers and values of a row.
func Row(a kernels.Rows, i int) ([]int32, []float64) {
	lo, hi := a.Ptr[i], a.Ptr[i+1]
	return a.Idx[lo:hi], a.Val[lo:hi]
}

// Margins sets dst = A w.
func Margins(dst []float64, a kernels.Rows, w []float64) {
	for i := range dst {
		idx, val := Row(a, i)
		dst[i] = rowDot(idx, val, w)
	}
}

// Gradient adds A'slope to z.
func Gradient(z []float64, a kernels.Rows, slope []float64) {
	for i, g := range slope {
		idx, val := Row(a, i)
		addRow(z, g, idx, val)
	}
}

// Slope returns the derivative of the logistic loss with respect to the margin.
func Slope(margin, label float64) float64 {
	if z := label * margin; z > 0 {
		e := math.Exp(-z)
		return -label * e / (1 + e)
	} else {
		return -label / (1 + math.Exp(z))
	}
}

// slopeAndLoss returns the derivative of the logistic loss with respect to the margin, and the loss.
func slopeAndLoss(margin, label float64) (slope, loss float64) {
	if z := label * margin; z > 0 {
		e := math.Exp(-z)
		return -label * e / (1 + e), math.Log1p(e)
	} else {
		e := math.Exp(z)
		return -label / (1 + e), math.Log1p(e) - z
	}
}

// LogisticSlopes stores the derivatives of the logistic loss at all margins, and returns the sum of the
// losses.
func LogisticSlopes(slope, margin, label []float64) float64 {
	var sum float64
	for i, t := range margin {
		s, loss := slopeAndLoss(t, label[i])
		slope[i] = s
		sum += loss
	}
	return sum
}

// LogisticFenchel returns the weighted sum of the relative entropies of −label·alpha and the size of the
// slope.
func LogisticFenchel(alpha, margin, label, weight []float64) float64 {
	var sum float64
	for i, t := range margin {
		q, s := -label[i]*alpha[i], 1/(1+math.Exp(label[i]*t))
		sum += weight[i] * (q*math.Log(q/s) + (1-q)*math.Log((1-q)/(1-s)))
	}
	return sum
}

// PoissonSlopes stores the derivatives of the Poisson loss at all margins, and returns the sum of the losses.
func PoissonSlopes(slope, margin, label []float64) float64 {
	var sum float64
	for i, t := range margin {
		rate := math.Exp(t)
		slope[i] = rate - label[i]
		sum += divergence(label[i], rate)
	}
	return sum
}

// PoissonFenchel returns the weighted sum of the divergences of label + alpha and the rate.
func PoissonFenchel(alpha, margin, label, weight []float64) float64 {
	var sum float64
	for i, t := range margin {
		sum += weight[i] * divergence(label[i]+alpha[i], math.Exp(t))
	}
	return sum
}

// divergence returns q log(q/rate) − q + rate.
func divergence(q, rate float64) float64 {
	if q == 0 {
		return rate
	}
	return q*math.Log(q/rate) - q + rate
}

// SquaredSlopes stores the derivatives of the squared loss at all margins, and returns the sum of the
// losses.
func SquaredSlopes(slope, margin, label []float64) float64 {
	var sum float64
	for i, t := range margin {
		r := t - label[i]
		slope[i] = 2 * r
		sum += r * r
	}
	return sum
}

// MarginsGradient computes margins and slopes and adds the gradient to z, for the logistic loss. It returns
// the sum of the losses.
func MarginsGradient(z, margin, slope, label []float64, a kernels.Rows, w []float64) float64 {
	var sum float64
	for i := range margin {
		idx, val := Row(a, i)
		t := rowDot(idx, val, w)
		s, loss := slopeAndLoss(t, label[i])
		margin[i], slope[i] = t, s
		sum += loss
		addRow(z, s, idx, val)
	}
	return sum
}

// Hessian adds A' diag(c) A to the upper triangle of h, a row-major p × p matrix.
func Hessian(h []float64, p int, a kernels.Rows, c []float64) {
	for i, ci := range c {
		idx, val := Row(a, i)
		for k, j := range idx {
			row, t := h[int(j)*p:], ci*val[k]
			for m := k; m < len(idx); m++ {
				row[idx[m]] += t * val[m]
			}
		}
	}
}
