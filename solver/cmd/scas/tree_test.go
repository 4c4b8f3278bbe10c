package main

import (
	"encoding/json"
	"errors"
	"go/ast"
	"go/parser"
	"go/token"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// This file holds the whole module to its architecture.

const module = "github.com/scas-admm/scas"

// pkg is what the go command tells of a package.
type pkg struct {
	ImportPath                         string
	Imports, TestImports, XTestImports []string
	Deps                               []string // of the package without its tests
}

func modulePackages(t *testing.T) []pkg {
	t.Helper()
	out, err := exec.Command("go", "list", "-deps=false", "-json=ImportPath,Imports,TestImports,XTestImports,Deps", module+"/...").Output()
	if err != nil {
		var ended *exec.ExitError
		if errors.As(err, &ended) {
			t.Fatalf("go list: %s", ended.Stderr)
		}
		t.Fatal(err)
	}
	var pkgs []pkg
	for dec := json.NewDecoder(strings.NewReader(string(out))); ; {
		var p pkg
		if err := dec.Decode(&p); err == io.EOF {
			return pkgs
		} else if err != nil {
			t.Fatal(err)
		}
		pkgs = append(pkgs, p)
	}
}

// within reports whether path is the package or below it.
func within(path, parent string) bool {
	return path == parent || strings.HasPrefix(path, parent+"/")
}

func ours(path string) bool { return within(path, module) }

// rooms has every package and the packages of the module that its code imports: the
// arrows of the architecture. They point up this list, and nowhere else. Tests may
// import more, but no command, nothing of bench and no generator.
const rooms = `
kernels
sparse/sparsetest
sparse/atomicfile
sparse/internal/check
sparse/internal/text
sparse/internal/npy
sparse/internal/scasfile
sparse                      kernels sparse/atomicfile sparse/internal/npy sparse/internal/scasfile sparse/internal/text
sparse/graph                sparse sparse/internal/text
sparse/graph/draw           sparse/graph sparse/internal/text
sparse/graph/glasso         sparse sparse/graph
solver/dist
solver/dist/mpi             solver/dist
solver/internal/pass        kernels sparse
solver/internal/watch
solver/internal/check
solver/theory
solver/internal/sample
solver/internal/rule        sparse
solver/internal/columns     sparse
solver/internal/structure   sparse
solver/internal/quad        kernels solver/internal/pass sparse
solver/internal/scale       solver/internal/pass solver/internal/quad sparse
solver/internal/dual        kernels solver/internal/quad
solver/loss                 kernels
solver/internal/fenchel     kernels solver/loss
solver/internal/region      solver/internal/fenchel solver/internal/quad
solver/internal/newton      kernels solver/internal/fenchel solver/internal/pass solver/internal/quad solver/internal/region solver/internal/structure sparse
solver/internal/lasso       kernels solver/internal/fenchel solver/internal/newton solver/internal/pass solver/internal/quad solver/internal/region solver/internal/structure sparse
solver/internal/prove       kernels sparse solver/internal/lasso solver/internal/newton solver/internal/pass solver/internal/quad
solver/internal/inner       kernels sparse solver/internal/quad
solver/domain               solver/internal/quad solver/internal/region
solver/penalty              solver/domain solver/internal/check solver/internal/quad
solver/internal/kind        kernels solver/domain solver/internal/columns solver/internal/fenchel solver/internal/inner solver/internal/newton solver/internal/region solver/loss solver/penalty
solver/internal/outer       solver/internal/dual solver/internal/inner solver/internal/pass solver/internal/quad solver/internal/scale
solver                      kernels sparse solver/dist solver/domain solver/internal/check solver/internal/columns solver/internal/dual solver/internal/inner solver/internal/kind solver/internal/newton solver/internal/outer solver/internal/pass solver/internal/prove solver/internal/quad solver/internal/rule solver/internal/sample solver/internal/scale solver/internal/structure solver/internal/watch solver/loss solver/penalty solver/theory
solver/stream               kernels sparse solver solver/dist solver/internal/dual solver/internal/fenchel solver/internal/inner solver/internal/kind solver/internal/lasso solver/internal/newton solver/internal/outer solver/internal/pass solver/internal/quad solver/internal/rule solver/internal/sample solver/internal/watch
solver/model                kernels sparse sparse/atomicfile sparse/graph solver solver/dist solver/internal/kind solver/internal/lasso solver/internal/pass solver/stream
solver/baseline             kernels sparse solver solver/internal/quad
solver/internal/solvertest  kernels sparse sparse/graph sparse/sparsetest solver solver/dist
solver/cmd/scas             kernels sparse sparse/atomicfile sparse/graph sparse/graph/draw sparse/graph/glasso solver solver/dist solver/dist/mpi solver/internal/pass solver/baseline solver/internal/columns solver/model solver/stream solver/theory
gen
gen/cmd/gen                 gen
bench/internal/table        bench/internal/measure
bench/internal/measure      kernels
bench/internal/machine      kernels
bench/internal/naive        kernels sparse
bench/internal/submatrix    sparse
bench/internal/shape        kernels sparse
bench/internal/roof         kernels bench/internal/machine bench/internal/measure
bench/internal/chart        bench/internal/measure bench/internal/roof bench/internal/table
bench/internal/suite        kernels sparse sparse/graph bench/internal/measure bench/internal/naive bench/internal/shape
bench/internal/curves       solver
bench/internal/outer        kernels sparse solver bench/internal/measure bench/internal/naive
bench/internal/reference    sparse solver bench/internal/submatrix
bench/internal/paper        sparse sparse/atomicfile sparse/graph sparse/graph/glasso solver solver/baseline solver/theory bench/internal/reference bench/internal/submatrix
bench/internal/paper/report solver solver/baseline bench/internal/chart bench/internal/paper
bench/internal/peers        sparse sparse/graph solver bench/internal/machine bench/internal/table
bench/internal/peers/page   bench/internal/chart bench/internal/peers
bench/internal/torture      kernels sparse sparse/graph solver solver/baseline solver/model
bench/internal/outofcore    sparse
bench/internal/shards       kernels sparse solver solver/dist bench/internal/machine
bench/internal/supply
bench                       kernels sparse sparse/atomicfile sparse/graph solver solver/baseline bench/internal/chart bench/internal/curves bench/internal/machine bench/internal/measure bench/internal/outer bench/internal/outofcore bench/internal/paper bench/internal/paper/report bench/internal/peers bench/internal/peers/page bench/internal/roof bench/internal/shape bench/internal/shards bench/internal/suite bench/internal/supply bench/internal/table bench/internal/torture
`

func TestDependencies(t *testing.T) {
	arrows := map[string][]string{}
	for line := range strings.Lines(strings.TrimSpace(rooms)) {
		names := strings.Fields(line)
		arrows[names[0]] = names[1:]
	}
	for _, p := range modulePackages(t) {
		name := strings.TrimPrefix(p.ImportPath, module+"/")
		allowed, known := arrows[name]
		if !known {
			t.Errorf("%s is in no room: say where it stands", name)
			continue
		}
		delete(arrows, name)
		var imports []string
		for _, d := range p.Imports {
			if ours(d) {
				imports = append(imports, strings.TrimPrefix(d, module+"/"))
			}
		}
		slices.Sort(allowed)
		slices.Sort(imports)
		for _, d := range imports {
			if !slices.Contains(allowed, d) {
				t.Errorf("%s imports %s, which is no arrow of its room", name, d)
			}
		}
		for _, d := range allowed {
			if !slices.Contains(imports, d) {
				t.Errorf("%s no longer imports %s: take the arrow away", name, d)
			}
		}
		p.checkOthers(t, name)
	}
	for name := range arrows {
		t.Errorf("%s is a room without a package", name)
	}
}

// checkOthers holds a package, tests included, to what only some rooms may import.
func (p pkg) checkOthers(t *testing.T, name string) {
	t.Helper()
	for _, d := range slices.Concat(p.Deps, p.TestImports, p.XTestImports) {
		room := strings.TrimPrefix(d, module+"/")
		switch {
		case ours(d) && strings.Contains(d, "/cmd/"):
			t.Errorf("%s imports a command, %s", name, room)
		case within(d, module+"/bench") && !within(name, "bench"):
			t.Errorf("%s imports %s; nobody imports bench", name, room)
		case (within(d, "github.com/mmcloughlin/avo") || within(d, module+"/gen")) && !within(name, "gen"):
			t.Errorf("%s imports %s; generators are apart", name, room)
		case within(d, "github.com/alecthomas/kong") && !strings.Contains(name, "/cmd/") && !within(name, "bench"):
			t.Errorf("%s imports kong; it is for commands", name)
		}
	}
}

// What solves problems neither reads files or text nor knows of processors; models have
// files.
func TestSolverImports(t *testing.T) {
	for _, p := range modulePackages(t) {
		name := strings.TrimPrefix(p.ImportPath, module+"/")
		if !within(name, "solver") || name == "solver/cmd/scas" || name == "solver/internal/solvertest" {
			continue
		}
		for _, d := range p.Imports {
			switch d {
			case "os", "io", "bufio", "strconv", "encoding/json":
				if name != "solver/model" {
					t.Errorf("%s imports %s", name, d)
				}
			case "encoding/csv", "unsafe", "log", "github.com/klauspost/cpuid/v2", "golang.org/x/sys/cpu", "simd/archsimd":
				t.Errorf("%s imports %s", name, d)
			}
		}
	}
}

// The limits that keep a room one to be read: functions of a screen, nesting of at
// most three, state that is one thing, and a public door of the solver that is thin.
const (
	maxFunction   = 60   // lines
	maxNesting    = 3    // blocks within a function
	maxFields     = 20   // of a struct; flags and JSON forms aside
	maxSolverRoot = 2700 // lines of package solver
)

func TestShape(t *testing.T) {
	root := 0
	for _, file := range goFiles(t) {
		set := token.NewFileSet()
		f, err := parser.ParseFile(set, file, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		if filepath.Dir(file) == "../../../solver" {
			root += set.Position(f.End()).Line
		}
		for _, d := range f.Decls {
			if fn, ok := d.(*ast.FuncDecl); ok && fn.Body != nil {
				lines := set.Position(fn.End()).Line - set.Position(fn.Pos()).Line + 1
				if deep := nesting(fn.Body); lines > maxFunction || deep > maxNesting {
					t.Errorf("%s: %s has %d lines and nests %d deep", file, fn.Name.Name, lines, deep)
				}
			}
		}
		ast.Inspect(f, func(n ast.Node) bool {
			spec, ok := n.(*ast.TypeSpec)
			if !ok {
				return true
			}
			if s, ok := spec.Type.(*ast.StructType); ok {
				if fields := state(s); fields > maxFields {
					t.Errorf("%s: %s has %d fields", file, spec.Name.Name, fields)
				}
			}
			return true
		})
	}
	if root == 0 || root > maxSolverRoot {
		t.Errorf("package solver has %d lines, want at most %d", root, maxSolverRoot)
	}
}

// goFiles lists the hand-written Go files of the module, tests aside.
func goFiles(t *testing.T) (files []string) {
	t.Helper()
	err := filepath.WalkDir("../../..", func(path string, d os.DirEntry, err error) error {
		name := d.Name()
		generated := within(filepath.ToSlash(filepath.Dir(path)), "../../../kernels") && strings.HasPrefix(name, "z")
		switch {
		case err != nil:
			return err
		case d.IsDir() && name == ".git":
			return filepath.SkipDir
		case strings.HasSuffix(name, ".go") && !strings.HasSuffix(name, "_test.go") && !generated:
			files = append(files, filepath.ToSlash(path))
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

// nesting returns how deep blocks of loops, conditions and choices nest.
func nesting(n ast.Node) (deepest int) {
	ast.Inspect(n, func(m ast.Node) bool {
		if m == nil || m == n {
			return true
		}
		switch s := m.(type) {
		case *ast.ForStmt, *ast.RangeStmt, *ast.SwitchStmt, *ast.TypeSwitchStmt, *ast.SelectStmt:
			deepest = max(deepest, 1+nesting(m))
			return false
		case *ast.IfStmt:
			deepest = max(deepest, 1+nesting(s.Body))
			switch e := s.Else.(type) {
			case *ast.IfStmt: // a chain is no deeper
				deepest = max(deepest, nesting(&ast.BlockStmt{List: []ast.Stmt{e}}))
			case *ast.BlockStmt:
				deepest = max(deepest, 1+nesting(e))
			}
			return false
		}
		return true
	})
	return deepest
}

// state counts the fields of a struct that are neither flags nor part of a JSON
// form.
func state(s *ast.StructType) (fields int) {
	for _, f := range s.Fields.List {
		if f.Tag == nil {
			fields += max(1, len(f.Names))
		}
	}
	return fields
}

// The README's program is the tested example of package solver.
func TestReadmeExample(t *testing.T) {
	readme, err := os.ReadFile("../../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	example, err := os.ReadFile("../../example_readme_test.go")
	if err != nil {
		t.Fatal(err)
	}
	program := strings.NewReplacer("package solver_test", "package main", "func Example()", "func main()").Replace(string(example))
	_, rest, _ := strings.Cut(string(readme), "```go\n")
	if block, _, _ := strings.Cut(rest, "```"); block != program {
		t.Errorf("README.md: the program is not solver/example_readme_test.go:\n%s", block)
	}
	if n := strings.Count(string(readme), "\n"); n > 220 {
		t.Errorf("README.md has %d lines, more than 220", n)
	}
}
