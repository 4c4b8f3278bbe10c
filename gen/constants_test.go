package gen

import (
	"go/constant"
	"go/token"
	"go/types"
	"strings"
	"testing"
)

// TestNames checks that two different tables or constants cannot have the same name.
func TestNames(t *testing.T) {
	pkg := types.NewPackage("kernels", "kernels")
	for name, value := range map[string]float64{"own": 3, "half": 0.25} {
		number := types.Typ[types.Float64]
		pkg.Scope().Insert(types.NewConst(token.NoPos, pkg, name, number, constant.MakeFloat64(value)))
	}
	e := newEmitter(pkg)
	table := func(words ...uint64) func() { return func() { e.table("table", words) } }
	for _, c := range []struct {
		name, want string
		add        func()
	}{
		{"new table", "", table(7, 7)},
		{"the same table", "", table(7, 7)},
		{"a longer table", "two different tables have the name table", table(7, 7, 7)},
		{"other words", "two different tables have the name table", table(8, 8)},
		{"constant of kernels", "", func() { e.constant("own") }},
		{"common constant", "", func() { e.constant("one") }},
		{"constant of both", "both declare half", func() { e.constant("half") }},
		{"no constant", "no constant other", func() { e.constant("other") }},
	} {
		if got := panicText(c.add); (c.want == "") != (got == "") || !strings.Contains(got, c.want) {
			t.Errorf("%s: panic %q, want one with %q", c.name, got, c.want)
		}
	}
}

// panicText calls f. If f panics with a string, panicText returns this string; otherwise it returns "".
func panicText(f func()) (text string) {
	defer func() { text, _ = recover().(string) }()
	f()
	return ""
}
