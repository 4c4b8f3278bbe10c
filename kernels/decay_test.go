package kernels

import (
	"math"
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

func decayCaseOf(rng *rand.Rand, s source, lens []int, p, samples int, loss LossKind) *decayCase {
	c := &decayCase{state: s.vector(rng, p*DecayStride), step: 7}
	c.steps = stepsOf(rng, s, lens, p, loss)
	c.sampled = samplesOf(rng, samples, len(lens))
	return c
}

// drawState draws DecayLast and DecayFactor of each column again, in the ranges that steps can reach, and
// computes DecayRate from DecayFactor.
func (c *decayCase) drawState(rng *rand.Rand) *decayCase {
	for offset := 0; offset < len(c.state); offset += DecayStride {
		cell := c.state[offset:]
		cell[DecayLast], cell[DecayFactor] = float64(rng.IntN(c.step+1)), 1-float64(0.5*rng.Float64())
		cell[DecayRate] = NegLog1m(1 - cell[DecayFactor])
	}
	return c
}

func (c *decayCase) run(rows *Rows) [][]float64 {
	state, steps := slices.Clone(c.state), c.steps
	if rows != nil {
		steps.Rows = *rows
	}
	InnerDecay(state, c.step, &steps, c.sampled)
	return [][]float64{state}
}

// TestDecayCalls checks that the result does not depend on how the steps are divided into calls.
func TestDecayCalls(t *testing.T) {
	eachLevel(t, func(t *testing.T) {
		rng := rand.New(rand.NewPCG(96, 1))
		c := decayCaseOf(rng, sources[0], lengthsOf(rng, 30, 60), 80, 500, LogisticLossKind).drawState(rng)
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

// TestInnerDecay compares InnerDecay with InnerDense, which updates every element of w in each step.
func TestInnerDecay(t *testing.T) {
	rng := rand.New(rand.NewPCG(31, 32))
	const p, n, steps = 40, 30, 5000
	s := &Steps{
		Rows: increasingRows(rng, sources[0], lengthsOf(rng, n, 8), p), Label: labels(rng, n), Slope0: make([]float64, n), Eta: 0.5,
	}
	for i, b := range s.Label {
		s.Slope0[i] = -b / 2
	}
	state := make([]float64, p*DecayStride)
	w, c, e, h := make([]float64, p), make([]float64, p), make([]float64, p), make([]float64, p)
	for j := range p {
		k := math.Ldexp(1, -j/2) / 2 // eta*K_jj, from 0.5 down to 1e-6
		c[j], e[j], w[j] = 1-k, (rng.Float64()-0.5)*k, rng.Float64()-0.5
		cell := state[j*DecayStride:]
		cell[DecayFixed] = e[j] / (1 - c[j])
		cell[DecayDeviation] = w[j] - cell[DecayFixed]
		cell[DecayRate], cell[DecayFactor] = NegLog1m(1-c[j]), c[j]
	}
	sampled := samplesOf(rng, steps, n)
	for done := 0; done < steps; done += 1000 {
		InnerDecay(state, done, s, sampled[done:done+1000])
	}
	InnerDense(w, h, c, e, s, sampled)
	got := make([]float64, p)
	DecayTo(got, state, steps)
	for j := range p {
		if d := math.Abs(got[j] - w[j]); d > 1e-12 {
			t.Errorf("coordinate %d: %v, step by step %v", j, got[j], w[j])
		}
		if d := math.Abs(state[j*DecayStride+DecayGain] - h[j]); d > 1e-11*math.Abs(h[j])+1e-12 {
			t.Errorf("coordinate %d: gain %v, step by step %v", j, state[j*DecayStride+DecayGain], h[j])
		}
	}
}
