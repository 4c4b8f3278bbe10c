package solver_test

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
)

// mayRound lists packages and files whose numbers may differ between processors. The values are the reasons.
var mayRound = map[string]string{
	"solver/internal/term/check.go": "finds faults in a caller's functions, within tolerances",
	"solver/internal/solvertest":    "is for tests",
	"sparse/sparsetest":             "is for tests",
	"sparse/graph/draw":             "draws pictures",
	"solver/chart":                  "draws pictures",
	"solver/cmd/scas/confusions.go": "draws pictures",
	"solver/cmd/scas/progress.go":   "estimates the time that is left",
	"solver/cmd/scas/plot.go":       "draws pictures",
	"solver/cmd/scas/demo.go":       "draws bars of text",
	"sparse/graph/recipe.go":        "compares the entries of an inverse with a threshold, and keeps no number",
}

func excused(path string) bool {
	return mayRound[path] != "" || mayRound[filepath.ToSlash(filepath.Dir(path))] != ""
}

// readSources returns the lines of each Go file that is not a test, except in gen and bench. The keys are
// paths relative to the root of the module.
func readSources(t *testing.T) map[string][]string {
	t.Helper()
	files := make(map[string][]string)
	for _, p := range packages(t) {
		dir := strings.TrimPrefix(p.ImportPath, module+"/")
		if within(dir, "gen") || within(dir, "bench") {
			continue
		}
		names, err := filepath.Glob(filepath.Join("..", dir, "*.go"))
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range names {
			if strings.HasSuffix(name, "_test.go") {
				continue
			}
			text, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			files[dir+"/"+filepath.Base(name)] = strings.Split(string(text), "\n")
		}
	}
	return files
}

// TestFused checks that the machine code for arm64 has no fused multiply-add, except from math.FMA and in
// the code that mayRound lists. Go fuses x*y + z on arm64, unless it is written as float64(x*y) + z.
func TestFused(t *testing.T) {
	if testing.Short() {
		t.Skip("-short: not compiling for arm64")
	}
	files := readSources(t)
	pathsByName := make(map[string][]string) // paths by base name
	for path := range files {
		pathsByName[filepath.Base(path)] = append(pathsByName[filepath.Base(path)], path)
	}
	listCommand := exec.Command("go", "list", "-export", "-f", "{{.Export}}", module+"/kernels",
		module+"/sparse/...", module+"/solver/...")
	listCommand.Env = append(os.Environ(), "GOOS=linux", "GOARCH=arm64", "CGO_ENABLED=0")
	listCommand.Stderr = os.Stderr
	objects, err := listCommand.Output()
	if err != nil {
		t.Fatal(err)
	}
	disassemblies := make([]string, len(strings.Fields(string(objects))))
	var group sync.WaitGroup
	for k, object := range strings.Fields(string(objects)) {
		group.Go(func() {
			out, err := exec.Command("go", "tool", "objdump", object).CombinedOutput()
			disassemblies[k] = string(out)
			if err != nil {
				t.Errorf("%v\n%s", err, out)
			}
		})
	}
	group.Wait()

	fusedPattern := regexp.MustCompile(`^TEXT ` + regexp.QuoteMeta(module) +
		`/([\w/]+)|^\s*(\S+\.go):(\d+)\s.*\tFN?M(?:ADD|SUB)[SD] `)
	fusedCount, wrongPlaces := 0, make(map[string]bool)
	for _, text := range disassemblies {
		var pkg string
		for line := range strings.Lines(text) {
			m := fusedPattern.FindStringSubmatch(line)
			if m == nil {
				continue
			}
			if m[1] != "" { // the first line of a function
				pkg = m[1]
				continue
			}
			// The disassemblies names only the base name of the file. After inlining, the file may belong to
			// another package.
			lineNumber, _ := strconv.Atoi(m[3])
			places, allowed := "", mayRound[pkg] != ""
			for _, path := range pathsByName[m[2]] {
				if lines := files[path]; lineNumber <= len(lines) {
					allowed = allowed || strings.Contains(lines[lineNumber-1], "math.FMA") || excused(path)
					places += "\n\t" + path + ": " + strings.TrimSpace(lines[lineNumber-1])
				}
			}
			fusedCount++
			if !allowed {
				wrongPlaces[fmt.Sprintf("%s:%d in package %s%s", m[2], lineNumber, pkg, places)] = true
			}
		}
	}
	if fusedCount < 100 {
		t.Fatalf("%d fused instructions found in all: there are more in package kernels alone", fusedCount)
	}
	for place := range wrongPlaces {
		t.Errorf("a sum with a product is fused on arm64, want float64(x*y) + z: %s", place)
	}
}

// inexact lists functions of package math whose rounding may differ between processors, and two random
// generators that call such functions.
var inexact = strings.Fields(`
	Acos Acosh Asin Asinh Atan Atan2 Atanh Cbrt Cos Cosh Erf Erfc Erfcinv Erfinv Exp Exp2 Expm1 Gamma Hypot J0 J1 Jn
	Lgamma Log Log10 Log1p Log2 Pow Sin Sincos Sinh Tan Tanh Y0 Y1 Yn
	NormFloat64 ExpFloat64`)

// TestLibraries checks that only the code that mayRound lists calls library functions whose rounding may
// differ between processors.
func TestLibraries(t *testing.T) {
	for path, lines := range readSources(t) {
		if excused(path) {
			continue
		}
		fset := token.NewFileSet()
		file, err := parser.ParseFile(fset, path, strings.Join(lines, "\n"), 0)
		if err != nil {
			t.Fatal(err)
		}
		for _, spec := range file.Imports {
			harmless := filepath.Base(path) == "gonum.go" // this file only uses an interface of gonum
			if strings.Contains(spec.Path.Value, "gonum.org/v1/gonum/") && !harmless {
				t.Errorf("%s imports %s: its sums depend on the processor", fset.Position(spec.Pos()), spec.Path.Value)
			}
		}
		ast.Inspect(file, func(n ast.Node) bool {
			if call, ok := n.(*ast.SelectorExpr); ok && slices.Contains(inexact, call.Sel.Name) {
				if receiver, ok := call.X.(*ast.Ident); ok &&
					(receiver.Name == "math" || strings.HasSuffix(call.Sel.Name, "Float64")) {
					t.Errorf("%s: %s.%s rounds differently on other processors",
						fset.Position(n.Pos()), receiver.Name, call.Sel.Name)
				}
			}
			return true
		})
	}
	for path := range mayRound {
		if _, err := os.Stat(filepath.Join("..", path)); err != nil {
			t.Errorf("mayRound: %v", err)
		}
	}
}
