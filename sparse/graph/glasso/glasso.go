package glasso

import (
	"cmp"
	"errors"
	"math"

	"github.com/scas-admm/scas/kernels"
	"github.com/scas-admm/scas/sparse"
	"github.com/scas-admm/scas/sparse/graph"
)

// ErrNotConverged is wrapped by the error of Estimate if Estimate stopped before the duality gap was small
// enough. Estimate returns its result with this error.
var ErrNotConverged = errors.New("did not converge")

const (
	// tolerance times the number of features of a component is the duality gap to reach for the component. If
	// rounding prevents this, the gap that rounding allows is enough.
	tolerance       = 1e-12
	defaultMaxSteps = 100
)

// DefaultMaxComponent is the default of Options.MaxComponent.
const DefaultMaxComponent = 2000

// Options are the settings of Estimate. A zero field means its default; Penalty has no default.
type Options struct {
	// Penalty is rho, the weight of the absolute values. It must be above 0.
	Penalty float64
	// FreeDiagonal excludes the diagonal of Theta from the penalty. Every variance must then be above 0.
	FreeDiagonal bool
	// MaxComponent is the largest number of features of a component; default DefaultMaxComponent. Each
	// thread needs up to about 14 dense matrices of the size of its component.
	MaxComponent int
	// Threads is the number of goroutines; default one per processor. The result does not depend on it.
	Threads int
	// Progress, unless nil, is called before each Newton step of a component, possibly for several
	// components at the same time.
	Progress func(Progress)

	maxSteps int // limits the Newton steps of each component; default defaultMaxSteps, except in tests
}

// Progress describes the progress of one component.
type Progress struct {
	Features int     // number of features of the component
	Steps    int     // Newton steps so far
	Gap      float64 // the duality gap, infinite if none is known
	Goal     float64 // the gap to reach
}

func (o *Options) withDefaults() (Options, error) {
	r := *o
	if !(r.Penalty > 0) || math.IsInf(r.Penalty, 0) {
		return r, errorf("penalty %v: want a finite number above 0", r.Penalty)
	}
	if r.MaxComponent < 0 {
		return r, errorf("components of %d features: want a number of at least 0 (0 means the default)",
			r.MaxComponent)
	}
	r.maxSteps, r.MaxComponent = cmp.Or(r.maxSteps, defaultMaxSteps),
		cmp.Or(r.MaxComponent, DefaultMaxComponent)
	return r, nil
}

func (o *Options) diagonalPenalty() float64 {
	if o.FreeDiagonal {
		return 0
	}
	return o.Penalty
}

// Result is an estimated inverse covariance matrix.
type Result struct {
	// Theta is the estimate: n x n, symmetric, positive definite. Zeros are not stored.
	Theta *sparse.CSR
	// Penalty is rho; see Options.Penalty.
	Penalty float64
	// Objective is -log det Theta + tr(S Theta) + rho |Theta|_1 for the matrix S that Estimate got. If
	// Options.FreeDiagonal is set, |Theta|_1 leaves out the diagonal. Objective is at most Gap above its
	// minimum.
	Objective, Gap float64
	// Steps is the largest number of Newton steps of a component.
	Steps int
	// Components is the number of connected components with two features or more; features i and j are
	// connected if |S_ij| > Penalty. Largest is the number of features of the largest component: 1 if all
	// features are isolated.
	Components, Largest int
}

// Estimate computes the sparse inverse covariance matrix for S = c and rho = opt.Penalty. It divides the
// problem into the connected components of the graph whose edges are the pairs with |S_ij| > rho, which
// changes no solution (Mazumder and Hastie 2012). It solves each component by a proximal Newton method
// (Hsieh et al. 2011). The duality gap at the end is at most 1e-12 times the number of
// features of the component, or as small as rounding allows.
//
// If a component is larger than MaxComponent, or if more than graph.MaxEdges pairs have |S_ij| > rho,
// the error is a *graph.ComponentError, which states a penalty that avoids it. With FreeDiagonal, a constant
// feature is an error. If a gap stays larger, the error matches ErrNotConverged, and Estimate
// also returns the result. Equal input gives equal bits on every machine for any number of threads.
func Estimate(c *graph.Covariance, opt Options) (*Result, error) {
	o, err := opt.withDefaults()
	if err != nil {
		return nil, err
	}
	if o.FreeDiagonal {
		for i := range c.Features() {
			if c.At(i, i) == 0 {
				return nil, errorf("feature %d is constant: leave it out, or penalise the diagonal", i+1)
			}
		}
	}
	members, err := c.Components(o.Penalty, o.MaxComponent, o.Threads)
	if err != nil {
		return nil, err
	}
	blocks := make([]*newtonBlock, len(members))
	c.Blocks(members, o.Threads, func(k int, s []float64) {
		b := solveBlock(s, len(members[k]), &o)
		// The new block frees memory for the other components.
		*b = newtonBlock{
			n: b.n, x: b.x, objective: b.objective, gap: b.gap, steps: b.steps, converged: b.converged,
		}
		blocks[k] = b
	})
	return assemble(c, members, blocks, &o)
}

// assemble combines the components and the isolated features into a result.
func assemble(c *graph.Covariance, members [][]int32, blocks []*newtonBlock, o *Options) (*Result, error) {
	n := c.Features()
	res := &Result{Penalty: o.Penalty, Components: len(members), Largest: min(1, n)}
	var entries []sparse.Triplet
	inBlock := make([]bool, n)
	failures := 0
	for k, b := range blocks {
		for index, v := range b.x {
			i, j := members[k][index/b.n], members[k][index%b.n]
			inBlock[i] = true
			if v != 0 {
				entries = append(entries, sparse.Triplet{Row: int(i), Col: int(j), Value: v})
			}
		}
		res.Objective += b.objective
		res.Gap += b.gap
		res.Steps, res.Largest = max(res.Steps, b.steps), max(res.Largest, b.n)
		if !b.converged {
			failures++
		}
	}
	for i, is := range inBlock {
		if !is {
			w := c.At(i, i) + o.diagonalPenalty()
			entries = append(entries, sparse.Triplet{Row: i, Col: i, Value: 1 / w})
			res.Objective += kernels.Log(w) + 1
		}
	}
	var err error
	res.Theta, err = sparse.FromTriplets(n, n, entries)
	if err != nil {
		return nil, errorf("the estimate at penalty %v overflows: want a larger penalty, or S scaled to correlations: %w", o.Penalty, err)
	}
	if failures > 0 {
		return res, &sparse.RemedyError{
			Err: errorf("sparse inverse covariance selection %w: %d of %d components at penalty %v "+
				"after at most %d Newton steps, duality gap %.3g",
				ErrNotConverged, failures, len(blocks), o.Penalty, res.Steps, res.Gap),
			Remedies: []sparse.Remedy{{Field: "Options.Penalty", To: "a larger number"}},
		}
	}
	return res, nil
}

// Graph returns the graph of the non-zero entries of Theta off the diagonal, ordered by (I, J) with I < J.
// Of opt only Signed and Weighted are used: they say how a weight follows from the partial correlation
// -Theta_ij / sqrt(Theta_ii Theta_jj), the correlation of two features given all others. If opt is nil, all
// weights are 1.
func (r *Result) Graph(opt *graph.CorrelationOptions) *graph.Graph {
	n, _ := r.Theta.Dims()
	diagSqrt := make([]float64, n)
	for i := range n {
		diagSqrt[i] = math.Sqrt(r.Theta.At(i, i))
	}
	g, err := graph.FromAdjacency(r.Theta)
	if err == nil {
		edges := g.Edges()
		for k, e := range edges {
			edges[k].Weight = opt.Weight(-e.Weight / (diagSqrt[e.I] * diagSqrt[e.J]))
		}
		g, err = graph.New(n, edges)
	}
	if err != nil {
		panic(err) // cannot happen: Theta is symmetric and positive definite
	}
	return g
}

func (r *Result) countEdges() int {
	n, _ := r.Theta.Dims()
	return int(r.Theta.NNZ()-int64(n)) / 2
}
