package rows

import "github.com/scas-admm/scas/sparse"

// rowBytes is the number of bytes of a row pointer and a label. entryBytes is the number of bytes of a column
// number and a value.
const rowBytes, entryBytes = 8 + 8, 4 + 8

// Windows divides the rows of a file into windows of consecutive rows. Most windows have about the same
// number of rows, but a window with too many bytes is halved, repeatedly if necessary.
type Windows struct {
	data   *sparse.CSR
	bounds []int // window k has rows bounds[k] to bounds[k+1]−1
}

// NewWindows divides mapped data into windows of about the given number of bytes. A window of several rows
// has at most twice this number.
func NewWindows(data *sparse.CSR, bytes int64) *Windows {
	n, _ := data.Dims()
	rows := max(1, int(float64(n)*float64(bytes)/float64(rowBytes*int64(n)+entryBytes*data.NNZ()+1)))
	w := &Windows{data: data, bounds: []int{0}}
	for lo := 0; lo < n; lo += rows {
		w.cut(lo, min(lo+rows, n), 2*bytes)
	}
	data.Release(0, n)
	return w
}

// cut divides rows lo to hi−1 into windows that have at most the given number of bytes, or one row.
func (w *Windows) cut(lo, hi int, maxBytes int64) {
	ptr := w.data.Rows(lo, hi).Ptr
	if hi-lo > 1 && entryBytes*(ptr[hi-lo]-ptr[0])+rowBytes*int64(hi-lo) > maxBytes {
		w.cut(lo, (lo+hi)/2, maxBytes)
		w.cut((lo+hi)/2, hi, maxBytes)
		return
	}
	w.bounds = append(w.bounds, hi)
}

// Count returns the number of windows.
func (w *Windows) Count() int { return len(w.bounds) - 1 }

// Range returns the rows of window k, which are lo to hi−1.
func (w *Windows) Range(k int) (lo, hi int) { return w.bounds[k], w.bounds[k+1] }

// Largest returns the largest number of rows of a window.
func (w *Windows) Largest() (rows int) {
	for k := range w.Count() {
		rows = max(rows, w.bounds[k+1]-w.bounds[k])
	}
	return rows
}

// Each calls do for each window in turn. The window has rows lo to hi−1. If do returns an error, Each returns
// this error and calls do no more. The operating system reads the next window while do works. After each
// call, the memory of the window is released.
func (w *Windows) Each(do func(lo, hi int) error) error {
	for k := range w.Count() {
		lo, hi := w.bounds[k], w.bounds[k+1]
		if k+2 < len(w.bounds) {
			w.data.Prefetch(hi, w.bounds[k+2])
		}
		err := do(lo, hi)
		w.data.Release(lo, hi)
		if err != nil {
			return err
		}
	}
	return nil
}

// EachPiece divides rows lo to hi−1 into count pieces, and calls do for each piece k, in parallel. threads is
// the argument of Threads.
func EachPiece(count, threads, lo, hi int, do func(k, lo, hi int)) {
	Spread(Threads(threads), count, func(k int) {
		do(k, lo+(hi-lo)*k/count, lo+(hi-lo)*(k+1)/count)
	})
}
