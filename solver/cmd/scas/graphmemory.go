package main

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"runtime"

	"github.com/scas-admm/scas/sparse"
	"github.com/scas-admm/scas/sparse/graph"
	"github.com/scas-admm/scas/sparse/graph/glasso"
)

// allowGraph returns an error if the graph needs too much memory. Otherwise it sets the fields of s
// about memory.
func (c *graphCmd) allowGraph(s *graphSource) error {
	solverNeed := c.solverBytes(s, min(s.features, leastComponent))
	need, suffix := c.graphBytes(s)+solverNeed, ""
	if s.data != nil || s.cov != nil {
		suffix = " of " + s.name
	}
	limit, _ := c.Memory.limit()
	if s.data == nil {
		c.limitComponent(s, float64(limit)-need+solverNeed)
		return c.Memory.allow(need, "a graph over %s%s", plural(s.features, "feature"), suffix)
	}
	d := &demand{
		work: fmt.Sprintf("a graph over %s%s", plural(s.features, "feature"), suffix), data: s.data,
		featuresGiven: c.Features != 0,
		inMemoryBytes: func() float64 { return need + c.dataAndPairBytes(s) },
		keptBytes:     int64(min(need+c.pairBytes(s), 1<<60)),
	}
	if !s.data.X.Mapped() {
		d.obstacle = errNotMapped
	}
	s.demand = d
	var err error
	s.room, err = c.Memory.place(d, c.Memory.exceededBy(d))
	if err != nil {
		return err
	}
	room := float64(s.room)
	if s.room == 0 {
		room = d.bytesLeft(limit)
	}
	c.limitComponent(s, room+solverNeed)
	return nil
}

// graphBytes returns the memory of the graph in bytes, without the data and the covariances.
func (c *graphCmd) graphBytes(s *graphSource) float64 {
	bytesPerFeature := 200.0 // bytes, an estimate
	if c.Method == "chain" {
		bytesPerFeature = 250
	}
	if c.Antisym {
		bytesPerFeature += 150
	}
	return float64(bytesPerFeature * float64(s.features))
}

// pairBytes returns the bytes for all pairs of features: covariances, the pairs that may become
// edges and, for the method recipe, its matrices. The method chain needs none.
func (c *graphCmd) pairBytes(s *graphSource) float64 {
	const covariance, listed, inverse = 8, 24, 48
	p := float64(s.features)
	switch c.Method {
	case "chain":
		return 0
	case "recipe":
		return (covariance + listed + inverse) * p * p
	}
	return float64(covariance*p*p) + min(listed*p*p, 3*2*16*graph.MaxEdges)
}

// dataAndPairBytes returns the bytes that are needed if all rows are in memory: for the data, and for the
// covariances or the copies of the data that the method makes.
func (c *graphCmd) dataAndPairBytes(s *graphSource) float64 {
	need := float64(dataBytes(s.data))
	switch {
	case c.Method == "chain":
	case graph.Dense(s.data.X):
		need += c.pairBytes(s)
	default:
		need += 2 * need // a copy of the data with centred values, and its transpose
	}
	return need
}

// For the method glasso, allowGraph asks for enough memory for a component of the graph with leastComponent
// features, or with all features if there are fewer.
const leastComponent = 128

// bytesOfEntry returns the bytes of one entry in all matrices with which the threads of glasso work. For a
// component of n features, each thread has 14 matrices of order n.
func (c *graphCmd) bytesOfEntry() float64 {
	return 14 * 8 * float64(cmp.Or(int(c.Threads), runtime.GOMAXPROCS(0)))
}

// solverBytes returns the bytes that glasso needs if its largest component has the given number of
// features. This is twice the larger of two sizes: of the matrices with which the threads work, and of the
// results of all components. It returns 0 for other methods.
func (c *graphCmd) solverBytes(s *graphSource, features int) float64 {
	if c.Method != "glasso" {
		return 0
	}
	n := float64(features)
	return 2 * max(c.bytesOfEntry()*n*n, 8*float64(s.features)*n)
}

// limitComponent sets s.maxComponent and s.limitedByMemory. room is the memory for glasso, in bytes.
func (c *graphCmd) limitComponent(s *graphSource, room float64) {
	s.maxComponent = cmp.Or(int(c.MaxComponent), glasso.DefaultMaxComponent)
	if limit, _ := c.Memory.limit(); limit == 0 || c.solverBytes(s, s.maxComponent) <= room {
		return
	}
	halfRoom := max(0, room/2)
	maxFeatures := min(math.Sqrt(halfRoom/c.bytesOfEntry()), halfRoom/8/float64(s.features))
	s.maxComponent, s.limitedByMemory = max(1, int(maxFeatures)), true
}

// withComponentAdvice returns an error of glasso with advice for the flags of c. The penalty of the method
// recipe is fixed, so if a component is too large, the advice is to use another method. If a component is too
// large because of the memory limit, the error names this limit and --memory.
func (c *graphCmd) withComponentAdvice(err error, limitedByMemory bool) error {
	componentErr, ok := errors.AsType[*graph.ComponentError](err)
	switch {
	case !ok:
		return err
	case c.Method == "recipe":
		return advisedError{fmt.Errorf("--method recipe: %w", err), func(r sparse.Remedy) (string, bool) {
			return "use another --method", r.Field == "Options.Penalty"
		}}
	case limitedByMemory && componentErr.Size > componentErr.Limit:
		limit, origin := c.Memory.limit()
		return fmt.Errorf("with %s of memory (%s): %s, or allow more with --memory SIZE",
			formatBytes(limit), origin, rewordedText(err))
	}
	return err
}
