package solver_test

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestEmulated runs the command on this processor and, under QEMU, on arm64, and compares
// the files that both write. It takes a minute, so it waits for SCAS_EMULATE=1.
func TestEmulated(t *testing.T) {
	if os.Getenv("SCAS_EMULATE") == "" {
		t.Skip("QEMU runs for arm64 wait for SCAS_EMULATE=1")
	}
	emulator, err := exec.LookPath("qemu-aarch64")
	if err != nil {
		t.Skip("no qemu-aarch64 here; install qemu-user")
	}
	dir := t.TempDir()
	native, arm64 := filepath.Join(dir, "native"), filepath.Join(dir, "arm64")
	for program, arch := range map[string]string{native: "", arm64: "arm64"} {
		build := exec.Command("go", "build", "-o", program, "./cmd/scas")
		if arch != "" {
			build.Env = append(os.Environ(), "GOOS=linux", "GOARCH="+arch, "CGO_ENABLED=0")
		}
		if out, err := build.CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
	}
	run := func(t *testing.T, program string, args ...string) {
		t.Helper()
		cmd := exec.Command(program, args...)
		cmd.Dir = dir
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%s: %v\n%s", strings.Join(cmd.Args, " "), err, out)
		}
	}
	// few.svm has 150 rows. tall.scas repeats rows until they are larger than the memory.
	few, tall := emulatedRows(150, 1), emulatedRows(2000, 2)
	var many bytes.Buffer
	for i := range 400_000 {
		many.WriteString(tall[(i*i+i/7)%len(tall)])
	}
	write(t, filepath.Join(dir, "few.svm"), strings.Join(few, ""))
	write(t, filepath.Join(dir, "tall.svm"), many.String())
	run(t, native, "convert", "tall.svm", "tall.scas")
	for _, c := range []struct{ name, args string }{
		{"plain", "train --lambda 1e-2 -o OUT.json few.svm"},
		{"chain", "train --lambda 1e-3 --graph chain --loss huber --intercept -o OUT.json few.svm"},
		{"theorem", "train --method scas --schedule theorem --domain ball:2 --mu 0.01 --lambda 1e-2 --passes 60 -o OUT.json few.svm"},
		{"path", "path --lambdas 6 -o OUT.csv few.svm"},
		{"cv", "cv --lambdas 4 --folds 3 -o OUT.json few.svm"},
		{"glasso", "graph --penalty 0.05 --signed --weighted -o OUT.edges --precision OUT.mat few.svm"},
		{"edges", "graph --edges 20 -o OUT.edges few.svm"},
		{"recipe", "graph --method recipe -o OUT.edges few.svm"},
		{"large", "train --lambda 1e-3 --intercept --memory 128MiB -o OUT.json tall.scas"},
	} {
		t.Run(c.name, func(t *testing.T) {
			native, arm64 := []string{native}, []string{emulator, arm64}
			for kind, program := range map[string][]string{"native": native, "arm64": arm64} {
				args := strings.Fields(strings.ReplaceAll(c.args, "OUT", c.name+"-"+kind))
				args = append(program[1:len(program):len(program)], args...)
				run(t, program[0], args...)
			}
			files, _ := filepath.Glob(filepath.Join(dir, c.name+"-native.*"))
			if len(files) == 0 {
				t.Fatal("nothing was written")
			}
			for _, name := range files {
				want, err := os.ReadFile(name)
				if err != nil {
					t.Fatal(err)
				}
				got, err := os.ReadFile(strings.Replace(name, c.name+"-native", c.name+"-arm64", 1))
				if err != nil {
					t.Fatal(err)
				}
				if !bytes.Equal(got, want) {
					t.Errorf("%s differs on arm64:\n%.2000s\nwant\n%.2000s", filepath.Base(name), got, want)
				}
			}
		})
	}
}

// emulatedRows returns rows of LIBSVM text: classes of 16 features, of which neighbours are
// correlated.
func emulatedRows(n int, seed uint64) []string {
	rng := rand.New(rand.NewPCG(seed, 3))
	rows := make([]string, n)
	for i := range rows {
		var row strings.Builder
		x, score := rng.NormFloat64(), rng.NormFloat64()
		for j := range 16 {
			x = 0.7*x + 0.7*rng.NormFloat64()
			fmt.Fprintf(&row, " %d:%.3f", j+1, x)
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

func write(t *testing.T, name, text string) {
	t.Helper()
	if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}
