//go:build mpi

package mpi

import (
	"math"
	"math/rand/v2"
	"testing"
	"time"
)

// TestWorld runs in every rank under mpirun (make test-mpi); without mpirun there is one rank. The sum must
// have the bits of a sum in the order of the ranks. The time of a sum is logged.
func TestWorld(t *testing.T) {
	c, err := Open()
	if err != nil {
		t.Fatal(err)
	}
	w := c.(*world)
	for _, n := range []int{0, 1, 3, maxGather/w.size + 1, 100003, segment + 5} {
		input, sum, wantMax := make([]float64, n), make([]float64, n), make([]float64, n)
		for r := range w.size {
			rng := rand.New(rand.NewPCG(uint64(r), uint64(n)))
			for j := range sum {
				x := rng.NormFloat64() * math.Pow(2, float64(rng.IntN(60)))
				if r == w.rank {
					input[j] = x
				}
				if r == 0 {
					sum[j], wantMax[j] = x, x
					continue
				}
				sum[j] += x
				wantMax[j] = max(wantMax[j], x)
			}
		}
		got, gotMax := append([]float64(nil), input...), append([]float64(nil), input...)
		received := append([]float64(nil), input...)
		if err := w.AllReduceSum(got); err != nil {
			t.Fatal(err)
		}
		if err := w.AllReduceMax(gotMax); err != nil {
			t.Fatal(err)
		}
		if err := w.Bcast(received, w.size-1); err != nil {
			t.Fatal(err)
		}
		for j := range sum {
			if got[j] != sum[j] || gotMax[j] != wantMax[j] {
				t.Fatalf("rank %d, %d numbers: entry %d is %v and %v, want %v and %v",
					w.rank, n, j, got[j], gotMax[j], sum[j], wantMax[j])
			}
		}
		rootRNG := rand.New(rand.NewPCG(uint64(w.size-1), uint64(n)))
		if n > 0 {
			if want := rootRNG.NormFloat64() * math.Pow(2, float64(rootRNG.IntN(60))); received[0] != want {
				t.Errorf("rank %d, %d numbers: received %v, want %v", w.rank, n, received[0], want)
			}
		}
	}
	for _, n := range []int{1, 1000, 10000, 100000, 1000000} {
		v, bestSeconds := make([]float64, n), math.Inf(1)
		for range 20 {
			began := time.Now()
			if err := w.AllReduceSum(v); err != nil {
				t.Fatal(err)
			}
			bestSeconds = min(bestSeconds, time.Since(began).Seconds())
		}
		if w.rank == 0 {
			t.Logf("%d ranks: the sum of %d numbers takes %.3g ms", w.size, n, 1e3*bestSeconds)
		}
	}
	if err := w.Close(); err != nil {
		t.Error(err)
	}
}
