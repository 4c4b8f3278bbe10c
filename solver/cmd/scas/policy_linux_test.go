package main

import (
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/scas-admm/scas/sparse"
	"github.com/scas-admm/scas/sparse/sparsetest"
)

// allowedPattern matches the part of an error that says which value of --memory is enough.
var allowedPattern = regexp.MustCompile(`allow ([0-9.]+[KMG]iB) with --memory(, to read the data in pieces)?\n`)

// sufficientMemory runs a command with too little memory. It returns the value of --memory that the error says
// is enough.
func sufficientMemory(t *testing.T, args ...string) (size memorySize) {
	t.Helper()
	r := runHere(t, append(args, "--memory", "16MB")...)
	match := allowedPattern.FindStringSubmatch(r.stderr)
	if r.code != exitIO || match == nil || strings.Contains(r.stderr, "without gaps") {
		t.Fatalf("%v: exit code %d: %s", args, r.code, r.stderr)
	}
	if err := size.UnmarshalText([]byte(match[1])); err != nil {
		t.Fatal(err)
	}
	return size
}

// TestPolicy checks the size that the error for a small --memory recommends. With this --memory, the command
// must succeed, and its peak must be at least a third of this size and at most slightly above this size. With
// a tenth less, the command must fail.
func TestPolicy(t *testing.T) {
	dir := t.TempDir()
	write := func(name string, rows, features, perRow, classes int) string {
		s := newSynthetic(t, sparse.SyntheticOptions{Rows: rows, Features: features, NonzerosPerRow: perRow})
		rng := rand.New(rand.NewPCG(1, 2))
		for i := range s.Labels {
			if classes > 2 {
				s.Labels[i] = float64(rng.IntN(classes))
			}
		}
		return writeData(t, dir, name, &sparse.Dataset{X: s.X, Labels: s.Labels})
	}
	const features = 1500
	var lines strings.Builder
	for j := 1; j+2 <= features; j += 3 {
		fmt.Fprintln(&lines, j, j+1, j+2)
	}
	groups := writeText(t, dir, "groups", lines.String())
	tallFile, wideFile, manyClassesFile := write("tall.scas", 30000, 40, 40, 2),
		write("wide.svm", 300, features, 150, 2), write("many.scas", 20000, 30, 30, 4)
	modelPath := filepath.Join(dir, "m.json")
	succeed(t, "train", "--lambda", "1e-2", "-o", modelPath, tallFile)
	plainFlags := []string{"--no-intercept", "--no-standardize"}
	for _, c := range []struct {
		args []string
		long bool
	}{
		{append([]string{"train", tallFile}, plainFlags...), true},
		{[]string{"train", tallFile}, false},
		{[]string{"train", "--lambda", "1e-5", "--groups", groups, wideFile}, false},
		{[]string{"train", "--graph", "chain", "--l2y", "1e-3", tallFile}, true},
		{[]string{"train", manyClassesFile}, true},
		{[]string{"path", "--lambdas", "3", tallFile}, true},
		{[]string{"cv", "--folds", "3", "--lambdas", "3", tallFile}, false},
		{[]string{"cv", "--folds", "3", "--lambdas", "3", "--tol", "1e-2", wideFile}, true},
		{[]string{"train", "--method", "sa", "--passes", "1", tallFile}, false},
		{[]string{"graph", "--edges", "9", tallFile}, false},
		{[]string{"graph", "--antisym", tallFile}, false},
		{[]string{"predict", "-m", modelPath, "--metrics", tallFile}, false},
	} {
		t.Run(strings.ReplaceAll(strings.Join(c.args, " "), dir, ""), func(t *testing.T) {
			if c.long {
				sparsetest.Long(t)
			}
			args := c.args
			if args[0] != "predict" {
				args = append(args, "--threads", "2")
			}
			namedSize := sufficientMemory(t, args...)
			code, peakBytes := peakOf(t, append(args, "--memory", fmt.Sprint(int64(namedSize)))...)
			if code != exitOK {
				t.Fatalf("with the %d bytes that were named: exit code %d", namedSize, code)
			}
			peak, limit := float64(peakBytes), float64(namedSize)
			t.Logf("%d bytes named, the peak is %.2f of them", namedSize, peak/limit)
			// For a small limit, reservedBytes returns less than the program needs.
			maxPeak := 1.05*limit + float64(mostReserve-reservedBytes(int64(namedSize)))
			if peak > maxPeak || peak < limit/3 {
				t.Errorf("the peak is %.2f times the %d bytes that were named", peak/limit, namedSize)
			}
			if r := runHere(t, append(args, "--memory", fmt.Sprint(int64(namedSize)*9/10))...); r.code != exitIO {
				t.Errorf("with a tenth less: exit code %d: %s", r.code, r.stderr)
			}
		})
	}
}
