package graph

import (
	"fmt"
	"io"
	"strings"

	"github.com/scas-admm/scas/sparse"
	"github.com/scas-admm/scas/sparse/internal/text"
)

// ReadCovarianceFile reads a covariance file; see ReadCovariance.
func ReadCovarianceFile(path string) (*Covariance, error) { return text.FromFile(path, ReadCovariance) }

// ReadCovariance reads a covariance or correlation matrix as a table of numbers,
// one row per line, separated by blanks, commas or semicolons, possibly
// compressed. Blank lines and comments from '#' on are skipped; there is no
// header and there are no row names. Text that is not of this form is an error
// of type *sparse.ParseError, as is a matrix that NewCovariance refuses.
func ReadCovariance(r io.Reader, name string) (*Covariance, error) {
	data, _, err := sparse.ReadText(r, name)
	if err != nil {
		return nil, err
	}
	lines := text.NewLines(strings.NewReplacer(",", " ", ";", " ").Replace(string(data)))
	wrong := func(field int, msg string) error {
		f := lines.Fields[field]
		return &sparse.ParseError{File: name, Line: lines.Number, Column: f.Column, Token: f.Text, Msg: msg}
	}
	var values []float64
	n, rows := 0, 0
	for ; lines.Next(); rows++ {
		fields := lines.Fields
		if rows == 0 {
			n = len(fields)
		}
		switch {
		case rows == n:
			return nil, wrong(0, fmt.Sprintf("row %d of a matrix with %d columns: expected as many rows as columns", rows+1, n))
		case len(fields) != n:
			return nil, wrong(len(fields)-1, fmt.Sprintf("%d numbers: expected %d, as in the first row", len(fields), n))
		case n > maxDense:
			return nil, wrong(maxDense, fmt.Sprintf("%d columns: expected at most %d", n, maxDense))
		}
		for k, f := range fields {
			v, ok := text.ParseFloat(f.Text)
			if !ok {
				return nil, wrong(k, "expected a finite decimal number (and neither a header nor row names)")
			}
			values = append(values, v)
		}
	}
	if rows < n || n == 0 {
		return nil, &sparse.ParseError{File: name, Msg: fmt.Sprintf("%d rows of %d numbers: expected a square matrix", rows, n)}
	}
	c, err := NewCovariance(n, values)
	if err != nil {
		return nil, &sparse.ParseError{File: name, Msg: err.Error(), Err: err}
	}
	return c, nil
}
