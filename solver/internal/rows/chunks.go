package rows

import (
	"runtime"
	"sort"
	"sync/atomic"

	"github.com/scas-admm/scas/sparse"
	"github.com/scas-admm/scas/sparse/faults"
)

// Chunks divides the rows of the data into chunks, which depend only on the data. Sums
// are computed for each chunk and then added in order, so that their bits do not depend
// on the number of threads.
type Chunks struct {
	bounds  []int // chunk k has rows bounds[k] to bounds[k+1]−1
	threads int
}

// NewChunks returns chunks that are large enough that their work outweighs clearing and
// adding a vector with an entry per column. threads bounds the goroutines; zero means
// GOMAXPROCS.
func NewChunks(x *sparse.CSR, threads int) Chunks {
	n, cols := x.Dims()
	nnz := x.NNZ()
	return Cut(x.Rows(0, n).Ptr, int(max(1, min(16, nnz/max(1<<17, 16*int64(cols))))), threads)
}

// maxThreads is the largest number of goroutines that have their own scratch memory.
const maxThreads = 1024

// Threads returns the number of goroutines to use if the user asked for the given number;
// 0 means GOMAXPROCS.
func Threads(asked int) int {
	if asked == 0 {
		return runtime.GOMAXPROCS(0)
	}
	return min(asked, maxThreads)
}

// Cut returns the given number of chunks with about equal numbers of nonzeros, given the row
// pointers, of which the first is 0.
func Cut(ptr []int64, chunks, threads int) Chunks {
	n := len(ptr) - 1
	nnz := ptr[n]
	c := Chunks{bounds: make([]int, chunks+1), threads: Threads(threads)}
	for k := range chunks {
		target := nnz * int64(k) / int64(chunks)
		c.bounds[k] = sort.Search(n, func(r int) bool { return ptr[r] >= target })
	}
	c.bounds[chunks] = n
	return c
}

// Count returns the number of chunks.
func (c Chunks) Count() int { return len(c.bounds) - 1 }

// Each calls do for every chunk, on up to c.threads goroutines.
func (c Chunks) Each(do func(k, lo, hi int)) {
	Spread(c.threads, c.Count(), func(k int) { do(k, c.bounds[k], c.bounds[k+1]) })
}

// Spread calls do for 0 ≤ k < count on up to the given number of goroutines.
func Spread(threads, count int, do func(k int)) {
	if threads = min(threads, count); threads <= 1 {
		for k := range count {
			do(k)
		}
		return
	}
	var next atomic.Int64
	var wg faults.Group
	for range threads {
		wg.Go(func() {
			for k := int(next.Add(1) - 1); k < count; k = int(next.Add(1) - 1) {
				do(k)
			}
		})
	}
	wg.Wait()
}
