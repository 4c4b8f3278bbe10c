package gen

import (
	"github.com/mmcloughlin/avo/operand"
)

// A lazyLoop emits the inner loop InnerLazy.
type lazyLoop struct {
	*fusedLoop
	// Address of the first cell. A cell has u, d and a third number of one column, see Cells of package
	// kernels.
	cells        operand.Mem
	alpha, gamma vec // the iterate is alpha*u + gamma*d, with u and d in the cells
}

func (e *emitter) innerLazy(t *isa) {
	e.beginKernel(t, "innerLazy", stepKernel,
		"\tau, ad = sums of num[k]*cells[4j], num[k]*cells[4j+1] in 8 lanes each",
		"\tz = (b*alpha)*au + (b*gamma)*ad",
		"\talpha, gamma = q*alpha, FMA(q, gamma, -eta)",
		"\tdelta = slope0[i] - slope(z),  r = delta*(eta/alpha)",
		"\tcells[4j:4j+4] = FMA({r, 0, eta*delta, 0}, num[k], cells[4j:4j+4])",
		"",
		"and with a ball the rest of the step of InnerLazy. One load serves both sums, and",
		"one store writes all that a nonzero changes.")
	f := e.fusedLoop(5)
	l := &lazyLoop{fusedLoop: f, cells: operand.Mem{Base: e.base("a.cells")}, alpha: e.XMM(), gamma: e.XMM()}
	p := e.length("a.cells")
	e.SHLQ(operand.Imm(3), p)
	e.SUBQ(operand.Imm(32), p)
	e.MOVQ(p, f.pad)
	e.VMOVSD(f.field("a.lazy.Alpha"), l.alpha)
	e.VMOVSD(f.field("a.lazy.Gamma"), l.gamma)
	exit := e.label("leave")
	f.eachStep(operand.Imm(1), exit, func() { l.step(exit) })
	e.VMOVSD(l.alpha, f.field("a.lazy.Alpha"))
	e.VMOVSD(l.gamma, f.field("a.lazy.Gamma"))
	e.ret()
}

func (l *lazyLoop) step(exit operand.LabelRef) {
	// These factors do not depend on the inner products with the row, so they are computed first.
	b := l.labelOrOne()
	ba, bg, eta, etaOverAlpha := l.XMM(), l.XMM(), l.scalar(l.field("a.Eta")), l.XMM()
	l.VMULSD(l.alpha, b, ba)
	l.VMULSD(l.gamma, b, bg)
	q := l.scalar(l.field("a.lazy.Q"))
	l.VMULSD(q, l.alpha, l.alpha)
	l.VFMSUB213SD(eta, q, l.gamma)
	l.VDIVSD(l.alpha, eta, etaOverAlpha)

	sums := l.sums()
	ad, z := l.XMM(), l.XMM()
	l.VPERMILPD(operand.Imm(1), sums.AsX(), ad)
	l.VMULSD(sums.AsX(), ba, z)
	t := l.XMM()
	l.VMULSD(ad, bg, t)
	l.VADDSD(t, z, z)
	delta := l.delta(z)
	r, g, factors := l.XMM(), l.XMM(), l.YMM()
	eta = l.scalar(l.field("a.Eta"))
	l.VMULSD(delta, etaOverAlpha, r)
	l.VMULSD(delta, eta, g)
	withBall, afterUpdate := l.label("ball"), l.label("both")
	norm2 := l.base("a.norm2")
	l.TESTQ(norm2, norm2)
	l.JNZ(withBall)
	l.VINSERTF128(operand.Imm(1), g, r.AsY(), factors)
	l.update(factors)
	l.JMP(afterUpdate)
	l.placeLabel(withBall)
	l.VMULSD(l.field("a.lazy.AlphaSum"), r, g)
	l.VINSERTF128(operand.Imm(1), g, r.AsY(), factors)
	l.update(factors)
	l.project(r, sums, ad, l.scalar(operand.Mem{Base: norm2, Index: l.i, Scale: 8}))
	l.placeLabel(afterUpdate)

	absGamma := l.XMM()
	l.VUCOMISD(l.alpha, l.scalar(l.constant("lazyFloor")))
	l.JHI(exit)
	l.VMOVUPD(l.constant("absBits"), absGamma)
	l.VANDPD(l.gamma, absGamma, absGamma)
	l.VUCOMISD(l.field("a.lazy.GammaLimit"), absGamma)
	l.JHI(exit)
}

// sums returns a vector whose two low lanes are the inner products of the row with the vectors u
// and d in the cells.
func (l *lazyLoop) sums() vec {
	lanes := make([]vec, 8)
	for i := range lanes {
		lanes[i] = l.YMM()
		l.VXORPD(lanes[i].AsX(), lanes[i].AsX(), lanes[i].AsX())
	}
	l.eachBlock(func(off, num func(int) operand.Mem) {
		for k := range lanes {
			j, v := l.GP64(), l.YMM()
			l.MOVQ(off(k), j)
			l.VBROADCASTSD(num(k), v)
			l.VFMADD231PD(l.cells.Idx(j, 1), v, lanes[k])
		}
	})
	return l.sumLanes(lanes)
}

// update adds factors times the entry of the row for each feature to the cell of the feature. It then sets
// the last cell, which is for the padding of rows, to zero again: an infinite factor makes this cell NaN.
func (l *lazyLoop) update(factors vec) {
	l.eachBlock(func(off, num func(int) operand.Mem) {
		for k := range 8 {
			j, v := l.GP64(), l.YMM()
			l.MOVQ(off(k), j)
			l.VBROADCASTSD(num(k), v)
			l.VFMADD213PD(l.cells.Idx(j, 1), factors, v)
			l.VMOVUPD(v, l.cells.Idx(j, 1))
		}
	})
	j, zero := l.GP64(), l.YMM()
	l.MOVQ(l.pad, j)
	l.VXORPD(zero.AsX(), zero.AsX(), zero.AsX())
	l.VMOVUPD(zero, l.cells.Idx(j, 1))
}

// project emits the method project of Lazy in package kernels.
func (l *lazyLoop) project(r, au, ad, norm2 vec) {
	t, uu, ud := l.XMM(), l.scalar(l.field("a.lazy.UU")), l.scalar(l.field("a.lazy.UD"))
	l.VADDSD(au.AsX(), au.AsX(), t)
	l.VFMADD231SD(r, norm2, t)
	l.VFMADD231SD(r, t, uu)
	l.VFMADD231SD(r, ad, ud)
	l.VMOVSD(uu, l.field("a.lazy.UU"))
	l.VMOVSD(ud, l.field("a.lazy.UD"))
	// n2 = |w|² for w = alpha u + gamma d, that is alpha² UU + 2 alpha gamma UD + gamma² DD; see
	// kernels.Lazy.
	n2, twoAlphaGamma, alpha2 := l.XMM(), l.XMM(), l.XMM()
	l.VMULSD(l.gamma, l.gamma, n2)
	l.VMULSD(l.field("a.lazy.DD"), n2, n2)
	l.VADDSD(l.alpha, l.alpha, twoAlphaGamma)
	l.VMULSD(l.gamma, twoAlphaGamma, twoAlphaGamma)
	l.VFMADD231SD(ud, twoAlphaGamma, n2)
	l.VMULSD(l.alpha, l.alpha, alpha2)
	l.VFMADD231SD(uu, alpha2, n2)
	radius, radius2, inside := l.scalar(l.field("a.lazy.Radius")), l.XMM(), l.label("inside")
	l.VMULSD(radius, radius, radius2)
	l.VUCOMISD(radius2, n2)
	l.JLS(inside)
	l.VSQRTSD(n2, n2, n2)
	l.VDIVSD(n2, radius, n2)
	l.VMULSD(n2, l.alpha, l.alpha)
	l.VMULSD(n2, l.gamma, l.gamma)
	l.placeLabel(inside)
	for _, s := range []struct {
		field string
		x     vec
	}{{"a.lazy.AlphaSum", l.alpha}, {"a.lazy.GammaSum", l.gamma}} {
		sum := l.XMM()
		l.VADDSD(l.field(s.field), s.x, sum)
		l.VMOVSD(sum, l.field(s.field))
	}
}
