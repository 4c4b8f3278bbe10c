package linalg

import "math"

// Sum returns Σ vⱼ.
func Sum(v []float64) (total float64) {
	for _, u := range v {
		total += u
	}
	return total
}

// Scale multiplies v by factor.
func Scale(v []float64, factor float64) {
	for i := range v {
		v[i] *= factor
	}
}

// MoveTowards adds weight·(u − v) to v.
func MoveTowards(v, u []float64, weight float64) {
	for j, x := range u {
		v[j] = math.FMA(weight, x-v[j], v[j])
	}
}

// SumSquares returns |x|².
func SumSquares(x []float64) float64 {
	var sum float64
	for _, v := range x {
		sum += float64(v * v)
	}
	return sum
}

// SoftThreshold returns the u that minimises t|u| + (u − v)²/2.
func SoftThreshold(v, t float64) float64 {
	switch {
	case v > t:
		return v - t
	case v < -t:
		return v + t
	}
	return 0
}
