package graph

import (
	"fmt"

	"github.com/scas-admm/scas/sparse"
)

// Grid returns the graph of a picture of rows x cols pixels, numbered row by
// row, in which each is joined to its right and its lower neighbour with weight
// 1: the two-dimensional fused lasso. It panics if a number is negative or there
// are too many pixels for New.
func Grid(rows, cols int) *Graph {
	if rows < 0 || cols < 0 || cols > 0 && rows > sparse.MaxCols/cols {
		panic(fmt.Sprintf("graph: Grid(%d, %d): want numbers of at least 0 with a product of at most %d", rows, cols, sparse.MaxCols))
	}
	g := &Graph{n: rows * cols}
	for r := range rows {
		for c := range cols {
			at := int32(r*cols + c)
			if c+1 < cols {
				g.edges = append(g.edges, Edge{I: at, J: at + 1, Weight: 1})
			}
			if r+1 < rows {
				g.edges = append(g.edges, Edge{I: at, J: at + int32(cols), Weight: 1})
			}
		}
	}
	return g
}
