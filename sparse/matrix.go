package sparse

import (
	"bufio"
	"cmp"
	"fmt"
	"io"
	"math"
	"slices"

	"github.com/scas-admm/scas/sparse/internal/text"
)

// ReadMatrixFile reads a matrix file; see ReadMatrix.
func ReadMatrixFile(path string) (*CSR, error) { return text.FromFile(path, ReadMatrix) }

// ReadMatrix reads a matrix in coordinate text, possibly compressed: a first line
// `rows cols nnz`, then exactly nnz lines `i j value` with 1-based i and j, in any
// order. Blank lines and comments from '#' on are skipped.
//
// Below a first line %%MatrixMarket it is read as a file of the Matrix Market
// (Boisvert, Pozo and Remington 1996): fields real, integer and pattern (all values
// 1); symmetries general, symmetric and skew-symmetric, of which the file has one
// triangle and the result both.
//
// A repeated place, one out of range, a value that is not finite, a wrong number of
// lines and other forms of the Matrix Market are errors of type *ParseError.
func ReadMatrix(r io.Reader, name string) (*CSR, error) {
	c, err := ReadCoordinates(r, name)
	if err != nil {
		return nil, err
	}
	return c.Matrix()
}

// Matrix returns the matrix that the lines are, the first of them its size; see
// ReadMatrix for what is refused.
func (c *Coordinates) Matrix() (*CSR, error) {
	size, err := c.size()
	if err != nil {
		return nil, err
	}
	announced, entries := size[2], c.Lines[1:]
	for k, e := range entries {
		token, msg := c.wrongEntry(e, size)
		if int64(k) == announced {
			token, msg = 0, fmt.Sprintf("more entries than the %d announced in the header", announced)
		}
		if msg != "" {
			return nil, c.ErrorAt(k+1, token, msg)
		}
	}
	if n := len(entries); int64(n) < announced {
		return nil, &ParseError{File: c.Name, Line: c.Lines[n].Line, Msg: fmt.Sprintf(
			"the file ends after %d entries: expected the %d announced in the header", n, announced)}
	}
	entries = slices.Clone(entries)
	slices.SortStableFunc(entries, func(a, b Coordinate) int { return cmp.Or(cmp.Compare(a.I, b.I), cmp.Compare(a.J, b.J)) })
	triplets := make([]Triplet, 0, len(entries))
	for k, e := range entries {
		if k > 0 && e.I == entries[k-1].I && e.J == entries[k-1].J {
			return nil, &ParseError{File: c.Name, Line: e.Line, Msg: fmt.Sprintf(
				"a second entry at (%d, %d), after line %d: expected each place once", e.I, e.J, entries[k-1].Line)}
		}
		t := Triplet{Row: int(e.I) - 1, Col: int(e.J) - 1, Value: e.Value}
		triplets = append(triplets, t)
		if c.mirror != 0 && t.Row != t.Col {
			triplets = append(triplets, Triplet{Row: t.Col, Col: t.Row, Value: c.mirror * t.Value})
		}
	}
	return FromTriplets(int(size[0]), int(size[1]), triplets)
}

// header reads the first line: rows, columns and entries.
func (c *Coordinates) header() (size [3]int64, err error) {
	const want = "expected the size of the matrix, `rows cols nnz`, three whole numbers"
	if len(c.Lines) == 0 {
		return size, &ParseError{File: c.Name, Msg: "the file has nothing but comments: " + want}
	}
	if n := c.Lines[0].Tokens; n != 3 {
		return size, c.ErrorAt(0, min(n-1, 3), fmt.Sprintf("%d tokens: %s", n, want))
	}
	for k, f := range c.fields(0) {
		v, ok := text.ParseInt(f.Text)
		if !ok {
			return size, c.ErrorAt(0, k, want)
		}
		size[k] = v
	}
	return size, nil
}

// size is the header of a matrix that can be.
func (c *Coordinates) size() (size [3]int64, err error) {
	if size, err = c.header(); err != nil {
		return size, err
	}
	if k := slices.IndexFunc(size[:2], func(n int64) bool { return n > math.MaxInt32 }); k >= 0 {
		return size, c.ErrorAt(0, k, fmt.Sprintf("too large: expected at most %d", math.MaxInt32))
	}
	rows, cols, entries := size[0], size[1], size[2]
	if c.mirror != 0 && rows != cols {
		return size, c.ErrorAt(0, 1, fmt.Sprintf("%s, but %d x %d: expected a square matrix", c.Symmetry, rows, cols))
	}
	// Row pointers take 8 bytes a row, entries or not; a slip in the header
	// must not eat the machine.
	const alwaysFine, rowsPerEntry = 1 << 22, 64
	if rows > alwaysFine && rows/rowsPerEntry > entries {
		return size, c.ErrorAt(0, 0, fmt.Sprintf("%d rows for %d entries: expected at least one entry in %d rows", rows, entries, rowsPerEntry))
	}
	return size, nil
}

// wrongEntry says what is wrong with an entry of a matrix of that size, and with
// which of its tokens, or nothing.
func (c *Coordinates) wrongEntry(e Coordinate, size [3]int64) (token int, msg string) {
	tokens, form := 3, "`i j value`"
	if c.field == "pattern" {
		tokens, form = 2, "`i j` of a pattern"
	}
	switch {
	case e.Tokens != tokens:
		return min(e.Tokens-1, tokens), fmt.Sprintf("%d tokens: expected an entry %s", e.Tokens, form)
	case e.I < 1 || int64(e.I) > size[0]:
		return 0, fmt.Sprintf("expected a row number in 1..%d", size[0])
	case e.J < 1 || int64(e.J) > size[1]:
		return 1, fmt.Sprintf("expected a column number in 1..%d", size[1])
	case c.mirror != 0 && e.I < e.J:
		return 1, fmt.Sprintf("an entry above the diagonal of a %s matrix: expected the lower triangle only", c.Symmetry)
	case c.mirror < 0 && e.I == e.J:
		return 1, "an entry on the diagonal of a skew-symmetric matrix: expected none, they are 0"
	case math.IsNaN(e.Value):
		return 2, "expected a finite decimal number"
	case c.field == "integer" && e.Value != math.Trunc(e.Value):
		return 2, "expected a whole number: the field is integer"
	}
	return 0, ""
}

// WriteMatrix writes a in the form ReadMatrix reads, in row order, values in the
// shortest form that reads back to the same bits. Zeros are written if stored.
func WriteMatrix(w io.Writer, a *CSR) error { return writeMatrix(w, "", a) }

// WriteMatrixMarket writes a in the coordinate format of the Matrix Market, as real
// general; else it is like WriteMatrix.
func WriteMatrixMarket(w io.Writer, a *CSR) error {
	return writeMatrix(w, "%%MatrixMarket matrix coordinate real general\n", a)
}

func writeMatrix(w io.Writer, head string, a *CSR) error {
	return text.Write(w, "sparse: writing a matrix", func(to *bufio.Writer) {
		fmt.Fprintf(to, "%s%d %d %d\n", head, a.rows, a.cols, a.NNZ())
		var line []byte
		for i := range a.rows {
			idx, val := a.Row(i)
			for k, j := range idx {
				line = text.AppendCoordinate(line[:0], i+1, int(j)+1, val[k])
				to.Write(line)
			}
		}
	})
}
