// Package loss has the losses φ(t; b) of a margin t = a'x and a label b that package solver
// names: solver.Logistic is Logistic, and so on. They are solver.Loss.
package loss

import (
	"fmt"
	"math"

	"github.com/scas-admm/scas/kernels"
)

// Logistic is φ(t; b) = log(1 + exp(−b t)) with labels −1 and +1.
type Logistic struct{}

// Slopes returns the sum of the losses and, unless slope is nil, sets the derivatives.
func (Logistic) Slopes(slope, margin, label []float64) float64 {
	return kernels.LogisticSlopes(slope, margin, label)
}

// Value returns φ(margin; label).
func (Logistic) Value(margin, label float64) float64 { return kernels.LogisticLoss(margin, label) }

// SecondDerivative returns s(1−s) with s = |φ'(margin)|.
func (Logistic) SecondDerivative(_, slope, _ float64) float64 {
	s := math.Abs(slope)
	return float64(s * (1 - s))
}

// Curvature returns 1/4.
func (Logistic) Curvature() float64 { return 0.25 }

// String returns "logistic".
func (Logistic) String() string { return "logistic" }

// Validate reports the first label that the loss cannot take.
func (Logistic) Validate(labels []float64) error { return validateBinary("logistic", labels) }

func validateBinary(loss string, labels []float64) error {
	for i, b := range labels {
		if b != 1 && b != -1 {
			return fmt.Errorf("solver: Problem.Labels[%d] = %v; %s loss needs -1 or +1", i, b, loss)
		}
	}
	return nil
}

func validateReal(labels []float64) error {
	for i, b := range labels {
		if math.IsNaN(b) || math.IsInf(b, 0) {
			return fmt.Errorf("solver: Problem.Labels[%d] = %v; labels must be finite", i, b)
		}
	}
	return nil
}

// Squared is φ(t; b) = (b − t)², as the paper writes it: without the factor ½.
type Squared struct{}

// Slopes returns the sum of the losses and, unless slope is nil, sets the derivatives.
func (Squared) Slopes(slope, margin, label []float64) float64 {
	return kernels.SquaredSlopes(slope, margin, label)
}

// Value returns φ(margin; label).
func (Squared) Value(margin, label float64) float64 {
	return float64((label - margin) * (label - margin))
}

// SecondDerivative returns 2.
func (Squared) SecondDerivative(_, _, _ float64) float64 { return 2 }

// Curvature returns 2.
func (Squared) Curvature() float64 { return 2 }

// String returns "squared".
func (Squared) String() string { return "squared" }

// Validate reports the first label that the loss cannot take.
func (Squared) Validate(labels []float64) error { return validateReal(labels) }
