package kernels

// InnerDense runs one inner step per sampled row where A'A is diagonal and
// there is no projection, passing over the whole of w each time:
//
//	w[j] = FMA(c[j], w[j], e[j])            for all j
//	w[j] = FMA(g, a_i[j], w[j])             for the nonzeros of row i
//	h[j] = FMA(g, a_i[j], h[j])             for the nonzeros of row i
//
// with g taken at the w before the step, c = 1 - eta*k and e = -eta*d. The sum
// of the iterates then follows from w and h (see package solver). All vectors
// have one length; w and h are updated and must not overlap anything. Source:
// Zhao, Li, Zhou, Scalable Stochastic ADMM, inner loop of Algorithm 1.
func InnerDense(w, h, c, e []float64, s *Steps, sampled []int32) {
	const fn = "InnerDense"
	s.check(fn, sampled)
	checkElements(fn, len(w), element{"h", h}, element{"c", c}, element{"e", e})
	s.raceRead(sampled)
	raceWrite(w)
	raceWrite(h)
	raceRead(c)
	raceRead(e)
	x := s.scratch()
	x.state[slotEta] = s.Eta
	for len(sampled) > 0 {
		done := denseBlock(w, h, c, e, s, x, sampled)
		if done == 0 {
			denseStep(w, h, c, e, s, sampled[0])
			done = 1
		}
		sampled = sampled[done:]
	}
}

// InnerBox is InnerDense with a projection onto the box [lo, hi], which needs
// the running sum of the iterates:
//
//	v[j] = FMA(c[j], w[j], e[j])            for all j
//	v[j] = FMA(g, a_i[j], v[j])             for the nonzeros of row i
//	w[j] = clip(v[j], lo[j], hi[j]),  sum[j] += w[j]   for all j
//
// The columns of a row must be distinct. A NaN stays; infinite bounds do nothing.
func InnerBox(w, sum, c, e, lo, hi []float64, s *Steps, sampled []int32) {
	const fn = "InnerBox"
	s.check(fn, sampled)
	checkElements(fn, len(w), element{"sum", sum}, element{"c", c}, element{"e", e}, element{"lo", lo}, element{"hi", hi})
	s.raceRead(sampled)
	raceWrite(w)
	raceWrite(sum)
	raceRead(c)
	raceRead(e)
	raceRead(lo)
	raceRead(hi)
	x := s.scratch()
	x.state[slotEta] = s.Eta
	for len(sampled) > 0 {
		done := boxBlock(w, sum, c, e, lo, hi, s, x, sampled)
		if done == 0 {
			boxStep(w, sum, c, e, lo, hi, make([]float64, 2*s.Rows.rowLen(sampled[0])), s, sampled[0])
			done = 1
		}
		sampled = sampled[done:]
	}
}

type element struct {
	name string
	v    []float64
}

func checkElements(fn string, n int, vectors ...element) {
	for _, v := range vectors {
		checkLen(fn, v.name, len(v.v), n)
	}
}

//go:noinline
func denseBlock(w, h, c, e []float64, s *Steps, x *Scratch, sampled []int32) (done int) {
	a := &s.Rows
	return active.innerDense(w, h, c, e, a.Ptr, a.Idx, a.Idx16, a.Val, a.Val32, s.Label, s.Slope0, sampled,
		x.off, x.num, x.state, s.Loss == SquaredLossKind, maxWork)
}

//go:noinline
func boxBlock(w, sum, c, e, lo, hi []float64, s *Steps, x *Scratch, sampled []int32) (done int) {
	a := &s.Rows
	return active.innerBox(w, sum, c, e, lo, hi, x.keep, a.Ptr, a.Idx, a.Idx16, a.Val, a.Val32, s.Label, s.Slope0, sampled,
		x.off, x.num, x.state, s.Loss == SquaredLossKind, maxWork)
}
