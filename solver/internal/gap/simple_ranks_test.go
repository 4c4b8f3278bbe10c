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
	f, at, _ := instance(rand.New(rand.NewPCG(2, 7)), 0, &box{-1e3, 1e3}, true)
	n, _ := f.Data.Dims()
	weights := make([]float64, n)
	for i := range weights {
		weights[i] = 1
	}
	for _, weights := range [][]float64{nil, weights} {
		f.Weights, f.Team = weights, nil
		want := f.Gap(at)
		var got [2]float64
		var wait sync.WaitGroup
		for r, comm := range dist.Local(2, 0) {
			lo, hi := r*(n/2), n/2+r*(n-n/2)
			part, own := *f, *at
			part.Team, own.Slope = rows.NewTeam(comm), at.Slope[lo:hi]
			if weights != nil {
				part.Weights = weights[lo:hi]
			}
			rows := make([]int, 0, n)
			for i := lo; i < hi; i++ {
				rows = append(rows, i)
			}
			part.Data, _ = f.Data.SelectRows(rows)
			wait.Go(func() { got[r] = part.Gap(&own) })
		}
		wait.Wait()
		for r, gap := range got {
			if !(math.Abs(gap-want) <= 1e-6*want) {
				t.Errorf("weights %v, rank %d: %v, want %v", weights, r, gap, want)
			}
		}
	}
}
