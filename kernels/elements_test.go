package kernels

import (
	"math/rand/v2"
	"slices"
)

// An elementCase holds the arguments of one call of InnerDense or, with a box, InnerBox.
type elementCase struct {
	v       [6][]float64 // w, h, c, e, lo and hi; with a box, sum replaces h
	hasBox  bool
	source  source
	steps   Steps
	sampled []int32
}

func elementCaseOf(
	rng *rand.Rand, s source, lens []int, p, samples int, loss LossKind, hasBox bool,
) *elementCase {
	c := &elementCase{hasBox: hasBox, source: s}
	for k := range c.v {
		c.v[k] = s.vector(rng, p)
	}
	c.steps = stepsOf(rng, s, lens, p, loss)
	c.sampled = place(s, samplesOf(rng, samples, len(lens)))
	return c
}

func (c *elementCase) run(rows *Rows) [][]float64 {
	w, h, steps := place(c.source, slices.Clone(c.v[0])), place(c.source, slices.Clone(c.v[1])), c.steps
	if rows != nil {
		steps.Rows = *rows
	}
	if c.hasBox {
		InnerBox(w, h, c.v[2], c.v[3], c.v[4], c.v[5], &steps, c.sampled)
	} else {
		InnerDense(w, h, c.v[2], c.v[3], &steps, c.sampled)
	}
	return [][]float64{w, h}
}
