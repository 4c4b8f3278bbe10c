package rows

import (
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/scas-admm/scas/solver/dist"
)

// runTeam calls do in each process of a team. It returns, for each process, the error with which its Team
// panicked, or nil.
func runTeam(ranks int, do func(rank int, t *Team)) []error {
	errs := make([]error, ranks)
	var wg sync.WaitGroup
	for r, c := range dist.Local(ranks, time.Minute) {
		wg.Go(func() {
			defer Rescue(&errs[r])
			do(r, NewTeam(c))
		})
	}
	wg.Wait()
	return errs
}

// TestPairs checks that the sums of Team.SumPairs are the same in all processes, and have almost twice the
// working precision even if numbers cancel.
func TestPairs(t *testing.T) {
	const ranks, n = 7, 50
	rng := rand.New(rand.NewPCG(1, 2))
	head, tail := make([][]float64, ranks), make([][]float64, ranks)
	want, size := make([]*big.Float, n), make([]float64, n)
	for j := range n {
		want[j] = new(big.Float).SetPrec(500)
		for r := range ranks {
			if j == 0 {
				head[r], tail[r] = make([]float64, n), make([]float64, n)
			}
			h := rng.NormFloat64() * math.Pow(2, float64(rng.IntN(40)))
			if r > 0 && j%3 == 0 { // almost cancels the number of the previous rank
				h = -head[r-1][j] * (1 + 1e-14*rng.Float64())
			}
			head[r][j], tail[r][j] = h, h*1e-17*rng.NormFloat64()
			want[j].Add(want[j], big.NewFloat(h))
			want[j].Add(want[j], big.NewFloat(tail[r][j]))
			size[j] += math.Abs(h)
		}
	}
	for _, err := range runTeam(ranks, func(r int, t *Team) { t.SumPairs(head[r], tail[r]) }) {
		if err != nil {
			t.Fatal(err)
		}
	}
	for j := range n {
		for r := range ranks {
			if head[r][j] != head[0][j] || tail[r][j] != tail[0][j] {
				t.Fatalf("entry %d: ranks 0 and %d differ", j, r)
			}
		}
		off := new(big.Float).SetPrec(500).Sub(want[j], big.NewFloat(head[0][j]))
		off.Sub(off, big.NewFloat(tail[0][j]))
		if v, _ := off.Float64(); math.Abs(v) > 0x1p-90*size[j] {
			t.Errorf("entry %d is %g off, of sizes %g", j, v, size[j])
		}
	}
}

// TestSumPairsInfinite checks that an infinite number stays infinite.
func TestSumPairsInfinite(t *testing.T) {
	runTeam(2, func(r int, team *Team) {
		head, tail := []float64{1, math.Inf(-1), 2}, make([]float64, 3)
		if r == 1 {
			head[1] = 5
		}
		team.SumPairs(head, tail)
		if head[0] != 2 || !math.IsInf(head[1]+tail[1], -1) || head[2] != 4 {
			t.Errorf("rank %d: %v, %v", r, head, tail)
		}
	})
}

func TestTeam(t *testing.T) {
	const ranks = 3
	errs := runTeam(ranks, func(r int, team *Team) {
		number := float64(r + 1)
		v := []float64{number, -number}
		if sum := team.SumWith(v, 10*number); sum != 60 || v[0] != 6 || v[1] != -6 {
			t.Errorf("SumWith: %v with %v", v, sum)
		}
		h := [][]float64{{number, number, number}, {number, number}, {number}}
		team.SumUpper(3, func(i int) []float64 { return h[i] })
		x, y := []float64{number}, []float64{-number}
		team.Average(number, x, y)
		for name, pair := range map[string][2]float64{
			"SumUpper": {h[2][0], 6}, "Average": {x[0], 14. / 6}, "and of others": {y[0], -14. / 6},
		} {
			if pair[0] != pair[1] {
				t.Errorf("%s: %v, want %v", name, pair[0], pair[1])
			}
		}
		prefix, total := team.PrefixSums([]float64{number, 1})
		for name, pair := range map[string]bool{
			"PrefixSums": slices.Equal(prefix, []float64{float64(r) * number / 2, float64(r)}) &&
				slices.Equal(total, []float64{6, 3}),
			"Gather":    slices.Equal(team.Gather([]float64{number, 7}[:r]), []float64{2, 3, 7}),
			"Distinct":  slices.Equal(team.Distinct([]float64{number, 5, 0, 5, number}, 3), []float64{0, 1, 2}),
			"MinNumber": team.MinNumber(number) == 1, "MaxNumber": team.MaxNumber(number) == 3,
			"NaN": math.IsInf(team.MaxNumber(math.NaN()), 1),
			"Any": team.Any(r == 2), "none": !team.Any(false), "MeanCount": team.MeanCount(r) == 1,
			"Agree": team.Agree(float64(r), x) == 2,
		} {
			if !pair {
				t.Errorf("%s is wrong", name)
			}
		}
	})
	for _, err := range errs {
		if err != nil {
			t.Error(err)
		}
	}
}

// TestDisagreement checks that Agree fails in every process if their states differ.
func TestDisagreement(t *testing.T) {
	for r, err := range runTeam(2, func(r int, team *Team) { team.Agree(0, []float64{float64(r)}) }) {
		if err == nil || !strings.Contains(err.Error(), "different numbers") {
			t.Errorf("rank %d: %v", r, err)
		}
	}
}
