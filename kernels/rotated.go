package kernels

// rotatedMax is the largest length of a dense row. At this length one assembly call still makes
// maxWork/rotatedMax = 16 steps.
const rotatedMax = chunk

// InnerRotated runs inner steps on dense rows in the eigenbasis of A'A, where A is the constraint matrix.
// In this basis K is diagonal for any A. Steps defines K, d and g. With c[j] = 1 - eta*K_jj and e = -eta*d:
//
//	w'[j] = FMA(c[j], w[j], e[j]),  w[j] = FMA(g, row_i[j], w'[j]),  sum[j] += w[j]   for all j
//
// Row i is x[i*len(w) : (i+1)*len(w)]; of s.Rows only the number of rows is used. The
// steps are cut into series of at most 65536/len(w) steps. The margin of the first row of a series is
// Dot(row, w). The margin of every later row k is computed from g, w' and row i of the step before,
// without waiting for w:
//
//	t_k = FMA(g, Dot(row_k, row_i), Dot(row_k, w'))
//
// If radius > 0, every step projects w onto the ball of that radius before it adds w to sum, and every Dot of
// this comment is summed in 8 lanes instead of 16. The step computes |w|² before the projection as
//
//	n2 = FMA(g, FMA(g, Dot(row_i, row_i), 2*Dot(row_i, w')), Dot(w', w'))
//
// If n2 exceeds radius², w and the next margin are multiplied by f = radius/sqrt(n2).
//
// len(w) must be a multiple of 8 and at most 4096; pad with zeros. w and sum are updated
// and must not overlap each other or any other argument.
func InnerRotated(w, sum, c, e, x []float64, radius float64, s *Steps, sampled []int32) {
	const fn = "InnerRotated"
	var a stepArgs
	a.setArguments(fn, s, sampled)
	a.setVectors(fn, "sum", w, sum, c, e)
	checkLen(fn, "x", len(x), len(w)*s.Rows.Len())
	checkApart(fn, "w", w, "x", x)
	checkApart(fn, "sum", sum, "x", x)
	raceRead(x)
	if len(w)%8 != 0 || len(w) > rotatedMax {
		panicf("%s: len(w) is %d, want a multiple of 8, at most %d", fn, len(w), rotatedMax)
	}
	if len(w) == 0 {
		return
	}
	a.denseRows, a.radius = x, radius
	kernel, reference := active.innerRotated, stepKernel(innerRotatedGeneric)
	if radius > 0 {
		kernel, reference = active.innerRotatedBall, innerRotatedBallGeneric
	}
	if a.Slope != nil {
		kernel = reference
	}
	for len(a.sampled) > 0 {
		a.stepCount = min(len(a.sampled), maxWork/len(w))
		a.sampled = a.sampled[stepsBlock(kernel, &a):]
	}
}
