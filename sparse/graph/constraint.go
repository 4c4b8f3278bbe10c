package graph

import (
	"errors"
	"fmt"
	"io"
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
	return text.FromFile(path, func(r io.Reader, name string) (*Constraint, error) {
		return ReadConstraint(r, name, kind, p)
	})
}

// ReadConstraint reads an edge list (see ReadEdges) or a matrix file (see
// sparse.ReadMatrix) over p features, possibly compressed.
//
// Under kind Any a file is a matrix if it parses as one: three whole numbers
// first, the third of which is the number of lines that follow, all of them
// entries in range. A file that is a valid edge list as well (only tiny ones can
// be) is refused as ambiguous. A matrix must have p columns.
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
	c, err := sparse.ReadCoordinates(r, name)
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
		a, err := c.Matrix()
		return matrixConstraint(a, err, c.Name, p)
	}
	return foundOut(c, p)
}

// foundOut reads a file whose kind is not stated.
func foundOut(c *sparse.Coordinates, p int) (*Constraint, error) {
	g, edgesErr := graphOf(c, p)
	announced, headed := c.Announced()
	following := int64(len(c.Lines)) - 1
	if !headed || announced != following { // no matrix, whatever the entries are
		var e *sparse.ParseError
		if headed && errors.As(edgesErr, &e) {
			e.Msg += fmt.Sprintf(" (read as an edge list, because the first line does not announce the %d lines that follow it, as a matrix file's would; %s:%s reads it as a matrix)", following, Matrix, c.Name)
		}
		return edgeConstraint(g, edgesErr)
	}
	a, matrixErr := c.Matrix()
	switch {
	case edgesErr != nil:
		return matrixConstraint(a, matrixErr, c.Name, p)
	case matrixErr != nil:
		return edgeConstraint(g, nil)
	}
	return nil, &sparse.ParseError{File: c.Name, Msg: fmt.Sprintf(
		"the file can be read as an edge list and as a matrix file: say which by %s:%s or %s:%s", EdgeList, c.Name, Matrix, c.Name)}
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
