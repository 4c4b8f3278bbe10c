package kernels

import (
	"math"
	"math/rand/v2"
	"testing"
)

// lengths has numbers near multiples of the 8 or 16 lanes and of chunk, and some others.
var lengths = []int{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 11, 12, 13, 15, 16, 17, 19, 23, 24, 25, 31, 32, 33, 47, 48, 49, 63, 64, 65, 123, 200,
	chunk - 1, chunk, chunk + 1, chunk + 17, 2*chunk + 5}

// A source draws float64 numbers of one kind.
type source struct {
	name string
	draw func(*rand.Rand) float64
}

var special = []float64{0, math.Copysign(0, -1), 1, -1, math.Inf(1), math.Inf(-1), math.NaN(),
	math.SmallestNonzeroFloat64, -math.SmallestNonzeroFloat64, 0x1p-1022, -0x1p-1022, math.MaxFloat64, -math.MaxFloat64,
	1e-300, -1e-300, 1e-170, -1e-170, 708, -708, 709, -746, 0.5, -0.5, 36.7, -36.7}

// bell draws a number from a bell-shaped distribution. Unlike NormFloat64 it uses only operations
// that no compiler can fuse, so its bits are the same everywhere.
func bell(r *rand.Rand) float64 { return 2 * (r.Float64() + r.Float64() + r.Float64() - 1.5) }

var sources = []source{
	{"bell", bell},
	{"wide", func(r *rand.Rand) float64 { return math.Ldexp(bell(r), r.IntN(1200)-600) }},
	{"tiny", func(r *rand.Rand) float64 { return math.Ldexp(bell(r), -540-r.IntN(10)) }}, // products underflow to ±0
	{"special", func(r *rand.Rand) float64 { return special[r.IntN(len(special))] }},
	{"mixed", func(r *rand.Rand) float64 {
		if r.IntN(8) == 0 {
			return special[r.IntN(len(special))]
		}
		return bell(r)
	}},
	{"bits", func(r *rand.Rand) float64 { return math.Float64frombits(r.Uint64()) }},
}

func (s source) vector(rng *rand.Rand, n int) []float64 {
	v := make([]float64, n)
	for i := range v {
		v[i] = s.draw(rng)
	}
	return v
}

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

// rowsOf returns rows of the given lengths over d columns. The first row starts
// a few nonzeros into idx and val, as a view of a larger matrix does.
func rowsOf(rng *rand.Rand, s source, lens []int, d int) Rows {
	const offset = 3
	a := Rows{Ptr: []int64{offset}, Idx: make([]int32, offset), Val: make([]float64, offset), Cols: d}
	for _, n := range lens {
		for range n {
			a.Idx = append(a.Idx, rng.Int32N(int32(d)))
			a.Val = append(a.Val, s.draw(rng))
		}
		a.Ptr = append(a.Ptr, int64(len(a.Idx)))
	}
	return a
}

func stepsOf(rng *rand.Rand, s source, lens []int, d int, loss LossKind) Steps {
	n := len(lens)
	return Steps{Rows: rowsOf(rng, s, lens, d), Label: labels(rng, n), Slope0: s.vector(rng, n), Loss: loss, Eta: s.draw(rng)}
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
			t.Errorf("%s[%d] of %d = %v (%#x), want %v (%#x)", name, i, len(want), got[i], math.Float64bits(got[i]), want[i], math.Float64bits(want[i]))
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
