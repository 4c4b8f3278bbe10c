//go:build goexperiment.simd && amd64 && !go1.27

package roof

import "simd/archsimd"

func registerLoops() loops {
	if !archsimd.X86.AVX512() {
		return loops{}
	}
	return loops{multiplyAdds: multiplyAdds, read: read}
}

// multiplyAdds makes the given number of rounds of twelve independent 512-bit multiply-adds, and returns the
// number of floating-point operations. Two units with a latency of six cycles need twelve chains to be busy.
func multiplyAdds(rounds int) (flops float64) {
	b, c := archsimd.BroadcastFloat64x8(0.5), archsimd.BroadcastFloat64x8(1)
	a0, a1, a2, a3, a4, a5 := b, b, b, b, b, b
	a6, a7, a8, a9, a10, a11 := b, b, b, b, b, b
	for range rounds {
		a0, a1, a2, a3 = a0.MulAdd(b, c), a1.MulAdd(b, c), a2.MulAdd(b, c), a3.MulAdd(b, c)
		a4, a5, a6, a7 = a4.MulAdd(b, c), a5.MulAdd(b, c), a6.MulAdd(b, c), a7.MulAdd(b, c)
		a8, a9, a10, a11 = a8.MulAdd(b, c), a9.MulAdd(b, c), a10.MulAdd(b, c), a11.MulAdd(b, c)
	}
	sum := a0.Add(a1).Add(a2).Add(a3).Add(a4).Add(a5).Add(a6).Add(a7).Add(a8).Add(a9).Add(a10).Add(a11)
	if keep(sum) == 0 {
		// The result is used, so the compiler cannot remove the loop.
		panic("roof: a sum of positive numbers is zero")
	}
	return 12 * 8 * 2 * float64(rounds)
}

// read adds the elements of x in eight independent chains. It leaves out the last len(x) % 64 elements.
func read(x []float64) {
	var a0, a1, a2, a3, a4, a5, a6, a7 archsimd.Float64x8
	for ; len(x) >= 64; x = x[64:] {
		y := (*[64]float64)(x)
		a0 = a0.Add(archsimd.LoadFloat64x8((*[8]float64)(y[0:])))
		a1 = a1.Add(archsimd.LoadFloat64x8((*[8]float64)(y[8:])))
		a2 = a2.Add(archsimd.LoadFloat64x8((*[8]float64)(y[16:])))
		a3 = a3.Add(archsimd.LoadFloat64x8((*[8]float64)(y[24:])))
		a4 = a4.Add(archsimd.LoadFloat64x8((*[8]float64)(y[32:])))
		a5 = a5.Add(archsimd.LoadFloat64x8((*[8]float64)(y[40:])))
		a6 = a6.Add(archsimd.LoadFloat64x8((*[8]float64)(y[48:])))
		a7 = a7.Add(archsimd.LoadFloat64x8((*[8]float64)(y[56:])))
	}
	keep(a0.Add(a1).Add(a2).Add(a3).Add(a4).Add(a5).Add(a6).Add(a7))
}

//go:noinline
func keep(v archsimd.Float64x8) float64 {
	var l [8]float64
	v.Store(&l)
	archsimd.ClearAVXUpperBits()
	return l[0]
}
