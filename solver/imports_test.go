package solver_test

import (
	"encoding/json"
	"errors"
	"io"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
)

const module = "github.com/scas-admm/scas"

// importOrder lists the packages of the module, except gen and bench, in the order of imports: a package may
// import only packages before it.
var importOrder = strings.Fields(`
	kernels/pkgerr
	kernels
	sparse/sparsetest sparse/atomicfile sparse/faults sparse/pages
	sparse/internal/text sparse/internal/coordinates sparse/internal/npy sparse/internal/scasfile
	sparse
	sparse/graph sparse/graph/draw sparse/graph/glasso
	solver/dist solver/dist/mpi
	solver/internal/ending solver/theory
	solver/internal/linalg
	solver/internal/term solver/internal/rows solver/internal/gap
	solver/internal/quadratic solver/internal/exact
	solver/internal/admm
	solver solver/model solver/baseline solver/internal/solvertest solver/internal/oracle
	solver/chart solver/cmd/scas`)

// TestImports checks that packages follow importOrder, that only some of them import certain external
// packages, and that solvers do not read files.
func TestImports(t *testing.T) {
	for _, p := range packages(t) {
		name := strings.TrimPrefix(p.ImportPath, module+"/")
		position := slices.Index(importOrder, name)
		isTool := within(name, "gen") || within(name, "bench")
		if position < 0 && !isTool {
			t.Errorf("package %s is not in importOrder: add it after all that it imports", name)
		}
		for _, path := range p.Imports {
			d, inModule := strings.CutPrefix(path, module+"/")
			if inModule && !isTool && slices.Index(importOrder, d) > position {
				t.Errorf("%s imports %s, which comes after it in importOrder", name, d)
			}
		}
		for _, path := range slices.Concat(p.Deps, p.TestImports, p.XTestImports) {
			d, inModule := strings.CutPrefix(path, module+"/")
			switch {
			case inModule && strings.Contains(d, "/cmd/"),
				inModule && within(d, "bench") && !within(name, "bench"),
				(inModule && within(d, "gen") || within(path, "github.com/mmcloughlin/avo")) && !within(name, "gen"),
				within(path, "github.com/alecthomas/kong") && !strings.Contains(name, "/cmd/") && !within(name, "bench"):
				t.Errorf("%s depends on %s", name, path)
			}
		}
		isSolver := within(name, "solver") && name != "solver/chart" && name != "solver/cmd/scas" &&
			name != "solver/internal/solvertest"
		for _, path := range p.Imports {
			switch path {
			// Package model reads files, and package term parses numbers in the names of losses.
			case "os", "io", "bufio", "strconv", "encoding/json":
				if isSolver && name != "solver/model" && !(name == "solver/internal/term" && path == "strconv") {
					t.Errorf("%s imports %s: solvers do not read files", name, path)
				}
			case "encoding/csv", "unsafe", "log", "github.com/klauspost/cpuid/v2", "golang.org/x/sys/cpu", "simd/archsimd":
				if isSolver {
					t.Errorf("%s imports %s", name, path)
				}
			}
		}
	}
}

// within reports whether path is parent or a package below it.
func within(path, parent string) bool { return path == parent || strings.HasPrefix(path, parent+"/") }

// listedPackage is a package as go list describes it. Deps does not include dependencies of tests.
type listedPackage struct {
	ImportPath                               string
	Imports, TestImports, XTestImports, Deps []string
}

func packages(t *testing.T) (list []listedPackage) {
	t.Helper()
	out, err := exec.Command("go", "list", "-json=ImportPath,Imports,TestImports,XTestImports,Deps", module+"/...").Output()
	if err != nil {
		t.Fatal(err)
	}
	for dec := json.NewDecoder(strings.NewReader(string(out))); ; {
		var p listedPackage
		err := dec.Decode(&p)
		if errors.Is(err, io.EOF) {
			return list
		}
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, p)
	}
}

// TestReadmeExample checks that the program in README.md is the Example of this package.
func TestReadmeExample(t *testing.T) {
	readme, err := os.ReadFile("../README.md")
	if err != nil {
		t.Fatal(err)
	}
	example, err := os.ReadFile("example_readme_test.go")
	if err != nil {
		t.Fatal(err)
	}
	program := strings.NewReplacer("package solver_test", "package main", "func Example()",
		"func main()").Replace(string(example))
	_, rest, _ := strings.Cut(string(readme), "```go\n")
	if block, _, _ := strings.Cut(rest, "```"); block != program {
		t.Errorf("README.md: the program is not solver/example_readme_test.go:\n%s", block)
	}
}
