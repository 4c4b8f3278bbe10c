package sparse

import (
	"bufio"
	"cmp"
	"fmt"
	"io"
	"math"
	"os"
	"slices"
	"strconv"

	"github.com/scas-admm/scas/sparse/internal/text"
)

// ReadMatrixFile reads a matrix file; see ReadMatrix.
func ReadMatrixFile(path string) (*CSR, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("sparse: %w", err)
	}
	defer f.Close()
	return ReadMatrix(f, path)
}

// ReadMatrix reads a matrix in coordinate text, possibly compressed: a first line
// `rows cols nnz`, then exactly nnz lines `i j value` with 1-based i and j, in any
// order. Blank lines and comments from '#' on are skipped. A repeated place, one
// out of range, a value that is not finite and a wrong number of lines are errors
// of type *ParseError.
func ReadMatrix(r io.Reader, name string) (*CSR, error) {
	data, _, err := ReadText(r, name)
	if err != nil {
		return nil, err
	}
	p := &matrixParser{name: name, lines: text.NewLines(data)}
	if err := p.header(); err != nil {
		return nil, err
	}
	// The header is not to be trusted with memory: an entry takes 6 bytes.
	p.entries = make([]placedEntry, 0, min(p.nnz, int64(len(data)/6+1)))
	for p.lines.Next() {
		if err := p.entry(); err != nil {
			return nil, err
		}
	}
	return p.finish()
}

type matrixParser struct {
	name       string
	lines      *text.Lines
	rows, cols int64
	nnz        int64
	entries    []placedEntry
}

// placedEntry is an entry with the line it came from.
type placedEntry struct {
	row, col int32
	value    float64
	line     int
}

func (p *matrixParser) errorAt(field int, msg string) error {
	f := p.lines.Fields[field]
	return &ParseError{File: p.name, Line: p.lines.Number, Column: f.Column, Token: f.Text, Msg: msg}
}

func (p *matrixParser) header() error {
	const want = "expected the matrix header `rows cols nnz`, three whole numbers"
	if !p.lines.Next() {
		return &ParseError{File: p.name, Msg: "the file is empty: " + want}
	}
	if n := len(p.lines.Fields); n != 3 {
		return p.errorAt(min(n-1, 3), fmt.Sprintf("%d tokens: %s", n, want))
	}
	for k, to := range []*int64{&p.rows, &p.cols, &p.nnz} {
		v, ok := text.ParseInt(p.lines.Fields[k].Text)
		if !ok {
			return p.errorAt(k, want)
		}
		if v > math.MaxInt32 && k < 2 {
			return p.errorAt(k, fmt.Sprintf("too large: at most %d", math.MaxInt32))
		}
		*to = v
	}
	// Row pointers take 8 bytes a row, entries or not; a slip in the header
	// must not eat the machine.
	const alwaysFine, rowsPerEntry = 1 << 22, 64
	if p.rows > alwaysFine && p.rows/rowsPerEntry > p.nnz {
		return p.errorAt(0, fmt.Sprintf("%d rows for %d entries: expected at least one entry in %d rows", p.rows, p.nnz, rowsPerEntry))
	}
	return nil
}

func (p *matrixParser) entry() error {
	const want = "expected an entry `i j value`"
	fields := p.lines.Fields
	if len(fields) != 3 {
		return p.errorAt(min(len(fields)-1, 3), fmt.Sprintf("%d tokens: %s", len(fields), want))
	}
	if int64(len(p.entries)) == p.nnz {
		return p.errorAt(0, fmt.Sprintf("more entries than the %d announced in the header", p.nnz))
	}
	i, ok := text.ParseInt(fields[0].Text)
	if !ok || i < 1 || i > p.rows {
		return p.errorAt(0, fmt.Sprintf("expected a row number in 1..%d", p.rows))
	}
	j, ok := text.ParseInt(fields[1].Text)
	if !ok || j < 1 || j > p.cols {
		return p.errorAt(1, fmt.Sprintf("expected a column number in 1..%d", p.cols))
	}
	v, ok := text.ParseFloat(fields[2].Text)
	if !ok {
		return p.errorAt(2, "expected a finite decimal number")
	}
	p.entries = append(p.entries, placedEntry{row: int32(i - 1), col: int32(j - 1), value: v, line: p.lines.Number})
	return nil
}

func (p *matrixParser) finish() (*CSR, error) {
	if n := int64(len(p.entries)); n < p.nnz {
		return nil, &ParseError{File: p.name, Line: p.lines.Number, Msg: fmt.Sprintf(
			"the file ends after %d entries: expected the %d announced in the header", n, p.nnz)}
	}
	slices.SortStableFunc(p.entries, func(a, b placedEntry) int {
		return cmp.Or(cmp.Compare(a.row, b.row), cmp.Compare(a.col, b.col))
	})
	a := &CSR{
		rows: int(p.rows), cols: int(p.cols),
		ptr: make([]int64, p.rows+1), idx: make([]int32, p.nnz), val: make([]float64, p.nnz),
	}
	for k, e := range p.entries {
		if k > 0 && e.row == p.entries[k-1].row && e.col == p.entries[k-1].col {
			return nil, &ParseError{File: p.name, Line: e.line, Msg: fmt.Sprintf(
				"a second entry at (%d, %d), after line %d: expected each place once", e.row+1, e.col+1, p.entries[k-1].line)}
		}
		a.idx[k], a.val[k] = e.col, e.value
		a.ptr[e.row+1]++
	}
	for i := range a.rows {
		a.ptr[i+1] += a.ptr[i]
	}
	return a, nil
}

// WriteMatrix writes a in the form ReadMatrix reads, in row order, values in the
// shortest form that reads back to the same bits.
func WriteMatrix(w io.Writer, a *CSR) error {
	bw := bufio.NewWriterSize(w, 1<<16)
	fmt.Fprintln(bw, a.rows, a.cols, a.NNZ())
	var line []byte
	for i := range a.rows {
		idx, val := a.Row(i)
		for k, j := range idx {
			line = strconv.AppendInt(line[:0], int64(i)+1, 10)
			line = append(line, ' ')
			line = strconv.AppendInt(line, int64(j)+1, 10)
			line = append(line, ' ')
			line = strconv.AppendFloat(line, val[k], 'g', -1, 64)
			line = append(line, '\n')
			bw.Write(line) // the first error sticks until Flush
		}
	}
	if err := bw.Flush(); err != nil {
		return fmt.Errorf("sparse: writing a matrix: %w", err)
	}
	return nil
}
