package kernels

import "math"

func innerDecayGeneric(a *stepArgs) (done int) { return a.eachStep(1, a.decayStep) }

// decayStep does one step of InnerDecay. For every nonzero of the row it keeps v, the difference
// between the column's coefficient and DecayFixed before the step.
func (a *stepArgs) decayStep(i int32) {
	start, n := int(a.Rows.Ptr[i]), a.Rows.rowLen(i)
	kept := a.keptNumbers(n)
	var lane [8]float64
	for k := range n {
		j, x := a.Rows.entry(start + k)
		cell := a.cells[j*DecayStride : (j+1)*DecayStride]
		v := float64(ExpNeg(float64((a.step-cell[DecayLast])*cell[DecayRate])) * cell[DecayDeviation])
		kept[k] = v
		lane[k&7] = math.FMA(x, v+cell[DecayFixed], lane[k&7])
	}
	g := a.gain(i, sum8(&lane))
	a.step++
	for k := range n {
		j, x := a.Rows.entry(start + k)
		cell := a.cells[j*DecayStride : (j+1)*DecayStride]
		cell[DecayDeviation] = math.FMA(g, x, float64(cell[DecayFactor]*kept[k]))
		cell[DecayLast] = a.step
		cell[DecayGain] = math.FMA(g, x, cell[DecayGain])
	}
}
