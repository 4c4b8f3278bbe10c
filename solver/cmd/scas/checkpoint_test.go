package main

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/scas-admm/scas/solver/dist"
	"github.com/scas-admm/scas/solver/internal/rows"
)

// TestRanksCheckpoint checks that two ranks, or one process, continue a job from its checkpoint after a rank
// failed. With two ranks, the model file must equal the file of a job that did not fail.
func TestRanksCheckpoint(t *testing.T) {
	file, _ := distData(t)
	dir := t.TempDir()
	severalClasses := relabel(t, dir, file, func(k int) int { return k % 3 })
	model, checkpointPath := filepath.Join(dir, "model.json"), filepath.Join(dir, "run.ck")
	for _, flags := range []string{
		"--intercept " + file, "--intercept --standardize " + file, "--intercept --l1-ratio 0.5 " + file,
		"--standardize " + severalClasses,
	} {
		args := append([]string{
			"train", "--lambda", "1e-3", "--tol", "1e-9", "--checkpoint", checkpointPath, "-o", model,
		}, strings.Fields(flags)...)
		calls := 0
		comms := dist.Local(2, 20*time.Second)
		comms[1].Before = func(call, _ int) error { calls = call; return nil }
		if rank0 := onComms(t, comms, args...)[0]; rank0.code != exitOK {
			t.Fatalf("%s: %q", flags, rank0.stderr)
		}
		want, checkpoints, stopCount := textOf(t, model), 0, 8
		if testing.Short() {
			stopCount = 3
		}
		for lastCall := calls / stopCount; lastCall < calls; lastCall += calls / stopCount {
			for _, ranks := range []int{2, 1} {
				comms := dist.Local(2, 20*time.Second)
				comms[1].Before = func(call, _ int) error {
					if call == lastCall {
						return errors.Join(dist.ErrDead, comms[1].Close())
					}
					return nil
				}
				if r := onComms(t, comms, args...); r[0].code == exitOK || r[1].code == exitOK {
					t.Fatalf("%s, rank 1 ended at call %d of %d: %+v", flags, lastCall, calls, r)
				}
				if _, err := os.Stat(checkpointPath); err == nil {
					checkpoints++
				}
				rank0 := onRanks(t, ranks, args...)[0]
				if rank0.code != exitOK || ranks == 2 && textOf(t, model) != want {
					t.Errorf("%s, %d ranks after call %d of %d: exit code %d, %q",
						flags, ranks, lastCall, calls, rank0.code, rank0.stderr)
				}
				if _, err := os.Stat(checkpointPath); !os.IsNotExist(err) {
					t.Errorf("%s, %d ranks: the checkpoint is still there: %v", flags, ranks, err)
				}
			}
		}
		if checkpoints == 0 {
			t.Errorf("%s: no checkpoint", flags)
		}
	}
}

func TestCheckpointOfOtherData(t *testing.T) {
	file, _ := distData(t)
	dir := t.TempDir()
	severalClasses := relabel(t, dir, file, func(k int) int { return k % 3 })
	checkpointPath := filepath.Join(dir, "run.ck")
	args := []string{"train", "--lambda", "1e-3", "--checkpoint", checkpointPath, severalClasses}
	comms := dist.Local(2, 20*time.Second)
	comms[1].Before = func(int, int) error {
		if _, err := os.Stat(checkpointPath); err == nil {
			return errors.Join(dist.ErrDead, comms[1].Close())
		}
		return nil
	}
	onComms(t, comms, args...)
	savedCheckpoint, text := textOf(t, checkpointPath), textOf(t, severalClasses)
	firstLine, rest, _ := strings.Cut(text, "\n")
	secondLine, rest, _ := strings.Cut(rest, "\n")
	for name, tt := range map[string]struct {
		text, output string
		code         int
	}{
		"labels": {
			secondLine[:1] + firstLine[1:] + "\n" + firstLine[:1] + secondLine[1:] + "\n" + rest, "last", exitIO,
		},
		"rows":    {secondLine + "\n" + firstLine + "\n" + rest, "last", exitIO},
		"average": {text, "average", exitIO},
		"same":    {text, "last", exitOK},
	} {
		writeText(t, dir, filepath.Base(severalClasses), tt.text)
		writeText(t, dir, filepath.Base(checkpointPath), savedCheckpoint)
		if r := runHere(t, append(args, "--output", tt.output)...); r.code != tt.code ||
			r.code != exitOK && !strings.Contains(r.stderr, "is the checkpoint of other data or flags") {
			t.Errorf("%s: %+v", name, r)
		}
	}
}

// TestCheckpoint checks that scas train refuses a checkpoint that is damaged or belongs to another run, and
// that a run removes its checkpoint when it finishes.
func TestCheckpoint(t *testing.T) {
	file, _ := distData(t)
	checkpointPath := filepath.Join(t.TempDir(), "run.ck")
	args := []string{"train", "--method", "scas-k", "--passes", "8", "--checkpoint", checkpointPath, file}
	succeed(t, args...)
	if _, err := os.Stat(checkpointPath); !os.IsNotExist(err) {
		t.Errorf("the checkpoint is still there: %v", err)
	}
	c := &checkpointFile{checkpointPath, checkpointHead{Format: checkpointFormat}}
	state, err := rows.Encode("of another run")
	if err == nil {
		err = c.Save(state)
	}
	if err != nil {
		t.Fatal(err)
	}
	if r := runHere(t, args...); r.code != exitIO || !strings.Contains(r.stderr, "other data or flags") {
		t.Errorf("%+v", r)
	}
	b := textOf(t, checkpointPath)
	for _, damaged := range []string{b[:len(b)-1], strings.Replace(b, "run", "fun", 1), "nothing", ""} {
		writeText(t, filepath.Dir(checkpointPath), filepath.Base(checkpointPath), damaged)
		if r := runHere(t, args...); r.code != exitIO || !strings.Contains(r.stderr, "damaged") {
			t.Errorf("%+v", r)
		}
	}
}
