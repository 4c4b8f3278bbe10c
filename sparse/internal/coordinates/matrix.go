package coordinates

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/scas-admm/scas/sparse/internal/text"
)

// A Matrix is a matrix in compressed sparse row format. Columns increase within each row,
// and values are finite.
type Matrix struct {
	Rows, Cols int
	Ptr        []int64
	Idx        []int32
	Val        []float64
}

// Matrix returns the matrix. The first of the Lines gives its size, all others its entries. Two entries at one
// place are an error.
func (c *File) Matrix() (*Matrix, error) {
	size, err := c.Size()
	if err != nil {
		return nil, err
	}
	if c.isArray {
		c.setPlaces(size)
	}
	announcedCount, entries := size[2], c.Lines[1:]
	for k, e := range entries {
		token, msg := c.checkEntry(e, size)
		if int64(k) == announcedCount {
			token, msg = 0, fmt.Sprintf("more entries than the %d announced in the header", announcedCount)
		}
		if msg != "" {
			return nil, c.ErrorAt(k+1, token, msg)
		}
	}
	if n := len(entries); int64(n) < announcedCount {
		return nil, c.newError(c.Name, c.Lines[n].Number, 0, "", fmt.Sprintf(
			"the file ends after %d entries: expected the %d announced in the header", n, announcedCount))
	}
	m, i, j, twice := NewMatrix(int(size[0]), int(size[1]), c.forEachEntry)
	if twice {
		return nil, c.repeatedEntryError(int32(i)+1, j+1)
	}
	return m, nil
}

// setPlaces assigns rows and columns to the values of a dense file, column by column. A symmetric file has
// only the lower triangle, a skew-symmetric file only the part below the diagonal. Values beyond the last
// column get a column out of range.
func (c *File) setPlaces(size [3]int64) {
	j := int64(1)
	firstRow := func() int64 {
		switch {
		case c.mirror > 0:
			return j
		case c.mirror < 0:
			return j + 1
		}
		return 1
	}
	i := firstRow()
	values := c.Lines[1:]
	for k := range values {
		values[k].I, values[k].J = int32(i), int32(j)
		for i++; i > size[0] && j <= size[1]; i = firstRow() {
			j++
		}
	}
}

// forEachEntry calls do for each entry of the matrix, with its row and its column counted from 0. The zeros of
// a dense file are no entries, except -0.
func (c *File) forEachEntry(do func(i int, j int32, v float64)) {
	for _, e := range c.Lines[1:] {
		if c.isArray && math.Float64bits(e.Value) == 0 {
			continue
		}
		do(int(e.I-1), e.J-1, e.Value)
		if c.mirror != 0 && e.I != e.J {
			do(int(e.J-1), e.I-1, float64(c.mirror*e.Value))
		}
	}
}

// NewMatrix returns a matrix with the given entries. forEachEntry must call do for each entry, in any order,
// with the row and the column counted from 0. NewMatrix calls forEachEntry twice. If two entries are at one
// place, twice is true, this place is row i and column j, and there is no matrix.
func NewMatrix(
	rows, cols int, forEachEntry func(do func(i int, j int32, v float64)),
) (m *Matrix, i int, j int32, twice bool) {
	m = &Matrix{Rows: rows, Cols: cols, Ptr: make([]int64, rows+1)}
	forEachEntry(func(i int, _ int32, _ float64) { m.Ptr[i+1]++ })
	for i := range rows {
		m.Ptr[i+1] += m.Ptr[i]
	}
	m.Idx, m.Val = make([]int32, m.Ptr[rows]), make([]float64, m.Ptr[rows])
	nextEntry := slices.Clone(m.Ptr[:rows])
	forEachEntry(func(i int, j int32, v float64) {
		m.Idx[nextEntry[i]], m.Val[nextEntry[i]] = j, v
		nextEntry[i]++
	})
	for i := range rows {
		if j, twice := SortRow(m.Idx[m.Ptr[i]:m.Ptr[i+1]], m.Val[m.Ptr[i]:m.Ptr[i+1]]); twice {
			return nil, i, j, true
		}
	}
	return m, 0, 0, false
}

// SortRow sorts the entries of a row by column. If a column occurs twice, twice is true, column is this
// column, and the row is not valid afterwards.
func SortRow(idx []int32, val []float64) (column int32, twice bool) {
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

// repeatedEntryError returns the error for two entries at one place. Row i and column j, counted from 1,
// are this place or, in a symmetric or skew-symmetric file, its mirror image.
func (c *File) repeatedEntryError(i, j int32) error {
	firstLine := 0
	for _, e := range c.Lines[1:] {
		if match := e.I == i && e.J == j || c.mirror != 0 && e.I == j && e.J == i; match && firstLine == 0 {
			firstLine = e.Number
		} else if match {
			return c.newError(c.Name, e.Number, 0, "", fmt.Sprintf(
				"a second entry at (%d, %d), after line %d: expected each place once", e.I, e.J, firstLine))
		}
	}
	panic("coordinates: no place comes twice")
}

// parseHeader parses the first of the Lines: the numbers of rows, of columns and, except in a dense file, of
// entries.
func (c *File) parseHeader() (size [3]int64, err error) {
	want := "expected the size of the matrix, `rows cols nnz`, three whole numbers"
	numberCount := 3
	if c.isArray {
		numberCount, want = 2, "expected the size of the matrix, `rows cols`, two whole numbers"
	}
	if len(c.Lines) == 0 {
		return size, c.newError(c.Name, 0, 0, "", "the file has nothing but comments: "+want)
	}
	if n := c.Lines[0].Tokens; n != numberCount {
		msg := fmt.Sprintf("the number of tokens is %d: %s", n, want)
		return size, c.ErrorAt(0, min(n-1, numberCount), msg)
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

// Size returns the numbers of rows, columns and entries that the first of the Lines gives. For a dense file
// it computes the number of entries from the other two. Numbers that are too large, and a symmetric or
// skew-symmetric matrix that is not square, are errors.
func (c *File) Size() (size [3]int64, err error) {
	size, err = c.parseHeader()
	if err != nil {
		return size, err
	}
	if k := slices.IndexFunc(size[:2], func(n int64) bool { return n > math.MaxInt32 }); k >= 0 {
		return size, c.ErrorAt(0, k, fmt.Sprintf("too large: expected at most %d", math.MaxInt32))
	}
	rows, cols, entries := size[0], size[1], size[2]
	if c.isArray {
		entries = rows * cols // below 2^62, so it does not overflow
		if c.mirror != 0 {
			entries = (entries + int64(c.mirror)*rows) / 2
		}
		size[2] = entries
	}
	if c.mirror != 0 && rows != cols {
		return size, c.ErrorAt(0, 1,
			fmt.Sprintf("%s, but %d x %d: expected a square matrix", c.Symmetry, rows, cols))
	}
	// Row pointers take 8 bytes for each row. A typing error in the header must not use up the memory of
	// the machine.
	const fewRows, rowsPerEntry = 1 << 22, 64
	if rows > fewRows && rows/rowsPerEntry > entries {
		return size, c.ErrorAt(0, 0,
			fmt.Sprintf("%d rows for %d entries: expected at least one entry in %d rows",
				rows, entries, rowsPerEntry))
	}
	return size, nil
}

// checkEntry returns what is wrong with an entry of a matrix of the given size, and the number of the wrong
// token, from 0. msg is empty for a valid entry.
func (c *File) checkEntry(e Line, size [3]int64) (token int, msg string) {
	tokenCount, valueToken, want := 3, 2, "an entry `i j value`"
	switch {
	case c.isArray:
		tokenCount, valueToken, want = 1, 0, "one value a line"
	case c.field == "pattern":
		tokenCount, want = 2, "an entry `i j` of a pattern"
	}
	switch {
	case e.Tokens != tokenCount:
		msg = fmt.Sprintf("the number of tokens is %d: expected %s", e.Tokens, want)
		return min(e.Tokens-1, tokenCount), msg
	case e.I < 1 || int64(e.I) > size[0]:
		return 0, fmt.Sprintf("expected a row number in 1..%d", size[0])
	case e.J < 1 || int64(e.J) > size[1]:
		return 1, fmt.Sprintf("expected a column number in 1..%d", size[1])
	case c.mirror != 0 && e.I < e.J:
		return 1, fmt.Sprintf("an entry above the diagonal of a %s matrix: expected the lower triangle only",
			c.Symmetry)
	case c.mirror < 0 && e.I == e.J:
		return 1, "an entry on the diagonal of a skew-symmetric matrix: expected none, they are 0"
	case math.IsNaN(e.Value):
		return valueToken, "expected a finite decimal number"
	case c.field == "integer" && e.Value != math.Trunc(e.Value):
		return valueToken, "expected a whole number: the field is integer"
	}
	return 0, ""
}
