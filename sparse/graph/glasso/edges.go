package glasso

import (
	"errors"
	"math"

	"github.com/scas-admm/scas/sparse/graph"
)

// EstimateEdges searches by bisection for a penalty at which Estimate returns about k edges. It ignores
// opt.Penalty. It stops at exactly k edges, within 1 % of k if k >= 100, or when the penalty is known to six
// digits. It returns the computed result whose number of edges is nearest to k, and the sparser one of two
// equally near results. k must be from 1 to graph.MaxEdges, and there must be k pairs of features
// whose covariance is not 0.
//
// If k edges need a component larger than opt.MaxComponent, the error wraps a *graph.ComponentError. If
// Estimate does not reach its duality gap at some penalty, the error matches ErrNotConverged. This can
// happen with few samples, because then no penalty gives more than a certain number of edges. With each of
// these errors, EstimateEdges also returns the best result so far, or nil if there is none.
func EstimateEdges(c *graph.Covariance, k int, opt Options) (*Result, error) {
	if k < 1 || k > graph.MaxEdges {
		return nil, errorf("%d edges asked for: want 1 to %d", k, graph.MaxEdges)
	}
	pairs := c.Largest(k, opt.Threads)
	if len(pairs) < k {
		return nil, errorf("%d edges asked for: only %d pairs of features are correlated: want fewer",
			k, len(pairs))
	}
	weakest, strongest := math.Inf(1), 0.0
	for _, p := range pairs {
		weakest, strongest = min(weakest, math.Abs(p.Weight)), max(strongest, math.Abs(p.Weight))
	}
	search := edgeSearch{c: c, opt: opt, k: k, high: strongest} // a penalty of strongest gives no edges
	// About k covariances exceed weakest in absolute value. So the first penalty to try is weakest.
	for trial := weakest; search.high-search.low > 1e-6*search.high; trial /= 1.5 {
		penalty := min(trial, search.high*(1-1e-9))
		switch {
		case search.sizeError != nil && search.halved:
			penalty = search.low // if low gives fewer than k edges, the search ends
		case search.low > 0:
			penalty = search.low + float64((search.high-search.low)/2)
			search.halved = search.sizeError != nil
		}
		if done, err := search.try(penalty); done || err != nil {
			return search.best, err
		}
	}
	return search.best, search.sizeError
}

// edgeSearch is the state of the bisection for k edges. The penalty high gives fewer than k edges. The
// penalty low is 0 at first. If sizeError is nil, a low above 0 gives at least k edges. If sizeError is set,
// penalties just below low give this error.
type edgeSearch struct {
	c            *graph.Covariance
	opt          Options
	k            int
	low, high    float64
	sizeError    error   // nil, or wraps a *graph.ComponentError, whose Fits is equal to the field low
	halved       bool    // whether a penalty above low was tried since sizeError was set
	best         *Result // the best result so far; nil before the first
	bestDistance int     // difference between k and the number of edges of best
}

// try calls Estimate with the given penalty, and narrows the interval from low to high. done is true
// if the number of edges is near enough to k.
func (s *edgeSearch) try(penalty float64) (done bool, err error) {
	s.opt.Penalty = penalty
	res, err := Estimate(s.c, s.opt)
	if componentErr, bad := errors.AsType[*graph.ComponentError](err); bad {
		s.low, s.sizeError = componentErr.Fits, errorf("%d edges: %w; ask for fewer edges", s.k, err)
		return false, nil
	}
	if errors.Is(err, ErrNotConverged) && s.best != nil {
		err = errorf("%d edges: penalty %.3g leaves %d, and with smaller ones it %w: ask for at most as many",
			s.k, s.best.Penalty, s.best.countEdges(), ErrNotConverged)
	}
	if err != nil {
		return false, err
	}
	edges := res.countEdges()
	distance := max(edges-s.k, s.k-edges)
	if s.best == nil || distance < s.bestDistance || distance == s.bestDistance && edges < s.k {
		s.best, s.bestDistance = res, distance
	}
	if edges < s.k {
		s.high = penalty
	} else {
		s.low, s.sizeError = penalty, nil
	}
	return distance*100 <= s.k && (distance == 0 || s.k >= 100), nil
}
