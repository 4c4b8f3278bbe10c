package graph

import (
	"cmp"
	"math"
	"slices"

	"github.com/scas-admm/scas/sparse/faults"
)

// tieTolerance is the relative difference up to which two values count as equal. A correlation whose absolute
// value is below tieTolerance counts as 0.
const tieTolerance = 1e-12

// collector keeps the pairs of features whose covariance has an absolute value of at least floor. If it has
// pruneSize pairs, it raises floor to the maxPairs-th largest absolute value. It keeps all pairs that equal
// this value up to rounding, so the result does not depend on the order in which pairs are added.
type collector struct {
	floor     float64
	maxPairs  int
	pruneSize int    // number of pairs at which add calls prune
	pairs     []Edge // Weight is the covariance of features I and J, I < J
}

func newCollector(floor float64, maxPairs int) *collector {
	floor = max(floor, math.SmallestNonzeroFloat64)
	return &collector{floor: floor, maxPairs: maxPairs, pruneSize: 2*maxPairs + 1024}
}

func (c *collector) add(p Edge) {
	if !(math.Abs(p.Weight) >= c.floor) {
		return
	}
	c.pairs = append(c.pairs, p)
	if len(c.pairs) >= c.pruneSize {
		c.prune()
		c.pruneSize = max(c.pruneSize, 2*len(c.pairs)) // prune may drop none, if all values are equal
	}
}

// prune raises floor to the maxPairs-th largest absolute value, up to rounding, and drops the pairs whose
// absolute value is below floor.
func (c *collector) prune() {
	if len(c.pairs) <= c.maxPairs {
		return
	}
	sizes := make([]float64, len(c.pairs))
	for k, p := range c.pairs {
		sizes[k] = math.Abs(p.Weight)
	}
	slices.Sort(sizes)
	c.floor = max(c.floor, sizes[len(sizes)-c.maxPairs]*(1-tieTolerance))
	c.pairs = slices.DeleteFunc(c.pairs, func(p Edge) bool { return math.Abs(p.Weight) < c.floor })
}

// strongestPairs returns the entries above the diagonal whose absolute value is at least floor and not 0,
// ordered by (i, j). If there are more than maxPairs such entries, it first raises floor to the maxPairs-th
// largest absolute value, up to rounding. finalFloor is the floor at the end, but at least the smallest
// positive number.
func (c *Covariance) strongestPairs(floor float64, maxPairs, threads int) (pairs []Edge, finalFloor float64) {
	merged := newCollector(floor, maxPairs)
	collect := func(do func(k int, r *covarianceRow, dst *collector)) { // for k from 0 to c.n-1
		var parts []*collector
		faults.Each(threads, c.n, func() func(k int) {
			r, part := newCovarianceRow(c.n), newCollector(merged.floor, maxPairs)
			parts = append(parts, part)
			return func(k int) { do(k, r, part) }
		})
		for _, part := range parts {
			merged.pairs, merged.floor = append(merged.pairs, part.pairs...), max(merged.floor, part.floor)
		}
		merged.prune()
	}
	collect(func(i int, r *covarianceRow, dst *collector) {
		c.fillRow(i, i+1, r)
		for _, j := range r.cols {
			dst.add(Edge{int32(i), j, r.value[j]})
		}
	})
	if c.data != nil {
		order, reach := c.orderByReach()
		collect(func(k int, r *covarianceRow, dst *collector) { c.addDisjoint(k, order, reach, r, dst) })
	}
	sortEdges(merged.pairs)
	return merged.pairs, merged.floor
}

// Largest returns the k non-zero entries above the diagonal with the largest absolute values, as weights of
// edges ordered by (I, J) with I < J. It returns more than k if entries equal the k-th up to rounding, and
// fewer if fewer entries are not 0. k must be at least 1. threads is the number of goroutines; 0 means one
// per processor.
func (c *Covariance) Largest(k, threads int) []Edge {
	pairs, _ := c.strongestPairs(0, k, threads)
	return pairs
}

// orderByReach returns the features by decreasing reach, and the reach of each feature. For two features
// without entries in the same row, the product of their reaches is the absolute value of their covariance or
// correlation, within rounding.
func (c *Covariance) orderByReach() (order []int32, reach []float64) {
	order, reach = make([]int32, c.n), make([]float64, c.n)
	factor := math.Sqrt(c.data.n / (c.data.n - 1))
	for i, m := range c.data.mean {
		order[i], reach[i] = int32(i), math.Abs(m)/c.scale[i]*factor
	}
	slices.SortFunc(order, func(a, b int32) int {
		return cmp.Or(cmp.Compare(reach[b], reach[a]), cmp.Compare(a, b))
	})
	return order, reach
}

// reachSlack is a factor of the bounds with which nearestPairs and addDisjoint compare reach[i]*reach[j] (see
// orderByReach). Rounding may make this product smaller than the absolute covariance or correlation of the
// features i and j, for which it stands.
const reachSlack = 1 - tieTolerance

// addDisjoint adds to the collector dst the pairs of feature order[k] and a later feature of order, if
// no row has entries of both features. The absolute values of these pairs decrease, so addDisjoint stops
// at the first pair below dst.floor. order and reach are the results of orderByReach, and r is scratch
// memory.
func (c *Covariance) addDisjoint(k int, order []int32, reach []float64, r *covarianceRow, dst *collector) {
	i := order[k]
	r.clear()
	marked := false
	for _, j := range order[k+1:] {
		if reach[i]*reach[j] < dst.floor*reachSlack {
			return
		}
		if !marked {
			c.data.addProducts(int(i), 0, r)
			marked = true
		}
		if !r.listed[j] {
			dst.add(Edge{min(i, j), max(i, j), c.disjointEntry(int(i), int(j))})
		}
	}
}
