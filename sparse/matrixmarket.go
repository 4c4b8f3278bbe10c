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

// Matrix returns the matrix that the lines are, the first of them its size; see
// MatrixMarket for what is refused.
func (c *Coordinates) Matrix() (*CSR, error) {
	size, err := c.size()
	if err != nil {
		return nil, err
	}
	if c.array {
		if err := c.place(size); err != nil {
			return nil, err
		}
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
	return c.collect(int(size[0]), int(size[1]))
}

// place gives the values of a dense file their places, column by column: the lower
// triangle if there is symmetry, without the diagonal if that is of sign. Values too many
// have none.
func (c *Coordinates) place(size [3]int64) error {
	i, j := int64(1), int64(1)
	first := func() int64 {
		switch {
		case c.mirror > 0:
			return j
		case c.mirror < 0:
			return j + 1
		}
		return 1
	}
	i = first()
	for k := range c.Lines[1:] {
		e := &c.Lines[k+1]
		if e.Tokens != 1 {
			return c.ErrorAt(k+1, 1, fmt.Sprintf("%d tokens: expected one value a line", e.Tokens))
		}
		e.I, e.J = int32(i), int32(j)
		for i++; i > size[0] && j <= size[1]; i = first() {
			j++
		}
	}
	return nil
}

// collect makes the matrix of entries that are right, but for places that come twice.
func (c *Coordinates) collect(rows, cols int) (*CSR, error) {
	entries := c.Lines[1:]
	m := &CSR{rows: rows, cols: cols, ptr: make([]int64, rows+1)}
	count := func(e Coordinate, do func(i, j int32, v float64)) {
		do(e.I-1, e.J-1, e.Value)
		if c.mirror != 0 && e.I != e.J {
			do(e.J-1, e.I-1, float64(c.mirror*e.Value))
		}
	}
	for _, e := range entries {
		if c.stored(e) {
			count(e, func(i, _ int32, _ float64) { m.ptr[i+1]++ })
		}
	}
	for i := range rows {
		m.ptr[i+1] += m.ptr[i]
	}
	m.idx, m.val = make([]int32, m.ptr[rows]), make([]float64, m.ptr[rows])
	next := slices.Clone(m.ptr[:rows])
	for _, e := range entries {
		if c.stored(e) {
			count(e, func(i, j int32, v float64) {
				m.idx[next[i]], m.val[next[i]] = j, v
				next[i]++
			})
		}
	}
	for i := range rows {
		if j, twice := sortRow(m.idx[m.ptr[i]:m.ptr[i+1]], m.val[m.ptr[i]:m.ptr[i+1]]); twice {
			return nil, c.twice(int32(i)+1, j+1)
		}
	}
	return m, nil
}

// stored reports whether an entry is one of the matrix: in a dense file zeros are none.
func (c *Coordinates) stored(e Coordinate) bool { return !c.array || storable(e.Value) }

// storable reports whether a number of a dense table becomes an entry: not the zero
// without a sign.
func storable(v float64) bool { return math.Float64bits(v) != 0 }

// sortRow sorts the entries of a row by column, and returns a column that comes twice.
func sortRow(idx []int32, val []float64) (column int32, twice bool) {
	sorted := true
	for k := 1; k < len(idx); k++ {
		sorted = sorted && idx[k-1] < idx[k]
	}
	if sorted {
		return 0, false
	}
	type entry struct {
		j int32
		v float64
	}
	row := make([]entry, len(idx))
	for k, j := range idx {
		row[k] = entry{j, val[k]}
	}
	slices.SortStableFunc(row, func(a, b entry) int { return cmp.Compare(a.j, b.j) })
	for k, e := range row {
		if k > 0 && e.j == row[k-1].j {
			return e.j, true
		}
		idx[k], val[k] = e.j, e.v
	}
	return 0, false
}

// twice reports the second entry at a place, or at its mirror image.
func (c *Coordinates) twice(i, j int32) error {
	first := 0
	for _, e := range c.Lines[1:] {
		if here := e.I == i && e.J == j || c.mirror != 0 && e.I == j && e.J == i; here && first == 0 {
			first = e.Line
		} else if here {
			return &ParseError{File: c.Name, Line: e.Line, Msg: fmt.Sprintf(
				"a second entry at (%d, %d), after line %d: expected each place once", e.I, e.J, first)}
		}
	}
	panic("sparse: no place comes twice")
}

// header reads the first line: rows, columns and entries.
func (c *Coordinates) header() (size [3]int64, err error) {
	want := "expected the size of the matrix, `rows cols nnz`, three whole numbers"
	numbers := 3
	if c.array {
		numbers, want = 2, "expected the size of the matrix, `rows cols`, two whole numbers"
	}
	if len(c.Lines) == 0 {
		return size, &ParseError{File: c.Name, Msg: "the file has nothing but comments: " + want}
	}
	if n := c.Lines[0].Tokens; n != numbers {
		return size, c.ErrorAt(0, min(n-1, numbers), fmt.Sprintf("%d tokens: %s", n, want))
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
	if c.array {
		entries = rows * cols // below 2^62
		if c.mirror != 0 {
			entries = (entries + int64(c.mirror)*rows) / 2
		}
		size[2] = entries
	}
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
	value := 2
	if c.array {
		tokens, value = 1, 0
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
		return value, "expected a finite decimal number"
	case c.field == "integer" && e.Value != math.Trunc(e.Value):
		return value, "expected a whole number: the field is integer"
	}
	return 0, ""
}

func readMatrixMarket(r io.Reader, name string, opt *ReadOptions) (*Dataset, error) {
	c, stats, err := readCoordinates(r, name, opt)
	if err != nil {
		return nil, err
	}
	size, err := c.size()
	if err == nil {
		err = opt.allow(name, 2*8*size[0]+2*entryBytes*int64(len(c.Lines)), "%d rows", size[0])
	}
	if err != nil {
		return nil, err
	}
	x, err := c.Matrix()
	if err == nil {
		x, err = widen(name, x, opt)
	}
	if err != nil {
		return nil, err
	}
	d := &Dataset{X: x, Stats: stats}
	d.Stats.Rows, d.Stats.NNZ, d.Stats.IndexBase = x.rows, x.NNZ(), OneBased
	if x.rows == 0 {
		return nil, &ParseError{File: name, Msg: "a matrix without rows: expected one for every sample"}
	}
	return d, d.labelled(name, nil, opt)
}

func writeMatrixMarket(w io.Writer, d *Dataset) error {
	return writeMatrix(w, "%%MatrixMarket matrix coordinate real general\n", d.X)
}

// WriteTo writes the matrix as coordinate text, which reads back in the form MatrixMarket: a
// line `rows cols nnz`, and a line `i j value` for each stored entry, in row order. Values are
// written in the shortest form that reads back to the same bits.
func (a *CSR) WriteTo(w io.Writer) (n int64, err error) {
	count := &countingWriter{w: w}
	err = writeMatrix(count, "", a)
	return count.n, err
}

type countingWriter struct {
	w io.Writer
	n int64
}

func (c *countingWriter) Write(b []byte) (int, error) {
	n, err := c.w.Write(b)
	c.n += int64(n)
	return n, err
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
