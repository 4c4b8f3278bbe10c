package term

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// TestProjectFar checks projections of points far from a simplex, and of a point near a corner. The result
// must have the right sum. Far from the simplex, all coordinates that stay positive must have decreased by
// the same amount, and the coordinates that became zero must have been at most this amount.
func TestProjectFar(t *testing.T) {
	rng := rand.New(rand.NewPCG(8, 8))
	for _, total := range []float64{1e-6, 1, 1e6} {
		for size := 1e-3; size < 1e15; size *= 10 {
			x := make([]float64, 1+rng.IntN(30))
			for j := range x {
				x[j] = size*math.Copysign(1, size-1) + total*rng.NormFloat64()
			}
			projection := slices.Clone(x)
			Simplex{total}.Project(projection)
			sum, maxShift, minShift := -total, math.Inf(-1), math.Inf(1)
			for j, v := range projection {
				sum += v
				if v > 0 {
					maxShift, minShift = math.Max(maxShift, x[j]-v), math.Min(minShift, x[j]-v)
				}
			}
			ulp := 0x1p-52 * (math.Abs(x[0]) + total)
			if math.Abs(sum) > 1e-14*total || maxShift-minShift > 4*ulp {
				t.Errorf("%d coordinates near %g to a sum of %g: off by %g, shifts %g to %g",
					len(x), size, total, sum, minShift, maxShift)
			}
			for j, v := range projection {
				if v == 0 && x[j]-maxShift > 4*ulp || v < 0 {
					t.Errorf("coordinate %g became %g, others lost %g", x[j], v, maxShift)
				}
			}
		}
	}
	point := slices.Repeat([]float64{1e-16}, 1000) // near a corner
	point[7] = 0.1
	Simplex{0.1}.Project(point)
	sum := 0.0
	for _, v := range point {
		sum += v
	}
	projection := slices.Clone(point)
	Simplex{0.1}.Project(projection)
	if math.Abs(sum-0.1) > 1e-15 || math.Abs(projection[7]-point[7]) > 1e-15 || math.Abs(point[8]-1e-16) > 2e-17 {
		t.Errorf("near a corner the sum is off by %g, coordinates are %g and %g, and after a second projection %g", sum-0.1, point[7], point[8], projection[7])
	}
	for _, total := range []float64{1, 1e308, math.MaxFloat64} {
		x := []float64{1e308, -1e308, math.MaxFloat64, -math.MaxFloat64, 0}
		Simplex{total}.Project(x)
		sum := 0.0
		for _, v := range x {
			sum += v / total
		}
		if math.Abs(sum-1) > 1e-14 {
			t.Errorf("the largest numbers to a sum of %g: %g", total, x)
		}
	}
}
