package main

import (
	"fmt"
	"math"
	"runtime"

	"github.com/scas-admm/scas/sparse/graph"
)

// graphMemory is how the making of a graph keeps its memory.
type graphMemory struct {
	pieces bool  // the data are gone through in pieces
	room   int64 // what that may take beside what is kept
	// together is how many features glasso may solve together, less for memory than it was
	// asked to.
	together int
	less     bool
}

// allowGraph refuses graphs over more features than fit, and says how others do.
func (c *graphCmd) allowGraph(s *graphSource) error {
	kept := c.keeps(s)
	of, need := "", kept
	if s.data != nil || s.cov != nil {
		of = " of " + s.name
	}
	if s.data != nil {
		need += c.holds(s)
	}
	limit, _ := c.Memory.limit()
	left := float64(limit) - need
	err := c.Memory.allow(need, "a graph over %s%s", plural(s.features, "feature"), of)
	if s.data != nil && s.data.X.Mapped() && (err != nil || c.Memory.beyond(s.data)) {
		kept += c.pairs(s)
		if s.room, err = c.Memory.room(s.name, int64(min(kept, 1<<60))); err == nil {
			s.pieces, left = true, float64(s.room)
		}
	}
	c.bound(s, left)
	return err
}

// keeps is what a graph over features takes beside data and covariances.
func (c *graphCmd) keeps(s *graphSource) float64 {
	perFeature := 200.0 // means, deviations, a transpose, the graph and its matrix
	if c.Method == "chain" {
		perFeature = 250
	}
	if c.Antisym {
		perFeature += 150
	}
	return perFeature * float64(s.features)
}

// pairs is what the covariances of all pairs of features take, with the list of those that
// matter, and for the recipe matrices of components of all features.
func (c *graphCmd) pairs(s *graphSource) float64 {
	const covariance, listed, matrices = 8, 24, 48
	p := float64(s.features)
	switch c.Method {
	case "chain":
		return 0
	case "recipe":
		return (covariance + listed + matrices) * p * p
	}
	return covariance*p*p + min(listed*p*p, 3*2*16*graph.DefaultMaxEdges)
}

// holds is what data and their covariances take where the data are in memory.
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

// bound sets how many features glasso may solve together in what is left.
func (c *graphCmd) bound(s *graphSource, left float64) {
	const together, matrices = 2000, 9 * 8 // the default; bytes of a thread
	s.together = together
	if c.MaxComponent != 0 {
		s.together = int(c.MaxComponent)
	}
	if limit, _ := c.Memory.limit(); limit == 0 {
		return
	}
	threads := float64(runtime.GOMAXPROCS(0))
	if c.Threads != 0 {
		threads = float64(c.Threads)
	}
	half := max(0, left/2) // the other one is for the results
	if fits := int(min(math.Sqrt(half/(matrices*threads)), half/8/float64(s.features))); fits < s.together {
		s.together, s.less = max(1, fits), true
	}
}

// larger says of components that memory made too large how they would fit.
func (c *graphCmd) larger(e *graph.ComponentError) error {
	limit, origin := c.Memory.limit()
	return fmt.Errorf("penalty %.6g: %s or more would have to be solved together, more than the %s for which %s of memory (%s) are enough; try --penalty %.6g, which leaves no larger component, or allow more with --memory SIZE",
		e.Penalty, plural(e.Size, "feature"), grouped(e.Limit), byteCount(limit), origin, e.Fits)
}
