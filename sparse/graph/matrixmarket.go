package graph

import (
	"bytes"
	"cmp"
	"fmt"
	"io"
	"math"
	"os"
	"slices"
	"strings"

	"github.com/scas-admm/scas/sparse"
	"github.com/scas-admm/scas/sparse/internal/text"
)

// matrixMarketBanner is how every Matrix Market file begins.
const matrixMarketBanner = "%%MatrixMarket"

// ReadMatrixMarketFile reads a Matrix Market file; see ReadMatrixMarket.
func ReadMatrixMarketFile(path string) (*sparse.CSR, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("graph: %w", err)
	}
	defer f.Close()
	return ReadMatrixMarket(f, path)
}

// ReadMatrixMarket reads a matrix in the coordinate format of the Matrix Market
// (Boisvert, Pozo and Remington 1996), possibly compressed: fields real, integer
// and pattern (all values 1); symmetries general, symmetric and skew-symmetric,
// of which the file has one triangle and the result both. A repeated place, one
// out of range, a value that is not finite and a wrong number of entries are
// errors of type *sparse.ParseError, as are the formats array, complex and
// hermitian.
func ReadMatrixMarket(r io.Reader, name string) (*sparse.CSR, error) {
	data, _, err := sparse.ReadText(r, name)
	if err != nil {
		return nil, err
	}
	return parseMatrixMarket(data, name)
}

func isMatrixMarket(data []byte) bool {
	return len(data) >= len(matrixMarketBanner) && strings.EqualFold(string(data[:len(matrixMarketBanner)]), matrixMarketBanner)
}

// marketParser reads the text after the banner. Comments of the format start
// with %, and are turned into ours first.
type marketParser struct {
	name            string
	lines           *text.Lines
	field, symmetry string
	rows, cols      int64
	entries         []marketEntry
}

type marketEntry struct {
	row, col int32
	line     int
	value    float64
}

func parseMatrixMarket(data []byte, name string) (*sparse.CSR, error) {
	p := &marketParser{name: name}
	if err := p.banner(data); err != nil {
		return nil, err
	}
	data = bytes.Clone(data)
	for at := 0; at < len(data); at++ { // % at the start of a line, after blanks
		from := at
		for from < len(data) && (data[from] == ' ' || data[from] == '\t') {
			from++
		}
		if from < len(data) && data[from] == '%' {
			data[from] = '#'
		}
		end := bytes.IndexByte(data[at:], '\n')
		if end < 0 {
			break
		}
		at += end
	}
	p.lines = text.NewLines(data)
	announced, err := p.size()
	if err != nil {
		return nil, err
	}
	for p.lines.Next() {
		if int64(len(p.entries)) == announced {
			return nil, errorAt(p.lines, name, 0, fmt.Sprintf("more entries than the %d announced", announced))
		}
		if err := p.entry(); err != nil {
			return nil, err
		}
	}
	if n := int64(len(p.entries)); n < announced {
		return nil, &sparse.ParseError{File: name, Line: p.lines.Number, Msg: fmt.Sprintf("the file ends after %d entries: expected the %d announced", n, announced)}
	}
	return p.matrix()
}

// banner reads the first line.
func (p *marketParser) banner(data []byte) error {
	fail := func(token, msg string) error {
		return &sparse.ParseError{File: p.name, Line: 1, Token: token, Msg: msg}
	}
	line, _, _ := bytes.Cut(data, []byte("\n"))
	words := strings.Fields(strings.ToLower(string(line)))
	if !isMatrixMarket(data) || len(words) != 5 || words[1] != "matrix" {
		return fail("", "expected the line `%%MatrixMarket matrix coordinate FIELD SYMMETRY`")
	}
	if words[2] != "coordinate" {
		return fail(words[2], "expected format coordinate (convert the matrix: dense ones are read as tables of correlations only)")
	}
	if !slices.Contains([]string{"real", "integer", "pattern"}, words[3]) {
		return fail(words[3], "expected field real, integer or pattern")
	}
	if !slices.Contains([]string{"general", "symmetric", "skew-symmetric"}, words[4]) {
		return fail(words[4], "expected symmetry general, symmetric or skew-symmetric")
	}
	p.field, p.symmetry = words[3], words[4]
	return nil
}

// size reads the line `rows cols entries`.
func (p *marketParser) size() (announced int64, err error) {
	const want = "expected the size of the matrix, `rows cols entries`"
	if !p.lines.Next() {
		return 0, &sparse.ParseError{File: p.name, Msg: "the file ends after its head: " + want}
	}
	if n := len(p.lines.Fields); n != 3 {
		return 0, errorAt(p.lines, p.name, min(n-1, 3), fmt.Sprintf("%d tokens: %s", n, want))
	}
	for k, to := range []*int64{&p.rows, &p.cols, &announced} {
		v, ok := text.ParseInt(p.lines.Fields[k].Text)
		if !ok {
			return 0, errorAt(p.lines, p.name, k, want)
		}
		if v > math.MaxInt32 && k < 2 {
			return 0, errorAt(p.lines, p.name, k, fmt.Sprintf("too large: expected at most %d", math.MaxInt32))
		}
		*to = v
	}
	if p.symmetry != "general" && p.rows != p.cols {
		return 0, errorAt(p.lines, p.name, 1, fmt.Sprintf("%s, but %d x %d: expected a square matrix", p.symmetry, p.rows, p.cols))
	}
	// Row pointers take 8 bytes a row: a slip must not eat the machine.
	const alwaysFine, rowsPerEntry = 1 << 22, 64
	if p.rows > alwaysFine && p.rows/rowsPerEntry > announced {
		return 0, errorAt(p.lines, p.name, 0, fmt.Sprintf("%d rows for %d entries: expected at least one entry in %d rows", p.rows, announced, rowsPerEntry))
	}
	return announced, nil
}

func (p *marketParser) entry() error {
	fields, tokens := p.lines.Fields, 3
	if p.field == "pattern" {
		tokens = 2
	}
	if len(fields) != tokens {
		return errorAt(p.lines, p.name, min(len(fields)-1, tokens), fmt.Sprintf("%d tokens: expected %d, for an entry of a %s matrix", len(fields), tokens, p.field))
	}
	e := marketEntry{line: p.lines.Number, value: 1}
	for k, place := range []struct {
		to   *int32
		most int64
		what string
	}{{&e.row, p.rows, "row"}, {&e.col, p.cols, "column"}} {
		v, ok := text.ParseInt(fields[k].Text)
		if !ok || v < 1 || v > place.most {
			return errorAt(p.lines, p.name, k, fmt.Sprintf("expected a %s number in 1..%d", place.what, place.most))
		}
		*place.to = int32(v - 1)
	}
	switch {
	case p.symmetry != "general" && e.row < e.col:
		return errorAt(p.lines, p.name, 1, fmt.Sprintf("an entry above the diagonal of a %s matrix: expected the lower triangle only", p.symmetry))
	case p.symmetry == "skew-symmetric" && e.row == e.col:
		return errorAt(p.lines, p.name, 1, "an entry on the diagonal of a skew-symmetric matrix: expected none, they are 0")
	}
	if tokens == 3 {
		v, ok := text.ParseFloat(fields[2].Text)
		if !ok || p.field == "integer" && v != math.Trunc(v) {
			return errorAt(p.lines, p.name, 2, fmt.Sprintf("expected a finite number, field %s", p.field))
		}
		e.value = v
	}
	p.entries = append(p.entries, e)
	return nil
}

// matrix checks that no place occurs twice and fills in the other triangle.
func (p *marketParser) matrix() (*sparse.CSR, error) {
	slices.SortStableFunc(p.entries, func(a, b marketEntry) int {
		return cmp.Or(cmp.Compare(a.row, b.row), cmp.Compare(a.col, b.col))
	})
	entries := make([]sparse.Triplet, 0, 2*len(p.entries))
	for k, e := range p.entries {
		if k > 0 && e.row == p.entries[k-1].row && e.col == p.entries[k-1].col {
			return nil, &sparse.ParseError{File: p.name, Line: e.line, Msg: fmt.Sprintf(
				"a second entry at (%d, %d), after line %d: expected each place once", e.row+1, e.col+1, p.entries[k-1].line)}
		}
		entries = append(entries, sparse.Triplet{Row: int(e.row), Col: int(e.col), Value: e.value})
		if p.symmetry != "general" && e.row != e.col {
			v := e.value
			if p.symmetry == "skew-symmetric" {
				v = -v
			}
			entries = append(entries, sparse.Triplet{Row: int(e.col), Col: int(e.row), Value: v})
		}
	}
	return sparse.FromTriplets(int(p.rows), int(p.cols), entries)
}
