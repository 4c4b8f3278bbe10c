package graph

import (
	"fmt"
	"slices"

	"github.com/scas-admm/scas/sparse"
)

// FromAdjacency makes the graph of a symmetric matrix: an edge, weighted with
// the value, for every entry off the diagonal that is not 0, ordered by (I, J)
// with I < J. The diagonal is ignored. A matrix that is not square or not exactly
// symmetric is an error.
func FromAdjacency(a *sparse.CSR) (*Graph, error) {
	rows, cols := a.Dims()
	if rows != cols {
		return nil, fmt.Errorf("graph: adjacency matrix of %d rows and %d columns: want a square one", rows, cols)
	}
	t := a.Transpose()
	g := &Graph{n: rows}
	for i := range rows {
		idx, val := a.Row(i)
		above, mirror := t.Row(i)
		for k, j := range idx {
			w := 0.0
			if at, found := slices.BinarySearch(above, j); found {
				w = mirror[at]
			}
			if w != val[k] {
				return nil, fmt.Errorf("graph: adjacency matrix: entry (%d, %d) is %v but (%d, %d) is %v: want a symmetric matrix, or read it as a constraint matrix", i+1, j+1, val[k], j+1, i+1, w)
			}
			if int(j) > i && w != 0 {
				g.edges = append(g.edges, Edge{I: int32(i), J: j, Weight: w})
			}
		}
	}
	return g, nil
}
