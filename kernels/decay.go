package kernels

import (
	"math"
	"unsafe"
)

// A DecayCell is what InnerDecay keeps for a column j. Numbers that a step loads or stores together are
// neighbours. If the cells begin at a multiple of 64 bytes, a nonzero touches only one cache line.
type DecayCell struct {
	Deviation float64    // w_j − Fixed after the last step that touched the column
	Last      float64    // number of steps done up to and including the last one that touched the column
	Fixed     float64    // the fixed point of w_j while no step touches the column
	Rate      float64    // −log of Factor
	Gain      float64    // the sum of the terms g·a_j (see Steps) that the steps add to w_j
	Factor    float64    // 1 − eta·K_jj: a step multiplies w_j − Fixed by this
	_         [2]float64 // a cell has 64 bytes, as a cache line
}

// decay returns exp(−(step−Last)·Rate). After the given number of steps, w_j is Fixed plus Deviation times
// this factor, if no step since Last has touched the column.
func (c *DecayCell) decay(step float64) float64 { return ExpNeg(float64((step - c.Last) * c.Rate)) }

// cellNumbers returns the memory of the cells.
func cellNumbers(cells []DecayCell) []float64 {
	const size = int(unsafe.Sizeof(DecayCell{}) / 8)
	return unsafe.Slice((*float64)(unsafe.Pointer(unsafe.SliceData(cells))), size*len(cells))
}

// NegLog1m returns −log(1−h) for h in [0, 1/2], within 2 ulp. This is the Rate that belongs to the Factor 1−h
// of a DecayCell.
func NegLog1m(h float64) float64 { return log1pUnit(h / (1 - h)) }

// InnerDecay runs inner steps (see Steps) on sparse rows, for a diagonal matrix K whose entries
// differ. cells has at least one cell for each column. A step changes only the cells of the columns of its
// row. For any other column j, the entry w_j of the iterate is known: k steps after the last one that
// touched the column, w_j is Fixed + exp(−k·Rate)·Deviation. Steps are numbered from 0, and step is the
// number of the first step of the call. Step m computes, for the nonzeros a_j of its row,
//
//	v_j = exp(−(m − Last)·Rate)·Deviation,  t = Σ a_j (v_j + Fixed) in 8 lanes
//	Deviation = FMA(g, a_j, Factor·v_j),  Last = m + 1,  Gain = FMA(g, a_j, Gain)
//
// Here t is the margin of the row, and g follows from t as in Steps. If (m − Last)·Rate is above 708, the
// exponential is exp(−708). The columns of a row must be distinct. Source: Zhao, Li, Zhou, Scalable
// Stochastic ADMM, inner loop of Algorithm 1.
func InnerDecay(cells []DecayCell, step int, s *Steps, sampled []int32) {
	const fn = "InnerDecay"
	var a stepArgs
	a.setArguments(fn, s, sampled)
	checkColumns(fn, "cells", len(cells), &s.Rows)
	a.checkOutput(fn, "the cells", cellNumbers(cells))
	raceWrite(cellNumbers(cells))
	a.decayCells, a.step = cells, float64(step)
	a.run(active.innerDecay, innerDecayGeneric)
}

// DecayTo sets w to the iterate of InnerDecay after the given number of steps. There is a cell for every
// entry of w. w must not overlap the cells.
func DecayTo(w []float64, cells []DecayCell, step int) {
	const fn = "DecayTo"
	checkLen(fn, "cells", len(cells), len(w))
	checkApart(fn, "w", w, "the cells", cellNumbers(cells))
	for j := range w {
		w[j] = math.FMA(cells[j].decay(float64(step)), cells[j].Deviation, cells[j].Fixed)
	}
}
