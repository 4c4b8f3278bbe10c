package graph

import (
	"math"

	"github.com/scas-admm/scas/sparse"
)

// Incidence returns G with one row |w| (x_i - sign(w) x_j) per edge, in the order
// of the edges, and one column per node.
func (g *Graph) Incidence() *sparse.CSR {
	ptr := make([]int64, len(g.edges)+1)
	idx, val := make([]int32, 0, 2*len(g.edges)), make([]float64, 0, 2*len(g.edges))
	for k, e := range g.edges {
		i, j := e.I, e.J
		vi, vj := math.Abs(e.Weight), -e.Weight
		if i > j {
			i, j, vi, vj = j, i, vj, vi
		}
		idx, val = append(idx, i, j), append(val, vi, vj)
		ptr[k+1] = int64(len(idx))
	}
	return mustCSR(sparse.New(len(g.edges), g.n, ptr, idx, val))
}

// FusedLasso returns A = [G; I] with G the incidence matrix: |A x|_1 is the
// penalty of the graph-guided fused lasso.
func (g *Graph) FusedLasso() *sparse.CSR {
	return mustCSR(sparse.Stack(g.Incidence(), sparse.Identity(g.n)))
}

// Antisymmetric returns the other graph matrix in use: n x n with w above and -w
// below the diagonal for each edge, so that row i is the sum over neighbours j
// of i of w x_j for j > i and -w x_j for j < i. Published stochastic ADMM codes
// build their G so; it is not the graph-guided fused lasso.
func (g *Graph) Antisymmetric() *sparse.CSR {
	entries := make([]sparse.Triplet, 0, 2*len(g.edges))
	for _, e := range g.edges {
		lo, hi := int(min(e.I, e.J)), int(max(e.I, e.J))
		entries = append(entries,
			sparse.Triplet{Row: lo, Col: hi, Value: e.Weight},
			sparse.Triplet{Row: hi, Col: lo, Value: -e.Weight})
	}
	return mustCSR(sparse.FromTriplets(g.n, g.n, entries))
}

// mustCSR is for matrices that are valid because the graph is.
func mustCSR(a *sparse.CSR, err error) *sparse.CSR {
	if err != nil {
		panic(err)
	}
	return a
}
