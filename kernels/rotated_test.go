package kernels

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
)

// A rotatedCase is the arguments of one call of InnerRotated.
type rotatedCase struct {
	w, sum, c, e, x []float64
	radius          float64
	steps           Steps
	sampled         []int32
}

// rotatedOf draws rows dense rows of length p and a number of samples.
func rotatedOf(rng *rand.Rand, s source, p, rows, samples int, loss LossKind, radius float64) *rotatedCase {
	a := &rotatedCase{
		w: s.vector(rng, p), sum: s.vector(rng, p), c: s.vector(rng, p), e: s.vector(rng, p), x: s.vector(rng, rows*p),
		radius:  radius,
		steps:   Steps{Rows: Rows{Ptr: make([]int64, rows+1)}, Label: labels(rng, rows), Slope0: s.vector(rng, rows), Loss: loss, Eta: s.next(rng)},
		sampled: make([]int32, samples),
	}
	for k := range a.sampled {
		a.sampled[k] = rng.Int32N(int32(rows))
	}
	return a
}

func (a *rotatedCase) run() [][]float64 {
	w, sum := slices.Clone(a.w), slices.Clone(a.sum)
	InnerRotated(w, sum, a.c, a.e, a.x, a.radius, &a.steps, a.sampled)
	return [][]float64{w, sum}
}

var rotatedLengths = []int{8, 16, 24, 32, 40, 56, 64, 72, 120, 128, 136, 200, 248, 256, 264, 512, 520}

// TestRotatedEqual holds every level to the reference, bit for bit.
func TestRotatedEqual(t *testing.T) {
	eachLevel(t, func(t *testing.T) {
		level := Active()
		for _, p := range rotatedLengths {
			for _, s := range sources {
				for _, samples := range []int{0, 1, 2, 3, 4, 7, 8, 40} {
					for _, loss := range []LossKind{LogisticLossKind, SquaredLossKind} {
						for _, radius := range []float64{0, 0.7, 1e4} {
							a := rotatedOf(rand.New(rand.NewPCG(61, uint64(p))), s, p, 9, samples, loss, radius)
							got := a.run()
							use(t, Generic)
							want := a.run()
							use(t, level)
							what := fmt.Sprintf("%s, %d samples, loss %d, radius %v: ", s.name, samples, loss, radius)
							sameVector(t, what+"w", got[0], want[0])
							sameVector(t, what+"sum", got[1], want[1])
						}
					}
				}
			}
		}
	})
}

// BenchmarkInnerRotated draws from as many rows as the a9a data set has.
func BenchmarkInnerRotated(b *testing.B) {
	for _, p := range []int{64, 128, 256} {
		const rows, samples = 32561, 32561
		rng := rand.New(rand.NewPCG(62, uint64(p)))
		a := rotatedOf(rng, sources[0], p, rows, samples, LogisticLossKind, 0)
		for j := range p {
			a.c[j], a.e[j] = 0.999, 1e-6
		}
		a.steps.Eta = 1e-3
		for _, radius := range []float64{0, 1} {
			name := fmt.Sprintf("p=%d", p)
			if radius > 0 {
				name += "/ball"
			}
			a.radius = radius
			for _, l := range Available() {
				b.Run(fmt.Sprintf("%s/level=%v", name, l), func(b *testing.B) {
					defer use(b, Active())
					use(b, l)
					for b.Loop() {
						InnerRotated(a.w, a.sum, a.c, a.e, a.x, a.radius, &a.steps, a.sampled)
					}
					b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/samples, "ns/step")
				})
			}
		}
	}
}
