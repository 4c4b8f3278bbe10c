package sparse

import (
	"bytes"
	"cmp"
	"math"
	"slices"

	"github.com/scas-admm/scas/sparse/internal/text"
)

// libsvmParser collects rows. Columns are stored as index - bias; an index 0
// that turns up under bias 1 is stored as -1 and shifted in finish.
type libsvmParser struct {
	name   string
	opt    *ReadOptions
	bias   int64
	limit  int64 // largest index that can be right
	line   int   // of the row being parsed, 1-based
	max    int64 // largest index seen, -1 for none
	zero   bool  // index 0 was seen
	atEdge *ParseError
	labels labelCollector
	ptr    []int64
	idx    []int32
	val    []float64
	stats  ReadStats
}

func newLIBSVMParser(name string, opt *ReadOptions) *libsvmParser {
	p := &libsvmParser{name: name, opt: opt, bias: 1, limit: math.MaxInt32, max: -1, ptr: make([]int64, 1, 1024)}
	p.labels = labelCollector{name: name, opt: opt}
	if opt.IndexBase == ZeroBased {
		p.bias = 0
	}
	if opt.Features > 0 {
		p.limit = min(p.limit, int64(opt.Features)-1+p.bias)
	}
	return p
}

// block parses the whole lines b[:n].
func (p *libsvmParser) block(b []byte, n int) error {
	entries := n/4 + 1 // "1:1 " is the shortest way to write one
	if n > blockSize { // a long line may be blank
		entries = bytes.Count(b[:n], []byte{':'}) + 1
	}
	p.reserve(entries)
	i := 0
	if p.stats.Bytes == 0 && bytes.HasPrefix(b[:n], []byte(byteOrderMark)) {
		i = len(byteOrderMark)
	}
	for i < n {
		p.line++
		next, err := p.row(b, i)
		if err != nil {
			return err
		}
		i = next
	}
	p.stats.Bytes += int64(n)
	return nil
}

// reserve makes room for n more entries.
func (p *libsvmParser) reserve(n int) {
	if need := len(p.idx) + n; need > cap(p.idx) {
		room := max(need, cap(p.idx)+cap(p.idx)/2)
		p.idx = append(make([]int32, 0, room), p.idx...)
		p.val = append(make([]float64, 0, room), p.val...)
	}
}

// row parses the line at b[i] and returns the position after its line feed.
func (p *libsvmParser) row(b []byte, i int) (int, error) {
	start := i
	i = skipBlanks(b, i)
	if b[i] == '\n' || b[i] == '#' {
		return lineEnd(b, i), nil
	}
	label, end, ok := text.Float(b, i)
	if !ok {
		return 0, p.badLabel(b, start, i, end)
	}
	if err := p.labels.add(label, p.line, i-start+1); err != nil {
		return 0, err
	}
	first := len(p.idx)
	i, sorted, err := p.entries(b, start, end)
	if err != nil {
		return 0, err
	}
	p.ptr = append(p.ptr, int64(len(p.idx)))
	if !sorted {
		if err := p.sortRow(b, start, first); err != nil {
			return 0, err
		}
	}
	return lineEnd(b, i), nil
}

// entries parses the index:value tokens from b[i] to the end of the line or its
// comment, of the line that starts at b[start], and returns where it stopped and
// whether the indices increased. Room for them was made in block.
func (p *libsvmParser) entries(b []byte, start, i int) (end int, sorted bool, err error) {
	idx, val := p.idx[:cap(p.idx)], p.val[:cap(p.idx)]
	k, prev := len(p.idx), int64(-1)
	sorted = true
	for {
		i = skipBlanks(b, i)
		if b[i] == '\n' || b[i] == '#' {
			p.idx, p.val = idx[:k], val[:k]
			return i, sorted, nil
		}
		n, num := text.Digits(b, i)
		colon := i + n
		if n == 8 {
			num, colon = longIndex(b, i)
		}
		v, next, ok := 0.0, 0, false
		if b[colon] == ':' && colon > i {
			v, next, ok = text.Float(b, colon+1)
		}
		j := int64(num)
		if !ok || j > p.limit {
			return 0, false, p.badEntry(b, start, i)
		}
		if j <= prev {
			if p.opt.Strict {
				return 0, false, p.outOfOrder(b, start, i, j, prev)
			}
			sorted = false
		}
		if j > p.max || j == 0 {
			if err := p.newExtreme(b, start, i, j); err != nil {
				return 0, false, err
			}
		}
		prev = j
		idx[k], val[k] = int32(j-p.bias), v
		k++
		i = next
	}
}

// newExtreme handles an index 0 or one above all earlier ones.
func (p *libsvmParser) newExtreme(b []byte, start, i int, j int64) error {
	p.max = max(p.max, j)
	if j == 0 {
		if p.opt.IndexBase == OneBased {
			return p.errorAt(b, start, i, "index 0 in a file said to count from 1: expected indices >= 1 (or read it with index base 0)")
		}
		p.zero = true
	}
	// With p features stated and the base open, index p is right until an
	// index 0 turns up.
	if p.opt.Features > 0 && p.opt.IndexBase == AutoBase && j == p.limit && p.atEdge == nil {
		p.atEdge = p.errorAt(b, start, i, "")
	}
	return nil
}

func (p *libsvmParser) sortRow(b []byte, start, first int) error {
	p.stats.SortedRows++
	row := make([]Triplet, len(p.idx)-first)
	for k := range row {
		row[k] = Triplet{Col: int(p.idx[first+k]), Value: p.val[first+k]}
	}
	slices.SortStableFunc(row, func(a, b Triplet) int { return cmp.Compare(a.Col, b.Col) })
	for k, e := range row {
		if k > 0 && e.Col == row[k-1].Col {
			return p.repeated(b, start, int64(e.Col)+p.bias)
		}
		p.idx[first+k], p.val[first+k] = int32(e.Col), e.Value
	}
	return nil
}

// finish settles base, columns and labels.
func (p *libsvmParser) finish() (*Dataset, error) {
	p.stats.Rows, p.stats.NNZ = len(p.ptr)-1, p.ptr[len(p.ptr)-1]
	if p.stats.Rows == 0 {
		msg := "the file is empty: expected lines `label index:value ...`"
		if p.stats.Bytes > 0 {
			msg = "the file has no samples, only blank lines or comments: expected lines `label index:value ...`"
		}
		return nil, &ParseError{File: p.name, Msg: msg}
	}
	p.stats.IndexBase = OneBased
	if p.bias == 0 || p.zero {
		p.stats.IndexBase = ZeroBased
	}
	cols := p.opt.Features
	if p.stats.IndexBase == ZeroBased {
		if p.atEdge != nil {
			p.atEdge.Msg = beyondMessage(ZeroBased, cols)
			return nil, p.atEdge
		}
		if p.bias == 1 {
			for k := range p.idx {
				p.idx[k]++
			}
		}
		p.max++
	}
	if cols == 0 {
		cols = int(max(p.max, 0))
	}
	labels, mapping, err := p.labels.finish()
	if err != nil {
		return nil, err
	}
	x := &CSR{rows: p.stats.Rows, cols: cols, ptr: p.ptr, idx: trim(p.idx), val: trim(p.val)}
	return &Dataset{X: x, Labels: labels, Mapping: mapping, Stats: p.stats}, nil
}

// trim gives back the unused part of a slice when it is worth a copy.
func trim[T any](s []T) []T {
	if cap(s)-len(s) > len(s)/4 {
		return append(make([]T, 0, len(s)), s...)
	}
	return s[:len(s):len(s)]
}

func skipBlanks(b []byte, i int) int {
	for b[i] == ' ' || (b[i] != '\n' && b[i] != '#' && text.IsSeparator(b[i])) {
		i++
	}
	return i
}

// lineEnd returns the position after the next line feed.
func lineEnd(b []byte, i int) int {
	for b[i] != '\n' {
		i++
	}
	return i + 1
}

// longIndex reads an index of 8 or more digits. Values above 32 bits are capped
// so that they stay beyond every limit.
func longIndex(b []byte, i int) (num uint64, end int) {
	for '0' <= b[i] && b[i] <= '9' {
		num = min(num*10+uint64(b[i]-'0'), math.MaxUint32)
		i++
	}
	return num, i
}
