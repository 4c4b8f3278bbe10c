package solver_test

import (
	"bytes"
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

// A program is a build of the command scas.
type program struct {
	name string
	argv []string // the emulator, if any, and the path of the program
	env  []string // environment variables for its runs
}

// build builds the command scas into the directory dir. tags are build tags, and compilerEnv are environment
// variables for the compiler.
func build(t *testing.T, dir, name, tags string, compilerEnv ...string) program {
	t.Helper()
	path := filepath.Join(dir, name)
	cmd := exec.Command("go", "build", "-tags", tags, "-o", path, "./cmd/scas")
	cmd.Env = append(os.Environ(), compilerEnv...)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%s: %v\n%s", name, err, out)
	}
	return program{name: name, argv: []string{path}}
}

// TestBits checks that the command scas writes the same files at each kernel level. Without -short it
// also checks a build without assembly, and a build for x86-64-v3, in which the compiler may fuse products
// into sums.
func TestBits(t *testing.T) {
	dir := t.TempDir()
	native := build(t, dir, "native", "")
	native.env = []string{"SCAS_LEVEL=generic"}
	var others []program
	for _, l := range kernels.Available()[1:] {
		others = append(others, program{l.String(), native.argv, []string{"SCAS_LEVEL=" + l.String()}})
	}
	if !testing.Short() {
		others = append(others, build(t, dir, "purego", "purego"))
	}
	if !testing.Short() && slices.Contains(kernels.Available(), kernels.AVX2) {
		v3 := build(t, dir, "v3", "", "GOAMD64=v3")
		v3.env = native.env
		others = append(others, v3)
	}
	sameFiles(t, dir, native, others, !testing.Short())
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
	dir := t.TempDir()
	arm64 := build(t, dir, "arm64", "", "GOOS=linux", "GOARCH=arm64", "CGO_ENABLED=0")
	arm64.argv = append([]string{emulator}, arm64.argv...)
	sameFiles(t, dir, build(t, dir, "native", ""), []program{arm64}, true)
}

// sameFiles runs commands with the program reference and with the others, and compares the files that they
// write. If withLargeFile is true, it also trains with a file that is larger than the allowed memory.
func sameFiles(t *testing.T, dir string, reference program, others []program, withLargeFile bool) {
	run := func(t *testing.T, p program, args ...string) {
		t.Helper()
		cmd := exec.Command(p.argv[0], append(p.argv[1:len(p.argv):len(p.argv)], args...)...)
		cmd.Dir, cmd.Env = dir, append(os.Environ(), p.env...)
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%s: %s: %v\n%s", p.name, strings.Join(args, " "), err, out)
		}
	}
	writeFile(t, filepath.Join(dir, "few.svm"), strings.Join(libsvmRows(150, 1, 1), ""))
	writeFile(t, filepath.Join(dir, "small.svm"), strings.Join(libsvmRows(150, 1, 0.25), "")) // the recipe needs small variances
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
		var many bytes.Buffer
		for i := range 400_000 {
			many.WriteString(tallRows[(i*i+i/7)%len(tallRows)])
		}
		writeFile(t, filepath.Join(dir, "tall.svm"), many.String())
		run(t, reference, "convert", "tall.svm", "tall.scas")
		commands = append(commands, command{"large", "train --lambda 1e-3 --intercept --memory 128MiB -o OUT.json tall.scas"})
	}
	for _, c := range commands {
		t.Run(c.name, func(t *testing.T) {
			run(t, reference, strings.Fields(strings.ReplaceAll(c.args, "OUT", c.name+"-first"))...)
			files, _ := filepath.Glob(filepath.Join(dir, c.name+"-first.*"))
			if len(files) == 0 {
				t.Fatal("nothing was written")
			}
			for _, p := range others {
				run(t, p, strings.Fields(strings.ReplaceAll(c.args, "OUT", c.name+"-"+p.name))...)
				for _, name := range files {
					want, err := os.ReadFile(name)
					if err != nil {
						t.Fatal(err)
					}
					got, err := os.ReadFile(strings.Replace(name, c.name+"-first", c.name+"-"+p.name, 1))
					if err != nil {
						t.Fatal(err)
					}
					if !bytes.Equal(got, want) {
						t.Errorf("%s: %s differs:\n%.2000s\nwant\n%.2000s", p.name, filepath.Base(name), got, want)
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

func writeFile(t *testing.T, name, text string) {
	t.Helper()
	if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}
