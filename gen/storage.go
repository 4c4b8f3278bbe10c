package gen

import (
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// A storage is a storage form of nonzeros.
type storage struct {
	name string // suffix of the kernels' names; empty for int32 columns with float64 values
	columns
	values
}

// columns describes how column numbers are stored. index loads one number and extends it to 64 bits
// with zeros. extend returns an instruction that loads and extends as many numbers as a vector has lanes.
// jumpUnlessConsecutive jumps to the label unless the 8 numbers at m are consecutive, so that each is greater
// by 1 than the number before it. After the 16-bit number 65535 there is no consecutive number.
type columns struct {
	name, field string // suffix of the kernels' names; field of kernels.Rows
	idxBytes    int
	index       func(e *emitter, m operand.Mem, j reg.GPVirtual)
	extend      func(e *emitter) instruction

	jumpUnlessConsecutive func(e *emitter, m operand.Mem, to operand.LabelRef)
}

type values struct {
	name, field string // suffix of the kernels' names; field of kernels.Rows, empty if all values are 1
	valBytes    int
	// add adds x times the values at m to acc. The mask k says which lanes have a value; in the other
	// lanes x is -0.
	add func(e *emitter, acc, x vec, m operand.Mem, k mask)
	// number loads a single value. It returns nil if all values are 1.
	number func(e *emitter, m operand.Mem) vec
	// convert returns an instruction and its operand. The instruction loads one value for each lane of a
	// vector, as float64.
	convert func(e *emitter, m operand.Mem) (load instruction, source operand.Op)
}

// columnForms and valueForms list the forms of the columns and of the values. storages lists their
// combinations in the order of the method form in package kernels.
var (
	columnForms = []columns{columns32, columns16}
	valueForms  = []values{values64, values32, valuesOne}

	storages = func() (forms []*storage) {
		for _, c := range columnForms {
			for _, v := range valueForms {
				forms = append(forms, &storage{c.name + v.name, c, v})
			}
		}
		return forms
	}()
)

var columns32 = columns{
	field: "Idx", idxBytes: 4,
	index:  func(e *emitter, m operand.Mem, j reg.GPVirtual) { e.MOVL(m, j.As32()) },
	extend: func(e *emitter) instruction { return e.VPMOVZXDQ },
	jumpUnlessConsecutive: func(e *emitter, m operand.Mem, to operand.LabelRef) {
		v, equal := e.YMM(), e.GP32()
		e.VPBROADCASTD(m, v)
		e.VPADDD(e.table("count32", []uint64{1 << 32, 3<<32 | 2, 5<<32 | 4, 7<<32 | 6}), v, v)
		e.VPCMPEQD(m, v, v)
		e.VMOVMSKPS(v, equal)
		e.CMPL(equal, operand.Imm(1<<8-1))
		e.JNE(to)
	},
}

var columns16 = columns{
	name: "U16", field: "Idx16", idxBytes: 2,
	index:  func(e *emitter, m operand.Mem, j reg.GPVirtual) { e.MOVWQZX(m, j) },
	extend: func(e *emitter) instruction { return e.VPMOVZXWQ },
	jumpUnlessConsecutive: func(e *emitter, m operand.Mem, to operand.LabelRef) {
		first, v, equal := e.XMM(), e.XMM(), e.GP32()
		e.VPBROADCASTW(m, first)
		e.VMOVDQU(m, v)
		e.VPSUBUSW(first, v, v) // 0 in place of a negative difference
		e.VPCMPEQW(e.table("count16", []uint64{3<<48 | 2<<32 | 1<<16, 7<<48 | 6<<32 | 5<<16 | 4}), v, v)
		e.VPMOVMSKB(v, equal)
		e.CMPL(equal, operand.I32(1<<16-1))
		e.JNE(to)
	},
}

var values64 = values{
	field: "Val", valBytes: 8,
	add:     func(e *emitter, acc, x vec, m operand.Mem, k mask) { e.VFMADD231PD(e.load(e, m, k), x, acc) },
	number:  (*emitter).scalar,
	convert: func(e *emitter, m operand.Mem) (instruction, operand.Op) { return e.VMOVUPD, m },
}

var values32 = values{
	name: "F32", field: "Val32", valBytes: 4,
	add: func(e *emitter, acc, x vec, m operand.Mem, k mask) { e.VFMADD231PD(e.widen(m, k), x, acc) },
	number: func(e *emitter, m operand.Mem) vec {
		v := e.XMM()
		e.VMOVSS(m, v)
		e.VCVTSS2SD(v, v, v)
		return v
	},
	convert: func(e *emitter, m operand.Mem) (instruction, operand.Op) { return e.VCVTPS2PD, m },
}

var valuesOne = values{
	name:   "Ones",
	add:    func(e *emitter, acc, x vec, _ operand.Mem, _ mask) { e.VADDPD(x, acc, acc) },
	number: func(*emitter, operand.Mem) vec { return nil },
	convert: func(e *emitter, _ operand.Mem) (instruction, operand.Op) {
		return e.VMOVAPD, e.constantVec("one")
	},
}

// addNumber adds x times a number to the low lane of acc. A nil number is 1.
func (e *emitter) addNumber(acc, x, number vec) {
	if number == nil {
		e.VADDSD(x, acc, acc)
		return
	}
	e.VFMADD231SD(number, x, acc)
}
