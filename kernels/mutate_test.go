//go:build mutate

package kernels

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// A mutation is a fault that TestMutations puts into a copy of the module. The tests of package pkg must
// then fail, with an output that matches want.
type mutation struct {
	name   string
	level  Level  // on a machine without this level the fault has no effect
	file   string // path in the module
	prefix string // texts that precede the fault in the file, separated by " ... "
	// pattern is a regular expression, and replacement the text that replaces its first match. If pattern is
	// empty, replacement is the text of a new file.
	pattern, replacement string
	pkg, testPattern     string // package, and a regular expression for the tests to run; empty for all tests
	want                 string // regular expression that the output must match
	inlinedFunc          string // function that the compiler inlines because of the fault
}

// mutations lists likely faults of the generated assembly, its generator and the code
// around it.
var mutations = []mutation{
	{
		"tail load of dot is not masked", AVX512, "kernels/zdense_amd64.s", "·dotAVX512(SB)",
		`VMOVUPD\.Z +(\S+), K\d, `, "VMOVUPD $1, ", "./kernels", "", "unexpected fault|--- FAIL: TestBounds",
		"",
	},
	{
		"tail load of dot is not masked", AVX2, "kernels/zdense_amd64.s", "·dotAVX2(SB)",
		`VMASKMOVPD +(\S+), Y\d+, (Y\d+)`, "VMOVUPD $1, $2", "./kernels", "",
		"unexpected fault|--- FAIL: TestBounds", "",
	},
	{
		"tail store of axpy is not masked", AVX2, "kernels/zdense_amd64.s", "·axpyAVX2(SB)",
		`VMASKMOVPD +(Y\d+), Y\d+, \(`, "VMOVUPD $1, (", "./kernels", "", "unexpected fault|--- FAIL: ", "",
	},
	{
		"dot runs one block too far", AVX2, "kernels/zdense_amd64.s", "·dotAVX2(SB)", `JLT( +block)`, "JLE$1",
		"./kernels", "", "unexpected fault|--- FAIL: ", "",
	},
	{
		"dot stops one block early", AVX512, "kernels/zdense_amd64.s", "·dotAVX512(SB)", `ANDQ( +)\$-16,`,
		"ANDQ$1$$-32,", "./kernels", "", "--- FAIL: ", "",
	},
	{
		"a repeated column is taken as the next one", AVX2, "kernels/zrows_amd64.s", "·scatterU16AVX2(SB)",
		`CMPL +R\d+, \$\+65535\n\tJNE +\S+\n`, "\n", "./kernels", "^TestForms$", "--- FAIL: TestForms",
		"",
	},
	{
		"rows of eight are taken as a rest", AVX2, "kernels/zrows_amd64.s", "·marginsAVX2(SB)", `JGT( +rest)`,
		"JGE$1", "./kernels", "", "--- FAIL: ", "",
	},
	{
		"pairs of the Hessian leave out the last nonzero", AVX2, "kernels/zhessian_amd64.s",
		"·hessianU16AVX2(SB) ... odd", `JGE( +met)`, "JMP$1", "./kernels", "Hessian", "--- FAIL: TestHessian",
		"",
	},
	{
		"any four columns of the Hessian are a run", AVX2, "kernels/zhessian_amd64.s",
		"·hessianU16AVX2(SB) ... four", `JNE( +noRun)`, "JLT$1", "./kernels", "Hessian",
		"unexpected fault|--- FAIL: TestHessian", "",
	},
	{
		"a row of the Hessian loses its factor", AVX2, "kernels/zhessian_amd64.s", "·hessianF32AVX2(SB)",
		`VMULSD +(X\d+), (X\d+), (X\d+)`, "VMOVAPD $1, $3", "./kernels", "Hessian", "--- FAIL: TestHessian",
		"",
	},
	{
		"a panel of the Hessian is cut to its first half", AVX2, "kernels/zhessian_amd64.s",
		"·hessianPanelAVX2(SB)", `VMOVUPD +(Y\d+), 480\(AX\)\n`, "\n", "./kernels", "Tile",
		"--- FAIL: TestTile", "",
	},
	{
		"the last of four rows of a tile is cut", AVX2, "kernels/zhessian_amd64.s", "·hessianPanelAVX2(SB)",
		`VMOVUPD +(Y\d+), 480\(R\d+\)\(\w+\*1\)\n`, "\n", "./kernels", "Tile", "--- FAIL: ", "",
	},
	{
		"the mask of a fourth row is not read", AVX512, "kernels/zhessian_amd64.s", "·hessianPanelAVX512(SB)",
		`ANDQ +24\(\w+\), \w+\n`, "\n", "./kernels", "Hessian", "unexpected fault|--- FAIL: ", "",
	},
	{
		"panels take infinite numbers", AVX512, "kernels/hessian_panel.go", "", `if x\.finite\(\)`, "if true",
		"./kernels", "^TestEqual$", "--- FAIL: TestEqual", "",
	},
	{
		"a tile of the Hessian is stored below the diagonal", AVX512, "kernels/hessian_panel.go",
		"func (x *panelTask[I, V]) store(", `start := max\(j, col\)`, "start := col", "./kernels", "Hessian",
		"--- FAIL: TestHessian", "",
	},
	{
		"zeros of the Hessian keep their sign", Generic, "kernels/hessian.go", "",
		`\n\tplusZero\(h, p, stride, lo, hi\)`, "", "./kernels", "Hessian", "--- FAIL: TestHessian", "",
	},
	{
		"a span is not cut", Generic, "kernels/hessian.go", "func addLongSpan(", `n := max\(1, .*`,
		"n := s.last", "./kernels", "BoundedWork", "--- FAIL: TestBoundedWork", "",
	},
	{
		"rotated loop does one step too many", AVX2, "kernels/zrotated_amd64.s", "·innerRotatedAVX2(SB)",
		`JGE( +last)`, "JG$1", "./kernels", "", "unexpected fault|--- FAIL: ", "",
	},
	{
		"rotated loop leaves out the last eight", AVX512, "kernels/zrotated_amd64.s",
		"·innerRotatedAVX512(SB)", `TESTQ +\$0x00000008,`, "TESTQ $$0x00000010,", "./kernels", "",
		"--- FAIL: ", "",
	},
	{
		"decay loop mixes up two nonzeros", AVX2, "kernels/zdecay_amd64.s", "·innerDecayAVX2(SB)",
		`VUNPCKLPD +(Y\d+), (Y\d+), `, "VUNPCKLPD $2, $1, ", "./kernels", "", "--- FAIL: ", "",
	},
	{
		"decay loop counts no step", AVX512, "kernels/zdecay_amd64.s", "·innerDecayAVX512(SB)",
		`VADDSD +(\d+\(AX\)), (X\d+), X\d+`, "VMOVSD $1, $2", "./kernels", "", "--- FAIL: ", "",
	},
	{
		"a sample is read behind the last", AVX2, "kernels/zrotated_amd64.s",
		"·innerRotatedBallAVX2(SB) ... JGE ", `\n\tDECQ +[A-Z0-9]+\n`, "\n", "./kernels", "",
		"unexpected fault|--- FAIL: ", "",
	},
	{
		"kernels end without VZEROUPPER", Generic, "gen/emit.go", "func (e *emitter) ret()",
		`\te\.VZEROUPPER\(\)\n`, "", "./gen", "", "RET without VZEROUPPER before it", "",
	},
	{
		"VZEROUPPER is missing in the file", Generic, "kernels/zrotated_amd64.s", "", `\tVZEROUPPER\n`, "",
		"./gen", "", "zrotated_amd64.s is stale", "",
	},
	{
		"no check for VZEROUPPER", Generic, "gen/check.go", "", `\tpass\.FunctionPass\(cleanUppers\),\n`, "",
		"./gen", "", "--- FAIL: TestChecks", "",
	},
	{
		"generator changed, files stale", Generic, "gen/rotated.go", "", `const rotatedAhead = \d+`,
		"const rotatedAhead = 3", "./gen", "", "zrotated_amd64.s is stale", "",
	},
	{
		"generated file edited by hand", Generic, "kernels/zsets_amd64.go", "", `"AVX2", `, "", "./gen", "",
		"zsets_amd64.go is stale", "",
	},
	{
		"generated file left over", Generic, "kernels/zold_amd64.go", "", "", "package kernels\n", "./gen",
		"", "zold_amd64.go is not generated any more", "",
	},
	{
		"exponential rounds twice", AVX2, "kernels/scalar.go", "func ExpNeg(",
		`math\.FMA\((math\.FMA\(exp1, r, exp0\)), r2, r\)`, "float64($1*r2) + r", "./kernels", "^TestEqual$",
		"--- FAIL: TestEqual", "",
	},
	{
		"constant one unit off", AVX2, "kernels/constants.go", "", `exp1( +)= 0x1\.5555555555561p`,
		"exp1$1= 0x1.5555555555562p", "./kernels", "^TestEqual$", "--- FAIL: TestEqual", "",
	},
	{
		"dense sum has 8 lanes", AVX2, "kernels/generic_dense.go", "func dotGeneric(",
		`lane\[i&15\] = math\.FMA\(v, y\[i\], lane\[i&15\]\)`, "lane[i&7] = math.FMA(v, y[i], lane[i&7])",
		"./kernels", "^TestEqual$", "--- FAIL: TestEqual", "",
	},
	{
		"rotated step does not fuse", AVX2, "kernels/generic_rotated.go", "", `math\.FMA\(g, v, w\[j\]\)`,
		"(w[j] + float64(g*v))", "./kernels", "Rotated", "--- FAIL: TestRotatedEqual", "",
	},
	{
		"fields of the argument struct change places", Generic, "kernels/args.go", "", `w, sum \[\]float64`,
		"sum, w []float64", "./gen", "", "zelements_amd64.s is stale", "",
	},
	{
		"a kernel is in no test of equality", AVX2, "kernels/equal_test.go", "",
		`(?s)\t\{"Dot", func.*?\n\t\}\},\n`, "", "./kernels", "^TestEveryKernel$",
		"no operation calls set.dot", "",
	},
	{
		"argument structs escape", Generic, "kernels/noescape.go", "", `return \*.*`, "_ = u\n\treturn p",
		"./kernels", "^TestAllocations$", "--- FAIL: TestAllocations", "",
	},
	{
		"a call does twice the work", Generic, "kernels/rotated.go", "", `maxWork/len\(w\)`,
		"2*maxWork/len(w)", "./kernels", "BoundedWork", "--- FAIL: TestBoundedWork", "",
	},
}

// TestMutations puts one fault after another into a copy of generator and kernels, and checks that
// their tests fail. It takes minutes:
//
//	go test -tags mutate -v -run '^TestMutations$' -timeout 60m ./kernels
func TestMutations(t *testing.T) {
	module := copyModule(t)
	faults := append(slices.Clone(mutations), inlineMutations(t, module)...)
	for _, pkg := range []string{"./gen", "./kernels"} {
		if out, err := runTests(module, pkg, ""); err != nil {
			t.Fatalf("the tests of %s fail without a mutation:\n%s", pkg, out)
		}
	}
	for _, m := range faults {
		title := m.name
		if m.level > Generic {
			title += " (" + m.level.String() + ")"
		}
		if !slices.Contains(Available(), m.level) {
			fmt.Printf("%-60s not tried: this machine does not have %v\n", title, m.level)
			continue
		}
		outcome, err := m.try(module)
		if err != nil {
			t.Errorf("%s: %v", title, err)
			outcome = "SURVIVED"
		}
		fmt.Printf("%-60s %s\n", title, outcome)
	}
}

// inlineMutations returns mutations that remove one noinline directive each.
func inlineMutations(t *testing.T, module string) []mutation {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(module, "kernels", "*.go"))
	if err != nil {
		t.Fatal(err)
	}
	directive := regexp.MustCompile(`(?m)^//go:noinline\nfunc (\w+)\(`)
	var list []mutation
	for _, file := range files {
		src, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if strings.HasSuffix(file, "_test.go") {
			continue
		}
		for _, f := range directive.FindAllStringSubmatch(string(src), -1) {
			list = append(list, mutation{
				name: "noinline is missing at " + f[1], file: "kernels/" + filepath.Base(file),
				pattern: `//go:noinline\n(func ` + f[1] + `\()`, replacement: "$1",
				pkg: "./kernels", testPattern: "BoundedWork", want: f[1] + " is inlined", inlinedFunc: f[1],
			})
		}
	}
	if len(list) == 0 {
		t.Fatal("no noinline directive found")
	}
	return list
}

// try applies m, runs the tests and undoes m. outcome names the test that failed, or says that m has
// no effect. The tests must fail as m.want says; otherwise try returns an error.
func (m *mutation) try(module string) (outcome string, err error) {
	path := filepath.Join(module, m.file)
	original, readErr := os.ReadFile(path)
	mutated, err := m.apply(string(original))
	if err != nil {
		return "", err
	}
	if err := os.WriteFile(path, []byte(mutated), 0o666); err != nil {
		return "", err
	}
	defer func() {
		restore := func() error { return os.WriteFile(path, original, 0o666) }
		if readErr != nil {
			restore = func() error { return os.Remove(path) }
		}
		err = errors.Join(err, restore())
	}()
	if m.inlinedFunc != "" && !canInline(module, m.inlinedFunc) {
		return "no fault: the compiler does not inline it anyway", nil
	}
	out, testErr := runTests(module, m.pkg, m.testPattern)
	switch {
	case testErr == nil:
		return "", errors.New("the tests pass")
	case strings.Contains(out, "[build failed]") || strings.Contains(out, "[setup failed]"):
		return "", fmt.Errorf("does not build:\n%s", out)
	case !regexp.MustCompile(m.want).MatchString(out):
		return "", fmt.Errorf("the tests fail without saying %q:\n%s", m.want, out)
	}
	return "caught by " + failedTest(out), nil
}

func (m *mutation) apply(src string) (string, error) {
	if m.pattern == "" {
		if src != "" {
			return "", fmt.Errorf("%s exists", m.file)
		}
		return m.replacement, nil
	}
	start := 0
	for text := range strings.SplitSeq(m.prefix, " ... ") {
		i := strings.Index(src[start:], text)
		if i < 0 {
			return "", fmt.Errorf("%s has no %q", m.file, text)
		}
		start += i
	}
	match := regexp.MustCompile(m.pattern).FindStringSubmatchIndex(src[start:])
	if match == nil {
		return "", fmt.Errorf("%s has no %q behind %q", m.file, m.pattern, m.prefix)
	}
	expanded := regexp.MustCompile(m.pattern).ExpandString(nil, m.replacement, src[start:], match)
	return src[:start+match[0]] + string(expanded) + src[start+match[1]:], nil
}

// canInline reports whether the compiler can inline the function. If the build fails, it returns true.
func canInline(module, function string) bool {
	cmd := exec.Command("go", "build", "-gcflags=-m", "./kernels")
	cmd.Dir = module
	out, err := cmd.CombinedOutput()
	return err != nil || strings.Contains(string(out), "can inline "+function+"\n")
}

// failedTest returns the name of the first test that failed or, if the process died, of the test that
// was running.
func failedTest(out string) string {
	if f := regexp.MustCompile(`(?m)^ *--- FAIL: (\S+)`).FindStringSubmatch(out); f != nil {
		return f[1]
	}
	ran := regexp.MustCompile(`(?m)^=== RUN +(\S+)`).FindAllStringSubmatch(out, -1)
	if len(ran) == 0 {
		return "no test"
	}
	return ran[len(ran)-1][1] + " (fault)"
}

func runTests(module, pkg, testPattern string) (string, error) {
	args := []string{"test", "-count=1", "-failfast", "-v"}
	if testPattern != "" {
		args = append(args, "-run", testPattern)
	}
	cmd := exec.Command("go", append(args, pkg)...)
	cmd.Dir = module
	cmd.Env = append(os.Environ(), "SCAS_LEVEL=", "GOFLAGS=")
	out, err := cmd.CombinedOutput()
	return string(out), err
}

// copyModule copies the files that the tests of gen and kernels need.
func copyModule(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	for _, name := range []string{"gen", "kernels"} {
		if err := os.CopyFS(filepath.Join(dir, name), os.DirFS(filepath.Join("..", name))); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{"go.mod", "go.sum"} {
		data, err := os.ReadFile(filepath.Join("..", name))
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, name), data, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}
