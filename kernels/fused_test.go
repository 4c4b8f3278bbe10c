package kernels

import (
	"fmt"
	"math/rand/v2"
	"testing"
)

// An innerCase holds the arguments of one call of an inner loop on sparse rows. run calls the loop
// and returns its results. rows replaces the rows of the case, unless it is nil.
type innerCase interface{ run(rows *Rows) [][]float64 }

// innerCases returns a case of each inner loop on sparse rows, on rows of the given lengths and p columns.
func innerCases(rng *rand.Rand, s source, lens []int, p, samples int, loss LossKind) []innerCase {
	return []innerCase{
		elementCaseOf(rng, s, lens, p, samples, loss, false), elementCaseOf(rng, s, lens, p, samples, loss, true),
		lazyCaseOf(rng, s, lens, p, samples, loss, false), lazyCaseOf(rng, s, lens, p, samples, loss, true),
		decayCaseOf(rng, s, lens, p, samples, loss).drawCells(rng),
	}
}

// TestInnerEqual compares every level and storage form, bit for bit, with level Generic on rows of int32
// columns and float64 values.
func TestInnerEqual(t *testing.T) {
	columnCounts := []int{1, 2, 3, 4, 5, 7, 8, 9, 12, 15, 16, 17, 23, 24, 25, 33, 123}
	maxNonzeros := []int{0, 1, 7, 8, 9, 40, 130} // largest number of nonzeros in a row, for each p in turn
	eachLevel(t, func(t *testing.T) {
		level := Active()
		for i, s := range sources {
			for k, p := range columnCounts {
				for form := range formNames {
					if i > 0 && form != k%numForms && testing.Short() {
						continue // the first source shows each form with each p
					}
					for _, loss := range []LossKind{LogisticLossKind, SquaredLossKind} {
						rng := rand.New(rand.NewPCG(81, uint64(p)))
						lens := lengthsOf(rng, 20, maxNonzeros[k%len(maxNonzeros)])
						plainRows, storedRows := inForm(rowsOf(rng, s, lens, p), form)
						for m, c := range innerCases(rng, s, lens, p, 45, loss) {
							got := c.run(&storedRows)
							use(t, Generic)
							want := c.run(&plainRows)
							use(t, level)
							for i := range want {
								sameVector(t,
									fmt.Sprintf("case %d of innerCases: %s, p=%d, %s, loss %d, result %d",
										m, s.name, p, formNames[form], loss, i),
									got[i], want[i])
							}
						}
					}
				}
			}
		}
	})
}

// TestFusedLong compares every level with level Generic, bit for bit, in cases in which one assembly call
// does not make all steps: many steps, and rows that do not fit into a Scratch.
func TestFusedLong(t *testing.T) {
	for _, c := range []struct {
		name    string
		lens    []int
		samples int
	}{
		{"many steps", []int{14, 3, 0, 30, 8, 16, 21}, 5000},
		{"long rows", []int{5, scratchRow + 1, 14, scratchRow, 0, scratchRow - 7, 3 * scratchRow}, 25},
	} {
		t.Run(c.name, func(t *testing.T) {
			eachLevel(t, func(t *testing.T) {
				level := Active()
				for _, form := range []int{0, 4, 5} {
					for _, projected := range []bool{false, true} {
						rng := rand.New(rand.NewPCG(82, uint64(form)))
						const p = 123
						elements := elementCaseOf(rng, sources[0], c.lens, p, c.samples, LogisticLossKind, projected)
						lazy := lazyCaseOf(rng, sources[0], c.lens, p, c.samples, LogisticLossKind, projected)
						for _, s := range []*Steps{&elements.steps, &lazy.steps} {
							s.Eta = 1e-4
						}
						for j := range elements.v[2] {
							// c, the factor of w in each step, is at most 1, so that w does not overflow.
							elements.v[2][j] = 1 - 1e-4*rng.Float64()
						}
						lazy.state.Q = 1 - 0x1p-13
						plainRows, storedRows := inForm(elements.steps.Rows, form)
						got := append(elements.run(&storedRows), lazy.run(&storedRows)...)
						use(t, Generic)
						want := append(elements.run(&plainRows), lazy.run(&plainRows)...)
						use(t, level)
						for i := range want {
							sameVector(t, formNames[form], got[i], want[i])
						}
						if done := want[3][6]; done != float64(c.samples) {
							t.Errorf("%v lazy steps, want all %d", done, c.samples)
						}
					}
				}
			})
		})
	}
}

// TestScratchShared runs different loops with one Scratch. The numbers that one loop leaves there
// must not change the results of the next.
func TestScratchShared(t *testing.T) {
	eachLevel(t, func(t *testing.T) {
		rng := rand.New(rand.NewPCG(83, 1))
		lens := []int{5, 0, 14, 40}
		denseCase := elementCaseOf(rng, sources[0], lens, 30, 20, LogisticLossKind, false)
		boxCase := elementCaseOf(rng, sources[0], lens, 30, 20, LogisticLossKind, true)
		ballCase := lazyCaseOf(rng, sources[0], lens, 30, 20, LogisticLossKind, true)
		noBallCase := lazyCaseOf(rng, sources[0], lens, 30, 20, LogisticLossKind, false)
		runAll := func() (out [][]float64) {
			for range 2 {
				out = append(out, denseCase.run(nil)...)
				out = append(out, ballCase.run(nil)...)
				out = append(out, boxCase.run(nil)...)
				out = append(out, noBallCase.run(nil)...)
			}
			return out
		}
		want := runAll()
		x := NewScratch(denseCase.steps.Rows)
		denseCase.steps.Scratch, boxCase.steps.Scratch = x, x
		ballCase.steps.Scratch, noBallCase.steps.Scratch = x, x
		for i, v := range runAll() {
			sameVector(t, "result", v, want[i])
		}
	})
}
