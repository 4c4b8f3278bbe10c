package main

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/scas-admm/scas/solver/dist"
)

// TestRanksCheckpoint checks that two ranks, or one process, continue a job from its checkpoint after a rank
// failed. With two ranks, the model file must equal the file of a job that did not fail.
func TestRanksCheckpoint(t *testing.T) {
	file, _ := distData(t)
	dir := t.TempDir()
	several := relabel(t, dir, file, func(k int) int { return k % 3 })
	model, keep := filepath.Join(dir, "model.json"), filepath.Join(dir, "run.ck")
	for _, flags := range []string{
		"--intercept " + file, "--intercept --standardize " + file, "--intercept --l1-ratio 0.5 " + file,
		"--standardize " + several,
	} {
		args := append([]string{"train", "--lambda", "1e-3", "--tol", "1e-9", "--checkpoint", keep, "-o", model}, strings.Fields(flags)...)
		calls := 0
		comms := dist.Local(2, 20*time.Second)
		comms[1].Before = func(call, _ int) error { calls = call; return nil }
		if first := onComms(t, comms, args...)[0]; first.code != exitOK {
			t.Fatalf("%s: %q", flags, first.errs)
		}
		want, checkpoints, parts := textOf(t, model), 0, 8
		if testing.Short() {
			parts = 3
		}
		for lastCall := calls / parts; lastCall < calls; lastCall += calls / parts {
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
				if _, err := os.Stat(keep); err == nil {
					checkpoints++
				}
				first := onRanks(t, ranks, args...)[0]
				if first.code != exitOK || ranks == 2 && textOf(t, model) != want {
					t.Errorf("%s, %d ranks after call %d of %d: exit code %d, %q", flags, ranks, lastCall, calls, first.code, first.errs)
				}
				if _, err := os.Stat(keep); !os.IsNotExist(err) {
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
	several, keep := relabel(t, dir, file, func(k int) int { return k % 3 }), filepath.Join(dir, "run.ck")
	args := []string{"train", "--lambda", "1e-3", "--checkpoint", keep, several}
	comms := dist.Local(2, 20*time.Second)
	comms[1].Before = func(int, int) error {
		if _, err := os.Stat(keep); err == nil {
			return errors.Join(dist.ErrDead, comms[1].Close())
		}
		return nil
	}
	onComms(t, comms, args...)
	saved, text := textOf(t, keep), textOf(t, several)
	first, rest, _ := strings.Cut(text, "\n")
	second, rest, _ := strings.Cut(rest, "\n")
	for name, tt := range map[string]struct {
		text, output string
		code         int
	}{
		"labels":  {second[:1] + first[1:] + "\n" + first[:1] + second[1:] + "\n" + rest, "last", exitIO},
		"rows":    {second + "\n" + first + "\n" + rest, "last", exitIO},
		"average": {text, "average", exitIO},
		"same":    {text, "last", exitOK},
	} {
		writeText(t, dir, filepath.Base(several), tt.text)
		writeText(t, dir, filepath.Base(keep), saved)
		if r := runHere(t, append(args, "--output", tt.output)...); r.code != tt.code || r.code != exitOK && !strings.Contains(r.errs, "is the checkpoint of other data or flags") {
			t.Errorf("%s: %+v", name, r)
		}
	}
}

// TestCheckpoint checks that scas train refuses a checkpoint that is damaged or belongs to another run, and
// that a run removes its checkpoint when it finishes.
func TestCheckpoint(t *testing.T) {
	file, _ := distData(t)
	keep := filepath.Join(t.TempDir(), "run.ck")
	args := []string{"train", "--method", "scas-k", "--passes", "8", "--checkpoint", keep, file}
	succeed(t, args...)
	if _, err := os.Stat(keep); !os.IsNotExist(err) {
		t.Errorf("the checkpoint is still there: %v", err)
	}
	c := &checkpointFile{keep, checkpointHead{Format: checkpointFormat}}
	if err := c.Save([]byte("of another run")); err != nil {
		t.Fatal(err)
	}
	if r := runHere(t, args...); r.code != exitIO || !strings.Contains(r.errs, "other data or flags") {
		t.Errorf("%+v", r)
	}
	b := textOf(t, keep)
	for _, damaged := range []string{b[:len(b)-1], strings.Replace(b, "run", "fun", 1), "nothing", ""} {
		writeText(t, filepath.Dir(keep), filepath.Base(keep), damaged)
		if r := runHere(t, args...); r.code != exitIO || !strings.Contains(r.errs, "damaged") {
			t.Errorf("%+v", r)
		}
	}
}
