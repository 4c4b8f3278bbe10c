package sparse

import (
	"fmt"
	"math/bits"
	"math/rand/v2"
	"slices"
)

// random draws numbers that depend on the seed alone: PCG's stream is fixed by
// its definition, and everything made from it is written out here instead of
// taken from rand.Rand, whose methods may change.
type random struct{ pcg *rand.PCG }

func newRandom(seed uint64) *random {
	return &random{pcg: rand.NewPCG(seed, 0x5ca5ad4d)}
}

// below returns a uniform number in 0..n-1, n > 0, by Lemire's multiplication
// with rejection of the few draws that would favour small results.
func (r *random) below(n int) int {
	bound := uint64(n)
	hi, lo := bits.Mul64(r.pcg.Uint64(), bound)
	if lo < bound {
		for reject := -bound % bound; lo < reject; {
			hi, lo = bits.Mul64(r.pcg.Uint64(), bound)
		}
	}
	return int(hi)
}

// unit returns a uniform multiple of 2^-53 in [0, 1).
func (r *random) unit() float64 {
	return float64(r.pcg.Uint64()>>11) * 0x1p-53
}

// normal returns a number with mean 0, variance 1 and nearly normal
// distribution on [-6, 6]: the sum of twelve uniform ones (Irwin-Hall). It needs
// no logarithm or cosine, whose last bits differ between machines.
func (r *random) normal() float64 {
	s := -6.0
	for range 12 {
		s += r.unit()
	}
	return s
}

// choose draws k of 0..n-1 without replacement and returns them and the others,
// both in increasing order.
func (r *random) choose(n, k int) (chosen, others []int) {
	perm := make([]int, n)
	for i := range perm {
		perm[i] = i
	}
	for i := range k {
		j := i + r.below(n-i)
		perm[i], perm[j] = perm[j], perm[i]
	}
	slices.Sort(perm[:k])
	slices.Sort(perm[k:])
	return perm[:k:k], perm[k:]
}

// Split divides 0..n-1 into two random halves, each in increasing order; a gets
// the odd one. The same n and seed give the same halves on every machine and
// with every Go version. It panics if n is negative.
func Split(n int, seed uint64) (a, b []int) {
	if n < 0 {
		panic(fmt.Sprintf("sparse: Split of %d elements", n))
	}
	return newRandom(seed).choose(n, n-n/2)
}

// Subset draws k of 0..n-1 without replacement, in increasing order, as
// reproducibly as Split. It panics unless 0 <= k <= n.
func Subset(n, k int, seed uint64) []int {
	if k < 0 || k > n {
		panic(fmt.Sprintf("sparse: Subset of %d out of %d elements", k, n))
	}
	chosen, _ := newRandom(seed).choose(n, k)
	return chosen
}
