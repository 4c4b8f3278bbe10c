package rows

import (
	"runtime"
	"sort"

	"github.com/scas-admm/scas/sparse"
	"github.com/scas-admm/scas/sparse/faults"
)

// Chunks divides the rows of the data into chunks, which depend only on the data. Sums are computed for each
// chunk and then added in the order of the chunks, so that their bits do not depend on the number of threads.
type Chunks struct {
	bounds  []int // chunk k has rows bounds[k] to bounds[k+1]−1
	threads int
}

// NewChunks divides the rows of x into at most 16 chunks. If there are several chunks, the average number of
// nonzeros in a chunk is at least 2¹⁷, and at least 16 times the number of columns: to sum a gradient costs
// one addition for each chunk and column. threads is the argument of Threads.
func NewChunks(x *sparse.CSR, threads int) Chunks {
	n, cols := x.Dims()
	nnz := x.NNZ()
	ptr, chunkCount := x.Rows(0, n).Ptr, max(1, min(16, nnz/max(1<<17, 16*int64(cols))))
	c := Chunks{bounds: make([]int, chunkCount+1), threads: Threads(threads)}
	for k := range chunkCount {
		firstNonzero := nnz * k / chunkCount // chunks have about equal numbers of nonzeros
		c.bounds[k] = sort.Search(n, func(r int) bool { return ptr[r] >= firstNonzero })
	}
	c.bounds[chunkCount] = n
	return c
}

// maxThreads limits the number of goroutines that a caller can ask for, because each may have scratch memory.
const maxThreads = 1024

// Threads returns the number of goroutines to use. This is GOMAXPROCS if request is 0, and otherwise request,
// but at most maxThreads.
func Threads(request int) int {
	if request == 0 {
		return runtime.GOMAXPROCS(0)
	}
	return min(request, maxThreads)
}

// Count returns the number of chunks.
func (c Chunks) Count() int { return len(c.bounds) - 1 }

// Each calls do for every chunk k, in parallel. Chunk k has rows lo to hi−1.
func (c Chunks) Each(do func(k, lo, hi int)) {
	Spread(c.threads, c.Count(), func(k int) { do(k, c.bounds[k], c.bounds[k+1]) })
}

// Spread calls do for 0 ≤ k < count on up to the given number of goroutines.
func Spread(threads, count int, do func(k int)) {
	faults.Each(max(1, threads), count, func() func(k int) { return do })
}
