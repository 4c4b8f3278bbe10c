package torture

import (
	"bytes"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"unsafe"
)

// slotBytes is the room of a slot: some more than a kernel does in one block.
const slotBytes = 2 << 20

// A slot is memory between two pages that nothing may touch. What it holds lies against
// one of them; the bytes beside it, a page of them, are known.
type slot struct {
	whole  []byte
	lo, hi int // what is used
	floats bool
	out    bool // may be written
	before []byte
}

// slots are the memory of a call.
type slots struct {
	all  []*slot
	used int
	rng  *rand.Rand
}

// next returns a slot of n bytes.
func (s *slots) next(n int) (*slot, error) {
	if s.used == len(s.all) {
		m, err := guardedMemory(slotBytes)
		if err != nil {
			return nil, err
		}
		s.all = append(s.all, &slot{whole: m})
	}
	t := s.all[s.used]
	s.used++
	if n > slotBytes {
		return nil, fmt.Errorf("%d bytes do not fit into a slot", n)
	}
	t.lo, t.hi, t.floats, t.out = 0, n, false, false
	if chance(s.rng, 2) {
		t.lo, t.hi = slotBytes-n, slotBytes
	}
	for _, part := range t.beside() {
		for k := range part {
			part[k] = canary
		}
	}
	return t, nil
}

const canary = 0xa5

// beside are the known bytes.
func (t *slot) beside() [2][]byte {
	const page = 4096
	return [2][]byte{t.whole[max(0, t.lo-page):t.lo], t.whole[t.hi:min(len(t.whole), t.hi+page)]}
}

// settle puts a copy of v into a slot; nil stays nil.
func settle[T any](s *slots, v []T) []T {
	if v == nil {
		return nil
	}
	size := int(unsafe.Sizeof(*new(T)))
	t, err := s.next(len(v) * size)
	if err != nil {
		panic(err) // of the attack, not of what it attacks
	}
	if len(v) == 0 {
		return []T{}
	}
	settled := unsafe.Slice((*T)(unsafe.Pointer(&t.whole[t.lo])), len(v))
	copy(settled, v)
	_, t.floats = any(v).([]float64)
	return settled
}

// written says that a call may write v.
func (s *slots) written(v []float64) []float64 {
	if len(v) == 0 {
		return v
	}
	at := uintptr(unsafe.Pointer(&v[0]))
	for _, t := range s.all[:s.used] {
		if first := uintptr(unsafe.Pointer(&t.whole[0])); at >= first && at < first+slotBytes {
			t.out = true
		}
	}
	return v
}

// keep takes a copy of what is there before the call.
func (s *slots) keep() {
	for _, t := range s.all[:s.used] {
		t.before = append(t.before[:0], t.whole[t.lo:t.hi]...)
	}
}

// harm says what a call wrote that it may not write. One that was refused may write
// nothing.
func (s *slots) harm(refused bool) error {
	for k, t := range s.all[:s.used] {
		for side, part := range t.beside() {
			if at := slices.IndexFunc(part, func(b byte) bool { return b != canary }); at >= 0 {
				return fmt.Errorf("writes %d bytes from the edge, on side %d of slot %d", at, side, k)
			}
		}
		if (refused || !t.out) && !bytes.Equal(t.before, t.whole[t.lo:t.hi]) {
			return fmt.Errorf("writes into what it reads or, refused, at all: slot %d", k)
		}
	}
	return nil
}

// results are all numbers that a call may have written.
func (s *slots) results() []float64 {
	var all []float64
	for _, t := range s.all[:s.used] {
		if t.out && t.floats && t.hi > t.lo {
			all = append(all, unsafe.Slice((*float64)(unsafe.Pointer(&t.whole[t.lo])), (t.hi-t.lo)/8)...)
		}
	}
	return all
}

// sameResults compares bits; NaN is NaN.
func sameResults(a, b []float64) bool {
	return slices.EqualFunc(a, b, func(x, y float64) bool { return same(x, y) || math.IsNaN(x) && math.IsNaN(y) })
}
