package graph

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/scas-admm/scas/sparse"
)

// ErrNotConverged is matched by the error of a Glasso that stopped before its
// duality gap was small enough. The result comes with it.
var ErrNotConverged = errors.New("graph: sparse inverse covariance selection did not converge")

// GlassoOptions are the settings of Glasso. Zero fields mean the defaults.
type GlassoOptions struct {
	// Penalty is rho, the weight of the absolute values; above 0.
	Penalty float64 `json:"penalty"`
	// FreeDiagonal leaves the diagonal of Theta out of the penalty. Every
	// variance must be above 0 then.
	FreeDiagonal bool `json:"free_diagonal"`
	// Tol is the duality gap to reach, per feature of a component; default
	// 1e-12. A gap of g leaves entries of Theta within sqrt(2 g) times its
	// largest eigenvalue, in practice much closer.
	Tol float64 `json:"tol"`
	// MaxSteps limits the Newton steps of each component; default 100.
	MaxSteps int `json:"max_steps"`
	// MaxComponent is the largest number of features to solve together;
	// default 2,000. Memory is some 9 dense matrices of that size per thread, time
	// some 20 factorizations and more.
	MaxComponent int `json:"max_component"`
	// Threads is the number of goroutines; default one per processor. The
	// result does not depend on it.
	Threads int `json:"-"`
}

func (o *GlassoOptions) withDefaults() (GlassoOptions, error) {
	r := *o
	if !(r.Penalty > 0) || math.IsInf(r.Penalty, 0) {
		return r, fmt.Errorf("graph: glasso penalty %v: want a finite number above 0", r.Penalty)
	}
	if !(r.Tol >= 0) || r.MaxSteps < 0 || r.MaxComponent < 0 {
		return r, fmt.Errorf("graph: glasso tolerance %v, %d steps, components of %d: want numbers of at least 0 (0 means the default)", r.Tol, r.MaxSteps, r.MaxComponent)
	}
	if r.Tol == 0 {
		r.Tol = 1e-12
	}
	if r.MaxSteps == 0 {
		r.MaxSteps = 100
	}
	if r.MaxComponent == 0 {
		r.MaxComponent = 2000
	}
	return r, nil
}

// diagonalPenalty is what the diagonal of Theta is weighted with.
func (o *GlassoOptions) diagonalPenalty() float64 {
	if o.FreeDiagonal {
		return 0
	}
	return o.Penalty
}

// GlassoResult is an estimated inverse covariance matrix.
type GlassoResult struct {
	// Theta is the estimate: n x n, symmetric, positive definite. Entries that
	// are zero are not stored.
	Theta *sparse.CSR
	// Penalty is the one Theta belongs to.
	Penalty float64
	// Objective is -log det Theta + tr(S Theta) + rho |Theta|_1, at most Gap
	// above its minimum.
	Objective, Gap float64
	// Steps and Sweeps are the Newton steps of the component that took most,
	// and the coordinate descent sweeps of the one that took most.
	Steps, Sweeps int
	// Components counts the connected components of {|S_ij| > rho} with two
	// features or more; Largest is the size of the largest (1 if there are none).
	Components, Largest int
}

// Glasso estimates a sparse inverse covariance matrix: Theta minimises
//
//	-log det Theta + tr(S Theta) + rho |Theta|_1
//
// with S = c (Banerjee, El Ghaoui and d'Aspremont 2008). The problem falls apart
// into the connected components of {|S_ij| > rho} exactly (Mazumder and Hastie
// 2012), which are solved independently, by a proximal Newton method over the
// non-zero entries (Hsieh et al. 2011), until the duality gap of each is at most
// Tol times its size.
//
// A component larger than MaxComponent is a *ComponentError, which names a
// penalty that works. A gap not reached is an error that matches
// ErrNotConverged and comes with the result. Equal input gives equal bits for any
// number of threads; between machines the last bits may differ, because the
// linear algebra of gonum uses what the processor has.
func Glasso(c *Covariance, opt GlassoOptions) (*GlassoResult, error) {
	o, err := opt.withDefaults()
	if err != nil {
		return nil, err
	}
	if at := slices.Index(c.diag, 0); at >= 0 && o.FreeDiagonal {
		return nil, fmt.Errorf("graph: glasso: feature %d is constant: leave it out, or penalise the diagonal", at+1)
	}
	members, err := c.screen(o.Penalty, o.MaxComponent, o.Threads)
	if err != nil {
		return nil, err
	}
	blocks := make([]*newtonBlock, len(members))
	order := make([]int, len(members)) // large ones first, for the threads to end together
	for k := range order {
		order[k] = k
	}
	slices.SortStableFunc(order, func(a, b int) int { return len(members[b]) - len(members[a]) })
	parallel(threadCount(o.Threads, len(order)), len(order), func() func(k int) {
		r := newCovarianceRow(c.n)
		return func(k int) {
			m := members[order[k]]
			blocks[order[k]] = solveBlock(c.block(m, r), len(m), &o)
		}
	})
	return c.assemble(members, blocks, &o)
}

// assemble puts the blocks and the lone features, whose entry is 1/(S_ii + rho),
// together.
func (c *Covariance) assemble(members [][]int32, blocks []*newtonBlock, o *GlassoOptions) (*GlassoResult, error) {
	res := &GlassoResult{Penalty: o.Penalty, Components: len(members), Largest: min(1, c.n)}
	var entries []sparse.Triplet
	alone := make([]bool, c.n)
	for i := range alone {
		alone[i] = true
	}
	failed := 0
	for k, b := range blocks {
		for a, i := range members[k] {
			alone[i] = false
			for e, j := range members[k] {
				if v := b.x[a*b.n+e]; v != 0 {
					entries = append(entries, sparse.Triplet{Row: int(i), Col: int(j), Value: v})
				}
			}
		}
		res.Objective += b.objective
		res.Gap += b.gap
		res.Steps, res.Sweeps, res.Largest = max(res.Steps, b.steps), max(res.Sweeps, b.sweeps), max(res.Largest, b.n)
		if !b.converged {
			failed++
		}
	}
	for i, is := range alone {
		if is {
			w := c.diag[i] + o.diagonalPenalty()
			entries = append(entries, sparse.Triplet{Row: i, Col: i, Value: 1 / w})
			res.Objective += math.Log(w) + 1
		}
	}
	var err error
	if res.Theta, err = sparse.FromTriplets(c.n, c.n, entries); err != nil {
		return nil, fmt.Errorf("graph: glasso at penalty %v overflows: want a larger penalty, or S scaled to correlations: %w", o.Penalty, err)
	}
	if failed > 0 {
		return res, fmt.Errorf("%w: %d of %d components at penalty %v after at most %d Newton steps, duality gap %.3g: want a larger penalty, tolerance or MaxSteps", ErrNotConverged, failed, len(blocks), o.Penalty, res.Steps, res.Gap)
	}
	return res, nil
}

// Graph joins the features whose entry of Theta is not 0, ordered by (I, J) with
// I < J. The correlation that opt refers to is the partial one,
// -Theta_ij / sqrt(Theta_ii Theta_jj): what two features still have in common
// when all others are known. Only Signed and Weighted of opt matter.
func (r *GlassoResult) Graph(opt *CorrelationOptions) *Graph {
	n, _ := r.Theta.Dims()
	o := opt.withDefaults()
	root := make([]float64, n)
	var pairs []pair
	for i := range n {
		idx, val := r.Theta.Row(i)
		for k, j := range idx {
			switch {
			case int(j) < i:
				pairs = append(pairs, pair{j, int32(i), val[k]})
			case int(j) == i:
				root[i] = math.Sqrt(val[k])
			}
		}
	}
	for k, p := range pairs {
		pairs[k].value = -p.value / (root[p.i] * root[p.j])
	}
	slices.SortFunc(pairs, func(a, b pair) int { return cmp.Or(cmp.Compare(a.i, b.i), cmp.Compare(a.j, b.j)) })
	return o.graph(n, pairs)
}
