package graph

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"github.com/scas-admm/scas/sparse"
	"github.com/scas-admm/scas/sparse/internal/coordinates"
	"github.com/scas-admm/scas/sparse/internal/text"
)

// ReadEdgesFile reads an edge list file; see ReadEdges.
func ReadEdgesFile(path string, p int) (*Graph, error) {
	return text.FromFile(path, func(r io.Reader, name string) (*Graph, error) { return ReadEdges(r, name, p) })
}

// ReadEdges reads a graph over p features from lines `i j [weight]` with 1-based
// i and j and weight 1 if absent, possibly compressed. Blank lines and comments
// from '#' on are skipped; a file of comments only is a graph without edges, but
// an empty one is an error. A Matrix Market file is read as the adjacency matrix
// of the graph (see sparse.MatrixMarket and FromAdjacency); it must have p
// rows.
//
// An endpoint outside 1..p, a self-loop, a pair given twice (in either direction)
// and a weight that is 0 or not finite are errors of type *sparse.ParseError.
func ReadEdges(r io.Reader, name string, p int) (*Graph, error) {
	c, err := readLines(r, name)
	if err != nil {
		return nil, err
	}
	return graphOf(c, p)
}

// readLines reads coordinate text, possibly compressed.
func readLines(r io.Reader, name string) (*coordinates.File, error) {
	data, err := sparse.ReadText(r, name)
	if err != nil {
		return nil, err
	}
	return coordinates.Parse(data, name, func(file string, line, column int, token, msg string) error {
		return &sparse.ParseError{File: file, Line: line, Column: column, Token: token, Msg: msg}
	})
}

// matrixOf returns the matrix that the lines are.
func matrixOf(c *coordinates.File) (*sparse.CSR, error) {
	m, err := c.Matrix()
	if err != nil {
		return nil, err
	}
	return sparse.New(m.Rows, m.Cols, m.Ptr, m.Idx, m.Val)
}

// graphOf makes a graph over p features of lines that are edges, or of the
// adjacency matrix in a Matrix Market file.
func graphOf(c *coordinates.File, p int) (*Graph, error) {
	switch {
	case p < 1 || p > math.MaxInt32:
		return nil, fmt.Errorf("graph: %d features: want 1 to %d", p, math.MaxInt32)
	case c.Symmetry != "":
		return adjacencyOf(c, p)
	}
	g := &Graph{n: p}
	firstLine := make(map[[2]int32]int, len(c.Lines))
	for k, l := range c.Lines {
		if token, msg := wrongEdge(l, p); msg != "" {
			return nil, c.ErrorAt(k, token, msg)
		}
		e := Edge{I: l.I - 1, J: l.J - 1, Weight: l.Value}
		if first, dup := firstLine[e.ends()]; dup {
			return nil, c.ErrorAt(k, 0, fmt.Sprintf("features %d and %d are joined already in line %d: expected each pair once", l.I, l.J, first))
		}
		g.edges = append(g.edges, e)
		firstLine[e.ends()] = l.Number
	}
	return g, nil
}

// wrongEdge says what is wrong with an edge over p features, and with which of
// its tokens, or nothing.
func wrongEdge(l coordinates.Line, p int) (token int, msg string) {
	switch {
	case l.Tokens < 2 || l.Tokens > 3:
		return min(l.Tokens-1, 3), fmt.Sprintf("%d tokens: expected an edge `i j [weight]`", l.Tokens)
	case l.I < 1 || int(l.I) > p:
		return 0, notFeature(p)
	case l.J < 1 || int(l.J) > p:
		return 1, notFeature(p)
	case l.I == l.J:
		return 1, fmt.Sprintf("node %d is joined to itself: expected two different nodes", l.I)
	case math.IsNaN(l.Value) || l.Value == 0:
		return 2, "expected a weight, a finite decimal number other than 0"
	}
	return 0, ""
}

func notFeature(p int) string {
	return fmt.Sprintf("expected a feature number in 1..%d (if the data has more features, state their number)", p)
}

// adjacencyOf makes a graph of p nodes of a Matrix Market file.
func adjacencyOf(c *coordinates.File, p int) (*Graph, error) {
	a, err := matrixOf(c)
	if err != nil {
		return nil, err
	}
	g, err := FromAdjacency(a)
	if err != nil {
		return nil, &sparse.ParseError{File: c.Name, Msg: err.Error(), Err: err}
	}
	if g.n != p {
		return nil, otherFeatures(c.Name, fmt.Sprintf("a graph of %d nodes", g.n), g.n, p)
	}
	return g, nil
}

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

// Write writes the graph in the form ReadEdges reads, under a comment, so that
// reading gives the same edges in the same order and the same bits.
func (g *Graph) Write(w io.Writer) error {
	return text.Write(w, "graph: writing edges", func(to *bufio.Writer) {
		fmt.Fprintf(to, "# %d edges between %d features: i j weight\n", len(g.edges), g.n)
		var line []byte
		for _, e := range g.edges {
			line = text.AppendCoordinate(line[:0], int(e.I)+1, int(e.J)+1, e.Weight)
			to.Write(line)
		}
	})
}

// Kind tells what a constraint file holds.
type Kind string

// The kinds of constraint files.
const (
	// Any finds the kind out from the content.
	Any Kind = ""
	// EdgeList is a file of edges; A = [G; I].
	EdgeList Kind = "edges"
	// Matrix is a matrix file, which is A itself.
	Matrix Kind = "matrix"
)

// Constraint is the matrix A of the constraint A x = y, and where it came from.
type Constraint struct {
	A     *sparse.CSR
	Kind  Kind   // EdgeList or Matrix
	Graph *Graph // the graph of an EdgeList, nil for a Matrix
}

// ReadConstraintFile reads a constraint over p features from a file. The prefixes
// edges: and matrix: before the path state the kind; without one it is found out
// as ReadConstraint does. (A file whose own name starts so needs ./ before it.)
func ReadConstraintFile(path string, p int) (*Constraint, error) {
	kind := Any
	for _, k := range []Kind{EdgeList, Matrix} {
		if rest, found := strings.CutPrefix(path, string(k)+":"); found {
			kind, path = k, rest
			break
		}
	}
	return text.FromFile(path, func(r io.Reader, name string) (*Constraint, error) {
		return ReadConstraint(r, name, kind, p)
	})
}

// ReadConstraint reads an edge list (see ReadEdges) or a matrix file (see
// sparse.MatrixMarket) over p features, possibly compressed.
//
// Under kind Any a file is a matrix if it parses as one: three whole numbers
// first, the third of which is the number of lines that follow, all of them
// entries in range. A file that is an edge list as well, be it one with a pair
// twice (only tiny ones can be), is refused as ambiguous, and so are edges the first of
// which may be the size of a matrix over p features that has been cut. A matrix must have p columns.
//
// A Matrix Market file is known by its first line. Under kind Any it is the
// adjacency matrix of a graph if that line says symmetric, and otherwise A itself;
// EdgeList and Matrix decide either way.
//
// Errors in the text are of type *sparse.ParseError, those of a file that is
// neither kind about the one that it resembles.
func ReadConstraint(r io.Reader, name string, kind Kind, p int) (*Constraint, error) {
	if kind != Any && kind != EdgeList && kind != Matrix {
		return nil, fmt.Errorf("graph: constraint kind %q: want %q, %q or empty", kind, EdgeList, Matrix)
	}
	c, err := readLines(r, name)
	if err != nil {
		return nil, err
	}
	if kind == Any && c.Symmetry != "" {
		kind = Matrix
		if c.Symmetry == "symmetric" {
			kind = EdgeList
		}
	}
	switch kind {
	case EdgeList:
		return edgeConstraint(graphOf(c, p))
	case Matrix:
		a, err := matrixOf(c)
		return matrixConstraint(a, err, c.Name, p)
	}
	return foundOut(c, p)
}

// foundOut reads a file whose kind is not stated.
func foundOut(c *coordinates.File, p int) (*Constraint, error) {
	g, edgesErr := graphOf(c, p)
	announced, headed := c.Announced()
	following := int64(len(c.Lines)) - 1
	if headed && announced > following && int(c.Lines[0].J) == p && edgesErr == nil {
		return nil, &sparse.ParseError{File: c.Name, Line: c.Lines[0].Number, Msg: fmt.Sprintf(
			"this announces a matrix of %d columns and %d entries, of which %d follow: fetch the file again, or say that these are edges by %s:%s", p, announced, following, EdgeList, c.Name)}
	}
	if !headed || announced != following { // no matrix, whatever the entries are
		if e, ok := errors.AsType[*sparse.ParseError](edgesErr); ok && headed {
			e.Msg += fmt.Sprintf(" (read as an edge list, because the first line does not announce the %d lines that follow it, as a matrix file's would; %s:%s reads it as a matrix)", following, Matrix, c.Name)
		}
		return edgeConstraint(g, edgesErr)
	}
	a, matrixErr := matrixOf(c)
	switch {
	case edgesErr != nil && (matrixErr != nil || !edgesButTwice(c, p)):
		return matrixConstraint(a, matrixErr, c.Name, p)
	case matrixErr != nil:
		return edgeConstraint(g, nil)
	}
	return nil, &sparse.ParseError{File: c.Name, Msg: fmt.Sprintf(
		"the file can be read as an edge list and as a matrix file: say which by %s:%s or %s:%s", EdgeList, c.Name, Matrix, c.Name)}
}

// edgesButTwice reports whether every line is an edge over p features, so that a list of
// them is wrong in joining a pair twice alone.
func edgesButTwice(c *coordinates.File, p int) bool {
	return !slices.ContainsFunc(c.Lines, func(l coordinates.Line) bool {
		_, msg := wrongEdge(l, p)
		return msg != ""
	})
}

func edgeConstraint(g *Graph, err error) (*Constraint, error) {
	if err != nil {
		return nil, err
	}
	return &Constraint{A: g.FusedLasso(), Kind: EdgeList, Graph: g}, nil
}

func matrixConstraint(a *sparse.CSR, err error, name string, p int) (*Constraint, error) {
	if err != nil {
		return nil, err
	}
	if _, cols := a.Dims(); cols != p {
		return nil, otherFeatures(name, fmt.Sprintf("a matrix of %d columns", cols), cols, p)
	}
	return &Constraint{A: a, Kind: Matrix}, nil
}

func otherFeatures(name, what string, n, p int) error {
	return &sparse.ParseError{File: name, Msg: fmt.Sprintf(
		"%s for data of %d features: expected as many (if the data has %d features, state it: --features %d)", what, p, n, n)}
}
