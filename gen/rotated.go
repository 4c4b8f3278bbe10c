package gen

import (
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// A row is prefetched rotatedAhead samples before its use. On a Zen 5 core a shorter distance was
// slower, and a longer one not faster.
const rotatedAhead = 12

// A rotatedLoop emits kernels.InnerRotated, the inner loop on dense rows. The comment of InnerRotated
// explains the vectors c and e, the point w and the number g, which is called the gain here. Step k
// computes w' = FMA(c, w, e), and then the next point w = f * FMA(g, row k, w'). The factor f projects onto
// the ball; without a ball it is 1.
type rotatedLoop struct {
	*emitter
	hasBall bool

	// The addresses of the vectors. The memory at w holds the w' of step k, see the comment of rotatedLoop.
	w, sum, c, e                        reg.GPVirtual
	row, nextRow, thirdRow, prefetchRow reg.GPVirtual // addresses of rows k, k+1, k+2 and k+rotatedAhead
	k                                   reg.GPVirtual
	gain, factor                        vec // g and f of step k in every lane; f only with a ball
	// dots[d] has the lanes of sum d, see below; after reduceDots the low lane of dots[d][0] is the sum.
	dots [][]vec
}

// The indices of the sums of step k in dots. These sums do not depend on the gain of step k.
const (
	dotNextPoint = iota // next·w', where next is row k+1, and w' is the point before row k is added
	dotNextRow          // next·row
	dotRowPoint         // row·w'; this sum and the next two are computed only if rotatedLoop.hasBall is true
	dotRowRow           // row·row
	dotPoint            // w'·w'
	rotatedDots
)

func (e *emitter) innerRotated(t *isa) {
	e.beginKernel(t, "innerRotated", stepKernel,
		"\tw'[j] = FMA(c[j], w[j], e[j])",
		"\tt = FMA(g, Dot(next, row), Dot(next, w'))",
		"\tw[j] = FMA(g, row[j], w'[j]),  sum[j] += w[j]",
		"",
		"One sweep ends step k and begins step k+1, while the processor computes the exponential",
		"of step k+1. Memory holds w' of step k; the dots are computed one step ahead.")
	r := &rotatedLoop{emitter: e}
	r.run()
}

func (e *emitter) innerRotatedBall(t *isa) {
	e.beginKernel(t, "innerRotatedBall", stepKernel,
		"\tw'[j] = FMA(c[j], w[j], e[j])",
		"\tn2 = FMA(g, FMA(g, row'row, 2 row'w'), w''w'),  f = n2 > radius² ? radius/sqrt(n2) : 1",
		"\tt = f * FMA(g, next'row, next'w')",
		"\tw[j] = f * FMA(g, row[j], w'[j]),  sum[j] += w[j]",
		"",
		"in the order of innerRotated, with 8 lanes for each dot.")
	r := &rotatedLoop{emitter: e, hasBall: true}
	r.run()
}

// run emits the loop over the steps. Step 0 begins at the label gain, and skips the code of the method sweep.
func (r *rotatedLoop) run() {
	step, gain, afterSweep, noMoreSteps := r.label("step"), r.label("gain"), r.label("begun"), r.label("last")
	steps, sampledLen := r.field("a.stepCount"), r.address(r.param("a.sampled").Len())
	t, g := r.XMM(), r.XMM()
	r.start()
	r.locate(r.row, 0, steps)
	r.locate(r.nextRow, 1, steps)
	r.firstStep(t)
	// Both registers get a value here. Otherwise the register allocator would regard them as in use
	// in the code of r.firstStep too.
	for _, v := range []vec{r.gain, r.factor} {
		r.VBROADCASTSD(t, v)
	}
	r.JMP(gain)
	r.placeLabel(step)
	r.INCQ(r.k)
	r.CMPQ(r.k, steps)
	r.JGE(noMoreSteps)
	r.locate(r.thirdRow, 1, steps)
	r.locate(r.prefetchRow, rotatedAhead-1, sampledLen)
	r.margin(t, g)
	r.placeLabel(gain)
	r.computeGain(g, t)
	r.TESTQ(r.k, r.k)
	r.JZ(afterSweep)
	r.sweep()
	r.MOVQ(r.nextRow, r.row)
	r.MOVQ(r.thirdRow, r.nextRow)
	r.placeLabel(afterSweep)
	r.setGainAndFactor(g)
	r.JMP(step)
	r.placeLabel(noMoreSteps)
	r.finish()
	r.MOVQ(r.k, r.address(r.ReturnIndex(0)))
	r.ret()
}

// start loads the addresses of the vectors and allocates the registers that the whole loop uses.
func (r *rotatedLoop) start() {
	r.w, r.sum, r.c, r.e = r.base("a.w"), r.base("a.sum"), r.base("a.c"), r.base("a.e")
	r.k, r.row, r.nextRow, r.thirdRow, r.prefetchRow = r.cursor(), r.GP64(), r.GP64(), r.GP64(), r.GP64()
	r.gain, r.factor = r.vector(r.emitter), r.vector(r.emitter)
	dotCount, vectors := dotNextRow+1, r.vectorsPer16()
	if r.hasBall {
		dotCount, vectors = rotatedDots, r.vectorsPer8()
	}
	r.dots = make([][]vec, dotCount)
	for d := range r.dots {
		r.dots[d] = make([]vec, vectors)
		for i := range r.dots[d] {
			r.dots[d][i] = r.vector(r.emitter)
		}
	}
}

// locate sets row to the address of the row with the number a.sampled[min(k+distance, count-1)].
func (r *rotatedLoop) locate(row reg.GPVirtual, distance int, count operand.Mem) {
	i := r.GP64()
	r.MOVQ(count, row)
	r.DECQ(row)
	r.LEAQ(operand.Mem{Base: r.k, Disp: distance}, i)
	r.CMPQ(i, row)
	r.CMOVQLT(i, row)
	r.MOVLQSX(operand.Mem{Base: r.base("a.sampled"), Index: row, Scale: 4}, row)
	r.IMULQ(r.address(r.param("a.w").Len()), row)
	r.LEAQ(operand.Mem{Base: r.base("a.denseRows"), Index: row, Scale: 8}, row)
}

// margin sets t to the margin of the row r.nextRow. g is the gain (see rotatedLoop) of the step on r.row.
func (r *rotatedLoop) margin(t, g vec) {
	r.VMOVAPD(g, t)
	r.VFMADD213SD(r.dot(dotNextPoint), r.dot(dotNextRow), t)
	if r.hasBall {
		r.VMULSD(r.factor.AsX(), t, t)
	}
}

// computeGain sets g to the gain of step k, the g of kernels.Steps. t is the margin of the row of step k.
func (r *rotatedLoop) computeGain(g, t vec) {
	i := r.GP64()
	r.MOVLQSX(operand.Mem{Base: r.base("a.sampled"), Index: r.k, Scale: 4}, i)
	b := r.scalar(operand.Mem{Base: r.base("a.Label"), Index: i, Scale: 8})
	squared, timesEta := r.label("squared"), r.label("scale")
	r.CMPB(r.field("a.Loss"), operand.Imm(0))
	r.JNE(squared)
	r.withScalarISA(func() {
		z, x := r.logisticExp(t, b)
		r.VMOVAPD(r.logisticSlope(z, x, b), g)
	})
	r.JMP(timesEta)
	r.placeLabel(squared)
	r.VSUBSD(b, t, g)
	r.VADDSD(g, g, g)
	r.placeLabel(timesEta)
	r.VSUBSD(g, r.scalar(operand.Mem{Base: r.base("a.Slope0"), Index: i, Scale: 8}), g)
	r.VMULSD(r.scalar(r.field("a.Eta")), g, g)
}

// setGainAndFactor sets every lane of r.gain to g. If r.hasBall is true, it also sets every lane of r.factor
// to the factor f that scales the new point into the ball; f is 1 if the point is inside.
func (r *rotatedLoop) setGainAndFactor(g vec) {
	r.VBROADCASTSD(g, r.gain)
	if !r.hasBall {
		return
	}
	inside := r.label("inside")
	n2, f, radius := r.XMM(), r.XMM(), r.field("a.radius")
	r.withScalarISA(func() { r.VMOVAPD(r.constantVec("one"), f) })
	r.VADDSD(r.dot(dotRowPoint), r.dot(dotRowPoint), n2)
	r.VFMADD231SD(g, r.dot(dotRowRow), n2)
	r.VFMADD213SD(r.dot(dotPoint), g, n2)
	radius2 := r.scalar(radius)
	r.VMULSD(radius2, radius2, radius2)
	r.VUCOMISD(radius2, n2)
	r.JLS(inside)
	r.VSQRTSD(n2, n2, n2)
	r.VMOVSD(radius, f)
	r.VDIVSD(n2, f, f)
	r.placeLabel(inside)
	r.VBROADCASTSD(f, r.factor)
}

// firstStep emits the beginning of step 0: it computes w' = FMA(c, w, e) and the sums in r.dots, and sets t
// to the margin of row 0. The type rotatedLoop explains the steps.
func (r *rotatedLoop) firstStep(t vec) {
	marginLanes := r.zeros(len(r.dots[0]))
	r.clearDots()
	r.eachVector(func(p place, i int) {
		w := r.read(r.w, p)
		r.VFMADD231PD(p.mem(r.row), w, marginLanes[i%len(marginLanes)])
		r.point(p, i, w, r.row, r.nextRow)
	})
	r.reduceDots()
	r.VMOVAPD(r.emitter.sum(marginLanes).AsX(), t)
}

// sweep emits the end of step k, which computes w, and the beginning of step k+1, which computes its w' and
// the sums in r.dots; see rotatedLoop for w'. Both are in one loop over the vectors.
func (r *rotatedLoop) sweep() {
	r.clearDots()
	r.eachVector(func(p place, i int) {
		if (p.disp/8)%8 == 0 {
			r.PREFETCHT0(p.mem(r.prefetchRow))
		}
		r.point(p, i, r.step(p), r.nextRow, r.thirdRow)
	})
	r.reduceDots()
}

// finish emits the end of the last step, which computes w from w'; see the type rotatedLoop.
func (r *rotatedLoop) finish() {
	r.eachVector(func(p place, _ int) { r.write(r.step(p), r.w, p) })
}

// step computes w at the end of a step, adds w to the sum of the iterates, and returns w, all at one place.
func (r *rotatedLoop) step(p place) vec {
	w := r.read(r.w, p)
	r.VFMADD231PD(p.mem(r.row), r.gain, w)
	if r.hasBall {
		r.VMULPD(r.factor, w, w)
	}
	s := r.vector(r.emitter)
	r.VADDPD(p.mem(r.sum), w, s)
	r.write(s, r.sum, p)
	return w
}

// point stores w' = FMA(c, w, e) at a place. It also adds the products of w', row and nextRow at this place
// to the sums in r.dots, see dotNextPoint. row is the row of a step, and nextRow the row of the step
// after it. i is as in eachVector.
func (r *rotatedLoop) point(p place, i int, w vec, row, nextRow reg.GPVirtual) {
	c := r.read(r.c, p)
	r.VFMADD213PD(p.mem(r.e), w, c)
	r.write(c, r.w, p)
	add := func(dot int, x, y vec) { r.VFMADD231PD(x, y, r.dots[dot][i%len(r.dots[dot])]) }
	x := r.read(row, p)
	if r.hasBall {
		add(dotRowPoint, x, c)
		add(dotRowRow, x, x)
		add(dotPoint, c, c)
	}
	y := r.read(nextRow, p)
	add(dotNextPoint, y, c)
	add(dotNextRow, y, x)
}

// eachVector emits f for every vector of w, whose length is a multiple of 8. i is the index of the vector
// within a block of 16 elements.
func (r *rotatedLoop) eachVector(f func(p place, i int)) {
	i, n := r.cursor(), r.length("a.w")
	r.loopBlocks(i, n, func() {
		for j := range r.vectorsPer16() {
			f(place{cursor: i, disp: 8 * r.lanes * j}, j)
		}
		r.ADDQ(operand.Imm(16), i)
	})
	done := r.label("done")
	r.TESTQ(operand.U32(8), n)
	r.JZ(done)
	for j := range r.vectorsPer8() {
		f(place{cursor: i, disp: 8 * r.lanes * j}, j)
	}
	r.placeLabel(done)
}

func (r *rotatedLoop) clearDots() {
	for _, lanes := range r.dots {
		for _, v := range lanes {
			r.VXORPD(v.AsX(), v.AsX(), v.AsX())
		}
	}
}

// reduceDots adds the lanes of each sum.
func (r *rotatedLoop) reduceDots() {
	for _, lanes := range r.dots {
		r.emitter.sum(lanes)
	}
}

// dot returns the sum with the index d, which reduceDots has computed.
func (r *rotatedLoop) dot(d int) operand.Op { return r.dots[d][0].AsX() }
