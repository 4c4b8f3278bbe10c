package gen

import (
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// A row is prefetched rotatedAhead samples before its use. Measured on a Zen 5 core with 32561 rows
// of 128 numbers, which fill the last-level cache, in ns per step:
//
//	samples ahead     4     6     8    12    16    24
//	AVX2             75    49    47    46    46    45
//	AVX-512          65    48    41    36    36    36
//
// With rows in the first-level cache a step takes 34 ns with AVX2 and 25 ns with AVX-512. The limit
// is the chain of dependent operations from one gain to the next, to which memory traffic adds
// little. For rows of 256 numbers a distance above 8 gains nothing.
const rotatedAhead = 12

// A rotated emits the inner loop on dense rows. The comment of InnerRotated in package kernels defines
// w', g and f. Step k uses row k. The rows of the following steps are already known.
type rotated struct {
	*emitter
	ball bool

	w, sum, c, e            reg.GPVirtual // addresses of the vectors; w holds w' of step k
	row, next, after, ahead reg.GPVirtual // rows k, k+1, k+2 and k+rotatedAhead
	k                       reg.GPVirtual
	gain, factor            vec     // g and f of step k in every lane; f with the ball only
	dots                    [][]vec // sums that step k needs, each in lanes; after reduce in the first lane
}

// The sums of step k, which are computed before the gain of step k is known.
const (
	dotNextPoint = iota // next·w', where w' is the point before row is added
	dotNextRow          // next·row
	dotRowPoint         // row·w', only with the ball
	dotRowRow           // row·row
	dotPoint            // w'·w'
	rotatedDots
)

func (e *emitter) innerRotated(t *isa) {
	e.kernel(t, "innerRotated", stepKernel,
		"\tw'[j] = FMA(c[j], w[j], e[j])",
		"\tt = FMA(g, Dot(next, row), Dot(next, w'))",
		"\tw[j] = FMA(g, row[j], w'[j]),  sum[j] += w[j]",
		"",
		"One sweep ends step k and begins step k+1, while the processor computes the exponential",
		"of step k+1. Memory holds w' of step k; the dots are computed one step ahead.")
	r := &rotated{emitter: e}
	r.run()
}

func (e *emitter) innerRotatedBall(t *isa) {
	e.kernel(t, "innerRotatedBall", stepKernel,
		"\tw'[j] = FMA(c[j], w[j], e[j])",
		"\tn2 = FMA(g, FMA(g, row'row, 2 row'w'), w''w'),  f = n2 > radius² ? radius/sqrt(n2) : 1",
		"\tt = f * FMA(g, next'row, next'w')",
		"\tw[j] = f * FMA(g, row[j], w'[j]),  sum[j] += w[j]",
		"",
		"in the order of innerRotated, with 8 lanes for each dot.")
	r := &rotated{emitter: e, ball: true}
	r.run()
}

// run emits the loop. The code of the gain appears once: step 0 jumps to it and skips the
// sweep.
func (r *rotated) run() {
	step, gain, begun, last := r.label("step"), r.label("gain"), r.label("begun"), r.label("last")
	steps, sampled := r.field("a.count"), r.address(r.param("a.sampled").Len())
	t, g := r.XMM(), r.XMM()
	r.start()
	r.locate(r.row, 0, steps)
	r.locate(r.next, 1, steps)
	r.first(t)
	// Both registers must be set on every path to sweep. Otherwise the allocator would reserve them
	// during first.
	for _, v := range []vec{r.gain, r.factor} {
		r.VBROADCASTSD(t, v)
	}
	r.JMP(gain)
	r.at(step)
	r.INCQ(r.k)
	r.CMPQ(r.k, steps)
	r.JGE(last)
	r.locate(r.after, 1, steps)
	r.locate(r.ahead, rotatedAhead-1, sampled)
	r.margin(t, g)
	r.at(gain)
	r.slope(g, t)
	r.TESTQ(r.k, r.k)
	r.JZ(begun)
	r.sweep()
	r.MOVQ(r.next, r.row)
	r.MOVQ(r.after, r.next)
	r.at(begun)
	r.spread(g)
	r.JMP(step)
	r.at(last)
	r.finish()
	r.MOVQ(r.k, r.address(r.ReturnIndex(0)))
	r.ret()
}

// start loads the addresses of the vectors and allocates the registers used throughout.
func (r *rotated) start() {
	r.w, r.sum, r.c, r.e = r.base("a.w"), r.base("a.sum"), r.base("a.c"), r.base("a.e")
	r.k, r.row, r.next, r.after, r.ahead = r.cursor(), r.GP64(), r.GP64(), r.GP64(), r.GP64()
	r.gain, r.factor = r.vector(r.emitter), r.vector(r.emitter)
	count, lanes := dotNextRow+1, r.dense()
	if r.ball {
		count, lanes = rotatedDots, r.group()
	}
	r.dots = make([][]vec, count)
	for d := range r.dots {
		r.dots[d] = make([]vec, lanes)
		for i := range r.dots[d] {
			r.dots[d][i] = r.vector(r.emitter)
		}
	}
}

// locate sets row to the address of the row of the drawn sample with the index min(k+distance, count-1)
// in a.sampled.
func (r *rotated) locate(row reg.GPVirtual, distance int, count operand.Mem) {
	i := r.GP64()
	r.MOVQ(count, row)
	r.DECQ(row)
	r.LEAQ(operand.Mem{Base: r.k, Disp: distance}, i)
	r.CMPQ(i, row)
	r.CMOVQLT(i, row)
	r.MOVLQSX(operand.Mem{Base: r.base("a.sampled"), Index: row, Scale: 4}, row)
	r.IMULQ(r.address(r.param("a.w").Len()), row)
	r.LEAQ(operand.Mem{Base: r.base("a.dense"), Index: row, Scale: 8}, row)
}

// margin sets t to the margin of the next sample; g is the gain of the current one.
func (r *rotated) margin(t, g vec) {
	r.VMOVAPD(g, t)
	r.VFMADD213SD(r.dot(dotNextPoint), r.dot(dotNextRow), t)
	if r.ball {
		r.VMULSD(r.factor.AsX(), t, t)
	}
}

// slope sets g to the gain of sample k, given its margin t.
func (r *rotated) slope(g, t vec) {
	i := r.GP64()
	r.MOVLQSX(operand.Mem{Base: r.base("a.sampled"), Index: r.k, Scale: 4}, i)
	b := r.scalar(operand.Mem{Base: r.base("a.Label"), Index: i, Scale: 8})
	squared, scale := r.label("squared"), r.label("scale")
	r.CMPB(r.field("a.Loss"), operand.Imm(0))
	r.JNE(squared)
	r.scalars(func() {
		z, x := r.logisticExp(t, b)
		r.VMOVAPD(r.logisticSlope(z, x, b), g)
	})
	r.JMP(scale)
	r.at(squared)
	r.VSUBSD(b, t, g)
	r.VADDSD(g, g, g)
	r.at(scale)
	r.VSUBSD(g, r.scalar(operand.Mem{Base: r.base("a.Slope0"), Index: i, Scale: 8}), g)
	r.VMULSD(r.scalar(r.field("a.Eta")), g, g)
}

// spread copies the gain of step k, and for the ball the factor f, to every lane.
func (r *rotated) spread(g vec) {
	r.VBROADCASTSD(g, r.gain)
	if !r.ball {
		return
	}
	inside := r.label("inside")
	n2, f, radius := r.XMM(), r.XMM(), r.field("a.ball.Radius")
	r.scalars(func() { r.VMOVAPD(r.fresh("one"), f) })
	r.VADDSD(r.dot(dotRowPoint), r.dot(dotRowPoint), n2)
	r.VFMADD231SD(g, r.dot(dotRowRow), n2)
	r.VFMADD213SD(r.dot(dotPoint), g, n2)
	limit := r.scalar(radius)
	r.VMULSD(limit, limit, limit)
	r.VUCOMISD(limit, n2)
	r.JLS(inside)
	r.VSQRTSD(n2, n2, n2)
	r.VMOVSD(radius, f)
	r.VDIVSD(n2, f, f)
	r.at(inside)
	r.VBROADCASTSD(f, r.factor)
}
