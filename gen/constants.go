package gen

import (
	"go/constant"
	"go/types"
	"math"
	"slices"

	"github.com/mmcloughlin/avo/attr"
	"github.com/mmcloughlin/avo/operand"
)

// commonConstants holds the bits of the constants that package kernels does not declare.
var commonConstants = map[string]uint64{
	"nothing": 0,
	"one":     math.Float64bits(1),
	"two":     math.Float64bits(2),
	"half":    math.Float64bits(0.5),
	"signBit": 1 << 63,
	"absBits": 1<<63 - 1,

	// For the logarithm of a normal number, see logNormal of package kernels.
	"sqrtHalfBias": 1023<<52 - math.Float64bits(math.Sqrt2/2),
	"mantissaBits": 1<<52 - 1,
	"integerBits":  math.Float64bits(1 << 52),
	"integerBias":  math.Float64bits(1<<52 + 1023),
}

// number returns the value of a constant that package kernels declares.
func (e *emitter) number(name string) constant.Value {
	c, ok := e.pkg.Scope().Lookup(name).(*types.Const)
	if !ok {
		panic("gen: no constant " + name)
	}
	if c.Val().Kind() == constant.Unknown {
		panic("gen: the value of " + name + " needs an import, and imports are not loaded")
	}
	return c.Val()
}

// integer returns the value of an integer constant that package kernels declares.
func (e *emitter) integer(name string) int {
	n, ok := constant.Int64Val(e.number(name))
	if !ok {
		panic("gen: " + name + " is not an integer")
	}
	return int(n)
}

// constant returns the address of four copies of a named constant, enough for a 256-bit instruction.
func (e *emitter) constant(name string) operand.Mem {
	b, ok := commonConstants[name]
	if !ok {
		x, _ := constant.Float64Val(e.number(name))
		b = math.Float64bits(x)
	} else if e.pkg.Scope().Lookup(name) != nil {
		panic("gen: commonConstants and package kernels both declare " + name)
	}
	return e.table(name, slices.Repeat([]uint64{b}, 4))
}

// A table is read-only data of a generated file.
type table struct {
	operand.Mem
	words []uint64
}

// table returns the address of the table with the given name and words. It is the same table in all calls
// with this name.
func (e *emitter) table(name string, words []uint64) operand.Mem {
	t, ok := e.tables[name]
	if !ok {
		t = table{e.StaticGlobal(name), words}
		e.DataAttributes(attr.RODATA | attr.NOPTR)
		for _, w := range words {
			e.AppendDatum(operand.U64(w))
		}
		e.tables[name] = t
	}
	if !slices.Equal(t.words, words) {
		panic("gen: two different tables have the name " + name)
	}
	return t.Mem
}
