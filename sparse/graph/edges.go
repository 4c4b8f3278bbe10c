package graph

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"math"
	"os"
	"strconv"

	"github.com/scas-admm/scas/sparse"
	"github.com/scas-admm/scas/sparse/internal/text"
)

// FromPairs builds a graph of n nodes whose edges (0-based) all have weight 1.
// Errors are those of New.
func FromPairs(n int, pairs [][2]int32) (*Graph, error) {
	edges := make([]Edge, len(pairs))
	for k, p := range pairs {
		edges[k] = Edge{I: p[0], J: p[1], Weight: 1}
	}
	return New(n, edges)
}

// ReadEdgesFile reads an edge list file; see ReadEdges.
func ReadEdgesFile(path string, p int) (*Graph, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("graph: %w", err)
	}
	defer f.Close()
	return ReadEdges(f, path, p)
}

// ReadEdges reads a graph over p features from lines `i j [weight]` with 1-based
// i and j and weight 1 if absent, possibly compressed. Blank lines and comments
// from '#' on are skipped; a file of comments only is a graph without edges, but
// an empty one is an error. An endpoint outside 1..p, a self-loop, a pair given twice (in either direction)
// and a weight that is 0 or not finite are errors of type *sparse.ParseError.
func ReadEdges(r io.Reader, name string, p int) (*Graph, error) {
	if p < 1 || p > math.MaxInt32 {
		return nil, fmt.Errorf("graph: %d features: want 1 to %d", p, math.MaxInt32)
	}
	data, _, err := sparse.ReadText(r, name)
	if err != nil {
		return nil, err
	}
	if len(bytes.TrimSpace(data)) == 0 {
		return nil, &sparse.ParseError{File: name, Msg: "the file is empty: expected edges `i j [weight]`, or a comment if there are none"}
	}
	var edges []Edge
	firstLine := make(map[[2]int32]int)
	for lines := text.NewLines(data); lines.Next(); {
		e, err := parseEdge(lines, name, p)
		if err != nil {
			return nil, err
		}
		if first, dup := firstLine[e.ends()]; dup {
			return nil, errorAt(lines, name, 0, fmt.Sprintf("features %d and %d are joined already in line %d: expected each pair once", e.I+1, e.J+1, first))
		}
		firstLine[e.ends()] = lines.Number
		edges = append(edges, e)
	}
	return New(p, edges)
}

func parseEdge(lines *text.Lines, name string, p int) (Edge, error) {
	fields := lines.Fields
	if len(fields) < 2 || len(fields) > 3 {
		return Edge{}, errorAt(lines, name, min(len(fields)-1, 3), fmt.Sprintf("%d tokens: expected an edge `i j [weight]`", len(fields)))
	}
	e := Edge{Weight: 1}
	for k, end := range []*int32{&e.I, &e.J} {
		v, ok := text.ParseInt(fields[k].Text)
		if !ok || v < 1 || v > int64(p) {
			return Edge{}, errorAt(lines, name, k, fmt.Sprintf("expected a feature number in 1..%d (if the data has more features, state their number)", p))
		}
		*end = int32(v - 1)
	}
	if len(fields) == 3 {
		v, ok := text.ParseFloat(fields[2].Text)
		if !ok {
			return Edge{}, errorAt(lines, name, 2, "expected a weight, a finite decimal number other than 0")
		}
		e.Weight = v
	}
	if msg := e.problem(p, 1); msg != "" {
		field := len(fields) - 1 // the weight, unless it is a self-loop
		if e.I == e.J {
			field = 1
		}
		return Edge{}, errorAt(lines, name, field, msg)
	}
	return e, nil
}

func errorAt(lines *text.Lines, name string, field int, msg string) error {
	f := lines.Fields[field]
	return &sparse.ParseError{File: name, Line: lines.Number, Column: f.Column, Token: f.Text, Msg: msg}
}

// Write writes the graph in the form ReadEdges reads, under a comment, so that
// reading gives the same edges in the same order and the same bits.
func (g *Graph) Write(w io.Writer) error {
	bw := bufio.NewWriter(w)
	fmt.Fprintf(bw, "# %d edges between %d features: i j weight\n", len(g.edges), g.n)
	for _, e := range g.edges {
		// The first error of bw sticks until Flush.
		fmt.Fprintf(bw, "%d %d %s\n", int(e.I)+1, int(e.J)+1, strconv.FormatFloat(e.Weight, 'g', -1, 64))
	}
	if err := bw.Flush(); err != nil {
		return fmt.Errorf("graph: writing edges: %w", err)
	}
	return nil
}
