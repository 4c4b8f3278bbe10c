//go:build goexperiment.simd && amd64 && !go1.27

package suite

import "simd/archsimd"

// proxSIMD is kernels.ProxDual over 512-bit vectors.
func proxSIMD(beta, y, ax, limit []float64, rho float64) (primal, change float64) {
	for len(ax) > 0 {
		n := min(len(ax), simdChunk)
		p, c := proxChunkSIMD(beta[:n], y[:n], ax[:n], limit[:n], rho)
		primal += p
		change += c
		beta, y, ax, limit = beta[n:], y[n:], ax[n:], limit[n:]
	}
	archsimd.ClearAVXUpperBits()
	return primal, change
}

func proxChunkSIMD(beta, y, ax, limit []float64, rho float64) (primal, change float64) {
	vrho, vinv := archsimd.BroadcastFloat64x8(rho), archsimd.BroadcastFloat64x8(1/rho)
	var p0, p1, c0, c1 archsimd.Float64x8
	n := len(ax)
	i := 0
	for ; i+16 <= n; i += 16 {
		a := archsimd.LoadFloat64x8Slice(ax[i:])
		b, u := proxStepSIMD(a, archsimd.LoadFloat64x8Slice(beta[i:]), archsimd.LoadFloat64x8Slice(limit[i:]), vrho, vinv)
		dp, dc := a.Sub(u), u.Sub(archsimd.LoadFloat64x8Slice(y[i:]))
		p0, c0 = dp.MulAdd(dp, p0), dc.MulAdd(dc, c0)
		b.StoreSlice(beta[i:])
		u.StoreSlice(y[i:])

		a = archsimd.LoadFloat64x8Slice(ax[i+8:])
		b, u = proxStepSIMD(a, archsimd.LoadFloat64x8Slice(beta[i+8:]), archsimd.LoadFloat64x8Slice(limit[i+8:]), vrho, vinv)
		dp, dc = a.Sub(u), u.Sub(archsimd.LoadFloat64x8Slice(y[i+8:]))
		p1, c1 = dp.MulAdd(dp, p1), dc.MulAdd(dc, c1)
		b.StoreSlice(beta[i+8:])
		u.StoreSlice(y[i+8:])
	}
	for half := 0; i < n; i, half = i+8, half+1 {
		a := partSIMD(ax, i)
		b, u := proxStepSIMD(a, partSIMD(beta, i), partSIMD(limit, i), vrho, vinv)
		dp, dc := a.Sub(u), u.Sub(partSIMD(y, i))
		if half == 0 {
			p0, c0 = dp.MulAdd(dp, p0), dc.MulAdd(dc, c0)
		} else {
			p1, c1 = dp.MulAdd(dp, p1), dc.MulAdd(dc, c1)
		}
		b.StoreSlicePart(beta[i:])
		u.StoreSlicePart(y[i:])
	}
	return sumSIMD(p0, p1), sumSIMD(c0, c1)
}

func proxStepSIMD(ax, beta, limit, rho, inv archsimd.Float64x8) (b, u archsimd.Float64x8) {
	v := rho.MulAdd(ax, beta)
	b = clipSIMD(v, limit)
	return b, v.Sub(b).Mul(inv)
}

func clipSIMD(v, t archsimd.Float64x8) archsimd.Float64x8 {
	var zero archsimd.Float64x8
	return v.Min(t).Max(zero.Sub(t))
}
