package graph

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/scas-admm/scas/sparse"
	"github.com/scas-admm/scas/sparse/internal/text"
)

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
	f, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("graph: %w", err)
	}
	defer f.Close()
	return ReadConstraint(f, path, kind, p)
}

// ReadConstraint reads an edge list (see ReadEdges) or a matrix file (see
// sparse.ReadMatrix) over p features, possibly compressed.
//
// Under kind Any a file is a matrix if it parses as one: three whole numbers
// first, the third of which is the number of lines that follow, all of them
// entries in range. A file that is a valid edge list as well (only tiny ones can
// be) is refused as ambiguous. A matrix must have p columns.
//
// A Matrix Market file (see ReadMatrixMarket) is known by its first line. Under
// kind Any it is an adjacency matrix (see FromAdjacency) if that line says
// symmetric, and otherwise A itself; EdgeList and Matrix decide either way.
func ReadConstraint(r io.Reader, name string, kind Kind, p int) (*Constraint, error) {
	data, _, err := sparse.ReadText(r, name)
	if err != nil {
		return nil, err
	}
	switch kind {
	case Any, EdgeList, Matrix:
	default:
		return nil, fmt.Errorf("graph: constraint kind %q: want %q, %q or empty", kind, EdgeList, Matrix)
	}
	if isMatrixMarket(data) {
		return marketConstraint(data, name, kind, p)
	}
	switch kind {
	case EdgeList:
		return edgeConstraint(ReadEdges(bytes.NewReader(data), name, p))
	case Matrix:
		return matrixConstraint(data, name, p)
	}
	_, matrixErr := sparse.ReadMatrix(bytes.NewReader(data), name)
	g, edgesErr := ReadEdges(bytes.NewReader(data), name, p)
	switch {
	case matrixErr == nil && edgesErr == nil:
		return nil, &sparse.ParseError{File: name, Msg: fmt.Sprintf(
			"the file can be read as an edge list and as a matrix file: say which by %s:%s or %s:%s", EdgeList, name, Matrix, name)}
	case matrixErr == nil:
		return matrixConstraint(data, name, p)
	case edgesErr == nil:
		return edgeConstraint(g, nil)
	}
	return nil, closerError(data, name, edgesErr, matrixErr)
}

func edgeConstraint(g *Graph, err error) (*Constraint, error) {
	if err != nil {
		return nil, err
	}
	return &Constraint{A: g.FusedLasso(), Kind: EdgeList, Graph: g}, nil
}

// marketConstraint reads a Matrix Market file.
func marketConstraint(data []byte, name string, kind Kind, p int) (*Constraint, error) {
	parser := marketParser{name: name}
	if err := parser.banner(data); err != nil {
		return nil, err
	}
	a, err := parseMatrixMarket(data, name)
	if err != nil {
		return nil, err
	}
	if kind == Matrix || kind == Any && parser.symmetry != "symmetric" {
		return checkedMatrix(a, name, p)
	}
	g, err := FromAdjacency(a)
	if err != nil {
		return nil, &sparse.ParseError{File: name, Msg: err.Error(), Err: err}
	}
	if g.n != p {
		return nil, &sparse.ParseError{File: name, Msg: fmt.Sprintf(
			"a graph of %d nodes for data of %d features: expected as many (if the data has %d features, state it: --features %d)", g.n, p, g.n, g.n)}
	}
	return edgeConstraint(g, nil)
}

func matrixConstraint(data []byte, name string, p int) (*Constraint, error) {
	a, err := sparse.ReadMatrix(bytes.NewReader(data), name)
	if err != nil {
		return nil, err
	}
	return checkedMatrix(a, name, p)
}

func checkedMatrix(a *sparse.CSR, name string, p int) (*Constraint, error) {
	if _, cols := a.Dims(); cols != p {
		return nil, &sparse.ParseError{File: name, Msg: fmt.Sprintf(
			"a matrix of %d columns for data of %d features: expected as many (if the data has %d features, state it: --features %d)", cols, p, cols, cols)}
	}
	return &Constraint{A: a, Kind: Matrix}, nil
}

// closerError picks which of two failed readings to report: the matrix if the
// first line announces just as many entries as there are lines.
func closerError(data []byte, name string, edgesErr, matrixErr error) error {
	lines := text.NewLines(data)
	if !lines.Next() || len(lines.Fields) != 3 {
		return edgesErr
	}
	announced := int64(0)
	for _, f := range lines.Fields {
		v, ok := text.ParseInt(f.Text)
		if !ok {
			return edgesErr
		}
		announced = v
	}
	following := int64(0)
	for lines.Next() {
		following++
	}
	if announced == following {
		return matrixErr
	}
	var e *sparse.ParseError
	if errors.As(edgesErr, &e) {
		hinted := *e
		hinted.Msg += fmt.Sprintf(" (read as an edge list, because the first line does not announce the %d lines that follow it, as a matrix file's would; %s:%s reads it as a matrix)", following, Matrix, name)
		return &hinted
	}
	return edgesErr
}
