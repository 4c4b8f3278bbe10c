package kernels

import "math"

func innerRotatedGeneric(w, sum, c, e, x, label, slope0 []float64, eta float64, squared bool, sampled []int32, steps int) {
	var t float64
	for k := range steps {
		i, row := rotatedRow(x, len(w), sampled, k)
		if k == 0 {
			t = dotGeneric(row, w)
		}
		g := rotatedGain(t, label[i], slope0[i], eta, squared)
		for j := range w {
			w[j] = math.FMA(c[j], w[j], e[j])
		}
		if k+1 < steps {
			_, next := rotatedRow(x, len(w), sampled, k+1)
			t = math.FMA(g, dotGeneric(next, row), dotGeneric(next, w))
		}
		for j, v := range row {
			w[j] = math.FMA(g, v, w[j])
			sum[j] += w[j]
		}
	}
}

func innerRotatedBallGeneric(w, sum, c, e, x, label, slope0 []float64, eta, radius float64, squared bool, sampled []int32, steps int) {
	var t float64
	for k := range steps {
		i, row := rotatedRow(x, len(w), sampled, k)
		if k == 0 {
			t = dot8(row, w)
		}
		g := rotatedGain(t, label[i], slope0[i], eta, squared)
		for j := range w {
			w[j] = math.FMA(c[j], w[j], e[j])
		}
		rw := dot8(row, w)
		n2 := math.FMA(g, math.FMA(g, dot8(row, row), rw+rw), dot8(w, w))
		f := projectionFactor(n2, radius)
		if k+1 < steps {
			_, next := rotatedRow(x, len(w), sampled, k+1)
			t = float64(f * math.FMA(g, dot8(next, row), dot8(next, w)))
		}
		for j, v := range row {
			w[j] = float64(f * math.FMA(g, v, w[j]))
			sum[j] += w[j]
		}
	}
}

func rotatedRow(x []float64, p int, sampled []int32, k int) (int, []float64) {
	i := int(sampled[k])
	return i, x[i*p : (i+1)*p]
}

func rotatedGain(margin, label, slope0, eta float64, squared bool) float64 {
	if squared {
		return float64(eta * float64(slope0-squaredSlope(margin, label)))
	}
	return float64(eta * float64(slope0-LogisticSlope(margin, label)))
}

// dot8 is dotGeneric with 8 lanes.
func dot8(x, y []float64) float64 {
	var lane [8]float64
	for i, v := range x {
		lane[i&7] = math.FMA(v, y[i], lane[i&7])
	}
	return sum8(&lane)
}
