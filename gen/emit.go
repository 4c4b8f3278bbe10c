package gen

import (
	"fmt"
	"go/token"
	"go/types"

	"github.com/mmcloughlin/avo/attr"
	"github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/gotypes"
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// An emitter is an avo context with the helpers of this package. Each output file has its own
// emitter.
type emitter struct {
	*build.Context
	*isa
	tables     map[string]table   // the read-only tables of the file, by name
	pkg        *types.Package     // what package kernels declares in files that are not generated
	pointers   map[string]pointer // the pointer parameters of the current function, by name
	labelCount int                // number of labels in the current function
	entries    []setEntry         // one for each kernel and instruction set
}

// A setEntry says in which field of a set in zsets_amd64.go a kernel is stored. function is the name of
// the kernel. If form is not nil, the field is in the rowSet of this storage form.
type setEntry struct {
	isa      *isa
	form     *storage
	field    string
	function string
	features []string // the processor features that the kernel needs; set by family.build
}

func newEmitter(pkg *types.Package) *emitter {
	e := &emitter{Context: build.NewContext(), tables: map[string]table{}, pkg: pkg}
	e.ConstraintExpr("!purego")
	return e
}

// beginKernel begins a function. Its name is the given name with the suffix of the instruction set. doc
// describes the kernel's loop in the function's comment.
func (e *emitter) beginKernel(t *isa, name, signature string, doc ...string) {
	e.beginFunction(setEntry{isa: t, field: name, function: name + t.name}, signature, doc)
}

// beginFormKernel is like beginKernel, but for one storage form: the name of the function gets the suffix of
// the form too.
func (e *emitter) beginFormKernel(t *isa, s *storage, name, signature string, doc ...string) {
	e.beginFunction(setEntry{isa: t, form: s, field: name, function: name + s.name + t.name}, signature, doc)
}

func (e *emitter) beginFunction(s setEntry, signature string, doc []string) {
	e.isa, e.labelCount = s.isa, 0
	e.entries = append(e.entries, s)
	e.Function(s.function)
	e.Attributes(attr.NOSPLIT)
	sig, err := types.Eval(token.NewFileSet(), e.pkg, token.NoPos, signature)
	if err != nil {
		panic(err) // a misspelt signature in this package
	}
	e.Signature(gotypes.NewSignature(e.pkg, sig.Type.(*types.Signature)))
	e.Doc(append([]string{s.function + " is " + s.field + "Generic for " + s.isa.name + ":", ""}, doc...)...)
	e.Pragma("noescape")
	e.loadPointers(sig.Type.(*types.Signature).Params())
}

func (e *emitter) ret() {
	e.VZEROUPPER()
	e.RET()
}

// label returns a unique label: prefix and a number. placeLabel places it in the code. prefix needs at least
// three letters, because the Go assembler takes a label such as r8 for a register.
func (e *emitter) label(prefix string) operand.LabelRef {
	if len(prefix) < 3 {
		panic("gen: the label " + prefix + " needs at least three letters")
	}
	e.labelCount++
	return operand.LabelRef(fmt.Sprintf("%s%d", prefix, e.labelCount))
}

func (e *emitter) placeLabel(l operand.LabelRef) { e.Label(string(l)) }

// base and length return registers with the address and the length of a slice parameter.
func (e *emitter) base(param string) reg.GPVirtual {
	r := e.GP64()
	e.Load(e.param(param).Base(), r)
	return r
}

func (e *emitter) length(param string) reg.GPVirtual {
	r := e.GP64()
	e.Load(e.param(param).Len(), r)
	return r
}

// field returns the memory operand of a scalar parameter, or of a field such as a.Loss of the struct to
// which the parameter a points.
func (e *emitter) field(path string) operand.Mem { return e.address(e.param(path)) }

// address returns the memory operand of a component, such as a result.
func (e *emitter) address(c gotypes.Component) operand.Mem {
	b, err := c.Resolve()
	if err != nil {
		panic(err) // a misspelt parameter in this package
	}
	return b.Addr
}

// local returns memory on the stack for one vector.
func (e *emitter) local() operand.Mem { return e.AllocLocal(8 * e.lanes) }

// broadcast returns a vector that holds a scalar parameter in every lane.
func (e *emitter) broadcast(param string) vec {
	v := e.vector(e)
	e.VBROADCASTSD(e.field(param), v)
	return v
}

func (e *emitter) scalar(m operand.Mem) vec {
	x := e.XMM()
	e.VMOVSD(m, x)
	return x
}

func (e *emitter) zero() vec {
	v := e.vector(e)
	e.VXORPD(v.AsX(), v.AsX(), v.AsX())
	return v
}

func (e *emitter) zeros(n int) []vec {
	vs := make([]vec, n)
	for i := range vs {
		vs[i] = e.zero()
	}
	return vs
}

// constantVec returns a new register that holds a named constant in every lane.
func (e *emitter) constantVec(name string) vec {
	v := e.vector(e)
	if e.lanes == 2 { // VBROADCASTSD has no 128-bit form
		e.VMOVUPD(e.constant(name), v)
	} else {
		e.VBROADCASTSD(e.constant(name), v)
	}
	return v
}
