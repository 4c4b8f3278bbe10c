package main

import (
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/scas-admm/scas/kernels"
)

// A program is one way to run the command scas: at some kernel level, or as a program that was built for
// another processor or with other build tags.
type program struct {
	name string
	run  func(t *testing.T, args ...string)
}

// build builds the command scas, and returns a program that runs it. tags are build tags, and compilerEnv are
// environment variables for the compiler. If emulator is not empty, it is the name of a command, such as an
// emulator of another processor, that gets the path of the built file and its arguments. Otherwise the built
// file runs directly, at the kernel level generic.
func build(t *testing.T, name, tags, emulator string, compilerEnv ...string) program {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	cmd := exec.Command("go", "build", "-tags", tags, "-o", path, ".")
	cmd.Env = append(os.Environ(), compilerEnv...)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%s: %v\n%s", name, err, out)
	}
	return program{name, func(t *testing.T, args ...string) {
		if emulator != "" {
			runProcess(t, emulator, nil, append([]string{path}, args...)...)
			return
		}
		runProcess(t, path, []string{"SCAS_LEVEL=" + kernels.Generic.String()}, args...)
	}}
}

// TestBits checks that the command scas writes the same files at each kernel level. Without -short it
// also checks a build without assembly, and a build for x86-64-v3, in which the compiler may fuse products
// into sums.
func TestBits(t *testing.T) {
	activeLevel := kernels.Active()
	defer func() { _ = kernels.Use(activeLevel) }()
	var programs []program
	for _, level := range kernels.Available() {
		programs = append(programs, program{level.String(), func(t *testing.T, args ...string) {
			if err := kernels.Use(level); err != nil {
				t.Fatal(err)
			}
			succeed(t, args...)
		}})
	}
	if !testing.Short() {
		programs = append(programs, build(t, "purego", "purego", ""))
		if slices.Contains(kernels.Available(), kernels.AVX2) {
			programs = append(programs, build(t, "v3", "", "", "GOAMD64=v3"))
		}
	}
	sameFiles(t, programs, !testing.Short())
}

// TestEmulated checks that the command scas writes the same files on an emulated arm64 as on this processor.
// It takes a minute, so it runs only with SCAS_EMULATE=1.
func TestEmulated(t *testing.T) {
	if os.Getenv("SCAS_EMULATE") == "" {
		t.Skip("QEMU runs for arm64 wait for SCAS_EMULATE=1")
	}
	emulator, err := exec.LookPath("qemu-aarch64")
	if err != nil {
		t.Skip("no qemu-aarch64 here; install qemu-user")
	}
	arm64 := build(t, "arm64", "", emulator, "GOOS=linux", "GOARCH=arm64", "CGO_ENABLED=0")
	here := program{"here", func(t *testing.T, args ...string) { succeed(t, args...) }}
	sameFiles(t, []program{here, arm64}, true)
}

// sameFiles runs commands with each program, and checks that all write the same files. If withLargeFile is
// true, it also trains with a file that is larger than the allowed memory.
func sameFiles(t *testing.T, programs []program, withLargeFile bool) {
	dir := t.TempDir()
	t.Chdir(dir)
	writeText(t, dir, "few.svm", strings.Join(libsvmRows(150, 1, 1), ""))
	writeText(t, dir, "small.svm", strings.Join(libsvmRows(150, 1, 0.25), "")) // the recipe needs small variances
	type command struct{ name, args string }
	commands := []command{
		{"plain", "train --lambda 1e-2 -o OUT.json few.svm"},
		{"chain", "train --lambda 1e-3 --graph chain --loss huber --intercept -o OUT.json few.svm"},
		{
			"theorem",
			"train --method scas --schedule theorem --domain ball:2 --no-intercept --no-standardize --mu 0.01 --lambda 1e-2 --passes 60 -o OUT.json few.svm",
		},
		{"path", "path --lambdas 6 -o OUT.csv few.svm"},
		{"cv", "cv --lambdas 4 --folds 3 -o OUT.json few.svm"},
		{"glasso", "graph --penalty 0.05 --signed --weighted -o OUT.edges --precision OUT.mat few.svm"},
		{"edges", "graph --edges 20 -o OUT.edges few.svm"},
		{"recipe", "graph --method recipe -o OUT.edges small.svm"},
	}
	if withLargeFile { // repeat the rows until the file is larger than --memory allows
		tallRows := libsvmRows(2000, 2, 1)
		var many strings.Builder
		for i := range 400_000 {
			many.WriteString(tallRows[(i*i+i/7)%len(tallRows)])
		}
		writeText(t, dir, "tall.svm", many.String())
		programs[0].run(t, "convert", "tall.svm", "tall.scas")
		commands = append(commands, command{"large", "train --lambda 1e-3 --intercept --memory 128MiB -o OUT.json tall.scas"})
	}
	for _, c := range commands {
		t.Run(c.name, func(t *testing.T) {
			for _, p := range programs {
				p.run(t, strings.Fields(strings.ReplaceAll(c.args, "OUT", c.name+"-"+p.name))...)
			}
			firstFiles, _ := filepath.Glob(c.name + "-" + programs[0].name + ".*")
			if len(firstFiles) == 0 {
				t.Fatal("nothing was written")
			}
			for _, first := range firstFiles {
				want := textOf(t, first)
				for _, p := range programs[1:] {
					name := c.name + "-" + p.name + filepath.Ext(first)
					if got := textOf(t, name); got != want {
						t.Errorf("%s differs:\n%.2000s\nwant\n%.2000s", name, got, want)
					}
				}
			}
		})
	}
}

// libsvmRows returns n rows as LIBSVM text, with two classes and 16 features. Their values are multiplied by
// scale.
func libsvmRows(n int, seed uint64, scale float64) []string {
	rng := rand.New(rand.NewPCG(seed, 3))
	rows := make([]string, n)
	for i := range rows {
		var row strings.Builder
		x, score := rng.NormFloat64(), rng.NormFloat64()
		for j := range 16 {
			x = 0.7*x + 0.7*rng.NormFloat64()
			fmt.Fprintf(&row, " %d:%.3f", j+1, scale*x)
			score += x * float64(j%3-1)
		}
		label := "-1"
		if score > 0 {
			label = "+1"
		}
		rows[i] = label + row.String() + "\n"
	}
	return rows
}
