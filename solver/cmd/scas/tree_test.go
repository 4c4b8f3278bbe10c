package main

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

// Arrows point one way: bench -> solver -> sparse -> kernels, with gen apart.
func TestDependencies(t *testing.T) {
	pkgs := modulePackages(t)
	at := func(name string) string { return module + "/" + name }
	rules := []struct {
		what    string
		applies func(path string) bool
		forbids func(dep string) bool
		tests   bool // the rule binds tests, too
	}{
		{"kernels imports nothing of ours",
			func(p string) bool { return within(p, at("kernels")) },
			ours, false},
		{"sparse knows only kernels",
			func(p string) bool { return within(p, at("sparse")) },
			func(d string) bool { return ours(d) && !within(d, at("sparse")) && d != at("kernels") }, true},
		{"solver knows only sparse and kernels",
			func(p string) bool { return p == at("solver") },
			func(d string) bool { return ours(d) && !within(d, at("sparse")) && !within(d, at("kernels")) }, false},
		{"nobody imports bench",
			func(p string) bool { return !within(p, at("bench")) },
			func(d string) bool { return within(d, at("bench")) }, true},
		{"nobody imports a command",
			func(string) bool { return true },
			func(d string) bool { return strings.HasPrefix(d, module) && strings.Contains(d, "/cmd/") }, true},
		{"avo is in no package outside gen",
			func(p string) bool { return !within(p, at("gen")) },
			func(d string) bool { return within(d, "github.com/mmcloughlin/avo") || within(d, at("gen")) }, true},
		{"kong is for commands",
			func(p string) bool { return !strings.Contains(p, "/cmd/") && !within(p, at("bench")) },
			func(d string) bool { return within(d, "github.com/alecthomas/kong") }, true},
	}
	for _, rule := range rules {
		applied := 0
		for _, p := range pkgs {
			if !rule.applies(p.ImportPath) {
				continue
			}
			applied++
			deps := p.Deps
			if rule.tests {
				deps = slices.Concat(deps, p.TestImports, p.XTestImports)
			}
			for _, d := range deps {
				if d != p.ImportPath && rule.forbids(d) {
					t.Errorf("%s: %s depends on %s", rule.what, p.ImportPath, d)
				}
			}
		}
		if applied == 0 {
			t.Errorf("%s: the rule applies to no package", rule.what)
		}
	}
}

// The solver neither reads files or text nor knows of processors.
func TestSolverImports(t *testing.T) {
	for _, p := range modulePackages(t) {
		if p.ImportPath != module+"/solver" {
			continue
		}
		for _, d := range p.Imports {
			switch d {
			case "os", "io", "bufio", "strconv", "encoding/csv", "encoding/json", "unsafe", "log", module + "/sparse/graph",
				"github.com/klauspost/cpuid/v2", "golang.org/x/sys/cpu", "simd/archsimd":
				t.Errorf("solver imports %s", d)
			}
		}
		return
	}
	t.Error("no package solver")
}

// The README's Go code is the tested example of package solver.
func TestReadmeExample(t *testing.T) {
	readme, err := os.ReadFile("../../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	example, err := os.ReadFile("../../example_test.go")
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(readme), "```go\n")
	block, _, found := strings.Cut(rest, "```")
	if !found || !strings.HasPrefix(block, "func Example() {\n") || !strings.Contains(string(example), block) {
		t.Errorf("README.md: the Go block is not func Example of solver/example_test.go:\n%s", block)
	}
	if n := strings.Count(string(readme), "\n"); n > 220 {
		t.Errorf("README.md has %d lines, more than 220", n)
	}
}
