package graph

import (
	"cmp"
	"fmt"
	"math"
	"slices"
)

// KNearest joins every feature with the k features most correlated with it in
// absolute value, ordered by (I, J) with I < J: an edge is there if either end
// chose the other, so a feature may have more than k edges. Ties go to the
// smaller feature; features of correlation 0 are not chosen, so constant ones
// have no edges. Time is twice that of Threshold.
func KNearest(c *Covariance, k int, opt *CorrelationOptions) (*Graph, error) {
	o := opt.withDefaults()
	if k < 1 || k > c.n || k*c.n > 2*o.MaxEdges {
		return nil, fmt.Errorf("graph: %d nearest of %d features: want 1 to %d", k, c.n, min(c.n, 2*o.MaxEdges/c.n))
	}
	c = c.Correlation()
	order, reach := c.byReach()
	chosen := make([][]Edge, c.n)
	parallel(threadCount(o.Threads, c.n), c.n, func() func(i int) {
		r := newCovarianceRow(c.n)
		return func(i int) { chosen[i] = c.nearest(i, k, order, reach, r) }
	})
	pairs := slices.Concat(chosen...)
	sortEdges(pairs)
	pairs = slices.CompactFunc(pairs, func(a, b Edge) bool { return a.ends() == b.ends() })
	return o.graph(c.n, pairs), nil
}

// nearest returns the k pairs of feature i of largest size; ties to the smaller
// partner.
func (c *Covariance) nearest(i, k int, order []int32, reach []float64, r *covarianceRow) []Edge {
	c.row(i, 0, r)
	best := make([]Edge, 0, len(r.cols)+k)
	for _, j := range r.cols {
		if v := r.value[j]; v != 0 {
			best = append(best, Edge{min(int32(i), j), max(int32(i), j), v})
		}
	}
	// Of those apart, the k of largest reach are enough; those within rounding
	// of the last one compete for its place.
	if c.data != nil {
		taken, last := 0, math.Inf(1)
		for _, j := range order {
			size := reach[i] * reach[j]
			if size == 0 || taken >= k && size < last*reachSlack {
				break
			}
			if r.met[j] || int(j) == i {
				continue
			}
			if taken++; taken == k {
				last = size
			}
			best = append(best, Edge{min(int32(i), j), max(int32(i), j), c.apart(i, int(j))})
		}
	}
	slices.SortFunc(best, func(a, b Edge) int {
		return cmp.Or(cmp.Compare(math.Abs(b.Weight), math.Abs(a.Weight)), cmp.Compare(a.I, b.I), cmp.Compare(a.J, b.J))
	})
	return slices.Clone(best[:min(k, len(best))])
}
