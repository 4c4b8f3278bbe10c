package suite

import (
	"math"

	"github.com/scas-admm/scas/kernels"
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
