// Package check refuses numbers that cannot be weights, coefficients or a start.
package check

import (
	"fmt"
	"math"
)

// Coefficient refuses a number of that name unless it is finite and not negative.
func Coefficient(name string, v float64) error {
	if !(v >= 0) || math.IsInf(v, 0) {
		return fmt.Errorf("solver: %s = %v; it must be finite and not negative", name, v)
	}
	return nil
}

// Weights refuses weights of that name, nil for ones, unless there are as many as wanted,
// finite and not negative.
func Weights(name string, w []float64, want int) error {
	if w == nil {
		return nil
	}
	if len(w) != want {
		return fmt.Errorf("solver: %s has length %d; it needs one weight for each of %d", name, len(w), want)
	}
	for j, v := range w {
		if err := Coefficient(fmt.Sprintf("%s[%d]", name, j), v); err != nil {
			return err
		}
	}
	return nil
}

// SampleWeights refuses weights of n samples that have no mean. nil are equal ones.
func SampleWeights(w []float64, n int) error {
	if w == nil {
		return nil
	}
	if err := Weights("Problem.SampleWeights", w, n); err != nil {
		return err
	}
	var sum float64
	for _, v := range w {
		sum += v
	}
	if sum == 0 || math.IsInf(sum, 0) {
		return fmt.Errorf("solver: Problem.SampleWeights sum to %v; at least one must be positive and the sum finite", sum)
	}
	return nil
}

// Start returns where something is wrong with a vector that is to have so many numbers of
// something, what, and what would be right; nil is right.
func Start(v []float64, want int, of string) (at string, value any, allowed string) {
	if v != nil && len(v) != want {
		return "", fmt.Sprintf("a slice of length %d", len(v)), fmt.Sprintf("the problem has %d %s", want, of)
	}
	for j, x := range v {
		if math.IsNaN(x) || math.IsInf(x, 0) {
			return fmt.Sprintf("[%d]", j), x, "a start must be finite"
		}
	}
	return "", nil, ""
}
