package gen

import (
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// firstStep emits the beginning of step 0: it computes w' = FMA(c, w, e) and the sums in r.dots, and sets t
// to the margin of row 0. The type rotated explains the steps.
func (r *rotated) firstStep(t vec) {
	margin := r.zeros(len(r.dots[0]))
	r.clear()
	r.eachVector(func(p place, i int) {
		w := r.read(r.w, p)
		r.VFMADD231PD(p.mem(r.row), w, margin[i%len(margin)])
		r.point(p, i, w, r.row, r.next)
	})
	r.reduce()
	r.VMOVAPD(r.emitter.sum(margin).AsX(), t)
}

// sweep emits the end of step k, which computes w, and the beginning of step k+1, which computes its w' and
// the sums in r.dots; see rotated for w'. Both are in one loop over the vectors.
func (r *rotated) sweep() {
	r.clear()
	r.eachVector(func(p place, i int) {
		if (p.disp/8)%8 == 0 {
			r.PREFETCHT0(p.mem(r.prefetchRow))
		}
		r.point(p, i, r.step(p), r.next, r.thirdRow)
	})
	r.reduce()
}

// finish emits the end of the last step, which computes w from w'; see the type rotated.
func (r *rotated) finish() {
	r.eachVector(func(p place, _ int) { r.write(r.step(p), r.w, p) })
}

// step computes w at the end of a step, adds w to the sum of the iterates, and returns w, all at one place.
func (r *rotated) step(p place) vec {
	w := r.read(r.w, p)
	r.VFMADD231PD(p.mem(r.row), r.gain, w)
	if r.ball {
		r.VMULPD(r.factor, w, w)
	}
	s := r.vector(r.emitter)
	r.VADDPD(p.mem(r.sum), w, s)
	r.write(s, r.sum, p)
	return w
}

// point stores w' = FMA(c, w, e) at a place and adds the products at this place to the lanes of the
// sums. row is the row of a step, next the row of the step after it. i is as in eachVector.
func (r *rotated) point(p place, i int, w vec, row, next reg.GPVirtual) {
	c := r.read(r.c, p)
	r.VFMADD213PD(p.mem(r.e), w, c)
	r.write(c, r.w, p)
	add := func(dot int, x, y vec) { r.VFMADD231PD(x, y, r.dots[dot][i%len(r.dots[dot])]) }
	x := r.read(row, p)
	if r.ball {
		add(dotRowPoint, x, c)
		add(dotRowRow, x, x)
		add(dotPoint, c, c)
	}
	y := r.read(next, p)
	add(dotNextPoint, y, c)
	add(dotNextRow, y, x)
}

// eachVector emits f for every vector of w, whose length is a multiple of 8. i is the index of the vector
// within a block of 16 elements.
func (r *rotated) eachVector(f func(p place, i int)) {
	i, n := r.cursor(), r.length("a.w")
	r.blocks(i, n, func() {
		for j := range r.denseVectors() {
			f(place{cursor: i, disp: 8 * r.lanes * j}, j)
		}
		r.ADDQ(operand.Imm(16), i)
	})
	done := r.label("done")
	r.TESTQ(operand.U32(8), n)
	r.JZ(done)
	for j := range r.sparseVectors() {
		f(place{cursor: i, disp: 8 * r.lanes * j}, j)
	}
	r.placeLabel(done)
}

func (r *rotated) clear() {
	for _, lanes := range r.dots {
		for _, v := range lanes {
			r.VXORPD(v.AsX(), v.AsX(), v.AsX())
		}
	}
}

// reduce adds the lanes of each sum.
func (r *rotated) reduce() {
	for _, lanes := range r.dots {
		r.emitter.sum(lanes)
	}
}

// dot returns the sum with the index d, which reduce has computed.
func (r *rotated) dot(d int) operand.Op { return r.dots[d][0].AsX() }
