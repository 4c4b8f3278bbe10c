package main

import (
	"bytes"
	"context"
	"debug/buildinfo"
	"debug/elf"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/scas-admm/scas/bench/internal/program"
)

func TestLicences(t *testing.T) {
	list, err := modules(t.Context(), program.Path, "github.com/scas-admm/scas/bench", "github.com/scas-admm/scas/gen/cmd/gen")
	if err != nil {
		t.Fatal(err)
	}
	if err := checkLicences(list); err != nil {
		t.Error(err)
	}
	if len(list) < 15 || !slices.ContainsFunc(list, func(m module) bool { return m.Path == "github.com/scas-admm/scas" }) {
		t.Errorf("modules %+v", list)
	}
}

// TestLicenceErrors checks that checkLicences returns an error for modules with an unknown licence, a licence
// that is not accepted, or no licence.
func TestLicenceErrors(t *testing.T) {
	dir := t.TempDir()
	for text, want := range map[string]string{
		"Do what you want.":                       "unknown (LICENSE)",
		"GNU GENERAL PUBLIC LICENSE\n  Version 3": "GPL",
		"Mozilla Public License Version 2.0":      "MPL",
		"":                                        "unknown (LICENSE)",
	} {
		if err := os.WriteFile(filepath.Join(dir, "LICENSE"), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		names, err := licencesIn(dir)
		if err != nil || len(names) != 1 || names[0] != want {
			t.Errorf("%q: %v, %v", text, names, err)
		}
		if checkLicences([]module{{Path: "m", licences: names}}) == nil {
			t.Errorf("%q is accepted", text)
		}
	}
	if err := checkLicences([]module{{Path: "m"}}); err == nil || !strings.Contains(err.Error(), "licence none") {
		t.Errorf("without a licence: %v", err)
	}
	if err := checkLicences([]module{{Path: "m", licences: []string{"MIT", "BSD-3-Clause"}}}); err != nil {
		t.Error(err)
	}
}

// build builds the program scas from the module in dir, statically and without paths of this machine. The
// program becomes the file out. cache is the directory of the build cache; empty means the user's cache.
func build(ctx context.Context, dir, cache, out string) error {
	cmd := exec.CommandContext(ctx, "go", "build", "-trimpath", "-buildvcs=false", "-o", out, program.Path)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0", "GOFLAGS=-mod=readonly")
	if cache != "" {
		cmd.Env = append(cmd.Env, "GOCACHE="+cache)
	}
	if text, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("%w\n%s", err, text)
	}
	return nil
}

func sameBytes(a, b string) (bool, error) {
	textA, err := os.ReadFile(a)
	if err != nil {
		return false, err
	}
	textB, err := os.ReadFile(b)
	return bytes.Equal(textA, textB), err
}

// inspect returns an error if the program is not static, or if one of its modules is replaced or has no
// version or checksum.
func inspect(program string) error {
	info, err := buildinfo.ReadFile(program)
	if err != nil {
		return err
	}
	for _, m := range info.Deps {
		if m.Version == "" || m.Sum == "" || m.Replace != nil {
			return fmt.Errorf("module %s %s is not pinned: checksum %q, replaced %v", m.Path, m.Version, m.Sum, m.Replace != nil)
		}
	}
	f, err := elf.Open(program)
	if err != nil {
		return nil // the file is a program for another system
	}
	defer f.Close()
	if libraries, err := f.ImportedLibraries(); err == nil && len(libraries) > 0 {
		return fmt.Errorf("linked to %v", libraries)
	}
	for _, p := range f.Progs {
		if p.Type == elf.PT_INTERP {
			return errors.New("it needs a loader")
		}
	}
	return nil
}

// copySource copies the files from which the program is built to a new directory, and returns its path.
func copySource(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	for _, name := range []string{"go.mod", "go.sum", "kernels", "sparse", "solver"} {
		path := filepath.Join("..", name)
		if info, err := os.Stat(path); err != nil {
			t.Fatal(err)
		} else if info.IsDir() {
			if err := os.CopyFS(filepath.Join(dir, name), os.DirFS(path)); err != nil {
				t.Fatal(err)
			}
			continue
		}
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, name), text, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// TestReproducible checks that builds in two directories give the same program, and that the program is
// static, has pinned modules and does not use the network. With SCAS_SUPPLY=full the second build begins with
// an empty build cache.
func TestReproducible(t *testing.T) {
	if testing.Short() {
		t.Skip("skipped with -short: make test-full runs it")
	}
	dir := t.TempDir()
	build1, build2, cache := filepath.Join(dir, "scas"), filepath.Join(dir, "scas2"), ""
	if os.Getenv("SCAS_SUPPLY") == "full" {
		cache = filepath.Join(dir, "cache")
	}
	if err := build(t.Context(), "..", "", build1); err != nil {
		t.Fatal(err)
	}
	if err := build(t.Context(), copySource(t), cache, build2); err != nil {
		t.Fatal(err)
	}
	if equal, err := sameBytes(build1, build2); err != nil || !equal {
		t.Errorf("two builds differ (%v)", err)
	}
	if err := inspect(build1); err != nil {
		t.Error(err)
	}
	if out, err := exec.Command(build1, "--version").Output(); err != nil || !strings.HasPrefix(string(out), "scas ") {
		t.Errorf("%q, %v", out, err)
	}
	noNetwork(t, build1)
}

// noNetwork runs commands of the program under strace. It fails the test if the program makes a system call
// for network connections. Without strace it checks nothing.
func noNetwork(t *testing.T, program string) {
	t.Helper()
	dir := t.TempDir()
	data, trace := filepath.Join(dir, "d.svm"), filepath.Join(dir, "trace")
	if err := os.WriteFile(data, []byte("1 1:1 3:2\n-1 2:1\n1 1:2 2:1\n-1 3:1\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	calls := "socket,connect,bind,listen,accept4,sendto,recvfrom,sendmsg,recvmsg"
	// callPattern matches a system call in the output of strace, but no line about an exit, a signal or a
	// thread.
	callPattern := regexp.MustCompile(`\b(` + strings.ReplaceAll(calls, ",", "|") + `)\(`)
	strace := []string{"-f", "-o", trace, "-e", "trace=" + calls}
	if out, err := exec.Command("strace", append(strace, "true")...).CombinedOutput(); err != nil {
		t.Logf("no strace here: the network is not watched: %v %s", err, out)
		return
	}
	for _, args := range [][]string{
		{"train", "-o", filepath.Join(dir, "m"), data}, {"predict", "-m", filepath.Join(dir, "m"), data},
		{"cv", "--folds", "2", "--lambdas", "3", data}, {"info", data}, {"--help"},
	} {
		if out, err := exec.Command("strace",
			append(append(strace[:len(strace):len(strace)], program), args...)...).CombinedOutput(); err != nil {
			t.Errorf("%v: %v\n%s", args, err, out)
		}
		text, err := os.ReadFile(trace)
		if err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(string(text)) {
			if callPattern.MatchString(line) {
				t.Errorf("%v: %s", args, line)
			}
		}
	}
}

func TestInspect(t *testing.T) {
	if err := inspect("licences_test.go"); err == nil {
		t.Error("a text is inspected without an error")
	}
}
