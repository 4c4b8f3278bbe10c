package torture

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"unsafe"
)

// TestShort is the short form of all attacks.
func TestShort(t *testing.T) {
	dir := t.TempDir()
	for _, d := range []string{dir, filepath.Dir(dir)} { // for attacks as another user
		if err := os.Chmod(d, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	tallies, err := Run(t.Context(), Options{Tries: 1, Dir: dir})
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("\n%s", Table(tallies))
	for _, y := range tallies {
		for _, f := range y.Failed {
			t.Error(f)
		}
		if y.Skipped == "" && y.Tried == 0 {
			t.Errorf("%s tried nothing", y.Kind.Name)
		}
	}
}

// TestTogether trains on many goroutines at once, each problem twice, for the same bits.
func TestTogether(t *testing.T) {
	trainings, seed := 60, uint64(1)
	if text := os.Getenv(TogetherEnv); text != "" {
		var err error
		if trainings, err = strconv.Atoi(text); err != nil {
			t.Fatal(err)
		}
		if seed, err = strconv.ParseUint(os.Getenv(TogetherSeed), 10, 64); err != nil {
			t.Fatal(err)
		}
	}
	if err := Together(t.Context(), seed, trainings); err != nil {
		t.Error(err)
	}
}

// TestSeed: one seed gives one trial, and the same.
func TestSeed(t *testing.T) {
	for _, only := range []string{"data", "edges", "tables", "models", "problems"} {
		first := ""
		for range 2 {
			tallies, err := Run(t.Context(), Options{Tries: 1, Seed: 77, Only: only, Dir: t.TempDir()})
			if err != nil || len(tallies) != 1 || tallies[0].Tried != 1 {
				t.Fatalf("%s: %v, %v", only, tallies, err)
			}
			table := strings.ReplaceAll(Table(tallies), " ", "")
			if first != "" && table != first {
				t.Errorf("%s: %s, then %s", only, first, table)
			}
			first = table
		}
	}
	if _, err := Run(t.Context(), Options{Only: "luck", Dir: t.TempDir()}); err == nil || !strings.Contains(err.Error(), "problems") {
		t.Errorf("--only luck: %v", err)
	}
}

// TestSlots: a write beside what a call is given is seen, and so is a touch of a page
// that nothing may touch.
func TestSlots(t *testing.T) {
	if _, err := guardedMemory(slotBytes); err != nil {
		t.Skip(err)
	}
	for seed := range uint64(8) {
		s := &slots{rng: random(seed)}
		in, out := settle(s, make([]float64, 9)), settle(s, make([]float64, 9))
		s.written(out)
		beside := s.all[1].beside()
		side, guard := beside[0], s.all[1].hi
		if len(side) == 0 {
			side, guard = beside[1], -8
		}
		for what, spoil := range map[string]func(){
			"":                    func() { out[3] = 1 },
			"bytes from the edge": func() { side[len(side)/2] ^= 1 },
			"what it reads":       func() { in[0]++ },
		} {
			s.keep()
			spoil()
			if err := s.harm(false); (err == nil) != (what == "") || err != nil && !strings.Contains(err.Error(), what) {
				t.Errorf("%v, want %q", err, what)
			}
			side[len(side)/2], in[0] = canary, 0
		}
		s.keep()
		if out[3]++; s.harm(true) == nil {
			t.Error("a refused call may write")
		}
		_, err := said(func() { *(*float64)(unsafe.Add(unsafe.Pointer(&s.all[1].whole[0]), guard)) = 1 }, true)
		if err == nil || !strings.Contains(err.Error(), "invalid memory address") {
			t.Errorf("a touched guard page: %v", err)
		}
	}
}
