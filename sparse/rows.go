package sparse

// rows are the rows of a matrix, as far as they have been read.
type rows struct {
	ptr []int64
	idx []int32 // of the entries since the last of full
	val []float64

	full   []entries // what comes before idx and val, until join
	before int       // how many entries that is
}

// entries are columns and values.
type entries struct {
	idx []int32
	val []float64
}

// reserve makes room for n more entries, without copying those that are there.
func (m *rows) reserve(n int) {
	const least, most = 1 << 12, 1 << 20
	if len(m.idx)+n <= cap(m.idx) {
		return
	}
	if len(m.idx) > 0 {
		m.full = append(m.full, entries{m.idx, m.val})
		m.before += len(m.idx)
	}
	room := max(n, least, min(m.before/4, most))
	m.idx, m.val = make([]int32, 0, room), make([]float64, 0, room)
}

// end ends a row.
func (m *rows) end() { m.ptr = append(m.ptr, int64(m.before+len(m.idx))) }

// join brings all entries into idx and val, which takes the memory of both.
func (m *rows) join() {
	if m.full == nil {
		return
	}
	all := append(m.full, entries{m.idx, m.val})
	total := m.before + len(m.idx)
	m.idx, m.val, m.full, m.before = make([]int32, 0, total), make([]float64, 0, total), nil, 0
	for _, part := range all {
		m.idx, m.val = append(m.idx, part.idx...), append(m.val, part.val...)
	}
}

// bytes is what the rows take, their labels included, and once more for join.
func (m *rows) bytes() int64 {
	return 2 * (rowBytes*int64(len(m.ptr)) + entryBytes*int64(m.before+len(m.idx)))
}

// matrix returns the matrix of the rows, which must be what New asks for.
func (m *rows) matrix(cols int) *CSR {
	return &CSR{rows: len(m.ptr) - 1, cols: cols, ptr: m.ptr, idx: trim(m.idx), val: trim(m.val)}
}

// trim gives back the unused part of a slice when it is worth a copy.
func trim[T any](s []T) []T {
	if cap(s)-len(s) > len(s)/4 {
		return append(make([]T, 0, len(s)), s...)
	}
	return s[:len(s):len(s)]
}
