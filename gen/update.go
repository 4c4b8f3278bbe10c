package gen

// step sets w to FMA(-eta, u, w), and returns w.
func (e *emitter) step(w, u, eta vec) vec {
	e.VFNMADD231PD(u, eta, w)
	return w
}

func (e *emitter) update(t *isa) {
	e.beginKernel(t, "update", "func(w, s, d, q []float64, eta float64)",
		"\tw[i] = FMA(-eta, d[i]+q[i], w[i])",
		"\ts[i] += w[i]")
	w, s, d, q, n := e.base("w"), e.base("s"), e.base("d"), e.base("q"), e.length("w")
	eta := e.broadcast("eta")
	e.eachPlace(n, func(p place) {
		v := e.step(e.read(w, p), e.add(e.read(d, p), e.read(q, p)), eta)
		e.write(v, w, p)
		e.write(e.add(e.read(s, p), v), s, p)
	})
	e.ret()
}

func (e *emitter) updateBox(t *isa) {
	e.beginKernel(t, "updateBox", "func(w, s, d, q, lo, hi []float64, eta float64)",
		"\tv = FMA(-eta, d[i]+q[i], w[i])",
		"\tw[i] = min(max(v, lo[i]), hi[i])",
		"\ts[i] += w[i]")
	w, s, d, q := e.base("w"), e.base("s"), e.base("d"), e.base("q")
	lo, hi, n := e.base("lo"), e.base("hi"), e.length("w")
	eta := e.broadcast("eta")
	e.eachPlace(n, func(p place) {
		v := e.step(e.read(w, p), e.add(e.read(d, p), e.read(q, p)), eta)
		v = e.min(e.read(hi, p), e.max(e.read(lo, p), v))
		e.write(v, w, p)
		e.write(e.add(e.read(s, p), v), s, p)
	})
	e.ret()
}

func (e *emitter) stepNorm(t *isa) {
	e.beginKernel(t, "stepNorm", "func(w, d, q []float64, eta float64) float64",
		"\tw[i] = FMA(-eta, d[i]+q[i], w[i])",
		"\tlane[i%16] = FMA(w[i], w[i], lane[i%16])")
	w, d, q, n := e.base("w"), e.base("d"), e.base("q"), e.length("w")
	eta := e.broadcast("eta")
	acc := e.reduce(n, func(p place, acc vec) {
		v := e.step(e.read(w, p), e.add(e.read(d, p), e.read(q, p)), eta)
		e.write(v, w, p)
		e.accumulate(acc, v, v, p.mask)
	})
	e.returnSum(acc)
	e.ret()
}

func (e *emitter) scaleAdd(t *isa) {
	e.beginKernel(t, "scaleAdd", "func(w, s []float64, f float64)",
		"\tw[i] *= f",
		"\ts[i] += w[i]")
	w, s, n := e.base("w"), e.base("s"), e.length("w")
	f := e.broadcast("f")
	e.eachPlace(n, func(p place) {
		v := e.mul(e.read(w, p), f)
		e.write(v, w, p)
		e.write(e.add(e.read(s, p), v), s, p)
	})
	e.ret()
}

func (e *emitter) proxDual(t *isa) {
	e.beginKernel(t, "proxDual", "func(beta, y, ax, limit []float64, rho, inv float64)",
		"\tv = FMA(rho, ax[i], beta[i])",
		"\tbeta[i] = min(max(v, -limit[i]), limit[i])",
		"\ty[i] = (v - beta[i]) * inv")
	beta, y, ax, limit, n := e.base("beta"), e.base("y"), e.base("ax"), e.base("limit"), e.length("ax")
	rho, inv := e.broadcast("rho"), e.broadcast("inv")
	e.eachPlace(n, func(p place) {
		v, lim := e.read(beta, p), e.read(limit, p)
		e.VFMADD231PD(e.read(ax, p), rho, v)
		b := e.min(lim, e.max(e.xorK(lim, "signBit"), v)) // a NaN in v is kept
		e.write(b, beta, p)
		e.write(e.mul(e.sub(v, b), inv), y, p)
	})
	e.ret()
}
