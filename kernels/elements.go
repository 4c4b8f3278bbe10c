package kernels

// InnerDense runs one inner step for each sampled row, for a diagonal matrix K and without a
// projection. Steps defines K, d and g. Every step updates the whole of w:
//
//	w[j] = FMA(c[j], w[j], e[j])            for all j
//	w[j] = FMA(g, a_i[j], w[j])             for the nonzeros of row i
//	h[j] = FMA(g, a_i[j], h[j])             for the nonzeros of row i
//
// Here g is computed from w before the step, c[j] = 1 - eta*K_jj and e = -eta*d. The sum of the
// iterates follows from w and h (see package solver/internal/admm). All vectors have the same length;
// w and h are updated and must not overlap any other argument. Source: Zhao, Li, Zhou, Scalable
// Stochastic ADMM, inner loop of Algorithm 1.
func InnerDense(w, h, c, e []float64, s *Steps, sampled []int32) {
	const fn = "InnerDense"
	var a stepArgs
	a.setArguments(fn, s, sampled)
	checkColumns(fn, "w", len(w), &s.Rows)
	a.setVectors(fn, "h", w, h, c, e)
	a.run(active.innerDense, innerDenseGeneric)
}

// InnerBox is InnerDense with a projection onto the box [lo, hi]. g, a_i, c and e are as in InnerDense.
// Instead of h, InnerBox updates sum, the sum of the iterates:
//
//	v[j] = FMA(c[j], w[j], e[j])            for all j
//	v[j] = FMA(g, a_i[j], v[j])             for the nonzeros of row i
//	w[j] = clip(v[j], lo[j], hi[j]),  sum[j] += w[j]   for all j
//
// The columns of a row must be distinct. A NaN in w stays; lo[j] = -Inf and hi[j] = +Inf have
// no effect.
func InnerBox(w, sum, c, e, lo, hi []float64, s *Steps, sampled []int32) {
	const fn = "InnerBox"
	var a stepArgs
	a.setArguments(fn, s, sampled)
	checkColumns(fn, "w", len(w), &s.Rows)
	a.setVectors(fn, "sum", w, sum, c, e)
	checkLen(fn, "lo", len(lo), len(w))
	checkLen(fn, "hi", len(hi), len(w))
	for _, in := range [...][]float64{lo, hi} {
		checkApart(fn, "w", w, "a bound", in)
		checkApart(fn, "sum", sum, "a bound", in)
	}
	raceRead(lo)
	raceRead(hi)
	a.lo, a.hi = lo, hi
	a.run(active.innerBox, innerBoxGeneric)
}

// setVectors checks and stores the vectors of the loops that update the whole of w. Error messages call the
// vector sum by the given name.
func (a *stepArgs) setVectors(fn, name string, w, sum, c, e []float64) {
	checkLen(fn, name, len(sum), len(w))
	checkLen(fn, "c", len(c), len(w))
	checkLen(fn, "e", len(e), len(w))
	checkApart(fn, "w", w, name, sum)
	a.checkOutput(fn, "w", w)
	a.checkOutput(fn, name, sum)
	for _, in := range [...][]float64{c, e} {
		checkApart(fn, "w", w, "c or e", in)
		checkApart(fn, name, sum, "c or e", in)
	}
	raceWrite(w)
	raceWrite(sum)
	raceRead(c)
	raceRead(e)
	a.w, a.sum, a.c, a.e = w, sum, c, e
}
