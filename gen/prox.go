package gen

// clip returns v clipped to [-t, t]; a NaN v is kept.
func (e *emitter) clip(v, t vec) vec {
	return e.max(e.xorK(t, "signBit"), e.min(t, v))
}

func (e *emitter) proxDual(t *isa) {
	e.kernel(t, "proxDual", "func(beta, y, ax, limit []float64, rho, inv float64) (primal, change float64)",
		"\tv = FMA(rho, ax[i], beta[i])",
		"\tbeta[i] = clip(v, limit[i])",
		"\tu = (v - beta[i]) * inv",
		"\tprimal lane[i%16] = FMA(ax[i]-u, ax[i]-u, lane[i%16])",
		"\tchange lane[i%16] = FMA(u-y[i], u-y[i], lane[i%16])",
		"\ty[i] = u")
	beta, y, ax, limit, n := e.base("beta"), e.base("y"), e.base("ax"), e.base("limit"), e.length("ax")
	rho, inv := e.broadcast("rho"), e.broadcast("inv")
	acc := e.reduceRolled(n, 2, func(p place, acc []vec) {
		a, v := e.read(ax, p), e.read(beta, p)
		e.VFMADD231PD(a, rho, v)
		b := e.clip(v, e.read(limit, p))
		e.write(b, beta, p)
		u := e.mul(e.sub(v, b), inv)
		dp, dc := e.sub(a, u), e.sub(u, e.read(y, p))
		e.write(u, y, p)
		e.accumulate(acc[0], dp, dp, p.mask)
		e.accumulate(acc[1], dc, dc, p.mask)
	})
	e.result(0, acc[0])
	e.result(1, acc[1])
	e.ret()
}
