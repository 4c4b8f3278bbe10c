package sparse

import (
	"bytes"
	"math"
	"runtime"

	"github.com/scas-admm/scas/sparse/internal/coordinates"
	"github.com/scas-admm/scas/sparse/internal/text"
	"github.com/scas-admm/scas/sparse/pages"
)

// libsvmSettings holds the settings for parsing one text.
type libsvmSettings struct {
	name      string // name of the file in errors
	opt       *ReadOptions
	bias      int64            // column = index - bias
	maxIndex  int64            // largest valid index
	freeParts chan *libsvmPart // parts that are no longer needed; their slices are used again
}

// An indexRange describes the indices of a text or of a part of it.
type indexRange struct {
	Max  int64 `json:"max"`  // largest index, or -1 if there is none
	Zero bool  `json:"zero"` // whether index 0 occurs
	// AtEdge is the error about the first index equal to ReadOptions.Features. Such an index is too large
	// if indices count from 0, so AtEdge is returned if Zero is true.
	AtEdge *ParseError `json:"at_edge,omitempty"`
}

// A libsvmPart holds the rows of one block of whole lines. Its line numbers count from the beginning of the
// block, from 1. If bias is 1, an index 0 is stored as column -1.
type libsvmPart struct {
	*libsvmSettings
	indexRange
	line       int // number of the current line
	labels     labelCollector
	ends       []int64 // for each row, its end in idx and val
	idx        []int32
	val        []float64
	sortedRows int   // number of rows that had to be sorted
	bytes      int   // number of bytes of text
	err        error // the *ParseError that ended the block, or nil
}

// A libsvmParser joins the parts of a text in the order of the text.
type libsvmParser struct {
	libsvmSettings
	indexRange
	lines  int
	labels labelCollector
	rows   rows
	stats  ReadStats
	// textSize estimates the size of the text in bytes. It returns 0 if there is no estimate yet.
	textSize func() int64
}

func newLIBSVMParser(name string, opt *ReadOptions) *libsvmParser {
	p := &libsvmParser{
		libsvmSettings: libsvmSettings{
			name: name, opt: opt, bias: 1, maxIndex: math.MaxInt32,
			freeParts: make(chan *libsvmPart, runtime.GOMAXPROCS(0)),
		},
		indexRange: indexRange{Max: -1},
	}
	p.labels, p.rows.ptr = labelCollector{name: name, opt: opt}, []int64{0}
	if opt.IndexBase == ZeroBased {
		p.bias = 0
	}
	if opt.Features > 0 {
		p.maxIndex = min(p.maxIndex, int64(opt.Features)-1+p.bias)
	}
	return p
}

// eachPart parses a text on all processors. It calls take for the parts in the order of the text. The first
// error of take ends the reading.
func (p *libsvmParser) eachPart(input *decompressor, take func(part *libsvmPart) error) error {
	threads := runtime.GOMAXPROCS(0)
	parts := make(chan chan *libsvmPart, threads) // in the order of the text
	freeBuffers := make(chan []byte, 2*threads)
	stop, takeErr := make(chan struct{}), make(chan error)
	go func() {
		var err error
		for next := range parts {
			if part := <-next; err == nil {
				err = take(part)
				if err != nil {
					close(stop)
				}
			}
		}
		takeErr <- err
	}()
	first := true
	err := eachBlock(input, func(buf []byte, n int, _ bool) (usedBytes int, err error) {
		var b []byte
		select {
		case <-stop:
			return 0, errStopped
		case b = <-freeBuffers:
		default:
		}
		b = append(b[:0], buf[:n+text.Pad]...)
		next, isFirst := make(chan *libsvmPart, 1), first
		parts <- next
		first = false
		go func() {
			next <- p.parseBlock(b, n, isFirst)
			select {
			case freeBuffers <- b:
			default:
			}
		}()
		return n, nil
	})
	close(parts)
	if firstErr := <-takeErr; firstErr != nil {
		return firstErr
	}
	return err
}

var errStopped = errorf("reading was stopped")

// parseBlock parses b[:n], which contains whole lines. isFirst is true for the first block of the text.
// Several blocks may be parsed at the same time.
func (f *libsvmSettings) parseBlock(b []byte, n int, isFirst bool) *libsvmPart {
	entries := bytes.Count(b[:n], []byte{':'}) + 1
	lines := bytes.Count(b[:n], []byte{'\n'})
	old := &libsvmPart{}
	select {
	case old = <-f.freeParts:
	default:
	}
	p := &libsvmPart{
		libsvmSettings: f, indexRange: indexRange{Max: -1}, bytes: n,
		labels: labelCollector{name: f.name, opt: f.opt, labels: pages.Resize(old.labels.labels, lines)[:0]},
		ends:   pages.Resize(old.ends, lines)[:0], idx: pages.Resize(old.idx, entries)[:0],
		val: pages.Resize(old.val, entries)[:0],
	}
	i := 0
	if isFirst && bytes.HasPrefix(b[:n], []byte(byteOrderMark)) {
		i = len(byteOrderMark)
	}
	for i < n {
		p.line++
		end, err := p.parseRow(b, i)
		if err != nil {
			p.err = err
			break
		}
		i = end
	}
	return p
}

// addPart adds the rows of the next part.
func (p *libsvmParser) addPart(part *libsvmPart) error {
	if err := p.countPart(part); err != nil {
		return err
	}
	m := &p.rows
	firstEntry := int64(m.entryCount())
	for _, end := range part.ends {
		m.ptr = append(m.ptr, firstEntry+end)
	}
	p.labels.labels = append(p.labels.labels, part.labels.labels...)
	if m.addEntries(entries{part.idx, part.val}) {
		part.idx, part.val = nil, nil
	}
	select {
	case p.freeParts <- part:
	default:
	}
	if err := p.opt.checkMemory(p.name, m.peakBytes(), "the first %d lines", p.lines); err != nil {
		return err
	}
	m.expect(p.stats.Bytes, p.textSize(), p.opt)
	p.labels.labels = pages.Grow(p.labels.labels, cap(m.ptr)-len(m.ptr))
	return nil
}

// countPart returns an error if the labels of the next part are not allowed, or if the part has an error.
// Otherwise it updates the totals in p.
func (p *libsvmParser) countPart(part *libsvmPart) error {
	for _, k := range part.labels.kinds.list {
		k.line += p.lines
		if err := p.labels.count(k); err != nil {
			return err
		}
	}
	if part.err != nil {
		part.err.(*ParseError).Line += p.lines
		return part.err
	}
	if p.AtEdge == nil && part.AtEdge != nil {
		p.AtEdge = part.AtEdge
		p.AtEdge.Line += p.lines
	}
	p.lines += part.line
	p.Max, p.Zero = max(p.Max, part.Max), p.Zero || part.Zero
	p.stats.Rows += len(part.ends)
	p.stats.NNZ += int64(len(part.idx))
	p.stats.Bytes += int64(part.bytes)
	p.stats.SortedRows += part.sortedRows
	return nil
}

// parseRow parses the line at b[i] and returns the position after its line feed.
func (p *libsvmPart) parseRow(b []byte, i int) (int, error) {
	start := i
	i = skipBlanks(b, i)
	if b[i] == '\n' || b[i] == '#' {
		return lineEnd(b, i), nil
	}
	label, end, ok := text.Float(b, i)
	if !ok {
		return 0, p.labelError(b, start, i, end)
	}
	if err := p.labels.add(label, p.line, i-start+1); err != nil {
		// libsvmParser.countPart reports the error for this label again, with the line number in the file.
		p.labels.kinds.add(labelKind{label, 1, p.line, i - start + 1})
		return 0, err
	}
	firstEntry := len(p.idx)
	i, sorted, err := p.parseEntries(b, start, end)
	if err != nil {
		return 0, err
	}
	p.ends = append(p.ends, int64(len(p.idx)))
	if !sorted {
		p.sortedRows++
		if j, twice := coordinates.SortRow(p.idx[firstEntry:], p.val[firstEntry:]); twice {
			return 0, p.repeatedIndexError(b, start, int64(j)+p.bias)
		}
	}
	return lineEnd(b, i), nil
}

// parseEntries parses the index:value tokens from b[i] up to a comment or the end of the line. The line
// begins at b[start]. end is the position of the comment or of the line feed. sorted is true if the indices
// increase.
func (p *libsvmPart) parseEntries(b []byte, start, i int) (end int, sorted bool, err error) {
	room := min(cap(p.idx), cap(p.val))
	idx, val := p.idx[:room], p.val[:room]
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
			num, colon = parseLongIndex(b, i)
		}
		v, valueEnd, ok := 0.0, colon+2, false
		if b[colon] == ':' && colon > i {
			if digit := b[colon+1] - '0'; digit <= 9 && b[valueEnd] == ' ' { // a value of one digit
				v, ok = float64(digit), true
			} else {
				v, valueEnd, ok = text.Float(b, colon+1)
			}
		}
		j := int64(num)
		if !ok || j > p.maxIndex {
			if ok && p.opt.IgnoreBeyond && p.opt.Features > 0 {
				i = valueEnd
				continue
			}
			return 0, false, p.entryError(b, start, i)
		}
		if j <= prev {
			if p.opt.Strict {
				return 0, false, p.orderError(b, start, i, j, prev)
			}
			sorted = false
		}
		if j > p.Max || j == 0 {
			if err := p.recordExtreme(b, start, i, j); err != nil {
				return 0, false, err
			}
		}
		prev = j
		idx[k], val[k] = int32(j-p.bias), v
		k++
		i = valueEnd
	}
}

// recordExtreme records an index j that is 0 or larger than all indices before it. It returns an error if j
// is 0 but indices must count from 1.
func (p *libsvmPart) recordExtreme(b []byte, start, i int, j int64) error {
	p.Max = max(p.Max, j)
	if j == 0 {
		if p.opt.IndexBase == OneBased {
			return p.errorAt(b, start, i, "index 0, but indices count from 1: expected an index >= 1",
				zeroBased)
		}
		p.Zero = true
	}
	// An index j = Features is valid only if indices count from 1. If they turn out to count from 0, the
	// method columns returns AtEdge.
	if p.opt.Features > 0 && p.opt.IndexBase == AutoBase && j == p.maxIndex && p.AtEdge == nil {
		p.AtEdge = p.errorAt(b, start, i, "")
	}
	return nil
}

func (p *libsvmParser) finish() (*Dataset, error) {
	cols, err := p.columns()
	if err != nil {
		return nil, err
	}
	p.rows.joinEntries()
	if p.shifts() {
		for k := range p.rows.idx {
			p.rows.idx[k]++
		}
	}
	d := &Dataset{X: p.rows.matrix(cols), Stats: p.stats}
	if err := p.labels.assignLabels(d); err != nil {
		return nil, err
	}
	return d, nil
}

// columns determines the index base, and returns the number of columns.
func (p *libsvmParser) columns() (int, error) {
	if p.stats.Rows == 0 {
		msg := "the file is empty: expected lines `label index:value ...`"
		if p.stats.Bytes > 0 {
			msg = "the file has no samples, only blank lines or comments: expected lines `label index:value ...`"
		}
		return 0, &ParseError{File: p.name, Msg: msg}
	}
	p.stats.IndexBase = OneBased
	if p.bias == 0 || p.Zero {
		p.stats.IndexBase = ZeroBased
	}
	cols := p.opt.Features
	if p.stats.IndexBase == ZeroBased {
		if p.AtEdge != nil {
			p.AtEdge.Msg, p.AtEdge.Remedies = beyondMessage(ZeroBased, cols)
			if p.opt.IgnoreBeyond { // the entry was stored, because indices could still have counted from 1
				p.AtEdge.Remedies = []Remedy{zeroBased}
			}
			return 0, p.AtEdge
		}
		p.Max++
	}
	if cols == 0 {
		cols = int(max(p.Max, 0))
	}
	return cols, nil
}

// shifts reports whether 1 must be added to all stored columns, because indices turned out to count from 0.
func (p *libsvmParser) shifts() bool { return p.bias == 1 && p.stats.IndexBase == ZeroBased }

func skipBlanks(b []byte, i int) int {
	for b[i] == ' ' || (b[i] != '\n' && b[i] != '#' && text.IsSeparator(b[i])) {
		i++
	}
	return i
}

// lineEnd returns the position after the first line feed of b at or after i.
func lineEnd(b []byte, i int) int {
	for b[i] != '\n' {
		i++
	}
	return i + 1
}

// parseLongIndex reads an index of any length. A number that does not fit into 32 bits becomes the largest
// unsigned 32-bit number, which is no valid index.
func parseLongIndex(b []byte, i int) (num uint64, end int) {
	for '0' <= b[i] && b[i] <= '9' {
		num = min(num*10+uint64(b[i]-'0'), math.MaxUint32)
		i++
	}
	return num, i
}
