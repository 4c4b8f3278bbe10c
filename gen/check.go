package gen

import (
	"fmt"
	"strings"

	"github.com/mmcloughlin/avo/ir"
	"github.com/mmcloughlin/avo/pass"
	"github.com/mmcloughlin/avo/reg"
)

// checks are rules for emitted functions. Neither avo nor the assembler enforces these rules. They are
// checked after register allocation.
var checks = pass.Concat(
	pass.FunctionPass(vexRegisters),
	pass.FunctionPass(cleanUppers),
	pass.FunctionPass(noLegacySSE),
)

// vexRegisters rejects vector registers 16 to 31 in a function for which avo lists no AVX-512 feature. The
// assembler encodes these registers only for AVX-512, so the program would crash on a processor without
// AVX-512.
func vexRegisters(fn *ir.Function) error {
	for _, feature := range fn.ISA {
		if strings.HasPrefix(feature, "AVX512") {
			return nil
		}
	}
	return eachRegister(fn, func(i *ir.Instruction, r reg.Physical) error {
		if r.Kind() == reg.KindVector && r.PhysicalIndex() > 15 {
			return fmt.Errorf("%s uses %s, which needs AVX-512", i.Opcode, r.Asm())
		}
		return nil
	})
}

// cleanUppers requires VZEROUPPER right before every RET of a function that uses a vector register.
// Without it the SSE instructions of Go code may be slow.
func cleanUppers(fn *ir.Function) error {
	usesVector, lastOpcode := false, ""
	for _, i := range fn.Instructions() {
		for _, r := range i.Registers() {
			usesVector = usesVector || r.Kind() == reg.KindVector
		}
	}
	for _, i := range fn.Instructions() {
		if i.Opcode == "RET" && usesVector && lastOpcode != "VZEROUPPER" {
			return fmt.Errorf("gen: %s: RET without VZEROUPPER before it", fn.Name)
		}
		lastOpcode = i.Opcode
	}
	return nil
}

// noLegacySSE rejects vector instructions without a VEX or EVEX prefix, such as the MOVSD
// that avo's Store emits for a float64 result.
func noLegacySSE(fn *ir.Function) error {
	return eachRegister(fn, func(i *ir.Instruction, r reg.Physical) error {
		if r.Kind() == reg.KindVector && !strings.HasPrefix(i.Opcode, "V") {
			return fmt.Errorf("%s on %s is legacy SSE", i.Opcode, r.Asm())
		}
		return nil
	})
}

func eachRegister(fn *ir.Function, f func(*ir.Instruction, reg.Physical) error) error {
	for _, i := range fn.Instructions() {
		for _, r := range i.Registers() {
			p, ok := r.(reg.Physical)
			if !ok {
				continue
			}
			if err := f(i, p); err != nil {
				return fmt.Errorf("gen: %s: %w", fn.Name, err)
			}
		}
	}
	return nil
}
