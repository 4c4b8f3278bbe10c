package solvertest

import (
	"sync"
	"testing"
	"time"

	"github.com/scas-admm/scas/solver/dist"
	"github.com/scas-admm/scas/sparse"
)

// OnShards has goroutines be ranks, each with a part of the rows of a .scas file, which is
// mapped though it is larger than so many bytes, and waits for all. The rows of a part begin
// with row first. It skips the test where files are not mapped.
func OnShards(t testing.TB, ranks int, path string, memory int64, do func(comm *dist.Goroutine, part *sparse.Dataset, first int)) {
	t.Helper()
	first := 0
	var wg sync.WaitGroup
	for r, comm := range dist.Local(ranks, time.Minute) {
		part, err := sparse.ReadShard([]string{path}, r, ranks, &sparse.ReadOptions{Memory: memory, Beyond: true})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { part.Close() })
		if !part.X.Mapped() {
			t.Skip("this system maps no files")
		}
		at := first
		wg.Go(func() { do(comm, part, at) })
		n, _ := part.X.Dims()
		first += n
	}
	wg.Wait()
}
