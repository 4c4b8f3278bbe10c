package kernels

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
)

// A decayCase holds the arguments of one call of InnerDecay.
type decayCase struct {
	state   []float64
	step    int
	steps   Steps
	sampled []int32
}

func decayOf(rng *rand.Rand, s source, lens []int, p, samples int, loss LossKind) *decayCase {
	n := len(lens)
	c := &decayCase{state: s.vector(rng, p*DecayStride), step: 7, sampled: make([]int32, samples)}
	c.steps = Steps{Rows: rowsOf(rng, s, lens, p), Label: labels(rng, n), Slope0: s.vector(rng, n), Loss: loss, Eta: s.next(rng)}
	for k := range c.sampled {
		c.sampled[k] = rng.Int32N(int32(n))
	}
	return c
}

// plausible sets the state to one that steps can reach.
func (c *decayCase) plausible(rng *rand.Rand) *decayCase {
	for at := 0; at < len(c.state); at += DecayStride {
		cell := c.state[at:]
		cell[DecayLast], cell[DecayFactor] = float64(rng.IntN(c.step+1)), 1-float64(0.5*rng.Float64())
		cell[DecayRate] = NegLog1m(1 - cell[DecayFactor])
	}
	return c
}

// run returns the results of the call. If rows is not nil, it replaces the case's own rows.
func (c *decayCase) run(rows *Rows) [][]float64 {
	state, steps := slices.Clone(c.state), c.steps
	if rows != nil {
		steps.Rows = *rows
	}
	InnerDecay(state, c.step, &steps, c.sampled)
	return [][]float64{state}
}

// TestDecayEqual compares every level and storage form with the reference on plain rows,
// bit for bit.
func TestDecayEqual(t *testing.T) {
	eachLevel(t, func(t *testing.T) {
		level := Active()
		for _, s := range sources {
			for _, bound := range []int{0, 1, 7, 8, 9, 40, 130} {
				for form := range formNames {
					for _, loss := range []LossKind{LogisticLossKind, SquaredLossKind} {
						rng := rand.New(rand.NewPCG(95, uint64(bound)))
						c := decayOf(rng, s, lengthsOf(rng, 20, bound), 2*bound+1, 60, loss).plausible(rng)
						plain, stored := inForm(c.steps.Rows, form)
						got := c.run(&stored)
						use(t, Generic)
						want := c.run(&plain)
						use(t, level)
						sameVector(t, fmt.Sprintf("%s, up to %d nonzeros, %s, loss %d: state", s.name, bound, formNames[form], loss), got[0], want[0])
					}
				}
			}
		}
	})
}

// TestDecayCalls checks that the result does not depend on how the steps are divided into calls.
func TestDecayCalls(t *testing.T) {
	eachLevel(t, func(t *testing.T) {
		rng := rand.New(rand.NewPCG(96, 1))
		c := decayOf(rng, sources[0], lengthsOf(rng, 30, 60), 80, 500, LogisticLossKind).plausible(rng)
		want := c.run(nil)
		sampled := c.sampled
		for len(sampled) > 0 {
			n := min(1+rng.IntN(90), len(sampled))
			c.sampled = sampled[:n]
			c.state = c.run(nil)[0]
			c.step += n
			sampled = sampled[n:]
		}
		sameVector(t, "state", c.state, want[0])
	})
}
