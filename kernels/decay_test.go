package kernels

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// A decayCase holds the arguments of one call of InnerDecay.
type decayCase struct {
	cells   []DecayCell
	step    int
	steps   Steps
	sampled []int32
	source  source
}

func decayCaseOf(rng *rand.Rand, s source, lens []int, p, samples int, loss LossKind) *decayCase {
	c := &decayCase{cells: make([]DecayCell, p), step: 7, source: s}
	copy(cellNumbers(c.cells), s.vector(rng, len(cellNumbers(c.cells))))
	c.steps = stepsOf(rng, s, lens, p, loss)
	c.sampled = place(s, samplesOf(rng, samples, len(lens)))
	return c
}

// drawCells draws Last and Factor of each cell again, in the ranges that steps can reach, and computes Rate
// from Factor.
func (c *decayCase) drawCells(rng *rand.Rand) *decayCase {
	for j := range c.cells {
		cell := &c.cells[j]
		cell.Last, cell.Factor = float64(rng.IntN(c.step+1)), 1-float64(0.5*rng.Float64())
		cell.Rate = NegLog1m(1 - cell.Factor)
	}
	return c
}

func (c *decayCase) run(rows *Rows) [][]float64 {
	cells, steps := place(c.source, slices.Clone(c.cells)), c.steps
	if rows != nil {
		steps.Rows = *rows
	}
	InnerDecay(cells, c.step, &steps, c.sampled)
	return [][]float64{cellNumbers(cells)}
}

// TestDecayCalls checks that the result does not depend on how the steps are divided into calls.
func TestDecayCalls(t *testing.T) {
	eachLevel(t, func(t *testing.T) {
		rng := rand.New(rand.NewPCG(96, 1))
		c := decayCaseOf(rng, sources[0], lengthsOf(rng, 30, 60), 80, 500, LogisticLossKind).drawCells(rng)
		want := c.run(nil)
		sampled := c.sampled
		for len(sampled) > 0 {
			n := min(1+rng.IntN(90), len(sampled))
			c.sampled = sampled[:n]
			copy(cellNumbers(c.cells), c.run(nil)[0])
			c.step += n
			sampled = sampled[n:]
		}
		sameVector(t, "cells", cellNumbers(c.cells), want[0])
	})
}

// TestInnerDecay compares InnerDecay with InnerDense, which updates every element of w in each step.
func TestInnerDecay(t *testing.T) {
	rng := rand.New(rand.NewPCG(31, 32))
	const p, n, steps = 40, 30, 5000
	s := &Steps{
		Rows: increasingRows(rng, sources[0], lengthsOf(rng, n, 8), p), Label: labels(rng, n),
		Slope0: make([]float64, n), Eta: 0.5,
	}
	for i, b := range s.Label {
		s.Slope0[i] = -b / 2
	}
	cells := make([]DecayCell, p)
	w, c, e, h := make([]float64, p), make([]float64, p), make([]float64, p), make([]float64, p)
	for j := range p {
		k := math.Ldexp(1, -j/2) / 2 // eta*K_jj, from 0.5 down to 1e-6
		c[j], e[j], w[j] = 1-k, (rng.Float64()-0.5)*k, rng.Float64()-0.5
		fixedPoint := e[j] / (1 - c[j])
		cells[j] = DecayCell{Fixed: fixedPoint, Deviation: w[j] - fixedPoint, Rate: NegLog1m(1 - c[j]), Factor: c[j]}
	}
	sampled := samplesOf(rng, steps, n)
	for done := 0; done < steps; done += 1000 {
		InnerDecay(cells, done, s, sampled[done:done+1000])
	}
	InnerDense(w, h, c, e, s, sampled)
	got := make([]float64, p)
	DecayTo(got, cells, steps)
	for j := range p {
		if d := math.Abs(got[j] - w[j]); d > 1e-12 {
			t.Errorf("coordinate %d: %v, step by step %v", j, got[j], w[j])
		}
		if d := math.Abs(cells[j].Gain - h[j]); d > 1e-11*math.Abs(h[j])+1e-12 {
			t.Errorf("coordinate %d: gain %v, step by step %v", j, cells[j].Gain, h[j])
		}
	}
}
