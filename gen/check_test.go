package gen

import (
	"strings"
	"testing"

	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/pass"
	"github.com/mmcloughlin/avo/reg"
)

// compile compiles the function that body emits, and returns the first error of the checks.
func compile(t *testing.T, body func(e *emitter)) error {
	t.Helper()
	e := newEmitter(nil)
	e.isa = &avx2
	e.Function("bad")
	e.SignatureExpr("func(x []float64) float64")
	body(e)
	f, err := e.Result()
	if err != nil {
		t.Fatal(err)
	}
	if err := pass.Compile.Execute(f); err != nil {
		t.Fatal(err)
	}
	return checks.Execute(f)
}

func TestChecks(t *testing.T) {
	for _, c := range []struct {
		name, want string
		body       func(e *emitter)
	}{
		{"correct", "", func(e *emitter) {
			x := operand.Mem{Base: e.base("x")}
			y := e.YMM()
			e.VMOVUPD(x, y)
			e.VADDPD(y, y, y)
			e.VMOVSD(y.AsX(), e.address(e.ReturnIndex(0)))
			e.ret()
		}},
		{"no vectors", "", func(e *emitter) { e.RET() }},
		{"high register in an AVX2 function", "needs AVX-512", func(e *emitter) {
			// All 18 vectors are needed at the same time, but AVX2 has 16 registers.
			x := e.base("x")
			var vectors [18]vec
			for i := range vectors {
				vectors[i] = e.YMM()
				e.VMOVUPD(operand.Mem{Base: x, Disp: 32 * i}, vectors[i])
			}
			for _, v := range vectors[1:] {
				e.VADDPD(v, vectors[0], vectors[0])
			}
			e.VMOVSD(vectors[0].AsX(), e.address(e.ReturnIndex(0)))
			e.ret()
		}},
		{"no VZEROUPPER", "RET without VZEROUPPER", func(e *emitter) {
			e.VXORPD(reg.Y0, reg.Y0, reg.Y0)
			e.RET()
		}},
		{"VZEROUPPER on one path only", "RET without VZEROUPPER", func(e *emitter) {
			n := e.length("x")
			e.TESTQ(n, n)
			e.JZ(operand.LabelRef("empty"))
			e.VXORPD(reg.Y0, reg.Y0, reg.Y0)
			e.ret()
			e.Label("empty")
			e.RET()
		}},
		{"legacy SSE move", "MOVSD on X0 is legacy SSE", func(e *emitter) {
			e.VXORPD(reg.X0, reg.X0, reg.X0)
			e.Store(reg.X0, e.ReturnIndex(0)) // emits MOVSD, a legacy SSE instruction
			e.ret()
		}},
		{"legacy SSE arithmetic", "ADDPD on X1 is legacy SSE", func(e *emitter) {
			e.ADDPD(reg.X1, reg.X1)
			e.ret()
		}},
	} {
		err := compile(t, c.body)
		if c.want == "" && err != nil {
			t.Errorf("%s: %v", c.name, err)
		}
		if c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%s: error %v, want one with %q", c.name, err, c.want)
		}
	}
}
