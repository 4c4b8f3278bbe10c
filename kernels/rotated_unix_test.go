//go:build unix

package kernels

import (
	"math/rand/v2"
	"testing"
)

// TestRotatedBounds runs InnerRotated with a guard page before each argument, and then after each
// argument. The first and the last row are sampled.
func TestRotatedBounds(t *testing.T) {
	eachLevel(t, func(t *testing.T) {
		for _, p := range []int{8, 16, 24, 128, 136} {
			for _, radius := range []float64{0, 1} {
				for _, loss := range []LossKind{LogisticLossKind, SquaredLossKind} {
					for _, end := range []bool{false, true} {
						a := rotatedOf(rand.New(rand.NewPCG(68, uint64(p))), sources[0], p, 5, 9, loss, radius)
						a.sampled[0], a.sampled[4], a.sampled[8] = 4, 0, 4
						for _, v := range []*[]float64{&a.w, &a.sum, &a.c, &a.e, &a.x, &a.steps.Label, &a.steps.Slope0} {
							*v = guarded(t, *v, end)
						}
						a.sampled = guarded(t, a.sampled, end)
						for n := range len(a.sampled) {
							InnerRotated(a.w, a.sum, a.c, a.e, a.x, a.radius, &a.steps, a.sampled[n:])
						}
					}
				}
			}
		}
	})
}
