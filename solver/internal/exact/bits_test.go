package exact

import (
	"encoding/binary"
	"fmt"
	"hash/fnv"
	"math"
	"testing"

	"github.com/scas-admm/scas/kernels"
	"github.com/scas-admm/scas/solver/internal/term"
	"github.com/scas-admm/scas/sparse"
)

// integerProblem returns a problem with small integers as data, which are the same on every machine. If
// allOnes is true, all entries are 1.
func integerProblem(t *testing.T, loss term.Loss, n, p int, allOnes bool) *Problem {
	t.Helper()
	var entries []sparse.Triplet
	prob := &Problem{Loss: loss, Labels: make([]float64, n), Limit: make([]float64, p), Ridge: make([]float64, p)}
	state := uint32(12345)
	draw := func(bound uint32) int { // a pseudorandom integer from 0 to bound − 1
		state = state*1664525 + 1013904223
		return int((state >> 8) % bound)
	}
	for i := range n {
		sum := 0
		for j := range p {
			v := draw(7) - 3
			switch {
			case j == p-1:
				v = 1 // the intercept
			case allOnes && v < 2:
				continue
			case allOnes:
				v = 1
			case v == 0:
				continue
			}
			sum += v * (j%5 - 2)
			entries = append(entries, sparse.Triplet{Row: i, Col: j, Value: float64(v)})
		}
		prob.Labels[i] = 1
		if sum+draw(9)-4 < 0 {
			prob.Labels[i] = -1
		}
	}
	for j := range p - 1 {
		prob.Limit[j], prob.Ridge[j] = 1, float64(j%2)/4
	}
	prob.setData(fromTriplets(t, n, p, entries))
	return prob
}

// fingerprint returns a hash of the bits of all numbers.
func fingerprint(parts ...[]float64) uint64 {
	h := fnv.New64a()
	var word [8]byte
	for _, part := range parts {
		for _, v := range part {
			binary.LittleEndian.PutUint64(word[:], math.Float64bits(v))
			_, _ = h.Write(word[:])
		}
	}
	return h.Sum64()
}

// TestBits checks that the results for a sequence of lambdas have the recorded fingerprints, at every level
// of the kernels.
func TestBits(t *testing.T) {
	oldLevel := kernels.Active()
	defer func() { _ = kernels.Use(oldLevel) }()
	for _, c := range []struct {
		loss    term.Loss
		allOnes bool
		want    string
	}{
		{term.Logistic{}, true, "fad2eec7572c9569"},
		{term.Logistic{}, false, "77be1d8c63e27a1c"},
		{term.Squared{}, false, "1ab2f989b3e89745"},
		{term.Huber{Delta: 0.5}, true, "57d4d8c2178c82a3"},
		{term.SquaredHinge{}, false, "8501e1079b33ff58"},
	} {
		for _, level := range kernels.Available() {
			if err := kernels.Use(level); err != nil {
				t.Fatal(err)
			}
			s := mustNew(t, integerProblem(t, c.loss, 200, 90, c.allOnes))
			lambdaMax, err := s.LambdaMax(nil)
			if err != nil {
				t.Fatal(err)
			}
			results := []float64{lambdaMax}
			for k := range 10 {
				r := s.Solve(lambdaMax/float64(int(1)<<k), &Settings{Tol: 1e-9 * s.Scale()})
				results = append(append(results, r.Gap, r.Objective, float64(r.Iterations)), s.X()...)
			}
			if got := fmt.Sprintf("%x", fingerprint(results)); got != c.want {
				t.Errorf("%T, ones %v, level %v: %s, want %s", c.loss, c.allOnes, level, got, c.want)
			}
		}
	}
}
