package graph

import "fmt"

// Statistics describes the shape of a graph.
type Statistics struct {
	Nodes int `json:"nodes"`
	Edges int `json:"edges"`
	// Components counts the connected components with two nodes or more.
	Components int `json:"components"`
	// Largest is the number of nodes of the largest component; 1 if no two
	// nodes are joined, 0 for a graph without nodes.
	Largest int `json:"largest"`
	// Isolated counts the nodes without edges.
	Isolated  int `json:"isolated"`
	MaxDegree int `json:"max_degree"`
	// Negative counts the edges of negative weight.
	Negative int `json:"negative"`
}

// Statistics returns the shape of the graph.
func (g *Graph) Statistics() Statistics {
	s := Statistics{Nodes: g.n, Edges: len(g.edges)}
	for _, d := range g.Degrees() {
		s.MaxDegree = max(s.MaxDegree, d)
		if d == 0 {
			s.Isolated++
		}
	}
	of, count := g.Components()
	size := make([]int, count)
	for _, k := range of {
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

// String says it in one line.
func (s Statistics) String() string {
	return fmt.Sprintf("nodes: %d, edges: %d, components: %d (largest %d), isolated: %d, maximal degree: %d", s.Nodes, s.Edges, s.Components, s.Largest, s.Isolated, s.MaxDegree)
}
