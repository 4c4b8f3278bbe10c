package kernels

import "math"

// A LossKind names a loss that the inner loops know how to differentiate.
type LossKind uint8

// The losses: log(1+exp(-label*margin)) and (label-margin)².
const (
	LogisticLossKind LossKind = iota
	SquaredLossKind
)

// Steps is what a run of inner steps of SCAS-ADMM reads. One step draws a row
// i, takes its margin t at the current point and scales the row by
//
//	g = Eta * (Slope0[i] - slope(t, Label[i]))
//
// the variance-reduced part of the stochastic gradient, times -Eta.
type Steps struct {
	Rows   Rows      // all samples
	Label  []float64 // one per row: -1 or +1 for the logistic loss
	Slope0 []float64 // one per row: the slope at the snapshot
	Loss   LossKind
	Eta    float64

	// Scratch is used by the fused loops, one call at a time. If it is nil every
	// call allocates one.
	Scratch *Scratch
}

func (s *Steps) check(fn string, sampled []int32) {
	n := s.Rows.Len()
	checkRows(fn, "Label", len(s.Label), s.Rows)
	checkLen(fn, "Slope0", len(s.Slope0), n)
	for _, i := range sampled {
		if uint(i) >= uint(n) {
			panicf("%s: sampled row %d of %d", fn, i, n)
		}
	}
}

func squaredSlope(margin, label float64) float64 { return float64(2 * (margin - label)) }

func projectionFactor(n2, radius float64) float64 {
	if n2 > float64(radius*radius) {
		return radius / math.Sqrt(n2)
	}
	return 1
}

// raceRead reports what the fused loops read beside the rows, which never change.
func (s *Steps) raceRead(sampled []int32) {
	raceRead(s.Label)
	raceRead(s.Slope0)
	raceRead(sampled)
}
