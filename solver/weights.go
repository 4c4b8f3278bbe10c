package solver

import (
	"fmt"
	"math"
	"math/bits"
	"math/rand/v2"
)

// A sampler draws row numbers, uniformly or in proportion to weights, with
// replacement. Its draws are spelled out so that no library release can change
// the sequence.
type sampler struct {
	rng   *rand.PCG
	n     uint64
	other []int32  // alias of each column; nil if uniform
	keep  []uint64 // a second draw below this keeps the column, else its alias
}

// newSampler returns a sampler of 0..n−1; weights may be nil.
func newSampler(seed uint64, n int, weights []float64) *sampler {
	s := &sampler{rng: rand.NewPCG(seed, 0x5ca5), n: uint64(n)}
	if weights != nil {
		s.alias(weights)
	}
	return s
}

// alias prepares Walker's method: column i is kept with probability keep/2⁶⁴
// and stands for other[i] else.
func (s *sampler) alias(weights []float64) {
	n := len(weights)
	s.other, s.keep = make([]int32, n), make([]uint64, n)
	var sum float64
	for _, v := range weights {
		sum += v
	}
	scaled := make([]float64, n)
	var small, large []int32
	for i, v := range weights {
		scaled[i] = v * (float64(n) / sum)
		if scaled[i] < 1 {
			small = append(small, int32(i))
		} else {
			large = append(large, int32(i))
		}
	}
	for len(small) > 0 && len(large) > 0 {
		i, j := small[len(small)-1], large[len(large)-1]
		small = small[:len(small)-1]
		s.keep[i] = uint64(math.Ldexp(scaled[i], 64))
		s.other[i] = j
		scaled[j] -= 1 - scaled[i]
		if scaled[j] < 1 {
			large = large[:len(large)-1]
			small = append(small, j)
		}
	}
	heaviest := int32(0)
	for i, v := range weights {
		if v > weights[heaviest] {
			heaviest = int32(i)
		}
	}
	for _, i := range append(small, large...) { // 1 up to rounding
		s.keep[i], s.other[i] = math.MaxUint64, i
		if weights[i] == 0 { // rounding must not revive a zero
			s.keep[i], s.other[i] = 0, heaviest
		}
	}
}

func (s *sampler) draw(rows []int32) {
	for k := range rows {
		hi, _ := bits.Mul64(s.rng.Uint64(), s.n)
		rows[k] = int32(hi)
		if s.other != nil && s.rng.Uint64() >= s.keep[hi] {
			rows[k] = s.other[hi]
		}
	}
}

// validateWeights checks Problem.SampleWeights.
func validateWeights(w []float64, n int) error {
	if w == nil {
		return nil
	}
	if len(w) != n {
		return fmt.Errorf("solver: Problem.SampleWeights has length %d; Data has %d rows", len(w), n)
	}
	var sum float64
	for i, v := range w {
		if !(v >= 0) || math.IsInf(v, 0) {
			return fmt.Errorf("solver: Problem.SampleWeights[%d] = %v; weights must be finite and not negative", i, v)
		}
		sum += v
	}
	if sum == 0 || math.IsInf(sum, 0) {
		return fmt.Errorf("solver: Problem.SampleWeights sum to %v; at least one must be positive and the sum finite", sum)
	}
	return nil
}

// BalancedWeights returns sample weights that give both classes the same total,
// with mean 1. Labels are −1 and +1.
func BalancedWeights(labels []float64) []float64 {
	var count [2]int
	for _, b := range labels {
		if b > 0 {
			count[1]++
		} else {
			count[0]++
		}
	}
	w := make([]float64, len(labels))
	for i, b := range labels {
		class := 0
		if b > 0 {
			class = 1
		}
		w[i] = float64(len(labels)) / (2 * float64(count[class]))
	}
	return w
}
