package term

import (
	"fmt"
	"math"
)

// checkCoefficient returns an error that gives the name of v unless v is finite and not negative.
func checkCoefficient(name string, v float64) error {
	if !(v >= 0) || math.IsInf(v, 0) {
		return fmt.Errorf("solver: %s = %v; it must be finite and not negative", name, v)
	}
	return nil
}

// CheckWeights returns an error that gives the name of the weights unless there are as many as
// wanted, all finite and not negative. nil stands for ones.
func CheckWeights(name string, w []float64, want int) error {
	if w == nil {
		return nil
	}
	if len(w) != want {
		return fmt.Errorf("solver: %s has length %d; it needs one weight for each of %d", name, len(w), want)
	}
	for j, v := range w {
		if err := checkCoefficient(fmt.Sprintf("%s[%d]", name, j), v); err != nil {
			return err
		}
	}
	return nil
}
