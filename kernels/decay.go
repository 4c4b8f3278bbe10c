package kernels

import "math"

// DecayStride is the number of float64 per coordinate of InnerDecay: a cache
// line, so that a nonzero touches one.
const DecayStride = 8

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
	s.check(fn, sampled)
	if len(state)%DecayStride != 0 {
		panicf("%s: len(state) is %d, want %d numbers per column", fn, len(state), DecayStride)
	}
	raceWrite(state)
	x := s.scratch()
	x.state[slotEta] = s.Eta
	for len(sampled) > 0 {
		done := decayBlock(state, float64(step), s, x, sampled)
		if done == 0 { // the row does not fit into the scratch
			decayStep(state, make([]float64, s.Rows.rowLen(sampled[0])), float64(step), s, sampled[0])
			done = 1
		}
		sampled = sampled[done:]
		step += done
	}
}

//go:noinline
func decayBlock(cells []float64, step float64, s *Steps, x *Scratch, sampled []int32) (done int) {
	a := &s.Rows
	return active.innerDecay(cells, x.keep, step, a.Ptr, a.Idx, a.Idx16, a.Val, a.Val32, s.Label, s.Slope0, sampled,
		x.off, x.num, x.state, s.Loss == SquaredLossKind, maxWork)
}

func innerDecayGeneric(cells, keep []float64, step float64, ptr []int64, idx []int32, idx16 []uint16, val []float64, val32 []float32,
	label, slope0 []float64, sampled []int32, off []int64, num, state []float64, squared bool, work int) (done int) {
	s := stepsOf(ptr, idx, idx16, val, val32, label, slope0, state, squared)
	for _, i := range sampled {
		if s.Rows.rowLen(i) > len(off) {
			break
		}
		done++
	}
	return s.upTo(sampled[:done], work, 1, func(i int32) bool {
		decayStep(cells, keep, step, s, i)
		step++
		return true
	})
}

// decayStep is one step of InnerDecay, after step others. keep takes a number
// for every nonzero.
func decayStep(cells, keep []float64, step float64, s *Steps, i int32) {
	first, n := int(s.Rows.Ptr[i]), s.Rows.rowLen(i)
	var lane [8]float64
	for k := range n {
		j, a := s.Rows.entry(first + k)
		cell := cells[j*DecayStride : (j+1)*DecayStride]
		v := float64(expNeg(float64((step-cell[DecayLast])*cell[DecayRate])) * cell[DecayDeviation])
		keep[k] = v
		lane[k&7] = math.FMA(a, v+cell[DecayFixed], lane[k&7])
	}
	g := float64(s.Eta * s.delta(i, float64(s.factor(i)*sum8(&lane))))
	for k := range n {
		j, a := s.Rows.entry(first + k)
		cell := cells[j*DecayStride : (j+1)*DecayStride]
		cell[DecayDeviation] = math.FMA(g, a, float64(cell[DecayFactor]*keep[k]))
		cell[DecayLast] = step + 1
		cell[DecayGain] = math.FMA(g, a, cell[DecayGain])
	}
}

// DecayTo brings coordinates up to date: it sets w[j] to the value after the
// given number of steps.
func DecayTo(w, state []float64, step int) {
	now := float64(step)
	for j := range w {
		cell := state[j*DecayStride : (j+1)*DecayStride]
		w[j] = math.FMA(expNeg(float64((now-cell[DecayLast])*cell[DecayRate])), cell[DecayDeviation], cell[DecayFixed])
	}
}
