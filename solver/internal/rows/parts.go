package rows

import (
	"errors"
	"iter"

	"github.com/scas-admm/scas/sparse"
)

// ErrNotStreamed is wrapped by errors that say why a problem cannot be solved out of core.
var ErrNotStreamed = errors.New("data larger than memory")

// PartRows is a size for Parts. It limits the memory that rows of mapped data take before they are released.
const PartRows = 1 << 20

// Parts yields the bounds of consecutive parts of x, with at most size rows each. A part has rows lo to
// hi − 1. After its use, the memory of its rows is released if x is mapped.
func Parts(x *sparse.CSR, size int) iter.Seq2[int, int] {
	return func(yield func(lo, hi int) bool) {
		n, _ := x.Dims()
		for lo := 0; lo < n; lo += size {
			hi := min(lo+size, n)
			ok := yield(lo, hi)
			x.Release(lo, hi)
			if !ok {
				return
			}
		}
	}
}
