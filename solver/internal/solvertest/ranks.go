package solvertest

import (
	"sync"
	"testing"
	"time"

	"github.com/scas-admm/scas/solver/dist"
	"github.com/scas-admm/scas/sparse"
)

// OnShards runs do on the given number of ranks, which are goroutines, and waits for all of them. shard is
// the shard of the rank, mapped from the .scas file at path, and firstRow is the number of its first row in
// the file. memory is the field Memory of sparse.ReadOptions.
func OnShards(
	t testing.TB, ranks int, path string, memory int64,
	do func(comm *dist.Goroutine, shard *sparse.Dataset, firstRow int),
) {
	t.Helper()
	firstRow := 0
	var wg sync.WaitGroup
	for r, comm := range dist.Local(ranks, time.Minute) {
		shard, err := sparse.ReadShard([]string{path}, r, ranks,
			&sparse.ReadOptions{Memory: memory, Beyond: true})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { shard.Close() })
		if !shard.X.Mapped() {
			t.Skip("this system maps no files")
		}
		start := firstRow
		wg.Go(func() { do(comm, shard, start) })
		n, _ := shard.X.Dims()
		firstRow += n
	}
	wg.Wait()
}
