//go:build goexperiment.simd && amd64 && !go1.27

package suite

// The API of simd/archsimd changes with Go 1.27. Builds with Go 1.27 or later do not contain this file, so
// they measure no implementations that use simd/archsimd.

import "simd/archsimd"

// simd returns dense kernels over 512-bit vectors, or nil functions if the processor cannot run them. They
// follow the numeric contract of package kernels, so their results have the same bits.
func simd() simdKernels {
	if !archsimd.X86.AVX512() {
		return simdKernels{}
	}
	return simdKernels{dot: dotSIMD, update: updateSIMD, prox: proxSIMD}
}

const simdChunk = 4096 // number of elements in a partial sum of dotSIMD

// sumSIMD returns the sum of 16 numbers, added in the order of the numeric contract. lo has the first 8.
func sumSIMD(lo, hi archsimd.Float64x8) float64 {
	var l [8]float64
	lo.Add(hi).Store(&l)
	return ((l[0] + l[4]) + (l[2] + l[6])) + ((l[1] + l[5]) + (l[3] + l[7]))
}

// partSIMD loads up to 8 elements of x from index i on. The missing elements behind the end of x are zero.
func partSIMD(x []float64, i int) archsimd.Float64x8 {
	return archsimd.LoadFloat64x8SlicePart(x[min(i, len(x)):min(i+8, len(x))])
}

func dotSIMD(x, y []float64) float64 {
	var sum float64
	for len(x) > 0 {
		n := min(len(x), simdChunk)
		a, b := x[:n], y[:n]
		var lo, hi archsimd.Float64x8
		i := 0
		for ; i+16 <= n; i += 16 {
			lo = archsimd.LoadFloat64x8Slice(a[i:]).MulAdd(archsimd.LoadFloat64x8Slice(b[i:]), lo)
			hi = archsimd.LoadFloat64x8Slice(a[i+8:]).MulAdd(archsimd.LoadFloat64x8Slice(b[i+8:]), hi)
		}
		if i < n {
			lo = partSIMD(a, i).MulAdd(partSIMD(b, i), lo)
			hi = partSIMD(a, i+8).MulAdd(partSIMD(b, i+8), hi)
		}
		sum += sumSIMD(lo, hi)
		x, y = x[n:], y[n:]
	}
	archsimd.ClearAVXUpperBits()
	return sum
}

func updateSIMD(w, s, d, q []float64, eta float64) {
	step := archsimd.BroadcastFloat64x8(-eta)
	n := len(w)
	s, d, q = s[:n], d[:n], q[:n]
	i := 0
	for ; i+8 <= n; i += 8 {
		g := archsimd.LoadFloat64x8Slice(d[i:]).Add(archsimd.LoadFloat64x8Slice(q[i:]))
		v := step.MulAdd(g, archsimd.LoadFloat64x8Slice(w[i:]))
		v.StoreSlice(w[i:])
		archsimd.LoadFloat64x8Slice(s[i:]).Add(v).StoreSlice(s[i:])
	}
	if i < n {
		v := step.MulAdd(partSIMD(d, i).Add(partSIMD(q, i)), partSIMD(w, i))
		v.StoreSlicePart(w[i:])
		partSIMD(s, i).Add(v).StoreSlicePart(s[i:])
	}
	archsimd.ClearAVXUpperBits()
}

// proxSIMD is kernels.ProxDual over 512-bit vectors.
func proxSIMD(beta, y, ax, limit []float64, rho float64) {
	vrho, vinv := archsimd.BroadcastFloat64x8(rho), archsimd.BroadcastFloat64x8(1/rho)
	n := len(ax)
	beta, y, limit = beta[:n], y[:n], limit[:n]
	i := 0
	for ; i+8 <= n; i += 8 {
		v := vrho.MulAdd(archsimd.LoadFloat64x8Slice(ax[i:]), archsimd.LoadFloat64x8Slice(beta[i:]))
		b := clipSIMD(v, archsimd.LoadFloat64x8Slice(limit[i:]))
		b.StoreSlice(beta[i:])
		v.Sub(b).Mul(vinv).StoreSlice(y[i:])
	}
	if i < n {
		v := vrho.MulAdd(partSIMD(ax, i), partSIMD(beta, i))
		b := clipSIMD(v, partSIMD(limit, i))
		b.StoreSlicePart(beta[i:])
		v.Sub(b).Mul(vinv).StoreSlicePart(y[i:])
	}
	archsimd.ClearAVXUpperBits()
}

func clipSIMD(v, limit archsimd.Float64x8) archsimd.Float64x8 {
	var zero archsimd.Float64x8
	return v.Min(limit).Max(zero.Sub(limit))
}
