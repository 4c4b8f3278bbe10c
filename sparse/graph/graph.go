package graph

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/scas-admm/scas/sparse"
)

// Edge joins features I and J, which are 0-based and in any order. Weight is finite and not 0. A negative
// weight means that the two coefficients should have opposite signs.
type Edge struct {
	I, J   int32
	Weight float64
}

// Graph is an undirected graph over features 0..n-1 without self-loops or parallel edges. It never changes
// after construction.
type Graph struct {
	n     int
	edges []Edge
}

// New returns a graph of n nodes with a copy of the edges, in the same order. A number n outside
// 0..sparse.MaxCols, endpoints outside 0..n-1, self-loops, two edges between the same nodes (in either
// direction) and weights that are 0 or not finite are errors.
func New(n int, edges []Edge) (*Graph, error) {
	if n < 0 || n > sparse.MaxCols {
		return nil, errorf("%d nodes: want 0 to %d", n, sparse.MaxCols)
	}
	indices := make(map[[2]int32]int, len(edges))
	for k, e := range edges {
		if msg := e.problem(n); msg != "" {
			return nil, errorf("edge %d (%d, %d): %s", k, e.I, e.J, msg)
		}
		if index, dup := indices[e.ends()]; dup {
			return nil, errorf("edge %d joins nodes %d and %d, as edge %d does: want each pair once",
				k, e.I, e.J, index)
		}
		indices[e.ends()] = k
	}
	return &Graph{n: n, edges: slices.Clone(edges)}, nil
}

// problem returns what is wrong with e in a graph of n nodes, or "" if e is valid.
func (e Edge) problem(n int) string {
	for _, v := range []int32{e.I, e.J} {
		if v < 0 || int(v) >= n {
			return fmt.Sprintf("node %d is outside 0..%d", v, n-1)
		}
	}
	switch {
	case e.I == e.J:
		return fmt.Sprintf("node %d is joined to itself: want two different nodes", e.I)
	case math.IsNaN(e.Weight) || math.IsInf(e.Weight, 0) || e.Weight == 0:
		return fmt.Sprintf("weight %v: want a finite number other than 0", e.Weight)
	}
	return ""
}

func sortEdges(edges []Edge) {
	slices.SortFunc(edges,
		func(a, b Edge) int { return cmp.Or(cmp.Compare(a.I, b.I), cmp.Compare(a.J, b.J)) })
}

func (e Edge) ends() [2]int32 { return [2]int32{min(e.I, e.J), max(e.I, e.J)} }

// Chain returns the path 0 - 1 - ... - n-1 with weights 1, the graph of the
// one-dimensional fused lasso. It panics if n is negative or too large for New.
func Chain(n int) *Graph { return Grid(1, n) }

// Grid returns the graph of rows x cols pixels, numbered row by row. Each pixel is joined
// to its right and its lower neighbour with weight 1: the graph of the two-dimensional
// fused lasso. It panics if rows or cols is negative, or if there are too many pixels for New.
func Grid(rows, cols int) *Graph {
	if rows < 0 || cols < 0 || cols > 0 && rows > sparse.MaxCols/cols {
		panic(fmt.Sprintf("graph: Grid(%d, %d): want numbers of at least 0 with a product of at most %d",
			rows, cols, sparse.MaxCols))
	}
	g := &Graph{n: rows * cols}
	for r := range rows {
		for c := range cols {
			node := int32(r*cols + c)
			if c+1 < cols {
				g.edges = append(g.edges, Edge{I: node, J: node + 1, Weight: 1})
			}
			if r+1 < rows {
				g.edges = append(g.edges, Edge{I: node, J: node + int32(cols), Weight: 1})
			}
		}
	}
	return g
}

// FromPairs returns a graph of n nodes with an edge of weight 1 for each pair of nodes, which are
// 0-based. It returns the same errors as New.
func FromPairs(n int, pairs [][2]int32) (*Graph, error) {
	edges := make([]Edge, len(pairs))
	for k, p := range pairs {
		edges[k] = Edge{I: p[0], J: p[1], Weight: 1}
	}
	return New(n, edges)
}

// Nodes returns the number of nodes.
func (g *Graph) Nodes() int { return g.n }

// Edges returns a copy of the edges. The function that made the graph determines their order.
func (g *Graph) Edges() []Edge { return slices.Clone(g.edges) }

// Degrees returns the number of edges at each node.
func (g *Graph) Degrees() []int {
	d := make([]int, g.n)
	for _, e := range g.edges {
		d[e.I]++
		d[e.J]++
	}
	return d
}

// Components returns, for each node, the number of its connected component, and the number of components.
// Components are numbered from 0 in the order of their smallest nodes. An isolated node is a component.
func (g *Graph) Components() (numbers []int, count int) {
	f := newForest(g.n)
	for _, e := range g.edges {
		f.join(e.I, e.J)
	}
	return f.numbers()
}

// Incidence returns the incidence matrix G, with one row per edge, in the order of the edges, and one
// column per node. For an edge of weight w from node i to node j, the product G x has the element
// |w| (x_i - sign(w) x_j).
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

// FusedLasso returns A = [G; I], where G is the incidence matrix. The penalty of the graph-guided fused
// lasso is |A x|_1.
func (g *Graph) FusedLasso() *sparse.CSR {
	return mustCSR(sparse.Stack(g.Incidence(), sparse.Identity(g.n)))
}

// Antisymmetric returns the n x n matrix with w in row i and column j, and -w in row j and column i, for
// each edge of weight w between nodes i < j. Published codes of stochastic ADMM use it in place of the
// incidence matrix, but it does not give the graph-guided fused lasso.
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

// mustCSR returns a. It panics if err is not nil, which does not happen for valid input.
func mustCSR(a *sparse.CSR, err error) *sparse.CSR {
	if err != nil {
		panic(err)
	}
	return a
}

// Statistics describes the shape of a graph.
type Statistics struct {
	Nodes int `json:"nodes"`
	Edges int `json:"edges"`
	// Components is the number of connected components with two nodes or more.
	Components int `json:"components"`
	// Largest is the number of nodes of the largest component: 1 if there are no edges, 0
	// if there are no nodes.
	Largest int `json:"largest"`
	// Isolated is the number of nodes without edges.
	Isolated  int `json:"isolated"`
	MaxDegree int `json:"max_degree"`
	// Negative is the number of edges of negative weight.
	Negative int `json:"negative"`
}

// Statistics computes the statistics of the graph.
func (g *Graph) Statistics() Statistics {
	s := Statistics{Nodes: g.n, Edges: len(g.edges)}
	for _, d := range g.Degrees() {
		s.MaxDegree = max(s.MaxDegree, d)
		if d == 0 {
			s.Isolated++
		}
	}
	numbers, count := g.Components()
	size := make([]int, count)
	for _, k := range numbers {
		size[k]++
		s.Largest = max(s.Largest, size[k])
	}
	s.Components = count - s.Isolated
	for _, e := range g.edges {
		if e.Weight < 0 {
			s.Negative++
		}
	}
	return s
}

// String returns the statistics, except Negative, in one line of text.
func (s Statistics) String() string {
	return fmt.Sprintf("nodes: %d, edges: %d, components: %d (largest %d), isolated: %d, maximal degree: %d",
		s.Nodes, s.Edges, s.Components, s.Largest, s.Isolated, s.MaxDegree)
}
