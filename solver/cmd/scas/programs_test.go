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
	"github.com/scas-admm/scas/solver/baseline"
	"github.com/scas-admm/scas/sparse/sparsetest"
)

// A program is one way to run the command scas: at some kernel level, or as a program that was built for
// another processor or with other build tags.
type program struct {
	name string
	run  func(t *testing.T, args ...string)
}

// atLevels returns a program for each kernel level. They run in this process.
func atLevels(t *testing.T) (programs []program) {
	activeLevel := kernels.Active()
	t.Cleanup(func() { _ = kernels.Use(activeLevel) })
	for _, level := range kernels.Available() {
		programs = append(programs, program{level.String(), func(t *testing.T, args ...string) {
			if err := kernels.Use(level); err != nil {
				t.Fatal(err)
			}
			succeed(t, args...)
		}})
	}
	return programs
}

// builds returns programs that are built for this machine: one without assembly and, if the machine can run
// it, one for x86-64-v3, in which the compiler may fuse products into sums, at the first and the last level.
func builds(t *testing.T) []program {
	t.Helper()
	programs := []program{{"purego", processOf(nil, build(t, "purego"))}}
	levels := kernels.Available()
	if !slices.Contains(levels, kernels.AVX2) {
		return programs
	}
	v3 := build(t, "", "GOAMD64=v3")
	for _, level := range []kernels.Level{levels[0], levels[len(levels)-1]} {
		programs = append(programs,
			program{"v3-" + level.String(), processOf([]string{"SCAS_LEVEL=" + level.String()}, v3)})
	}
	return programs
}

// build builds the command scas, and returns the path of the file. tags are build tags, and compilerEnv are
// environment variables for the compiler.
func build(t *testing.T, tags string, compilerEnv ...string) (path string) {
	t.Helper()
	path = filepath.Join(t.TempDir(), "scas")
	cmd := exec.Command("go", "build", "-tags", tags, "-o", path, ".")
	cmd.Env = append(os.Environ(), compilerEnv...)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%q %q: %v\n%s", tags, compilerEnv, err, out)
	}
	return path
}

// processOf returns a function that runs a program, with extra environment variables and the given first
// arguments.
func processOf(env []string, name string, firstArgs ...string) func(t *testing.T, args ...string) {
	return func(t *testing.T, args ...string) {
		runProcess(t, name, env, slices.Concat(firstArgs, args)...)
	}
}

// A command is a command line of scas. OUT in args stands for a name without its ending. The files that the
// command writes have this name.
type command struct{ name, args string }

// TestBits checks that the command scas writes the same files at each kernel level. Without -short it also
// checks builds.
func TestBits(t *testing.T) {
	programs := atLevels(t)
	if !testing.Short() {
		programs = append(programs, builds(t)...)
	}
	sameFiles(t, programs, usualCommands(t, programs[0], !testing.Short()))
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
	arm64 := build(t, "", "GOOS=linux", "GOARCH=arm64", "CGO_ENABLED=0")
	here := program{"here", func(t *testing.T, args ...string) { succeed(t, args...) }}
	sameFiles(t, []program{here, {"arm64", processOf(nil, emulator, arm64)}}, usualCommands(t, here, true))
}

// TestModelsEqualAtEveryLevel checks more models than TestBits: of more losses, penalties and domains, and of
// every method.
func TestModelsEqualAtEveryLevel(t *testing.T) {
	sparsetest.Long(t)
	data := " -o OUT.json " + writeWDBC(t, t.TempDir())
	var commands []command
	for name, flags := range map[string]string{
		"lasso":   "--lambda 1e-3 --no-intercept --no-standardize",
		"fitted":  "--lambda 1e-3 --intercept",
		"tied":    "--lambda 1e-3 --intercept --graph chain --class-weights balanced",
		"chain":   "--graph chain --seed 5 --output average",
		"scas":    "--method scas --mu 0.01 --no-intercept",
		"strong":  "--method scas-strong --mu 0.01 --no-intercept",
		"squared": "--loss squared --no-intercept --no-standardize",
		"box":     "--domain box:-0.2,0.3",
		"ball":    "--domain ball:0.7 --graph chain --no-intercept",
		"simplex": "--domain simplex:2 --class-weights balanced --no-intercept --no-standardize",
		"hinge":   "--loss squared-hinge --l2y 0.1 --batch-size 7 --no-intercept",
		"huber":   "--loss huber:0.5 --float32 --domain nonnegative",
	} {
		commands = append(commands, command{name, "train " + flags + data})
		if !strings.Contains(flags, "--method") && !strings.Contains(flags, "--intercept") {
			commands = append(commands, command{name + "-k", "train --method scas-k --passes 40 " + flags + data})
		}
	}
	for _, m := range baseline.Methods() {
		name := m.Info().Name
		commands = append(commands, command{
			"method-" + name,
			"train --mu 0.01 --no-intercept --graph chain --passes 40 --tol none --method " + name + data,
		})
	}
	sameFiles(t, append(atLevels(t), builds(t)...), commands)
}

func TestModelsEqualAtEveryLevelOnA9A(t *testing.T) {
	sparsetest.Long(t)
	dir := sparsetest.DataFile(t)
	args := "train --features 123 --lambda 1e-5 -o OUT.json " + filepath.Join(dir, "paper", "a9a.zst")
	const scasK = " --method scas-k --passes 10"
	commands := []command{{"plain", args}, {"plain-k", args + scasK}}
	edges := filepath.Join(dir, "graphs", "a9a_glasso_0.1.edges")
	if _, err := os.Stat(edges); err == nil {
		args += " --graph " + edges
		commands = append(commands, command{"graph", args}, command{"graph-k", args + scasK})
	} else {
		t.Logf("no graph of a9a: nothing is checked with one (%v)", err)
	}
	sameFiles(t, append(atLevels(t), builds(t)...), commands)
}

// usualCommands returns commands for their input files, which it writes to a new working directory. If
// withLargeFile is true, one command trains with a file that is larger than the allowed memory; converter
// makes this file.
func usualCommands(t *testing.T, converter program, withLargeFile bool) []command {
	t.Helper()
	dir := t.TempDir()
	t.Chdir(dir)
	writeText(t, dir, "few.svm", strings.Join(libsvmRows(150, 1, 1), ""))
	writeText(t, dir, "small.svm", strings.Join(libsvmRows(150, 1, 0.25), "")) // the recipe needs small variances
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
		converter.run(t, "convert", "tall.svm", "tall.scas")
		commands = append(commands, command{"large", "train --lambda 1e-3 --intercept --memory 128MiB -o OUT.json tall.scas"})
	}
	return commands
}

// sameFiles runs each command with each program. It checks that all programs write files with the same content.
func sameFiles(t *testing.T, programs []program, commands []command) {
	t.Helper()
	dir := t.TempDir()
	for _, c := range commands {
		t.Run(c.name, func(t *testing.T) {
			out := func(p program) string { return filepath.Join(dir, c.name+"-"+p.name) }
			for _, p := range programs {
				p.run(t, strings.Fields(strings.ReplaceAll(c.args, "OUT", out(p)))...)
			}
			firstFiles, _ := filepath.Glob(out(programs[0]) + ".*")
			if len(firstFiles) == 0 {
				t.Fatal("nothing was written")
			}
			for _, first := range firstFiles {
				want := textOf(t, first)
				for _, p := range programs[1:] {
					name := out(p) + filepath.Ext(first)
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
