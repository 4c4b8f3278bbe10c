package kernels

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// A rotatedCase holds the arguments of one call of InnerRotated.
type rotatedCase struct {
	w, sum, c, e, x []float64
	radius          float64
	steps           Steps
	sampled         []int32
	source          source
}

func rotatedCaseOf(rng *rand.Rand, s source, p, rows, samples int, loss LossKind, radius float64) *rotatedCase {
	a := &rotatedCase{
		w: s.vector(rng, p), sum: s.vector(rng, p), c: s.vector(rng, p), e: s.vector(rng, p), x: s.vector(rng, rows*p),
		radius: radius, source: s,
		steps: Steps{
			Rows: Rows{Ptr: make([]int64, rows+1)}, Label: place(s, labels(rng, rows)),
			Slope0: s.vector(rng, rows), Loss: loss, Eta: s.draw(rng),
		},
	}
	a.sampled = place(s, samplesOf(rng, samples, rows))
	return a
}

func (a *rotatedCase) run() [][]float64 {
	w, sum := place(a.source, slices.Clone(a.w)), place(a.source, slices.Clone(a.sum))
	InnerRotated(w, sum, a.c, a.e, a.x, a.radius, &a.steps, a.sampled)
	return [][]float64{w, sum}
}

var rotatedLengths = []int{8, 16, 24, 32, 40, 56, 64, 72, 120, 128, 136, 200, 248, 256, 264, 512, 520}

func TestRotatedEqual(t *testing.T) {
	eachLevel(t, func(t *testing.T) {
		level := Active()
		for _, p := range rotatedLengths {
			for i, s := range sources {
				for _, samples := range []int{0, 1, 2, 3, 4, 7, 8, 40} {
					if i > 0 && samples != 3 && testing.Short() {
						continue // the first source shows each number of samples
					}
					for _, loss := range []LossKind{LogisticLossKind, SquaredLossKind} {
						for _, radius := range []float64{0, 0.7, 1e4} {
							a := rotatedCaseOf(rand.New(rand.NewPCG(61, uint64(p))), s, p, 9, samples, loss, radius)
							got := a.run()
							use(t, Generic)
							want := a.run()
							use(t, level)
							name := fmt.Sprintf("%s, %d samples, loss %d, radius %v: ", s.name, samples, loss, radius)
							sameVector(t, name+"w", got[0], want[0])
							sameVector(t, name+"sum", got[1], want[1])
						}
					}
				}
			}
		}
	})
}

// TestRotatedRuns checks that InnerRotated gives the same bits if its steps are divided among several calls.
func TestRotatedRuns(t *testing.T) {
	eachLevel(t, func(t *testing.T) {
		for _, p := range []int{128, 520, rotatedMax} {
			runSteps := maxWork / p
			for _, radius := range []float64{0, 0.5} {
				a := rotatedCaseOf(rand.New(rand.NewPCG(63, uint64(p))), sources[0], p, 5, 2*runSteps+3, LogisticLossKind, radius)
				for j := range p {
					a.c[j] = 0.99 // with the random numbers of rotatedCaseOf, w would overflow
				}
				want := a.run()
				b := *a
				for lo := 0; lo < len(a.sampled); lo += runSteps {
					b.sampled = a.sampled[lo:min(lo+runSteps, len(a.sampled))]
					out := b.run()
					b.w, b.sum = out[0], out[1]
				}
				sameVector(t, "w in runs", b.w, want[0])
				sameVector(t, "sum in runs", b.sum, want[1])
				if want[0][0] != want[0][0] {
					t.Errorf("p = %d: NaN shows nothing", p)
				}
			}
		}
	})
}

// runNaive makes the steps of InnerRotated in plain loops over the elements of w.
func (a *rotatedCase) runNaive() (w, sum []float64) {
	w, sum = slices.Clone(a.w), slices.Clone(a.sum)
	for _, i := range a.sampled {
		row := a.x[int(i)*len(w) : (int(i)+1)*len(w)]
		var t, n2 float64
		for j, v := range row {
			t += v * w[j]
		}
		slope := -a.steps.Label[i] / (1 + math.Exp(a.steps.Label[i]*t))
		if a.steps.Loss == SquaredLossKind {
			slope = 2 * (t - a.steps.Label[i])
		}
		for j, v := range row {
			w[j] = a.c[j]*w[j] + a.e[j] - a.steps.Eta*(slope-a.steps.Slope0[i])*v
			n2 += w[j] * w[j]
		}
		f := 1.0
		if a.radius > 0 {
			f = min(1, a.radius/math.Sqrt(n2))
		}
		for j := range w {
			w[j] *= f
			sum[j] += w[j]
		}
	}
	return w, sum
}

func TestRotatedNaive(t *testing.T) {
	eachLevel(t, func(t *testing.T) {
		for _, loss := range []LossKind{LogisticLossKind, SquaredLossKind} {
			for _, radius := range []float64{0, 0.4, 1e9} {
				const p = 72
				a := rotatedCaseOf(rand.New(rand.NewPCG(64, uint64(loss))), sources[0], p, 300, 3000, loss, radius)
				a.steps.Eta = 1e-3
				for j := range p {
					a.c[j], a.e[j] = 1-1e-3*float64(1+j%9), 1e-3*a.e[j]
				}
				w, sum := a.runNaive()
				got := a.run()
				for j := range w {
					checkWithin(t, fmt.Sprintf("loss %d, radius %v: w", loss, radius), got[0][j], w[j], 1e-12)
					checkWithin(t, fmt.Sprintf("loss %d, radius %v: sum", loss, radius), got[1][j], sum[j],
						1e-12*float64(len(a.sampled)))
				}
				if norm := math.Sqrt(Dot(w, w)); !(norm > 0.1 && norm < 100) || radius == 0.4 && math.Abs(norm-radius) > 1e-6 {
					t.Errorf("loss %d, radius %v: the loop ends at norm %v and shows little", loss, radius, norm)
				}
			}
		}
	})
}

// TestRotatedContract checks that InnerRotated changes none of its inputs and does not allocate, and that it
// accepts nil vectors.
func TestRotatedContract(t *testing.T) {
	eachLevel(t, func(t *testing.T) {
		for _, radius := range []float64{0, 1} {
			a := rotatedCaseOf(rand.New(rand.NewPCG(65, 1)), sources[0], 24, 9, 40, LogisticLossKind, radius)
			inputs := func() []float64 { return slices.Concat(a.c, a.e, a.x, a.steps.Label, a.steps.Slope0) }
			want, sampledBefore := inputs(), slices.Clone(a.sampled)
			if got := testing.AllocsPerRun(5, func() {
				InnerRotated(a.w, a.sum, a.c, a.e, a.x, a.radius, &a.steps, a.sampled)
			}); got != 0 {
				t.Errorf("radius %v: %v allocations", radius, got)
			}
			sameVector(t, "inputs", inputs(), want)
			if !slices.Equal(a.sampled, sampledBefore) {
				t.Error("sampled rows are written")
			}
			a.w, a.sum, a.c, a.e, a.x = nil, nil, nil, nil, nil
			a.run()
		}
	})
}
