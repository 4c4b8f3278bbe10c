package sparse

import "runtime/debug"

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

// join brings all entries into idx and val, within the memory that opt allows.
func (m *rows) join(opt *ReadOptions) {
	if m.full == nil {
		return
	}
	all := append(m.full, entries{m.idx, m.val})
	total := m.before + len(m.idx)
	little, steps := opt.joinsInSteps(m.bytes()), len(all)/joinSteps+1
	m.idx, m.val, m.full, m.before = make([]int32, 0, total), make([]float64, 0, total), nil, 0
	for k, part := range all {
		m.idx, m.val = append(m.idx, part.idx...), append(m.val, part.val...)
		all[k] = entries{}
		if little && k%steps == 0 {
			debug.FreeOSMemory()
		}
	}
}

// joinSteps is how often memory of parts is given back while they are joined.
const joinSteps = 128

// joinsInSteps reports whether parts of so many bytes must be given back while they are
// joined, since Memory is too little for them and what they become.
func (o *ReadOptions) joinsInSteps(bytes int64) bool {
	return o.Memory > 0 && 2*bytes+o.Reserve > o.Memory
}

// bytes is what the rows take, their labels included.
func (m *rows) bytes() int64 {
	return rowBytes*int64(len(m.ptr)) + entryBytes*int64(m.before+len(m.idx))
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
