package main

import (
	"cmp"

	"github.com/scas-admm/scas/solver/internal/rows"
	"github.com/scas-admm/scas/sparse"
)

// windows returns a function that calls its argument do for each window of the rows, in order. A window has
// the rows lo to hi-1. In memory, one window has all rows.
//
// Out of core, the function checks each window before it calls do. It ends with the first error, or when
// e.ctx ends. A window, a copy of it and its scores then need at most about an eighth of the memory limit,
// which must not be 0.
func (v memorySize) windows(
	e *env, data *sparse.Dataset, outOfCore bool,
) func(do func(lo, hi int) error) error {
	n, _ := data.X.Dims()
	if !outOfCore {
		return func(do func(lo, hi int) error) error { return do(0, n) }
	}
	const largest, share = 64 << 20, 16
	limit, _ := v.limit()
	dataSize := float64(dataBytes(data))
	scoresPerRow := len(data.Classes.Values)
	if data.Signs { // there is one score for each row, and it needs little memory beside the row
		scoresPerRow = 0
	}
	scoresSize := float64(bytesOfScore * float64(scoresPerRow) * float64(n))
	windowBytes := min(largest, float64(limit)/share) * dataSize / (dataSize + scoresSize)
	return func(do func(lo, hi int) error) error {
		progress := e.progress // an interrupt sets the field to nil while this function runs
		return rows.NewWindows(data.X, int64(windowBytes)).Each(func(lo, hi int) error {
			err := data.X.Check(lo, hi)
			if err == nil {
				err = do(lo, hi)
			}
			if progress != nil {
				progress.showRows(hi, n)
			}
			return cmp.Or(err, e.ctx.Err())
		})
	}
}

// rowsOf returns the rows lo to hi-1 of data. If these are all rows, it returns data itself.
func rowsOf(data *sparse.Dataset, lo, hi int) (*sparse.Dataset, error) {
	if n, _ := data.X.Dims(); hi-lo == n {
		return data, nil
	}
	return data.SelectRows(sequence(lo, hi))
}

// sequence returns lo, lo+1, ..., hi-1.
func sequence(lo, hi int) []int {
	numbers := make([]int, hi-lo)
	for k := range numbers {
		numbers[k] = lo + k
	}
	return numbers
}
