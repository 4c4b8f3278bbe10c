package rows

import "github.com/scas-admm/scas/sparse"

// rowBytes and entryBytes are what a row, with its label, and an entry take.
const rowBytes, entryBytes = 8 + 8, 4 + 8

// Windows are runs of consecutive rows, cut by their number and halved where they are too
// large: to find where a number of entries ends would touch pages all over the file.
type Windows struct {
	data   *sparse.CSR
	bounds []int // window k has rows bounds[k] to bounds[k+1]−1
}

// NewWindows cuts mapped data into windows of about so many bytes.
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

// cut adds the rows from lo to hi−1 in windows of at most so many bytes, or a row.
func (w *Windows) cut(lo, hi int, most int64) {
	ptr := w.data.Rows(lo, hi).Ptr
	if hi-lo > 1 && entryBytes*(ptr[hi-lo]-ptr[0])+rowBytes*int64(hi-lo) > most {
		w.cut(lo, (lo+hi)/2, most)
		w.cut((lo+hi)/2, hi, most)
		return
	}
	w.bounds = append(w.bounds, hi)
}

// Count returns the number of windows.
func (w *Windows) Count() int { return len(w.bounds) - 1 }

// Range returns where a window begins and ends.
func (w *Windows) Range(k int) (lo, hi int) { return w.bounds[k], w.bounds[k+1] }

// Data are those that were cut.
func (w *Windows) Data() *sparse.CSR { return w.data }

// Largest returns the most rows of a window.
func (w *Windows) Largest() (rows int) {
	for k := range w.Count() {
		rows = max(rows, w.bounds[k+1]-w.bounds[k])
	}
	return rows
}

// Each calls do for one window after the other. The next one is being read meanwhile, and
// the last one leaves memory.
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

// Pieces calls do for so many parts of the rows from lo to hi−1, on that many goroutines.
func Pieces(count, threads, lo, hi int, do func(k, lo, hi int)) {
	Spread(Threads(threads), count, func(k int) {
		do(k, lo+(hi-lo)*k/count, lo+(hi-lo)*(k+1)/count)
	})
}
