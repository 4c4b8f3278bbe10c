package kernels

import "math"

func innerDenseGeneric(a *stepArgs) (done int) { return a.eachStep(len(a.w), a.denseStep) }

func innerBoxGeneric(a *stepArgs) (done int) { return a.eachStep(len(a.w), a.boxStep) }

func (a *stepArgs) denseStep(i int32) {
	g := a.gain(i, a.margin(i))
	w, h, c, e := a.w, a.sum, a.c, a.e
	for j := range w {
		w[j] = math.FMA(c[j], w[j], e[j])
	}
	for k := a.Rows.Ptr[i]; k < a.Rows.Ptr[i+1]; k++ {
		j, v := a.Rows.entry(int(k))
		w[j] = math.FMA(g, v, w[j])
		h[j] = math.FMA(g, v, h[j])
	}
}

// boxStep does one step of InnerBox. The loop over all columns overwrites w and sum, so boxStep
// first keeps FMA(c, w, e) and sum for the row's columns.
func (a *stepArgs) boxStep(i int32) {
	g := a.gain(i, a.margin(i))
	w, sum, c, e, lo, hi := a.w, a.sum, a.c, a.e, a.lo, a.hi
	start, n := int(a.Rows.Ptr[i]), a.Rows.rowLen(i)
	kept := a.keptNumbers(2 * n)
	for k := range n {
		j, _ := a.Rows.entry(start + k)
		kept[2*k], kept[2*k+1] = math.FMA(c[j], w[j], e[j]), sum[j]
	}
	for j := range w {
		w[j] = clipTo(math.FMA(c[j], w[j], e[j]), lo[j], hi[j])
		sum[j] += w[j]
	}
	for k := range n {
		j, v := a.Rows.entry(start + k)
		w[j] = clipTo(math.FMA(g, v, kept[2*k]), lo[j], hi[j])
		sum[j] = kept[2*k+1] + w[j]
	}
}

func (a *stepArgs) margin(i int32) float64 {
	var lane [8]float64
	w, start := a.w, int(a.Rows.Ptr[i])
	for k := range a.Rows.rowLen(i) {
		j, v := a.Rows.entry(start + k)
		lane[k&7] = math.FMA(v, w[j], lane[k&7])
	}
	return sum8(&lane)
}
