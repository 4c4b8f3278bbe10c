package kernels

import "math"

// DecayStride is the number of float64 in the state of a column, of which the last two are unused. If
// the state begins at a multiple of 64 bytes, a nonzero touches only one cache line.
const DecayStride = 8

// Indices in the state that InnerDecay keeps for a column j. Values that a step loads or stores
// together are neighbours.
const (
	DecayDeviation = iota // w_j − Fixed after the last step that touched the column
	DecayLast             // number of steps done up to and including the last one that touched the column
	DecayFixed            // the fixed point of w_j while no step touches the column
	DecayRate             // −log of Factor
	DecayGain             // the sum of the terms g·a_j (see Steps) that the steps add to w_j
	DecayFactor           // 1 − eta·K_jj: a step multiplies w_j − Fixed by this
)

// NegLog1m returns −log(1−h) for h in [0, 1/2], within 2 ulp. This is the DecayRate that
// belongs to the DecayFactor 1−h.
func NegLog1m(h float64) float64 { return log1pUnit(h / (1 - h)) }

// InnerDecay runs inner steps (see Steps) on sparse rows, for a diagonal matrix K whose entries
// differ. For each column, state holds the values Deviation, Last, Fixed, Rate, Gain and Factor;
// the constants DecayDeviation to DecayFactor say what they are. A step changes state only for the
// columns of its row. For any other column j, the entry w_j of the iterate is known: k steps after the
// last one that touched the column, w_j is Fixed + exp(−k·Rate)·Deviation. Steps are numbered from 0,
// and step is the number of the first step of the call. Step m computes, for the nonzeros a_j of its row,
//
//	v_j = exp(−(m − Last)·Rate)·Deviation,  t = Σ a_j (v_j + Fixed) in 8 lanes
//	Deviation = FMA(g, a_j, Factor·v_j),  Last = m + 1,  Gain = FMA(g, a_j, Gain)
//
// Here t is the margin of the row, and g follows from t as in Steps. If (m − Last)·Rate is above 708, the
// exponential is exp(−708). state holds DecayStride numbers for each column; the loop is fastest
// if state begins at a multiple of 64 bytes. The columns of a row must be distinct. Source: Zhao, Li,
// Zhou, Scalable Stochastic ADMM, inner loop of Algorithm 1.
func InnerDecay(state []float64, step int, s *Steps, sampled []int32) {
	const fn = "InnerDecay"
	var a stepArgs
	a.setArguments(fn, s, sampled)
	if len(state)%DecayStride != 0 {
		panicf("%s: len(state) is %d, want %d numbers per column", fn, len(state), DecayStride)
	}
	checkColumns(fn, "state/8", len(state)/DecayStride, &s.Rows)
	a.checkOutput(fn, "state", state)
	raceWrite(state)
	a.cells, a.step = state, float64(step)
	a.run(active.innerDecay, innerDecayGeneric)
}

// DecayTo sets w to the iterate of InnerDecay after the given number of steps. state holds at least
// DecayStride numbers for every entry of w, and must not overlap w.
func DecayTo(w, state []float64, step int) {
	if len(state)/DecayStride < len(w) {
		panicf("DecayTo: len(state) is %d, want at least %d numbers for each of %d entries", len(state), DecayStride, len(w))
	}
	checkApart("DecayTo", "w", w, "state", state)
	now := float64(step)
	for j := range w {
		cell := state[j*DecayStride : (j+1)*DecayStride]
		w[j] = math.FMA(ExpNeg(float64((now-cell[DecayLast])*cell[DecayRate])), cell[DecayDeviation], cell[DecayFixed])
	}
}
