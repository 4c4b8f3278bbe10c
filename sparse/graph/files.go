package graph

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/scas-admm/scas/sparse"
	"github.com/scas-admm/scas/sparse/internal/coordinates"
	"github.com/scas-admm/scas/sparse/internal/text"
)

// ReadEdgesFile reads an edge list file; see ReadEdges.
func ReadEdgesFile(path string, p int) (*Graph, error) {
	return text.ReadFile(path,
		func(r io.Reader, name string) (*Graph, error) { return ReadEdges(r, name, p) })
}

// ReadEdges reads a graph over p features from lines `i j [weight]`, possibly compressed.
// i and j are 1-based; the default weight is 1. Blank lines and comments, which begin
// with '#', are skipped. A file with only comments is a graph without edges; an empty
// file is an error. A Matrix Market file is read as the adjacency matrix of the graph, which
// must have p rows (see sparse.MatrixMarket and FromAdjacency). name is the name of the file in
// errors.
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

// readLines reads the lines of an edge list, a matrix file or a Matrix Market file, possibly compressed.
func readLines(r io.Reader, name string) (*coordinates.File, error) {
	data, err := sparse.ReadText(r, name)
	if err != nil {
		return nil, err
	}
	return coordinates.Parse(data, name, func(file string, line, column int, token, msg string) error {
		return &sparse.ParseError{
			File: file, Line: line, Column: column, Token: token, Number: true, Msg: msg,
		}
	})
}

func matrixOf(c *coordinates.File) (*sparse.CSR, error) {
	m, err := c.Matrix()
	if err != nil {
		return nil, err
	}
	return sparse.New(m.Rows, m.Cols, m.Ptr, m.Idx, m.Val)
}

// graphOf returns a graph over p features from the lines of an edge list, or from the
// adjacency matrix in a Matrix Market file.
func graphOf(c *coordinates.File, p int) (*Graph, error) {
	switch {
	case p < 1 || p > math.MaxInt32:
		return nil, errorf("%d features: want 1 to %d", p, math.MaxInt32)
	case c.Symmetry != "":
		return adjacencyOf(c, p)
	}
	g := &Graph{n: p}
	firstLine := make(map[[2]int32]int, len(c.Lines))
	for k, l := range c.Lines {
		if token, msg, remedies := lineProblem(l, p); msg != "" {
			err := c.ErrorAt(k, token, msg)
			if parse, ok := errors.AsType[*sparse.ParseError](err); ok {
				parse.Remedies = remedies
			}
			return nil, err
		}
		e := Edge{I: l.I - 1, J: l.J - 1, Weight: l.Value}
		if first, dup := firstLine[e.ends()]; dup {
			return nil, c.ErrorAt(k, 0,
				fmt.Sprintf("features %d and %d are joined already in line %d: expected each pair once",
					l.I, l.J, first))
		}
		g.edges = append(g.edges, e)
		firstLine[e.ends()] = l.Number
	}
	return g, nil
}

// lineProblem checks a line as an edge over p features. msg says what is wrong and is empty for a
// valid edge; token is the position of the wrong token, counted from 0; remedies belong to the error.
func lineProblem(l coordinates.Line, p int) (token int, msg string, remedies []sparse.Remedy) {
	switch {
	case l.Tokens < 2 || l.Tokens > 3:
		return min(l.Tokens-1, 3), fmt.Sprintf("the number of tokens is %d: expected an edge `i j [weight]`",
			l.Tokens), nil
	case l.I < 1 || int(l.I) > p:
		return featureProblem(0, l.I, p)
	case l.J < 1 || int(l.J) > p:
		return featureProblem(1, l.J, p)
	case l.I == l.J:
		return 1, fmt.Sprintf("node %d is joined to itself: expected two different nodes", l.I), nil
	case math.IsNaN(l.Value) || l.Value == 0:
		return 2, "expected a weight, a finite decimal number other than 0", nil
	}
	return 0, "", nil
}

// featureProblem returns the results of lineProblem for a token that is not a number in 1..p. token is its
// position, from 0. number is 0 if the token is not an integer from 1 to 2^31-1.
func featureProblem(token int, number int32, p int) (int, string, []sparse.Remedy) {
	var remedies []sparse.Remedy
	if number > 0 {
		remedies = []sparse.Remedy{{Field: "p", To: "a larger number", If: "the data has more features"}}
	}
	return token, fmt.Sprintf("expected a feature number in 1..%d", p), remedies
}

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
		return nil, featuresError(c.Name, fmt.Sprintf("a graph of %d nodes", g.n), g.n, p)
	}
	return g, nil
}

// FromAdjacency returns the graph of a symmetric matrix. It has an edge for every non-zero entry
// above the diagonal, with the value as weight, ordered by (I, J) with I < J. The diagonal is
// ignored. A matrix that is not square or not exactly symmetric is an error.
func FromAdjacency(a *sparse.CSR) (*Graph, error) {
	rows, cols := a.Dims()
	if rows != cols {
		return nil, errorf("adjacency matrix of %d rows and %d columns: want a square one", rows, cols)
	}
	g := &Graph{n: rows}
	for i := range rows {
		idx, val := a.Row(i)
		for k, j := range idx {
			w := a.At(int(j), i)
			if w != val[k] {
				return nil, errorf("adjacency matrix: entry (%d, %d) is %v but (%d, %d) is %v: want a symmetric matrix, or read it as a constraint matrix", i+1, j+1, val[k], j+1, i+1, w)
			}
			if int(j) > i && w != 0 {
				g.edges = append(g.edges, Edge{I: int32(i), J: j, Weight: w})
			}
		}
	}
	return g, nil
}

// Write writes a line of comment and then the graph in the format of ReadEdges. ReadEdges returns the
// same edges in the same order with the same bits. If the weight of the first edge is a whole number and at
// least the number of the other edges, Write adds a decimal point to this weight. Without the
// decimal point, ReadConstraint could read the first edge as the header of a matrix.
func (g *Graph) Write(w io.Writer) error {
	return text.Write(w, "graph", "writing edges", func(buf *bufio.Writer) error {
		fmt.Fprintf(buf, "# %d edges between %d features: i j weight\n", len(g.edges), g.n)
		var line []byte
		for k, e := range g.edges {
			line = text.AppendCoordinate(line[:0], int(e.I)+1, int(e.J)+1, e.Weight)
			if k == 0 && e.Weight >= float64(len(g.edges)-1) && !bytes.ContainsAny(line, ".e") {
				line = append(bytes.TrimSuffix(line, []byte("\n")), ".0\n"...)
			}
			buf.Write(line)
		}
		return nil
	})
}

// Kind says what a constraint file contains.
type Kind string

// The kinds of constraint files.
const (
	// Any detects the kind from the content.
	Any Kind = ""
	// EdgeList is an edge list; then A = [G; I] with the incidence matrix G of the graph.
	EdgeList Kind = "edges"
	// Matrix is a matrix file, which contains A.
	Matrix Kind = "matrix"
)

// Constraint is a constraint matrix A that was read from a file, and the kind of the file.
type Constraint struct {
	A     *sparse.CSR
	Kind  Kind   // EdgeList or Matrix
	Graph *Graph // the graph of an EdgeList, nil for a Matrix
}

// CutKind returns the kind in a prefix edges: or matrix: of a path, and the rest of the path. Without such a
// prefix, the kind is Any. (For a file whose name begins with edges: or matrix:, write ./ before the name.)
func CutKind(path string) (kind Kind, rest string) {
	for _, k := range []Kind{EdgeList, Matrix} {
		if rest, found := strings.CutPrefix(path, string(k)+":"); found {
			return k, rest
		}
	}
	return Any, path
}

// ReadConstraintFile reads a constraint over p features from a file. A prefix of the path gives the kind; see
// CutKind. Without a prefix ReadConstraint detects the kind.
func ReadConstraintFile(path string, p int) (*Constraint, error) {
	kind, path := CutKind(path)
	return text.ReadFile(path, func(r io.Reader, name string) (*Constraint, error) {
		return ReadConstraint(r, name, kind, p)
	})
}

// ReadConstraint reads an edge list (see ReadEdges) or a matrix file (see
// sparse.MatrixMarket) over p features, possibly compressed. A matrix must have p columns.
//
// A Matrix Market file is recognised by its first line. If kind is Any, it is the
// adjacency matrix of a graph if that line says symmetric, and A itself otherwise.
// Kind EdgeList reads every Matrix Market file as an adjacency matrix, kind Matrix as A.
//
// If kind is Any and the file is not a Matrix Market file, it is a matrix if its first line has
// three integers, the third integer is the number of the lines that follow, and all these lines
// are entries in range. Otherwise it is an edge list. Two files are refused as ambiguous: a matrix
// whose lines are all valid edges too (pairs given twice do not matter); and an edge list whose
// first line could be the header of a truncated matrix over p features.
//
// Errors in the text have the type *sparse.ParseError. If a file is neither kind, the
// error is about the kind that it resembles more.
func ReadConstraint(r io.Reader, name string, kind Kind, p int) (*Constraint, error) {
	if kind != Any && kind != EdgeList && kind != Matrix {
		return nil, errorf("constraint kind %q: want %q, %q or empty", kind, EdgeList, Matrix)
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
	return detectConstraint(c, p)
}

// detectConstraint is ReadConstraint for kind Any and a file that is not a Matrix Market file.
func detectConstraint(c *coordinates.File, p int) (*Constraint, error) {
	g, edgesErr := graphOf(c, p)
	entries, hasHeader := c.AnnouncedEntries()
	lines := int64(len(c.Lines)) - 1
	if hasHeader && entries > lines && int(c.Lines[0].J) == p && edgesErr == nil {
		return nil, &sparse.ParseError{File: c.Name, Line: c.Lines[0].Number, Msg: fmt.Sprintf(
			"this is an edge, or the first line of a matrix of %d columns with %d entries, and %d follow: give %s:%s if the lines are edges, or fetch the file again if it is a matrix",
			p, entries, lines, EdgeList, c.Name)}
	}
	if !hasHeader || entries != lines { // not a matrix
		if e, ok := errors.AsType[*sparse.ParseError](edgesErr); ok && hasHeader {
			e.Msg += fmt.Sprintf(" (read as an edge list, because the first line does not announce the %d lines that follow it, as a matrix file's would; %s:%s reads it as a matrix)", lines, Matrix, c.Name)
		}
		return edgeConstraint(g, edgesErr)
	}
	a, matrixErr := matrixOf(c)
	switch {
	case edgesErr != nil && (matrixErr != nil || !linesAreEdges(c, p)):
		return matrixConstraint(a, matrixErr, c.Name, p)
	case matrixErr != nil:
		return edgeConstraint(g, nil)
	}
	return nil, &sparse.ParseError{File: c.Name, Msg: fmt.Sprintf(
		"the file can be read as an edge list and as a matrix file: say which by %s:%s or %s:%s",
		EdgeList, c.Name, Matrix, c.Name)}
}

// linesAreEdges reports whether every line is a valid edge over p features by itself, so
// that the only possible error of the edge list is a pair given twice.
func linesAreEdges(c *coordinates.File, p int) bool {
	return !slices.ContainsFunc(c.Lines, func(l coordinates.Line) bool {
		_, msg, _ := lineProblem(l, p)
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
		return nil, featuresError(name, fmt.Sprintf("a matrix of %d columns", cols), cols, p)
	}
	return &Constraint{A: a, Kind: Matrix}, nil
}

// featuresError returns the error for a file that is for n features if the data have p. The argument
// content describes the content of the file.
func featuresError(name, content string, n, p int) error {
	remedy := sparse.Remedy{Field: "p", To: strconv.Itoa(n), If: fmt.Sprintf("the data has %d features", n)}
	return &sparse.ParseError{
		File:     name,
		Msg:      fmt.Sprintf("%s for data of %d features: expected as many", content, p),
		Remedies: []sparse.Remedy{remedy},
	}
}
