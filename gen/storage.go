package gen

import (
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// A storage is a form in which the nonzeros of a matrix are kept. Arithmetic is
// float64 in every form, so a form is no more than its loads.
type storage struct {
	name string // suffix of the kernels, empty for the plain form
	columns
	values
}

// columns are the indices of the nonzeros, zero-extended when loaded.
type columns struct {
	name, param string
	idxBytes    int
	index       func(e *emitter, m operand.Mem, j reg.GPVirtual)
}

// values are those of the nonzeros. add adds x times the values at m inside the
// mask to acc, where x is -0 outside; addOne does so in the low lane. Without
// values these are plain additions, which round alike.
type values struct {
	name, param string
	valBytes    int
	add         func(e *emitter, acc, x vec, m operand.Mem, k mask)
	addOne      func(e *emitter, acc, x vec, m operand.Mem)
}

var columns32 = columns{"", "a.Idx", 4, func(e *emitter, m operand.Mem, j reg.GPVirtual) { e.MOVL(m, j.As32()) }}

var columns16 = columns{"U16", "a.Idx16", 2, func(e *emitter, m operand.Mem, j reg.GPVirtual) { e.MOVWQZX(m, j) }}

var values64 = values{
	param: "a.Val", valBytes: 8,
	add: func(e *emitter, acc, x vec, m operand.Mem, k mask) { e.VFMADD231PD(e.load(e, m, k), x, acc) },
	addOne: func(e *emitter, acc, x vec, m operand.Mem) {
		e.VFMADD231SD(e.scalar(m), x, acc)
	},
}

var values32 = values{
	name: "F32", param: "a.Val32", valBytes: 4,
	add: func(e *emitter, acc, x vec, m operand.Mem, k mask) { e.VFMADD231PD(e.widen(m, k), x, acc) },
	addOne: func(e *emitter, acc, x vec, m operand.Mem) {
		v := e.XMM()
		e.VMOVSS(m, v)
		e.VCVTSS2SD(v, v, v)
		e.VFMADD231SD(v, x, acc)
	},
}

var valuesOne = values{
	name:   "Ones",
	add:    func(e *emitter, acc, x vec, _ operand.Mem, _ mask) { e.VADDPD(x, acc, acc) },
	addOne: func(e *emitter, acc, x vec, _ operand.Mem) { e.VADDSD(x, acc, acc) },
}

// storages lists the forms in the order of the constants in package kernels.
var storages = func() (all []*storage) {
	for _, c := range []columns{columns32, columns16} {
		for _, v := range []values{values64, values32, valuesOne} {
			all = append(all, &storage{c.name + v.name, c, v})
		}
	}
	return all
}()
