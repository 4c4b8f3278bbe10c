package kernels

import (
	"encoding/binary"
	"math"
	"math/rand/v2"
	"testing"
)

// bytesSource takes the bits of its numbers from fuzz data. When the data are used up, it calls bell.
func bytesSource(data []byte) source {
	return source{name: "fuzz", draw: func(r *rand.Rand) float64 {
		if len(data) < 8 {
			return bell(r)
		}
		x := math.Float64frombits(binary.LittleEndian.Uint64(data))
		data = data[8:]
		return x
	}}
}

// FuzzOperations compares every level with the reference for operation k.
func FuzzOperations(f *testing.F) {
	specialBytes := make([]byte, 0, 8*len(special))
	for _, x := range special {
		specialBytes = binary.LittleEndian.AppendUint64(specialBytes, math.Float64bits(x))
	}
	for k := range operations {
		f.Add(uint64(1), uint8(k), uint16(0), []byte(nil))
		f.Add(uint64(2), uint8(k), uint16(17), specialBytes)
		f.Add(uint64(3), uint8(k), uint16(chunk+9), specialBytes)
	}
	f.Fuzz(func(t *testing.T, seed uint64, k uint8, n uint16, data []byte) {
		op := operations[int(k)%len(operations)]
		run := op.run
		op.run = func(rng *rand.Rand, _ source, n int) [][]float64 { return run(rng, bytesSource(data), n) }
		op.check(t, source{name: "fuzz"}, int(n)%(chunk+100), seed)
	})
}

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
		cases := innerCases(rng, sources[4], lens, p, 20, loss)
		plainRows, storedRows := inForm(rowsOf(rng, sources[4], lens, p), int(form)%numForms)
		runAll := func(l Level, a Rows) (out [][]float64) {
			use(t, l)
			for _, c := range cases {
				out = append(out, c.run(&a)...)
			}
			return out
		}
		defer use(t, Active())
		want := runAll(Generic, plainRows)
		for _, l := range Available() {
			for i, got := range runAll(l, storedRows) {
				sameVector(t, "result", got, want[i])
			}
		}
	})
}
