package gap

import (
	"math"
	"math/rand/v2"
	"sync"
	"testing"

	"github.com/scas-admm/scas/solver/dist"
	"github.com/scas-admm/scas/solver/internal/rows"
)

// TestSimpleOfRanks checks that two ranks with half of the rows each compute nearly the same bound as one
// rank with all rows.
func TestSimpleOfRanks(t *testing.T) {
	f, point, _ := randomInstance(rand.New(rand.NewPCG(2, 7)), 0, &box{-1e3, 1e3}, true)
	n, _ := f.Data.Dims()
	weights := make([]float64, n)
	for i := range weights {
		weights[i] = 1
	}
	for _, weights := range [][]float64{nil, weights} {
		f.Weights, f.Team = weights, nil
		want := f.Gap(point)
		var got [2]float64
		var wait sync.WaitGroup
		for r, comm := range dist.Local(2, 0) {
			lo, hi := r*(n/2), n/2+r*(n-n/2)
			shard, shardPoint := *f, *point
			shard.Team, shardPoint.Slope = rows.NewTeam(comm), point.Slope[lo:hi]
			if weights != nil {
				shard.Weights = weights[lo:hi]
			}
			rows := make([]int, 0, n)
			for i := lo; i < hi; i++ {
				rows = append(rows, i)
			}
			shard.Data, _ = f.Data.SelectRows(rows)
			wait.Go(func() { got[r] = shard.Gap(&shardPoint) })
		}
		wait.Wait()
		for r, gap := range got {
			if !(math.Abs(gap-want) <= 1e-6*want) {
				t.Errorf("weights %v, rank %d: %v, want %v", weights, r, gap, want)
			}
		}
	}
}
