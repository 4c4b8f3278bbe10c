package gen

import (
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

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
