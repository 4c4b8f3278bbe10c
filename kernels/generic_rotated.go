package kernels

import "math"

func innerRotatedGeneric(a *stepArgs) (done int) { return a.rotatedSteps(dotGeneric, false) }

func innerRotatedBallGeneric(a *stepArgs) (done int) { return a.rotatedSteps(dot8, true) }

func (a *stepArgs) rotatedSteps(dot func(x, y []float64) float64, hasBall bool) (done int) {
	var t float64
	w, sum, c, e := a.w, a.sum, a.c, a.e
	for k := range a.stepCount {
		i, row := a.denseRow(k)
		if k == 0 {
			t = dot(row, w)
		}
		g := a.gain(i, t)
		for j := range w {
			w[j] = math.FMA(c[j], w[j], e[j])
		}
		f := 1.0
		if hasBall {
			rw := dot(row, w)
			f = projectionFactor(math.FMA(g, math.FMA(g, dot(row, row), rw+rw), dot(w, w)), a.radius)
		}
		if k+1 < a.stepCount {
			_, next := a.denseRow(k + 1)
			t = float64(f * math.FMA(g, dot(next, row), dot(next, w)))
		}
		for j, v := range row {
			w[j] = float64(f * math.FMA(g, v, w[j]))
			sum[j] += w[j]
		}
	}
	return a.stepCount
}

// denseRow returns the number and the elements of the row that step k samples.
func (a *stepArgs) denseRow(k int) (int32, []float64) {
	i, p := a.sampled[k], len(a.w)
	return i, a.denseRows[int(i)*p : (int(i)+1)*p]
}

// dot8 returns the inner product of x and y, summed in 8 lanes.
func dot8(x, y []float64) float64 {
	var lane [8]float64
	for i, v := range x {
		lane[i&7] = math.FMA(v, y[i], lane[i&7])
	}
	return sum8(&lane)
}
