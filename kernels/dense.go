package kernels

// chunk is the number of elements in each partial sum of a dense sum. It is part of the numeric
// contract: another value would change results.
const chunk = 4096

// Dot returns the inner product of x and y, which must have equal lengths,
// summed in 16 lanes per chunk of 4096 elements (see the package comment):
// lane[i%16] = FMA(x[i], y[i], lane[i%16]). It is +0 for empty vectors. x and
// y may be the same slice.
func Dot(x, y []float64) float64 {
	checkLen("Dot", "y", len(y), len(x))
	raceRead(x)
	raceRead(y)
	var sum float64
	for len(x) > 0 {
		n := min(len(x), chunk)
		sum += dotBlock(x[:n], y[:n])
		x, y = x[n:], y[n:]
	}
	return sum
}

// Axpy sets y[i] = FMA(alpha, x[i], y[i]). The lengths must be equal; x and y
// may be the same slice.
func Axpy(alpha float64, x, y []float64) {
	checkLen("Axpy", "y", len(y), len(x))
	raceRead(x)
	raceWrite(y)
	for len(x) > 0 {
		n := min(len(x), maxWork)
		axpyBlock(alpha, x[:n], y[:n])
		x, y = x[n:], y[n:]
	}
}

// Clip raises v[i] to lo[i] and then lowers it to hi[i]. lo[i] = -Inf and hi[i] = +Inf do nothing; a NaN
// in v stays. Lengths must be equal. lo and hi must not overlap v.
func Clip(v, lo, hi []float64) {
	checkLen("Clip", "lo", len(lo), len(v))
	checkLen("Clip", "hi", len(hi), len(v))
	raceRead(lo)
	raceRead(hi)
	raceWrite(v)
	for len(v) > 0 {
		n := min(len(v), maxWork)
		clipBlock(v[:n], lo[:n], hi[:n])
		v, lo, hi = v[n:], lo[n:], hi[n:]
	}
}
