package sparse

// rows are the rows of a matrix, as far as they have been read.
type rows struct {
	ptr []int64
	idx []int32
	val []float64
}

// reserve makes room for n more entries.
func (m *rows) reserve(n int) {
	if need := len(m.idx) + n; need > cap(m.idx) {
		room := max(need, cap(m.idx)+cap(m.idx)/2)
		m.idx = append(make([]int32, 0, room), m.idx...)
		m.val = append(make([]float64, 0, room), m.val...)
	}
}

// end ends a row.
func (m *rows) end() { m.ptr = append(m.ptr, int64(len(m.idx))) }

// bytes is what the rows take, their labels included.
func (m *rows) bytes() int64 { return rowBytes*int64(len(m.ptr)) + entryBytes*int64(len(m.idx)) }

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
