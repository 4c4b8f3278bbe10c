package sparse

import "github.com/scas-admm/scas/sparse/pages"

// rows holds the rows of a matrix that is being read.
type rows struct {
	ptr       []int64   // 0, then the end of each row
	full      []entries // the first entries, in slices to which no more entries are added
	fullCount int       // number of entries in full
	idx       []int32   // columns of the entries that are not in full
	val       []float64 // values of the entries that are not in full
	rowRoom   int       // length of ptr for which expect has made room; 0 if it has made none
}

type entries struct {
	idx []int32
	val []float64
}

// reserve allocates memory for n more entries, without copying entries.
func (m *rows) reserve(n int) {
	const minSize, maxSize = 1 << 12, 1 << 20
	if len(m.idx)+n <= cap(m.idx) {
		return
	}
	if len(m.idx) > 0 {
		m.full = append(m.full, entries{m.idx, m.val})
		m.fullCount += len(m.idx)
	}
	size := max(n, minSize, min(m.fullCount/4, maxSize))
	m.idx, m.val = pages.Make[int32](size)[:0], pages.Make[float64](size)[:0]
}

// addEntries adds entries. If expect has not made room yet, addEntries does not copy them. Then m keeps the slices of
// e, and kept is true.
func (m *rows) addEntries(e entries) (kept bool) {
	if m.rowRoom == 0 && len(m.idx) == 0 {
		m.full = append(m.full, e)
		m.fullCount += len(e.idx)
		return true
	}
	m.reserve(len(e.idx))
	m.idx, m.val = append(m.idx, e.idx...), append(m.val, e.val...)
	return false
}

func (m *rows) endRow() { m.ptr = append(m.ptr, int64(m.entryCount())) }

// expect makes room for the rows of a whole text, once. It estimates their number from textSize, an estimate of
// the size of the text, and from the present rows, which are the first textBytes bytes of the text. It does
// nothing if textSize is 0 or there are no entries yet.
//
// If there are more rows than expected, reserve makes more room. The estimate may also be much too large. So
// expect does nothing if the rows would need more memory than opt allows or, if opt has no limit, more than
// 4 GiB.
func (m *rows) expect(textBytes, textSize int64, opt *ReadOptions) {
	const (
		spare    = 1.1 // the rest of the text may have longer rows
		mostRoom = 4 << 30
	)
	rowCount, entryCount := len(m.ptr)-1, m.entryCount()
	if m.rowRoom > 0 || textSize <= 0 || entryCount == 0 {
		return
	}
	multiple := 1 + float64(spare*max(0, float64(textSize-textBytes)/float64(textBytes)))
	neededBytes := int64(min(1<<62, multiple*float64(rowBytes*rowCount+entryBytes*entryCount)))
	if opt.exceededBy(neededBytes) || opt.Memory == 0 && neededBytes > mostRoom {
		return
	}
	m.rowRoom = int(multiple*float64(rowCount)) + 1
	m.ptr = pages.Grow(m.ptr, m.rowRoom-len(m.ptr))
	m.moveEntries(int(multiple * float64(entryCount)))
}

func (m *rows) entryCount() int { return m.fullCount + len(m.idx) }

// joinEntries moves all entries into idx and val. Unless they are there already, this needs twice their
// memory.
func (m *rows) joinEntries() {
	if m.full != nil {
		m.moveEntries(m.entryCount())
	}
}

// moveEntries moves all entries into new slices idx and val, which have room for the given number of entries.
func (m *rows) moveEntries(room int) {
	lists := append(m.full, entries{m.idx, m.val})
	m.idx, m.val, m.full, m.fullCount = pages.Make[int32](room)[:0], pages.Make[float64](room)[:0], nil, 0
	for _, list := range lists {
		m.idx, m.val = append(m.idx, list.idx...), append(m.val, list.val...)
	}
}

// dropEntries drops the entries of a column. Call joinEntries first.
func (m *rows) dropEntries(column int32) {
	keptCount, start := 0, int64(0)
	for i, end := range m.ptr[1:] {
		for k := start; k < end; k++ {
			if m.idx[k] != column {
				m.idx[keptCount], m.val[keptCount] = m.idx[k], m.val[k]
				keptCount++
			}
		}
		start, m.ptr[i+1] = end, int64(keptCount)
	}
	m.idx, m.val = m.idx[:keptCount], m.val[:keptCount]
}

// peakBytes returns an upper bound of the memory of the rows and their labels. Row pointers and labels count once if
// they fit into the room that expect has made. Otherwise they count twice: when they grow, append copies them.
// Entries count once if expect has made room for them. Otherwise they count twice, because joinEntries copies them.
func (m *rows) peakBytes() int64 {
	rowCopies, entryCopies := int64(1), int64(1)
	if len(m.ptr) > m.rowRoom {
		rowCopies = 2
	}
	if m.full != nil || m.rowRoom == 0 {
		entryCopies = 2
	}
	return rowCopies*rowBytes*int64(len(m.ptr)) + entryCopies*entryBytes*int64(m.entryCount())
}

// matrix returns the rows as a matrix. The rows must be valid, as described at New. Call joinEntries first.
func (m *rows) matrix(cols int) *CSR {
	return &CSR{rows: len(m.ptr) - 1, cols: cols, ptr: m.ptr, idx: trim(m.idx), val: trim(m.val)}
}

// trim returns s, or a copy of s if its unused capacity is more than half its length.
func trim[T any](s []T) []T {
	if cap(s)-len(s) > len(s)/2 {
		return append(make([]T, 0, len(s)), s...)
	}
	return s[:len(s):len(s)]
}
