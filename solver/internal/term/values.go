package term

import (
	"fmt"
	"math"
)

// checkFactor returns an error, which contains name, if v is negative or not finite.
func checkFactor(name string, v float64) error {
	if !(v >= 0) || math.IsInf(v, 0) {
		return errorf("%s = %v; it must be finite and not negative", name, v)
	}
	return nil
}

// CheckWeights returns an error unless w has the given length and all its entries are finite and not
// negative. A nil w is valid. The error contains name.
func CheckWeights(name string, w []float64, length int) error {
	if w == nil {
		return nil
	}
	if len(w) != length {
		return errorf("%s has length %d; it needs one weight for each of %d", name, len(w), length)
	}
	for j, v := range w {
		if checkFactor(name, v) != nil {
			return checkFactor(fmt.Sprintf("%s[%d]", name, j), v)
		}
	}
	return nil
}
