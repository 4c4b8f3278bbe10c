package glasso

import (
	"errors"
	"fmt"
	"math"

	"github.com/scas-admm/scas/sparse/graph"
)

// EstimateEdges finds a penalty at which Estimate leaves about k edges, by bisection
// over the penalty, and returns that result. opt.Penalty is ignored. It stops at
// k edges exactly, or within 1 %, or when the penalty is known to six digits,
// and returns the result nearest to k, of two as near the sparser one. (The
// number of edges is not a monotone function of the penalty, but nearly.)
//
// If so many edges need a component larger than opt.MaxComponent, the error is
// that *graph.ComponentError, wrapped. A penalty at which the gap is not reached ends the
// search with ErrNotConverged: few samples leave only so many edges, however small the
// penalty is, and the error says how many. k is at least 1.
func EstimateEdges(c *graph.Covariance, k int, opt Options) (*Result, error) {
	if k < 1 || k > graph.DefaultMaxEdges {
		return nil, fmt.Errorf("glasso: %d edges asked for: want 1 to %d", k, graph.DefaultMaxEdges)
	}
	pairs := c.Largest(k, opt.Threads)
	weakest, strongest := math.Inf(1), 0.0
	for _, p := range pairs {
		weakest, strongest = min(weakest, math.Abs(p.Weight)), max(strongest, math.Abs(p.Weight))
	}
	if len(pairs) < k {
		return nil, fmt.Errorf("glasso: %d edges asked for: only %d pairs of features are correlated: want fewer", k, len(pairs))
	}
	search := edgeSearch{c: c, opt: opt, k: k, high: strongest} // no entry is above strongest: no edges
	// At the size of the k-th entry k pairs pass the screen; the solution has
	// about as many edges, more or fewer.
	for at := weakest; search.high-search.low > 1e-6*search.high; at /= 1.5 {
		penalty := min(at, search.high*(1-1e-9))
		if search.low > 0 {
			penalty = search.low + float64((search.high-search.low)/2)
		}
		if done, err := search.try(penalty); done || err != nil {
			return search.best, err
		}
	}
	return search.best, nil
}

// edgeSearch knows a penalty with too few edges (high), and one with too many
// (low) unless that is 0.
type edgeSearch struct {
	c         *graph.Covariance
	opt       Options
	k         int
	low, high float64
	best      *Result
	bestOff   int
}

// try solves at a penalty and narrows the bracket; done means near enough.
func (s *edgeSearch) try(penalty float64) (done bool, err error) {
	s.opt.Penalty = penalty
	res, err := Estimate(s.c, s.opt)
	if _, tooLarge := errors.AsType[*graph.ComponentError](err); tooLarge {
		err = fmt.Errorf("glasso: %d edges: %w; ask for fewer edges", s.k, err)
	}
	if errors.Is(err, ErrNotConverged) && s.best != nil {
		err = fmt.Errorf("glasso: %d edges: penalty %.3g leaves %d, and with smaller ones it %w: ask for at most as many", s.k, s.best.Penalty, s.best.edges(), ErrNotConverged)
	}
	if err != nil {
		return false, err
	}
	edges := res.edges()
	off := max(edges-s.k, s.k-edges)
	if s.best == nil || off < s.bestOff || off == s.bestOff && edges < s.k {
		s.best, s.bestOff = res, off
	}
	if edges < s.k {
		s.high = penalty
	} else {
		s.low = penalty
	}
	return off*100 <= s.k && (off == 0 || s.k >= 100), nil
}
