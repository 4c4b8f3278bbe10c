package graph

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/scas-admm/scas/sparse"
)

// CorrelationOptions refines how graphs are made from correlations. Nil and the
// zero value mean unsigned edges of weight 1.
type CorrelationOptions struct {
	// Signed gives negatively correlated features an edge of negative weight,
	// which draws their coefficients to opposite values.
	Signed bool
	// Weighted makes weights as large as the correlation, instead of 1.
	Weighted bool
	// MaxEdges is the largest number of edges to make; 0 means DefaultMaxEdges.
	MaxEdges int
	// Threads is the number of goroutines; 0 means one per processor. The graph
	// does not depend on it.
	Threads int
}

// DefaultMaxEdges keeps the pairs of a hasty threshold to some hundred megabytes.
const DefaultMaxEdges = 5_000_000

func (o *CorrelationOptions) withDefaults() CorrelationOptions {
	var r CorrelationOptions
	if o != nil {
		r = *o
	}
	if r.MaxEdges <= 0 {
		r.MaxEdges = DefaultMaxEdges
	}
	return r
}

// Weight returns the weight of an edge between features of correlation v.
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

// graph makes a graph of ordered pairs whose weights are correlations.
func (o *CorrelationOptions) graph(n int, pairs []Edge) *Graph {
	for k, p := range pairs {
		pairs[k].Weight = o.Weight(p.Weight)
	}
	return &Graph{n: n, edges: pairs}
}

// FromCorrelation joins the columns of x whose sample correlation is at least
// threshold in absolute value: Threshold of CorrelationOf.
func FromCorrelation(x *sparse.CSR, threshold float64, opt *CorrelationOptions) (*Graph, error) {
	c, err := CorrelationOf(x)
	if err != nil {
		return nil, err
	}
	return Threshold(c, threshold, opt)
}

// Threshold joins the features whose correlation (c rescaled to a unit diagonal)
// is at least threshold in absolute value (0 < threshold <= 1), ordered by (I, J)
// with I < J. Constant features have no edges. A threshold of 1 is subject to
// rounding. More edges than opt.MaxEdges are an error, which names the threshold
// that leaves as many.
//
// From data, time is the sum of the squared row lengths plus what pairs need
// that never meet in a row: those can reach the threshold only if both are
// frequent, and are found by sorting. Memory is that of the data and the edges.
func Threshold(c *Covariance, threshold float64, opt *CorrelationOptions) (*Graph, error) {
	if !(threshold > 0 && threshold <= 1) {
		return nil, fmt.Errorf("graph: correlation threshold %v: want a number above 0, at most 1", threshold)
	}
	o := opt.withDefaults()
	pairs, reached := c.Correlation().strongest(threshold, o.MaxEdges, o.Threads)
	if len(pairs) > o.MaxEdges || reached > threshold {
		return nil, fmt.Errorf("graph: correlation threshold %v: more than %d pairs are as correlated: want a threshold above %.4g, or a larger MaxEdges", threshold, o.MaxEdges, reached)
	}
	return o.graph(c.n, pairs), nil
}

// Strongest joins the k pairs of features with the largest absolute correlation,
// ordered by (I, J) with I < J, and returns the correlation of the weakest, as
// Threshold takes it. Pairs as correlated as the weakest are all joined, so
// there may be more than k edges; if fewer pairs are correlated at all, there
// are fewer. The time is that of Threshold. k is at least 1, at most opt.MaxEdges.
func Strongest(c *Covariance, k int, opt *CorrelationOptions) (g *Graph, threshold float64, err error) {
	o := opt.withDefaults()
	if k < 1 || k > o.MaxEdges {
		return nil, 0, fmt.Errorf("graph: %d edges asked for: want 1 to %d", k, o.MaxEdges)
	}
	pairs := c.Correlation().Largest(k, o.Threads)
	if len(pairs) > 2*o.MaxEdges {
		return nil, 0, fmt.Errorf("graph: the %d strongest correlations end in a tie of %d pairs: ask for fewer edges", k, len(pairs))
	}
	threshold = 1
	for _, p := range pairs {
		threshold = min(threshold, math.Abs(p.Weight))
	}
	return o.graph(c.n, pairs), threshold, nil
}

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
	var order []int32 // of features that may be apart
	var reach []float64
	if c.data != nil {
		order, reach = c.byReach()
	}
	chosen := make([][]Edge, c.n)
	parallel(o.Threads, c.n, func() func(i int) {
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
		if v := c.apart(i, int(j)); v != 0 {
			best = append(best, Edge{min(int32(i), j), max(int32(i), j), v})
		}
	}
	slices.SortFunc(best, func(a, b Edge) int {
		return cmp.Or(cmp.Compare(math.Abs(b.Weight), math.Abs(a.Weight)), cmp.Compare(a.I, b.I), cmp.Compare(a.J, b.J))
	})
	if len(best) <= k {
		return slices.Clone(best)
	}
	// Rounding must not choose among those as large as the last.
	weakest := math.Abs(best[k-1].Weight)
	first := slices.IndexFunc(best, func(e Edge) bool { return math.Abs(e.Weight) <= weakest*(1+tied) })
	ties := best[first:]
	if end := slices.IndexFunc(ties, func(e Edge) bool { return math.Abs(e.Weight) < weakest*(1-tied) }); end >= 0 {
		ties = ties[:end]
	}
	sortEdges(ties)
	return slices.Clone(best[:k])
}
