package graph

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/scas-admm/scas/sparse/faults"
)

// CorrelationOptions says how to make a graph from correlations. Nil and the zero value
// mean edges of weight 1.
type CorrelationOptions struct {
	// Signed gives negatively correlated features an edge of negative weight.
	Signed bool
	// Weighted makes the absolute weight of an edge equal to the absolute correlation.
	Weighted bool
	// Threads is the number of goroutines; 0 means one per processor. The graph
	// does not depend on it.
	Threads int

	maxEdges int // MaxEdges, except in tests
}

// MaxEdges limits the number of edges; see Threshold, Strongest and KNearest. It bounds the memory if a
// threshold is too low.
const MaxEdges = 5_000_000

func (o *CorrelationOptions) withDefaults() CorrelationOptions {
	var r CorrelationOptions
	if o != nil {
		r = *o
	}
	r.maxEdges = cmp.Or(r.maxEdges, MaxEdges)
	return r
}

// Weight returns the weight of an edge between features with correlation v.
func (o *CorrelationOptions) Weight(v float64) float64 {
	w := 1.0
	if o != nil && o.Weighted {
		w = math.Abs(v)
	}
	if o != nil && o.Signed && v < 0 {
		w = -w
	}
	return w
}

// graph returns the graph of n nodes with the edges pairs, in the same order. The weights of pairs are
// correlations; graph overwrites them with the results of o.Weight.
func (o *CorrelationOptions) graph(n int, pairs []Edge) *Graph {
	for k, p := range pairs {
		pairs[k].Weight = o.Weight(p.Weight)
	}
	return &Graph{n: n, edges: pairs}
}

// Threshold returns the graph that joins features whose correlation (c rescaled to a unit
// diagonal) is at least threshold in absolute value. The threshold is above 0 and at most 1; with
// a threshold of 1 the result depends on rounding. Edges are ordered by (I, J) with I < J.
// Constant features have no edges. More edges than MaxEdges are an error, which names a
// threshold that is high enough if it finds one below 1.
//
// For a Covariance that holds data, the time grows with the sum over the rows of the squared number of
// entries, and with the number of pairs without a common row that may reach the threshold.
func Threshold(c *Covariance, threshold float64, opt *CorrelationOptions) (*Graph, error) {
	if !(threshold > 0 && threshold <= 1) {
		return nil, errorf("correlation threshold %v: want a number above 0, at most 1", threshold)
	}
	o := opt.withDefaults()
	pairs, finalFloor := c.Correlation().strongestPairs(threshold, o.maxEdges, o.Threads)
	if len(pairs) > o.maxEdges || finalFloor > threshold {
		want := ""
		if floor := roundUp(finalFloor); floor < 1 {
			want = fmt.Sprintf(": want a threshold above %v", floor)
		}
		return nil, errorf("correlation threshold %v: more than %d pairs are as correlated%s",
			threshold, o.maxEdges, want)
	}
	return o.graph(c.n, pairs), nil
}

// Strongest returns the graph that joins the k pairs of features with the largest absolute
// correlation. Its edges are ordered by (I, J) with I < J. There are fewer than k edges if fewer pairs
// have a correlation other than 0. There are more if further pairs are as correlated as the weakest
// edge, up to rounding. k must be from 1 to MaxEdges. More than 2 MaxEdges edges are an error.
//
// With the returned threshold, the function Threshold returns the same graph, unless there are more than
// MaxEdges edges.
func Strongest(c *Covariance, k int, opt *CorrelationOptions) (g *Graph, threshold float64, err error) {
	o := opt.withDefaults()
	if k < 1 || k > o.maxEdges {
		return nil, 0, errorf("%d edges asked for: want 1 to %d", k, o.maxEdges)
	}
	pairs := c.Correlation().Largest(k, o.Threads)
	if len(pairs) > 2*o.maxEdges {
		return nil, 0, errorf("the %d strongest correlations end in a tie of %d pairs: ask for fewer edges",
			k, len(pairs))
	}
	threshold = 1
	for _, p := range pairs {
		threshold = min(threshold, math.Abs(p.Weight))
	}
	return o.graph(c.n, pairs), threshold, nil
}

// KNearest returns the graph that joins every feature with the k features of largest absolute
// correlation, ordered by (I, J) with I < J. A feature may have more than k edges, because other
// features may have chosen it. Of features that are equally correlated, the one with the smaller
// number is chosen. Features of correlation 0 are not chosen, so constant features have no edges. k must
// be from 1 to the number of features, and k times this number at most 2 MaxEdges.
func KNearest(c *Covariance, k int, opt *CorrelationOptions) (*Graph, error) {
	o := opt.withDefaults()
	if limit := min(c.n, 2*o.maxEdges/max(c.n, 1)); k < 1 || k > limit {
		return nil, errorf("%d nearest of %d features: want 1 to %d", k, c.n, limit)
	}
	c = c.Correlation()
	var order []int32
	var reach []float64
	if c.data != nil {
		order, reach = c.orderByReach()
	}
	chosenPairs := make([][]Edge, c.n)
	faults.Each(o.Threads, c.n, func() func(i int) {
		r := newCovarianceRow(c.n)
		return func(i int) { chosenPairs[i] = c.nearestPairs(i, k, order, reach, r) }
	})
	pairs := slices.Concat(chosenPairs...)
	sortEdges(pairs)
	pairs = slices.CompactFunc(pairs, func(a, b Edge) bool { return a.ends() == b.ends() })
	return o.graph(c.n, pairs), nil
}

// nearestPairs returns the k pairs of feature i with the largest absolute values. It returns fewer pairs if
// fewer than k have a value other than 0. Of pairs with equal absolute values it chooses the pairs in which
// the other feature has the smaller number. order and reach are the results of orderByReach, or nil if c
// stores the matrix; r is scratch memory.
func (c *Covariance) nearestPairs(i, k int, order []int32, reach []float64, r *covarianceRow) []Edge {
	c.fillRow(i, 0, r)
	pairs := make([]Edge, 0, len(r.cols)+k)
	for _, j := range r.cols {
		if v := r.value[j]; v != 0 {
			pairs = append(pairs, Edge{min(int32(i), j), max(int32(i), j), v})
		}
	}
	// The loop takes the features that have no data row in common with feature i, by decreasing reach (see
	// orderByReach). It ends after the k-th feature and the features with the same reach, up to rounding.
	count, kthSize := 0, math.Inf(1)
	for _, j := range order {
		size := reach[i] * reach[j]
		if size == 0 || count >= k && size < kthSize*reachSlack {
			break
		}
		if r.listed[j] || int(j) == i {
			continue
		}
		count++
		if count == k {
			kthSize = size
		}
		if v := c.disjointEntry(i, int(j)); v != 0 {
			pairs = append(pairs, Edge{min(int32(i), j), max(int32(i), j), v})
		}
	}
	slices.SortFunc(pairs, func(a, b Edge) int {
		return cmp.Or(cmp.Compare(math.Abs(b.Weight), math.Abs(a.Weight)), cmp.Compare(a.I, b.I),
			cmp.Compare(a.J, b.J))
	})
	if len(pairs) <= k {
		return slices.Clone(pairs)
	}
	// ties are the pairs whose |Weight| equals the |Weight| of the k-th pair, up to rounding. The first ties
	// in the order (I, J) are chosen.
	weakest := math.Abs(pairs[k-1].Weight)
	start := slices.IndexFunc(pairs,
		func(e Edge) bool { return math.Abs(e.Weight) <= weakest*(1+tieTolerance) })
	ties := pairs[start:]
	end := slices.IndexFunc(ties, func(e Edge) bool { return math.Abs(e.Weight) < weakest*(1-tieTolerance) })
	if end >= 0 {
		ties = ties[:end]
	}
	sortEdges(ties)
	return slices.Clone(pairs[:k])
}
