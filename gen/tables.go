package gen

import (
	"fmt"
	"slices"
	"strings"

	"github.com/mmcloughlin/avo/operand"
)

// rodata holds the read-only tables that all kernels share. They are written to a file of their
// own.
type rodata struct {
	names []string
	words map[string][]uint64
}

// add returns the address of the table with the given name and words. It is the same table in all calls with
// this name.
func (t *rodata) add(name string, words []uint64) operand.Mem {
	if t.words == nil {
		t.words = map[string][]uint64{}
	}
	if old, ok := t.words[name]; !ok {
		t.names = append(t.names, name)
		t.words[name] = words
	} else if !slices.Equal(old, words) {
		panic("gen: two different tables have the name " + name)
	}
	return operand.NewDataAddr(operand.Symbol{Name: symbol(name)}, 0)
}

func symbol(name string) string { return "·table_" + name }

// assembly returns the assembly source of the tables.
func (t *rodata) assembly() []byte {
	var b strings.Builder
	b.WriteString(header + "//go:build !purego\n\n#include \"textflag.h\"\n")
	for _, name := range t.names {
		b.WriteString("\n")
		words := t.words[name]
		for i, w := range words {
			fmt.Fprintf(&b, "DATA %s+%d(SB)/8, $%#016x\n", symbol(name), 8*i, w)
		}
		fmt.Fprintf(&b, "GLOBL %s(SB), RODATA|NOPTR, $%d\n", symbol(name), 8*len(words))
	}
	return []byte(b.String())
}
