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

// Clip returns the number nearest to v whose absolute value is at most limit.
func Clip(v, limit float64) float64 { return max(-limit, min(v, limit)) }

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

// Norm returns |x|₂. It overflows or underflows only if the result does.
func Norm(x []float64) float64 {
	if sum := SumSquares(x); SquaresFit(sum) {
		return math.Sqrt(sum)
	}
	return scaledNorm(len(x), func(k int) float64 { return x[k] })
}

// NormAt returns the Euclidean norm of the entries of x whose indices are in at. It overflows or underflows
// only if the result does.
func NormAt[I int | int32](x []float64, at []I) float64 {
	var sum float64
	for _, i := range at {
		sum = math.FMA(x[i], x[i], sum)
	}
	if SquaresFit(sum) {
		return math.Sqrt(sum)
	}
	return scaledNorm(len(at), func(k int) float64 { return x[at[k]] })
}

// SquaresFit reports whether a sum of squares is so far from the ends of the range of float64 that no square
// has overflowed, and that squares that have underflowed do not matter.
func SquaresFit(sum float64) bool { return 0x1p-900 <= sum && sum <= math.MaxFloat64 }

// scaledNorm returns the norm of the vector with the entries entry(0) to entry(n−1). It divides them by a
// power of 2 before it squares them.
func scaledNorm(n int, entry func(k int) float64) float64 {
	var largest, sum float64
	for k := range n {
		largest = max(largest, math.Abs(entry(k)))
	}
	if largest == 0 || math.IsNaN(largest) || math.IsInf(largest, 0) {
		return largest
	}
	_, exponent := math.Frexp(largest)
	for k := range n {
		v := math.Ldexp(entry(k), -exponent)
		sum = math.FMA(v, v, sum)
	}
	return math.Ldexp(math.Sqrt(sum), exponent)
}
