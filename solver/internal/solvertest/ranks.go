package solvertest

import (
	"sync"
	"testing"
	"time"

	"github.com/scas-admm/scas/solver/dist"
	"github.com/scas-admm/scas/sparse"
)

// OnShards runs do on several ranks, which are goroutines, and waits for all of them. part is a rank's
// shard of the rows of a .scas file, and first is the index of the shard's first row. The file is mapped as
// if it were larger than memory; the argument memory is the limit in bytes. OnShards skips the test on
// systems that cannot map files.
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
