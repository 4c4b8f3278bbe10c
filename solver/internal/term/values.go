package term

import (
	"fmt"
	"math"
)

// checkCoefficient returns an error if v, which has the given name, is negative or not finite.
func checkCoefficient(name string, v float64) error {
	if !(v >= 0) || math.IsInf(v, 0) {
		return errorf("%s = %v; it must be finite and not negative", name, v)
	}
	return nil
}

// CheckWeights returns an error unless w, which has the given name, has the wanted number of elements, all
// finite and not negative. Nil is valid.
func CheckWeights(name string, w []float64, want int) error {
	if w == nil {
		return nil
	}
	if len(w) != want {
		return errorf("%s has length %d; it needs one weight for each of %d", name, len(w), want)
	}
	for j, v := range w {
		if err := checkCoefficient(fmt.Sprintf("%s[%d]", name, j), v); err != nil {
			return err
		}
	}
	return nil
}
