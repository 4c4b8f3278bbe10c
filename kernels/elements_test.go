package kernels

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
)

// An elementCase holds the arguments of one call of InnerDense or, with a box, InnerBox.
type elementCase struct {
	v       [6][]float64 // w, h or sum, c, e, lo, hi
	box     bool
	steps   Steps
	sampled []int32
}

func elementsOf(rng *rand.Rand, s source, lens []int, p, samples int, loss LossKind, box bool) *elementCase {
	c := &elementCase{box: box}
	for k := range c.v {
		c.v[k] = s.vector(rng, p)
	}
	n := len(lens)
	c.steps = Steps{Rows: rowsOf(rng, s, lens, p), Label: labels(rng, n), Slope0: s.vector(rng, n), Loss: loss, Eta: s.next(rng)}
	c.sampled = make([]int32, samples)
	for k := range c.sampled {
		c.sampled[k] = rng.Int32N(int32(n))
	}
	return c
}

// run returns the results of the call. If rows is not nil, it replaces the case's own rows.
func (c *elementCase) run(rows *Rows) [][]float64 {
	w, h, steps := slices.Clone(c.v[0]), slices.Clone(c.v[1]), c.steps
	if rows != nil {
		steps.Rows = *rows
	}
	if c.box {
		InnerBox(w, h, c.v[2], c.v[3], c.v[4], c.v[5], &steps, c.sampled)
	} else {
		InnerDense(w, h, c.v[2], c.v[3], &steps, c.sampled)
	}
	return [][]float64{w, h}
}

// TestElementsEqual compares every level and storage form with the reference on plain
// rows, bit for bit.
func TestElementsEqual(t *testing.T) {
	eachLevel(t, func(t *testing.T) {
		level := Active()
		for _, s := range sources {
			for _, p := range []int{1, 2, 3, 4, 5, 7, 8, 9, 12, 15, 16, 17, 23, 24, 25, 33, 123} {
				for form := range formNames {
					for _, box := range []bool{false, true} {
						for _, loss := range []LossKind{LogisticLossKind, SquaredLossKind} {
							rng := rand.New(rand.NewPCG(81, uint64(p)))
							c := elementsOf(rng, s, lengthsOf(rng, 20, 20), p, 45, loss, box)
							plain, stored := inForm(c.steps.Rows, form)
							got := c.run(&stored)
							use(t, Generic)
							want := c.run(&plain)
							use(t, level)
							what := fmt.Sprintf("%s, p=%d, %s, box %v, loss %d: ", s.name, p, formNames[form], box, loss)
							sameVector(t, what+"w", got[0], want[0])
							sameVector(t, what+"h", got[1], want[1])
						}
					}
				}
			}
		}
	})
}
