package kernels

import "math"

func innerDecayGeneric(a *stepArgs) (done int) { return a.eachStep(1, a.decayStep) }

// decayStep does one step of InnerDecay. For every nonzero of the row it keeps v, the difference
// between the column's coefficient and Fixed before the step.
func (a *stepArgs) decayStep(i int32) {
	start, n := int(a.Rows.Ptr[i]), a.Rows.rowLen(i)
	kept := a.keptNumbers(n)
	var lane [8]float64
	for k := range n {
		j, x := a.Rows.entry(start + k)
		c := &a.decayCells[j]
		v := float64(c.decay(a.step) * c.Deviation)
		kept[k] = v
		lane[k&7] = math.FMA(x, v+c.Fixed, lane[k&7])
	}
	g := a.gain(i, sum8(&lane))
	a.step++
	for k := range n {
		j, x := a.Rows.entry(start + k)
		c := &a.decayCells[j]
		c.Deviation = math.FMA(g, x, float64(c.Factor*kept[k]))
		c.Last = a.step
		c.Gain = math.FMA(g, x, c.Gain)
	}
}
