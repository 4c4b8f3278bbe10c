package gen

import (
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// A decayLoop emits the inner loop InnerDecay. It does not prefetch the state of the columns of later
// rows, because this prefetch makes the steps slower.
type decayLoop struct {
	*fusedLoop
	cells     reg.GPVirtual // address of a.decayCells
	keep      reg.GPVirtual // address of a.scratch.keep
	stepCount operand.Mem   // the number of steps done
}

func (e *emitter) innerDecay(t *isa) {
	e.beginKernel(t, "innerDecay", stepKernel,
		"\tfor the cell of column idx[k]: v = exp(-(step-Last)*Rate) * Deviation",
		"\tg = eta*(slope0[i] - slope(sum of num[k]*(v+Fixed) in 8 lanes))",
		"\tDeviation = FMA(g, num[k], Factor*v),  Last = step+1,  Gain = FMA(g, num[k], Gain)",
		"",
		"keep holds v between the sum and the update. The padding of a decoded row points at zeros.")
	l := &decayLoop{fusedLoop: e.fusedLoop(6), cells: e.base("a.decayCells")}
	e.pointers["cell"] = pointer{l.cells, e.pkg.Scope().Lookup("DecayCell").Type()}
	l.keep, l.stepCount = e.base("a.scratch.keep"), e.field("a.step")
	pad := e.GP64()
	e.LEAQ(e.constant("nothing"), pad)
	e.SUBQ(l.cells, pad)
	e.MOVQ(pad, l.pad)
	l.eachStep(operand.Imm(1), "", l.step)
	e.ret()
}

func (l *decayLoop) step() {
	sum, z := l.margin(), l.XMM()
	l.VMULSD(sum.AsX(), l.labelOrOne(), z)
	g := l.gain(z)
	nextStep := l.scalar(l.constant("one"))
	l.VADDSD(l.stepCount, nextStep, nextStep)
	l.eachNonzero(func(off, num operand.Mem, k reg.GPVirtual, disp int) {
		j, a := l.GP64(), l.scalar(num)
		l.MOVQ(off, j)
		x := l.scalar(operand.Mem{Base: l.keep, Index: k, Scale: 1, Disp: disp})
		l.VMULSD(l.cellNumber(j, "Factor"), x, x)
		l.VFMADD231SD(a, g, x)
		l.VUNPCKLPD(nextStep, x, x)
		l.VMOVUPD(x, l.cellNumber(j, "Deviation"))
		h := l.scalar(l.cellNumber(j, "Gain"))
		l.VFMADD231SD(a, g, h)
		l.VMOVSD(h, l.cellNumber(j, "Gain"))
	})
	l.VMOVSD(nextStep, l.stepCount)
}

// cellNumber returns the memory operand of the field with the given name of a column's cell. j is the
// distance in bytes from l.cells to this cell.
func (l *decayLoop) cellNumber(j reg.GPVirtual, name string) operand.Mem {
	return l.field("cell."+name).Idx(j, 1)
}

// margin returns the margin of the row at the current point. For each nonzero it stores
// exp(-(step-Last)*Rate) * Deviation in l.keep; InnerDecay of package kernels defines these numbers.
func (l *decayLoop) margin() vec {
	acc := l.zeros(l.vectorsPer8())
	l.eachBlock(func(off, num func(int) operand.Mem) {
		for i := range acc {
			start := i * l.lanes
			dev, lastStep := l.loadPairs(off, start, "Deviation")
			fixedPoint, rate := l.loadPairs(off, start, "Fixed")
			v := l.vector(l.emitter)
			l.VBROADCASTSD(l.stepCount, v)
			v = l.expNeg(l.mul(l.sub(v, lastStep), rate))
			l.VMULPD(dev, v, v)
			dst := num(start)
			dst.Base = l.keep
			l.VMOVUPD(v, dst)
			l.VADDPD(fixedPoint, v, v)
			l.VFMADD231PD(num(start), v, acc[i])
		}
	})
	return l.sum(acc)
}

// loadPairs takes as many nonzeros as a vector has lanes, and reads two numbers from the cell of each
// nonzero's column: a gets the field with the given name, b the field after it. start is the
// index of the first of these nonzeros in a block of eight.
func (l *decayLoop) loadPairs(off func(int) operand.Mem, start int, name string) (a, b vec) {
	mem := func(k int) operand.Mem {
		j := l.GP64()
		l.MOVQ(off(start+k), j)
		return l.cellNumber(j, name)
	}
	// halves[0] takes nonzeros 0, 2, 4, ... and halves[1] takes nonzeros 1, 3, 5, ..., because the
	// instructions below interleave the two vectors.
	var halves [2]vec
	for p := range halves {
		x, y := l.XMM(), l.YMM()
		l.VMOVUPD(mem(p), x)
		l.VINSERTF128(operand.Imm(1), mem(p+2), x.AsY(), y)
		halves[p] = y
		for k := 4; k < l.lanes; k += 2 {
			z := l.ZMM()
			l.VINSERTF64X2(operand.Imm(uint64(k/2)), mem(p+k), halves[p].AsZ(), z)
			halves[p] = z
		}
	}
	return l.binary(l.VUNPCKLPD, halves[0], halves[1]), l.binary(l.VUNPCKHPD, halves[0], halves[1])
}
