package main

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/scas-admm/scas/solver/baseline"
	"github.com/scas-admm/scas/solver/internal/term"
)

var (
	flagRounds = flag.Int("hostile.flags", 1500, "random command lines of TestHostileFlags")
	flagSeed   = flag.Uint64("hostile.seed", 0, "repeat this one command line of TestHostileFlags")
)

// hostileArgs returns a random command line with extreme values of flags and with files of writeHostileFiles.
func hostileArgs(rng *rand.Rand) []string {
	pick := func(choices ...string) string { return choices[rng.IntN(len(choices))] }
	extremeNumber := func() string {
		return pick("0", "1", "0.1", "1e-4", "5e-324", "1e-308", "1e-160", "1e100", "1e150", "1e155", "1e308",
			"1.7976931348623157e308")
	}
	methods := []string{"auto", "auto", "auto"}
	for _, m := range baseline.Methods() {
		methods = append(methods, m.Info().Name)
	}
	args := []string{"train", pick("tiny.svm", "tiny.svm", "large.svm", "small.svm", "mixed.svm", "one.svm")}
	flags := map[string]func() string{
		"--loss":   func() string { return pick(append(term.LossNames(), "huber:"+extremeNumber())...) },
		"--lambda": extremeNumber,
		"--l2y":    extremeNumber,
		"--mu":     extremeNumber,
		"--groups": func() string { return "groups" },
		"--graph":  func() string { return pick("chain", "chain", "edges", "steep", "flat") },
		"--domain": func() string {
			return pick("nonnegative", "ball:"+extremeNumber(), "simplex:"+extremeNumber(),
				"box:-"+extremeNumber()+","+extremeNumber(), "box:-inf,inf")
		},
		"--method":       func() string { return methods[rng.IntN(len(methods))] },
		"--tol":          func() string { return pick("none", "auto", "1e-12", "0.5", "5e-324") },
		"--passes":       func() string { return pick("1", "3", "50", "1e-300") },
		"--eta":          extremeNumber,
		"--rho":          extremeNumber,
		"--features":     func() string { return pick("3", "9", "100") },
		"--batch-size":   func() string { return pick("1", "7", "2147483647") },
		"--inner-steps":  func() string { return pick("2", "100") },
		"--dual-updates": func() string { return pick("1", "40", "1000") },
		"--schedule":     func() string { return "theorem" },
		"--float32":      nil, "--verbose": nil, "--json": nil, "--no-intercept": nil, "--no-standardize": nil,
		"--output":         func() string { return "average" },
		"--class-weights":  func() string { return "balanced" },
		"--sample-weights": func() string { return "weights" },
	}
	for _, name := range slices.Sorted(maps.Keys(flags)) {
		makeValue := flags[name]
		if rng.IntN(5) > 0 {
			continue
		}
		args = append(args, name)
		if makeValue != nil {
			args[len(args)-1] += "=" + makeValue()
		}
	}
	return args
}

func writeHostileFiles(t *testing.T) (dir string) {
	t.Helper()
	dir = t.TempDir()
	for name, text := range map[string]string{
		"tiny.svm":  "1 1:1 2:2 3:0.5\n-1 1:-1 3:1\n1 2:1\n-1 1:0.5 2:-3\n",
		"large.svm": "1 1:1e300 2:2\n-1 1:-1e308 3:1e155\n1 2:1\n",
		"small.svm": "1 1:5e-324 2:1e-300\n-1 1:-1e-308 3:1e-160\n",
		"mixed.svm": "1 1:1e100 2:1e-100\n-1 1:-1 3:1\n1 2:1e9\n-1 3:-1e-9\n",
		"one.svm":   "1 1:1\n-1\n",
		"groups":    "1 3\n2\n", "edges": "1 2\n2 3 -1\n", "steep": "1 2 1e155\n", "flat": "1 2 1e-200\n2 3 1e90\n",
		"weights": "1\n1e308\n0\n5e-324\n",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// runHostile runs the random command line of a seed. It returns a text that says what is wrong with the
// result, or "" if nothing is wrong.
func runHostile(seed uint64) (failure string) {
	args := hostileArgs(rand.New(rand.NewPCG(seed, 3)))
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
	defer cancel()
	var stdout, stderr bytes.Buffer
	defer func() {
		if r := recover(); r != nil {
			failure = fmt.Sprintf("%v: panic: %v\n%s", args, r, debug.Stack())
		}
	}()
	code := run(&env{ctx: ctx, stdin: strings.NewReader(""), stdout: &stdout, stderr: &stderr}, args)
	switch {
	case ctx.Err() != nil:
		return fmt.Sprintf("%v: it does not end", args)
	case code < 0 || code > exitNotConverged:
		return fmt.Sprintf("%v: exit code %d", args, code)
	case code == exitOK &&
		(strings.Contains(stdout.String(), "objective   +Inf") ||
			strings.Contains(strings.Split(stdout.String(), "constants")[0], "NaN") ||
			strings.Contains(stdout.String(), `"objective": null`)):
		return fmt.Sprintf("%v: %s", args, &stdout)
	case code != exitOK && !strings.Contains(stderr.String(), "scas: "):
		return fmt.Sprintf("%v: exit code %d without a word", args, code)
	}
	return ""
}

// TestHostileFlags checks that commands with extreme values of flags end without a panic. They must have a
// finite result, or a message and an exit code that is not 0.
func TestHostileFlags(t *testing.T) {
	t.Chdir(writeHostileFiles(t))
	if *flagSeed != 0 {
		if failure := runHostile(*flagSeed); failure != "" {
			t.Error(failure)
		}
		return
	}
	runCount := *flagRounds
	if testing.Short() {
		runCount = min(runCount, 300)
	}
	for seed := range uint64(runCount) {
		if failure := runHostile(seed + 1); failure != "" {
			t.Errorf("-hostile.seed %d: %s", seed+1, failure)
		}
	}
}
