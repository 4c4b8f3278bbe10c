package admm

import (
	"math"
	"math/bits"
	"math/rand/v2"
)

// A Sampler draws row numbers with replacement, uniformly or in proportion to weights. The sequence does
// not depend on the Go release.
type Sampler struct {
	rng *rand.PCG
	n   uint64
	// Draw chooses a row i uniformly. It returns i with probability keepThreshold[i]/2⁶⁴, and otherwise
	// substitute[i]. Without weights, both slices are nil.
	substitute    []int32
	keepThreshold []uint64
}

// NewSampler returns a sampler of the rows 0..n−1. Nil weights mean equal weights.
func NewSampler(seed uint64, n int, weights []float64) *Sampler {
	s := &Sampler{rng: rand.NewPCG(seed, 0x5ca5), n: uint64(n)}
	if weights != nil {
		s.buildAlias(weights)
	}
	return s
}

// Restart begins a new sequence of row numbers. A seed has many sequences; the argument sequence is the
// number of one of them. NewSampler begins sequence 0.
func (s *Sampler) Restart(seed, sequence uint64) { s.rng.Seed(seed, 0x5ca5+sequence) }

// State returns the position in the sequence, for Resume.
func (s *Sampler) State() []byte {
	state, _ := s.rng.MarshalBinary() // the error is always nil
	return state
}

// Resume continues at the position that State has returned.
func (s *Sampler) Resume(state []byte) error { return s.rng.UnmarshalBinary(state) }

// buildAlias computes the fields substitute and keepThreshold by Walker's alias method.
func (s *Sampler) buildAlias(weights []float64) {
	n := len(weights)
	s.substitute, s.keepThreshold = make([]int32, n), make([]uint64, n)
	var sum float64
	for _, v := range weights {
		sum += v
	}
	scaledWeights := make([]float64, n)
	var small, large []int32
	for i, v := range weights {
		scaledWeights[i] = v * (float64(n) / sum)
		if scaledWeights[i] < 1 {
			small = append(small, int32(i))
		} else {
			large = append(large, int32(i))
		}
	}
	for len(small) > 0 && len(large) > 0 {
		i, j := small[len(small)-1], large[len(large)-1]
		small = small[:len(small)-1]
		s.keepThreshold[i] = uint64(math.Ldexp(scaledWeights[i], 64))
		s.substitute[i] = j
		scaledWeights[j] -= 1 - scaledWeights[i]
		if scaledWeights[j] < 1 {
			large = large[:len(large)-1]
			small = append(small, j)
		}
	}
	heaviestRow := int32(0)
	for i, v := range weights {
		if v > weights[heaviestRow] {
			heaviestRow = int32(i)
		}
	}
	for _, i := range append(small, large...) { // up to rounding, the scaled weights of these rows are 1
		s.keepThreshold[i], s.substitute[i] = math.MaxUint64, i
		if weights[i] == 0 { // rows of weight 0 are never drawn
			s.keepThreshold[i], s.substitute[i] = 0, heaviestRow
		}
	}
}

// Draw sets rows to the next row numbers of the random sequence.
func (s *Sampler) Draw(rows []int32) {
	for k := range rows {
		hi, _ := bits.Mul64(s.rng.Uint64(), s.n)
		rows[k] = int32(hi)
		if s.substitute != nil && s.rng.Uint64() >= s.keepThreshold[hi] {
			rows[k] = s.substitute[hi]
		}
	}
}
