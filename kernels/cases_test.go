package kernels

import (
	"math"
	"math/rand/v2"
	"testing"
	"unsafe"
)

// lengths has numbers near multiples of the 8 or 16 lanes and of chunk, and some others.
var lengths = []int{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 11, 12, 13, 15, 16, 17, 19, 23, 24, 25, 31, 32, 33, 47, 48, 49, 63, 64, 65, 123, 200,
	chunk - 1, chunk, chunk + 1, chunk + 17, 2*chunk + 5}

// A source draws float64 numbers of one kind. If alloc is not nil, it returns the memory for all arguments of
// an operation; see place.
type source struct {
	name  string
	draw  func(*rand.Rand) float64
	alloc func(size int) unsafe.Pointer
}

// place returns v or, if s.alloc is not nil, a copy of v in memory from s.alloc.
func place[T any](s source, v []T) []T {
	if s.alloc == nil || len(v) == 0 {
		return v
	}
	placed := unsafe.Slice((*T)(s.alloc(len(v)*int(unsafe.Sizeof(v[0])))), len(v))
	copy(placed, v)
	return placed
}

func placeRows(s source, a Rows) Rows {
	a.Ptr, a.Idx, a.Val = place(s, a.Ptr), place(s, a.Idx), place(s, a.Val)
	a.Idx16, a.Val32 = place(s, a.Idx16), place(s, a.Val32)
	return a
}

var special = []float64{0, math.Copysign(0, -1), 1, -1, math.Inf(1), math.Inf(-1), math.NaN(),
	math.SmallestNonzeroFloat64, -math.SmallestNonzeroFloat64, 0x1p-1022, -0x1p-1022, math.MaxFloat64, -math.MaxFloat64,
	1e-300, -1e-300, 1e-170, -1e-170, 708, -708, 709, -746, 0.5, -0.5, 36.7, -36.7}

// bell draws a number from a bell-shaped distribution. Unlike NormFloat64 it uses only operations
// that no compiler can fuse, so its bits are the same everywhere.
func bell(r *rand.Rand) float64 { return 2 * (r.Float64() + r.Float64() + r.Float64() - 1.5) }

var sources = []source{
	{name: "bell", draw: bell},
	{name: "wide", draw: func(r *rand.Rand) float64 { return math.Ldexp(bell(r), r.IntN(1200)-600) }},
	// Products of tiny numbers underflow to ±0.
	{name: "tiny", draw: func(r *rand.Rand) float64 { return math.Ldexp(bell(r), -540-r.IntN(10)) }},
	{name: "special", draw: func(r *rand.Rand) float64 { return special[r.IntN(len(special))] }},
	{name: "mixed", draw: func(r *rand.Rand) float64 {
		if r.IntN(8) == 0 {
			return special[r.IntN(len(special))]
		}
		return bell(r)
	}},
	{name: "bits", draw: func(r *rand.Rand) float64 { return math.Float64frombits(r.Uint64()) }},
}

func (s source) vector(rng *rand.Rand, n int) []float64 {
	v := make([]float64, n)
	for i := range v {
		v[i] = s.draw(rng)
	}
	return place(s, v)
}

func (s source) zeros(n int) []float64 { return place(s, make([]float64, n)) }

// abs replaces the numbers of v by their absolute values, and returns v.
func abs(v []float64) []float64 {
	for i, x := range v {
		v[i] = math.Abs(x)
	}
	return v
}

func labels(rng *rand.Rand, n int) []float64 {
	v := make([]float64, n)
	for i := range v {
		v[i] = float64(2*rng.IntN(2) - 1)
	}
	return v
}

// rowLengths returns lengths of rows, at most n or 5. The last row, which ends where idx and val end, has n
// nonzeros.
func rowLengths(n int) []int { return []int{5, n, 1, n / 2, 0, n} }

// rowsOf returns rows of the given lengths over d columns. The first row starts
// a few nonzeros into idx and val, as a view of a larger matrix does.
func rowsOf(rng *rand.Rand, s source, lens []int, d int) Rows {
	offset := 3
	if s.alloc != nil {
		offset = 0 // the first row starts where the memory starts
	}
	total := offset
	for _, n := range lens {
		total += n
	}
	a := Rows{
		Ptr: []int64{int64(offset)}, Idx: make([]int32, offset, total), Val: make([]float64, offset, total), Cols: d,
	}
	for _, n := range lens {
		for range n {
			a.Idx = append(a.Idx, rng.Int32N(int32(d)))
			a.Val = append(a.Val, s.draw(rng))
		}
		a.Ptr = append(a.Ptr, int64(len(a.Idx)))
	}
	return placeRows(s, a)
}

func stepsOf(rng *rand.Rand, s source, lens []int, d int, loss LossKind) Steps {
	n := len(lens)
	a := Steps{
		Rows: rowsOf(rng, s, lens, d), Label: place(s, labels(rng, n)), Slope0: s.vector(rng, n), Loss: loss,
		Eta: s.draw(rng),
	}
	if s.alloc != nil {
		x := NewScratch(a.Rows)
		a.Scratch = &Scratch{place(s, x.off), place(s, x.num), place(s, x.keep)}
	}
	return a
}

func samplesOf(rng *rand.Rand, samples, n int) []int32 {
	v := make([]int32, samples)
	for k := range v {
		v[k] = rng.Int32N(int32(n))
	}
	return v
}

// sameNumber reports whether two numbers have the same bits or are both NaN.
func sameNumber(x, y float64) bool {
	return math.Float64bits(x) == math.Float64bits(y) || x != x && y != y
}

func sameVector(t *testing.T, name string, got, want []float64) {
	t.Helper()
	for i := range want {
		if !sameNumber(got[i], want[i]) {
			t.Errorf("%s[%d] of %d = %v (%#x), want %v (%#x)",
				name, i, len(want), got[i], math.Float64bits(got[i]), want[i], math.Float64bits(want[i]))
			return
		}
	}
}

func sameScalar(t *testing.T, name string, got, want float64) {
	t.Helper()
	if !sameNumber(got, want) {
		t.Errorf("%s = %v (%#x), want %v (%#x)", name, got, math.Float64bits(got), want, math.Float64bits(want))
	}
}
