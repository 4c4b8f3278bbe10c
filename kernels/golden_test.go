package kernels

import (
	"hash/fnv"
	"math"
	"math/rand/v2"
	"testing"
)

// golden is the hash of what all operations write. It is the same on every
// level, processor and compiler setting; changing it changes the numeric
// contract, and with it every published result.
const golden = 0x3716fb4ceb7bc0a8

// TestGolden holds this build to the bits of every other one.
func TestGolden(t *testing.T) {
	eachLevel(t, func(t *testing.T) {
		h := fnv.New64a()
		for _, op := range operations {
			for _, s := range sources {
				for _, n := range lengths {
					for _, out := range op.run(rand.New(rand.NewPCG(77, uint64(n))), s, n) {
						for _, x := range out {
							if x != x {
								x = math.NaN() // payloads and signs of NaN are free
							}
							b := math.Float64bits(x)
							_, _ = h.Write([]byte{byte(b), byte(b >> 8), byte(b >> 16), byte(b >> 24), byte(b >> 32), byte(b >> 40), byte(b >> 48), byte(b >> 56)})
						}
					}
				}
			}
		}
		if got := h.Sum64(); got != golden {
			t.Errorf("hash of all results %#x, want %#x", got, uint64(golden))
		}
	})
}
