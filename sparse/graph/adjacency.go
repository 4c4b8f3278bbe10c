package graph

import (
	"fmt"
	"io"

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
		mirror := newCursor(t, i)
		for k, j := range idx {
			if w := mirror.at(j); w != val[k] {
				return nil, fmt.Errorf("graph: adjacency matrix: entry (%d, %d) is %v but (%d, %d) is %v: want a symmetric matrix, or read it as a constraint matrix", i+1, j+1, val[k], j+1, i+1, w)
			}
			if int(j) > i && val[k] != 0 {
				g.edges = append(g.edges, Edge{I: int32(i), J: j, Weight: val[k]})
			}
		}
	}
	return g, nil
}

// cursor looks up entries of a row in increasing order of columns.
type cursor struct {
	idx []int32
	val []float64
}

func newCursor(a *sparse.CSR, row int) *cursor {
	idx, val := a.Row(row)
	return &cursor{idx, val}
}

func (c *cursor) at(j int32) float64 {
	for len(c.idx) > 0 && c.idx[0] < j {
		c.idx, c.val = c.idx[1:], c.val[1:]
	}
	if len(c.idx) > 0 && c.idx[0] == j {
		return c.val[0]
	}
	return 0
}

// WriteMatrixMarket writes a in the coordinate format of the Matrix Market, as
// real general, values in the shortest form that reads back to the same bits.
func WriteMatrixMarket(w io.Writer, a *sparse.CSR) error {
	if _, err := fmt.Fprintf(w, "%s matrix coordinate real general\n", matrixMarketBanner); err != nil {
		return fmt.Errorf("graph: writing a matrix: %w", err)
	}
	return sparse.WriteMatrix(w, a) // the rest is the same text
}
