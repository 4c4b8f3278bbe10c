package kernels

import "math"

// DecayStride is the number of float64 per coordinate of InnerDecay: a cache
// line, so that a nonzero touches one.
const DecayStride = 8

// The cells of a coordinate in the state of InnerDecay. A step reads the first
// four of every nonzero, two and two, and writes the first two at once.
const (
	DecayDeviation = iota // w − Fixed when it was last touched
	DecayLast             // steps done when it was last touched
	DecayFixed            // the point it tends to while it is not touched
	DecayRate             // −log of Factor
	DecayGain             // h: sum of g·a over the steps
	DecayFactor           // c = 1 − eta·k
)

// NegLog1m returns −log(1−h) for h in [0, 1/2], within 2 ulp; the rate that
// belongs to the factor 1−h.
func NegLog1m(h float64) float64 { return log1pUnit(h / (1 - h)) }

// InnerDecay runs inner steps on sparse rows where K is diagonal with a
// different entry for every coordinate, at a cost that depends on the row's
// nonzeros alone. Untouched, coordinate j tends to Fixed: w after t steps is
// Fixed + exp(−t·Rate)·Deviation. step is the number of steps done before. Step m
// does, for the nonzeros of its row,
//
//	v_j = exp(−(m − Last)·Rate)·Deviation,  t = Σ a_j (v_j + Fixed) in 8 lanes
//	Deviation = FMA(g, a_j, Factor·v_j),  Last = m + 1,  Gain = FMA(g, a_j, Gain)
//
// with the exponential's argument taken as at most 708. state has DecayStride
// numbers per column; a multiple of 64 bytes is the best place for it. The
// columns of a row must be distinct. Source: Zhao, Li, Zhou, Scalable Stochastic
// ADMM, inner loop of Algorithm 1.
func InnerDecay(state []float64, step int, s *Steps, sampled []int32) {
	const fn = "InnerDecay"
	var a stepArgs
	a.begin(fn, s, sampled)
	if len(state)%DecayStride != 0 {
		panicf("%s: len(state) is %d, want %d numbers per column", fn, len(state), DecayStride)
	}
	checkColumns(fn, "state/8", len(state)/DecayStride, &s.Rows)
	a.keepsRead(fn, "state", state)
	raceWrite(state)
	a.cells, a.step = state, float64(step)
	a.run(active.innerDecay, innerDecayGeneric)
}

// DecayTo brings coordinates up to date: it sets w[j] to the value after the
// given number of steps. state has DecayStride numbers for every entry of w, at least,
// and must not overlap it.
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
