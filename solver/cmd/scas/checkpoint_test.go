package main

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/scas-admm/scas/solver/dist"
)

// TestRanksCheckpoint checks that a job whose second rank fails at some call can continue from its
// checkpoint. With the same number of ranks, the model has the bytes of a job that did not fail. With one
// process, the run converges.
func TestRanksCheckpoint(t *testing.T) {
	file, _ := distData(t)
	dir := t.TempDir()
	several := filepath.Join(dir, "several.svm")
	var classes strings.Builder
	for k, row := range strings.SplitAfter(strings.TrimSpace(fileText(t, file)), "\n") {
		_, entries, _ := strings.Cut(row, " ")
		fmt.Fprintf(&classes, "%d %s", k%3, entries)
	}
	if err := os.WriteFile(several, []byte(classes.String()), 0o666); err != nil {
		t.Fatal(err)
	}
	model, keep := filepath.Join(dir, "model.json"), filepath.Join(dir, "run.ck")
	for _, flags := range []string{
		"--intercept " + file, "--intercept --standardize " + file, "--intercept --l1-ratio 0.5 " + file,
		"--standardize " + several,
	} {
		args := append([]string{"--lambda", "1e-3", "--tol", "1e-9", "--checkpoint", keep, "-o", model}, strings.Fields(flags)...)
		calls := 0
		comms := dist.Local(2, 20*time.Second)
		comms[1].Before = func(call, _ int) error { calls = call; return nil }
		if _, errs, codes := onComms(t, comms, args...); codes[0] != exitOK {
			t.Fatalf("%s: %q", flags, errs)
		}
		want, kept, parts := fileText(t, model), 0, 8
		if testing.Short() {
			parts = 3
		}
		for at := calls / parts; at < calls; at += calls / parts {
			for _, ranks := range []int{2, 1} {
				comms := dist.Local(2, 20*time.Second)
				comms[1].Before = func(call, _ int) error {
					if call == at {
						return errors.Join(dist.ErrDead, comms[1].Close())
					}
					return nil
				}
				if _, errs, codes := onComms(t, comms, args...); codes[0] == exitOK || codes[1] == exitOK {
					t.Fatalf("%s, rank 1 ended at call %d of %d: exit codes %v, %q", flags, at, calls, codes, errs)
				}
				if _, err := os.Stat(keep); err == nil {
					kept++
				}
				_, errs, codes := together(t, ranks, args...)
				if codes[0] != exitOK || ranks == 2 && fileText(t, model) != want {
					t.Errorf("%s, %d ranks after call %d of %d: exit codes %v, %q", flags, ranks, at, calls, codes, errs)
				}
				if _, err := os.Stat(keep); !os.IsNotExist(err) {
					t.Errorf("%s, %d ranks: the checkpoint is still there: %v", flags, ranks, err)
				}
			}
		}
		if kept == 0 {
			t.Errorf("%s: no checkpoint", flags)
		}
	}
}

// TestCheckpoint checks that scas train refuses a checkpoint that is damaged or belongs to another run, and
// that a run removes its checkpoint when it finishes.
func TestCheckpoint(t *testing.T) {
	file, _ := distData(t)
	keep := filepath.Join(t.TempDir(), "run.ck")
	train := func(args ...string) (int, string) {
		var stdout, stderr bytes.Buffer
		e := &env{ctx: t.Context(), stdout: &stdout, stderr: &stderr}
		return run(e, append([]string{"train", "--method", "scas-k", "--checkpoint", keep}, args...)), stderr.String()
	}
	if code, says := train("--passes", "8", file); code != exitOK {
		t.Fatalf("%d: %s", code, says)
	}
	if _, err := os.Stat(keep); !os.IsNotExist(err) {
		t.Errorf("the checkpoint is still there: %v", err)
	}
	c := &checkpointFile{keep, checkpointHead{Format: checkpointFormat}}
	if err := c.Save([]byte("of another run")); err != nil {
		t.Fatal(err)
	}
	if code, says := train(file); code != exitIO || !strings.Contains(says, "other data or flags") {
		t.Errorf("%d: %s", code, says)
	}
	b, err := os.ReadFile(keep)
	if err != nil {
		t.Fatal(err)
	}
	for _, damaged := range [][]byte{b[:len(b)-1], bytes.Replace(b, []byte("run"), []byte("fun"), 1), []byte("nothing"), nil} {
		if err := os.WriteFile(keep, damaged, 0o666); err != nil {
			t.Fatal(err)
		}
		if code, says := train(file); code != exitIO || !strings.Contains(says, "damaged") {
			t.Errorf("%d: %s", code, says)
		}
	}
}
