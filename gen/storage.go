package gen

import (
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// A storage is a storage form of the nonzeros of a matrix. Forms differ only in their
// loads; arithmetic is float64 in every form.
type storage struct {
	name string // suffix of the kernels, empty for the plain form
	columns
	values
}

// columns describes how column indices are stored. index loads one index and extends it with zeros.
type columns struct {
	name, param string
	idxBytes    int
	index       func(e *emitter, m operand.Mem, j reg.GPVirtual)
}

// values describes how values are stored. add adds x times the values at m to acc. The mask says
// which lanes have a value; x is -0 in the others. number loads a single value. If all values are
// 1, add is a plain addition, which rounds in the same way, and number returns nil.
type values struct {
	name, param string
	valBytes    int
	add         func(e *emitter, acc, x vec, m operand.Mem, k mask)
	number      func(e *emitter, m operand.Mem) vec
}

var columns32 = columns{"", "a.Idx", 4, func(e *emitter, m operand.Mem, j reg.GPVirtual) { e.MOVL(m, j.As32()) }}

var columns16 = columns{"U16", "a.Idx16", 2, func(e *emitter, m operand.Mem, j reg.GPVirtual) { e.MOVWQZX(m, j) }}

var values64 = values{
	param: "a.Val", valBytes: 8,
	add:    func(e *emitter, acc, x vec, m operand.Mem, k mask) { e.VFMADD231PD(e.load(e, m, k), x, acc) },
	number: (*emitter).scalar,
}

var values32 = values{
	name: "F32", param: "a.Val32", valBytes: 4,
	add: func(e *emitter, acc, x vec, m operand.Mem, k mask) { e.VFMADD231PD(e.widen(m, k), x, acc) },
	number: func(e *emitter, m operand.Mem) vec {
		v := e.XMM()
		e.VMOVSS(m, v)
		e.VCVTSS2SD(v, v, v)
		return v
	},
}

var valuesOne = values{
	name:   "Ones",
	add:    func(e *emitter, acc, x vec, _ operand.Mem, _ mask) { e.VADDPD(x, acc, acc) },
	number: func(*emitter, operand.Mem) vec { return nil },
}

// addNumber adds x times a number to the low lane of acc. A nil number is 1.
func (e *emitter) addNumber(acc, x, number vec) {
	if number == nil {
		e.VADDSD(x, acc, acc)
		return
	}
	e.VFMADD231SD(number, x, acc)
}

// storages lists the forms in the order of the method form in package kernels.
var storages = func() (all []*storage) {
	for _, c := range []columns{columns32, columns16} {
		for _, v := range []values{values64, values32, valuesOne} {
			all = append(all, &storage{c.name + v.name, c, v})
		}
	}
	return all
}()
