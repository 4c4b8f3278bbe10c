package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/scas-admm/scas/kernels"
	"github.com/scas-admm/scas/solver/baseline"
	"github.com/scas-admm/scas/sparse/sparsetest"
)

// buildV3 builds scas for x86-64-v3, where the compiler may fuse a product and a sum. It returns "" if this
// machine cannot run the program.
func buildV3(t *testing.T) string {
	t.Helper()
	if runtime.GOARCH != "amd64" || !slices.Contains(kernels.Available(), kernels.AVX2) {
		return ""
	}
	program := filepath.Join(t.TempDir(), "scas-v3")
	cmd := exec.Command("go", "build", "-o", program, ".")
	cmd.Env = append(os.Environ(), "GOAMD64=v3")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("building for v3: %v\n%s", err, out)
	}
	return program
}

// checkSameModels checks that scas train with args writes equal model files at every kernel level. Unless v3
// is empty, the program at the path v3 must write the same file.
func checkSameModels(t *testing.T, v3 string, args ...string) {
	t.Helper()
	path, firstModel := filepath.Join(t.TempDir(), "model"), ""
	check := func(l kernels.Level, out string) {
		if !strings.Contains(out, fmt.Sprintf("\"level\": %q", l.String())) {
			t.Fatalf("not run at the level %v: %s", l, out)
		}
		if got := textOf(t, path); firstModel == "" {
			firstModel = got
		} else if got != firstModel {
			t.Errorf("at the level %v the model differs; v3 is %q", l, v3)
		}
	}
	args = append([]string{"train", "-o", path, "--json"}, args...)
	levels := kernels.Available()
	for _, l := range levels {
		out, _ := succeed(t, append(args, "--level", l.String())...)
		check(l, out)
	}
	for _, l := range []kernels.Level{levels[0], levels[len(levels)-1]} {
		if v3 != "" {
			check(l, runProcess(t, v3, []string{"SCAS_LEVEL=" + l.String()}, args...))
		}
	}
}

func TestModelsEqualAtEveryLevel(t *testing.T) {
	sparsetest.Long(t)
	data, v3 := writeWDBC(t, t.TempDir()), buildV3(t)
	for name, args := range map[string][]string{
		"lasso":   {"--lambda", "1e-3", "--no-intercept", "--no-standardize"},
		"fitted":  {"--lambda", "1e-3", "--intercept"},
		"tied":    {"--lambda", "1e-3", "--intercept", "--graph", "chain", "--class-weights", "balanced"},
		"chain":   {"--graph", "chain", "--seed", "5", "--output", "average"},
		"scas":    {"--method", "scas", "--mu", "0.01", "--no-intercept"},
		"strong":  {"--method", "scas-strong", "--mu", "0.01", "--no-intercept"},
		"squared": {"--loss", "squared", "--no-intercept", "--no-standardize"},
		"box":     {"--domain", "box:-0.2,0.3"},
		"ball":    {"--domain", "ball:0.7", "--graph", "chain", "--no-intercept"},
		"simplex": {"--domain", "simplex:2", "--class-weights", "balanced", "--no-intercept", "--no-standardize"},
		"hinge":   {"--loss", "squared-hinge", "--l2y", "0.1", "--batch-size", "7", "--no-intercept"},
		"huber":   {"--loss", "huber:0.5", "--float32", "--domain", "nonnegative"},
	} {
		t.Run(name, func(t *testing.T) {
			checkSameModels(t, v3, append(args, data)...)
			if !slices.Contains(args, "--method") && !slices.Contains(args, "--intercept") {
				checkSameModels(t, v3, append(args, "--method", "scas-k", "--passes", "40", data)...)
			}
		})
	}
}

func TestMethodsEqualAtEveryLevel(t *testing.T) {
	sparsetest.Long(t)
	data, v3 := writeWDBC(t, t.TempDir()), buildV3(t)
	for _, m := range baseline.Methods() {
		name := m.Info().Name
		t.Run(name, func(t *testing.T) {
			checkSameModels(t, v3, "--method", name, "--mu", "0.01", "--no-intercept", "--graph", "chain",
				"--passes", "40", "--tol", "none", data)
		})
	}
}

func TestModelsEqualAtEveryLevelOnA9A(t *testing.T) {
	sparsetest.Long(t)
	dir := sparsetest.DataFile(t)
	v3 := buildV3(t)
	args := []string{"--features", "123", "--lambda", "1e-5", filepath.Join(dir, "paper", "a9a.zst")}
	scaskArgs := append([]string{"--method", "scas-k", "--passes", "10"}, args...)
	checkSameModels(t, v3, args...)
	checkSameModels(t, v3, scaskArgs...)
	edges := filepath.Join(dir, "graphs", "a9a_glasso_0.1.edges")
	if _, err := os.Stat(edges); err != nil {
		t.Skipf("no graph of a9a: nothing is checked with one (%v)", err)
	}
	checkSameModels(t, v3, append([]string{"--graph", edges}, args...)...)
	checkSameModels(t, v3, append([]string{"--graph", edges}, scaskArgs...)...)
}
