package kernels

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// bytesSource takes the bits of its numbers from fuzz data. When the data are used up, it calls bell.
func bytesSource(data []byte) source {
	return source{"fuzz", func(r *rand.Rand) float64 {
		if len(data) < 8 {
			return bell(r)
		}
		x := math.Float64frombits(binary.LittleEndian.Uint64(data))
		data = data[8:]
		return x
	}}
}

// fuzzOperation compares every level with the reference for the operations with the given names.
func fuzzOperation(f *testing.F, names ...string) {
	specialBytes := make([]byte, 0, 8*len(special))
	for _, x := range special {
		specialBytes = binary.LittleEndian.AppendUint64(specialBytes, math.Float64bits(x))
	}
	f.Add(uint64(1), uint16(0), []byte(nil))
	f.Add(uint64(2), uint16(17), specialBytes)
	f.Add(uint64(3), uint16(chunk+9), specialBytes)
	f.Fuzz(func(t *testing.T, seed uint64, n uint16, data []byte) {
		n %= chunk + 100
		opCount := 0
		for _, op := range operations {
			for _, name := range names {
				if op.name != name {
					continue
				}
				opCount++
				run := op.run
				op.run = func(rng *rand.Rand, _ source, n int) [][]float64 { return run(rng, bytesSource(data), n) }
				op.check(t, source{name: "fuzz"}, int(n), seed)
			}
		}
		if opCount != len(names) {
			t.Fatalf("%d of the operations %v exist", opCount, names)
		}
	})
}

func FuzzMargins(f *testing.F)  { fuzzOperation(f, "Margins") }
func FuzzGradient(f *testing.F) { fuzzOperation(f, "Gradient") }
func FuzzDense(f *testing.F)    { fuzzOperation(f, "Dot", "Axpy") }
func FuzzLogisticSlopes(f *testing.F) {
	fuzzOperation(f, "LogisticSlopes", "LogisticSlopes/any label", "LogisticSlopes/nil")
}
func FuzzLogisticFenchel(f *testing.F) {
	fuzzOperation(f, "LogisticFenchel", "LogisticFenchel/near the slopes", "LogisticFenchel/any")
}
func FuzzSquaredSlopes(f *testing.F)      { fuzzOperation(f, "SquaredSlopes", "SquaredSlopes/nil") }
func FuzzProjectedUpdate(f *testing.F)    { fuzzOperation(f, "ProjectedUpdate") }
func FuzzProjectedUpdateBox(f *testing.F) { fuzzOperation(f, "ProjectedUpdateBox") }
func FuzzProjectedUpdateBall(f *testing.F) {
	fuzzOperation(f, "ProjectedUpdateBall/inside", "ProjectedUpdateBall/outside")
}
func FuzzProxDual(f *testing.F)      { fuzzOperation(f, "ProxDual") }
func FuzzInnerDense(f *testing.F)    { fuzzOperation(f, "InnerDense") }
func FuzzInnerBox(f *testing.F)      { fuzzOperation(f, "InnerBox") }
func FuzzInnerLazy(f *testing.F)     { fuzzOperation(f, "InnerLazy") }
func FuzzInnerLazyBall(f *testing.F) { fuzzOperation(f, "InnerLazy/ball") }
func FuzzInnerDecay(f *testing.F)    { fuzzOperation(f, "InnerDecay", "InnerDecay/squared") }

// FuzzForms compares the inner loops on sparse rows of a storage form, at every level, with the reference on
// rows of int32 columns and float64 values.
func FuzzForms(f *testing.F) {
	f.Add(uint64(1), uint8(0), uint16(9))
	f.Add(uint64(2), uint8(5), uint16(200))
	f.Add(uint64(3), uint8(4), uint16(77))
	f.Fuzz(func(t *testing.T, seed uint64, form uint8, n uint16) {
		rng := rand.New(rand.NewPCG(seed, 1))
		p := int(n)%500 + 1
		loss := LossKind(form / 8 % 2)
		lens := lengthsOf(rng, 12, p)
		elements := elementCaseOf(rng, sources[4], lens, p, 20, loss, form/16%2 == 1)
		lazy := lazyCaseOf(rng, sources[4], lens, p, 20, loss, form/16%2 == 1)
		decay := decayCaseOf(rng, sources[4], lens, p, 20, loss)
		plainRows, storedRows := inForm(elements.steps.Rows, int(form)%numForms)
		level := Active()
		defer use(t, level)
		use(t, Generic)
		want := slices.Concat(elements.run(&plainRows), lazy.run(&plainRows), decay.run(&plainRows))
		for _, l := range Available() {
			use(t, l)
			results := slices.Concat(elements.run(&storedRows), lazy.run(&storedRows), decay.run(&storedRows))
			for i, got := range results {
				sameVector(t, "result", got, want[i])
			}
		}
	})
}

func FuzzInnerRotated(f *testing.F) {
	f.Add(uint64(1), uint8(0), uint8(9), false, 0.0, []byte(nil))
	f.Add(uint64(2), uint8(2), uint8(3), true, 1.5, binary.LittleEndian.AppendUint64(nil, math.Float64bits(math.Inf(1))))
	f.Add(uint64(3), uint8(15), uint8(200), false, 1e-3, []byte(nil))
	f.Fuzz(func(t *testing.T, seed uint64, blocks, samples uint8, squared bool, radius float64, data []byte) {
		loss := LogisticLossKind
		if squared {
			loss = SquaredLossKind
		}
		draw := func() *rotatedCase {
			return rotatedCaseOf(rand.New(rand.NewPCG(seed, 1)), bytesSource(data), 8*int(blocks%70), 6, int(samples), loss, radius)
		}
		use(t, Generic)
		want := draw().run()
		for _, l := range Available() {
			use(t, l)
			got := draw().run()
			sameVector(t, fmt.Sprintf("%v: w", l), got[0], want[0])
			sameVector(t, fmt.Sprintf("%v: sum", l), got[1], want[1])
		}
	})
}
