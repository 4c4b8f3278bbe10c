package main

import (
	"fmt"
	"math"

	"github.com/scas-admm/scas/solver/model"
	"github.com/scas-admm/scas/sparse/graph"
)

// graphMemory says how the work on a graph stays within the memory.
type graphMemory struct {
	demand *demand // nil without rows
	room   int64   // bytes for windows of the rows out of core, 0 with all rows in memory
	// together is the number of features that glasso may solve together. less says that the memory made it
	// smaller than asked.
	together int
	less     bool
}

// allowGraph refuses graphs over more features than fit, and says how others do.
func (c *graphCmd) allowGraph(s *graphSource) error {
	solving := c.solving(s, min(s.features, fewTogether))
	need, of := c.keeps(s)+solving, ""
	if s.data != nil || s.cov != nil {
		of = " of " + s.name
	}
	limit, _ := c.Memory.limit()
	if s.data == nil {
		c.bound(s, float64(limit)-need+solving)
		return c.Memory.allow(need, "a graph over %s%s", plural(s.features, "feature"), of)
	}
	d := &demand{
		work: fmt.Sprintf("a graph over %s%s", plural(s.features, "feature"), of), data: s.data, stated: c.Features != 0,
		inMemory: func() float64 { return need + c.holds(s) }, kept: int64(min(need+c.pairs(s), 1<<60)),
	}
	if !s.data.X.Mapped() {
		d.notStreamed = fmt.Errorf("%w: they must be in a .scas file, which scas convert writes", model.ErrNotStreamed)
	}
	s.demand = d
	var err error
	if s.room, err = c.Memory.place(d, c.Memory.exceeds(d)); err != nil {
		return err
	}
	left := float64(s.room)
	if s.room == 0 {
		left = d.left(limit)
	}
	c.bound(s, left+solving)
	return nil
}

// keeps returns the bytes of a graph over the features, without data and covariances.
func (c *graphCmd) keeps(s *graphSource) float64 {
	perFeature := 200.0 // means, deviations, a transpose, the graph and its matrix
	if c.Method == "chain" {
		perFeature = 250
	}
	if c.Antisym {
		perFeature += 150
	}
	return float64(perFeature * float64(s.features))
}

// pairs returns the bytes of the covariances of all pairs of features and of the list of the pairs
// that may be edges; for the recipe also of its matrices over all features.
func (c *graphCmd) pairs(s *graphSource) float64 {
	const covariance, listed, inverse = 8, 24, 48
	p := float64(s.features)
	switch c.Method {
	case "chain":
		return 0
	case "recipe":
		return (covariance + listed + inverse) * p * p
	}
	return float64(covariance*p*p) + min(listed*p*p, 3*2*16*graph.DefaultMaxEdges)
}

// holds returns the bytes of the data and of their covariances in memory.
func (c *graphCmd) holds(s *graphSource) float64 {
	need := float64(dataBytes(s.data))
	switch {
	case c.Method == "chain":
	case graph.Dense(s.data.X):
		need += c.pairs(s)
	default:
		need += 2 * need // a copy, shifted, and its transpose
	}
	return need
}

// fewTogether is the number of features that glasso may always solve together.
const fewTogether = 128

// matrices is the number of bytes that glasso takes for each pair of features that a thread solves
// together.
const matrices = 9 * 8

// solving returns the bytes that glasso takes to solve a number of features together: half for
// matrices, half for the results of all components.
func (c *graphCmd) solving(s *graphSource, together int) float64 {
	if c.Method != "glasso" {
		return 0
	}
	n := float64(together)
	return 2 * max(matrices*float64(threadsOf(c.Threads))*n*n, 8*float64(s.features)*n)
}

// bound sets the number of features that glasso may solve together. left is the memory for it, in
// bytes.
func (c *graphCmd) bound(s *graphSource, left float64) {
	const together = 2000 // the default
	s.together = together
	if c.MaxComponent != 0 {
		s.together = int(c.MaxComponent)
	}
	if limit, _ := c.Memory.limit(); limit == 0 || c.solving(s, s.together) <= left {
		return
	}
	half := max(0, left/2)
	fits := min(math.Sqrt(half/(matrices*float64(threadsOf(c.Threads)))), half/8/float64(s.features))
	s.together, s.less = max(1, int(fits)), true
}

// larger says of components that memory made too large how they would fit.
func (c *graphCmd) larger(e *graph.ComponentError) error {
	limit, origin := c.Memory.limit()
	return fmt.Errorf("penalty %.6g: %s or more would have to be solved together, more than the %s for which %s of memory (%s) are enough; try --penalty %.6g, which leaves no larger component, or allow more with --memory SIZE",
		e.Penalty, plural(e.Size, "feature"), grouped(e.Limit), byteCount(limit), origin, e.Fits)
}
