package main

import (
	"context"
	"errors"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/scas-admm/scas/solver"
	"github.com/scas-admm/scas/sparse"
)

// heap returns the bytes of live objects.
func heap() int64 {
	runtime.GC()
	runtime.GC() // finalizers and pools
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}

// checkMemory holds the account of a data set to what the allocator says.
func checkMemory(t *testing.T, read func() (*sparse.Dataset, error), lambda float64) {
	t.Helper()
	start := heap()
	d, err := read()
	if err != nil {
		t.Fatal(err)
	}
	loaded := heap()
	got := newDataFacts("data", d).Memory
	enough := errors.New("measured")
	var trained int64
	_, err = solver.Minimize(context.Background(),
		&solver.Problem{Data: d.X, Labels: d.Labels, Penalty: solver.L1{Lambda: lambda}},
		&solver.Settings{Recorder: solver.RecorderFunc(func(p *solver.Point) error {
			if p.Outer == 0 {
				return nil
			}
			trained = heap()
			return enough
		})})
	if !errors.Is(err, enough) {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name               string
		estimate, measured int64
		low, high          float64 // of the ratio
	}{
		// The reader keeps room of up to a quarter rather than copy.
		{"data", got.Data, loaded - start, 1 / 1.28, 1.03},
		{"solver", got.Solver, trained - loaded, 0.7, 1.4},
	} {
		ratio := float64(c.estimate) / float64(c.measured)
		t.Logf("%s: %s estimated, %s measured", c.name, byteCount(c.estimate), byteCount(c.measured))
		if ratio < c.low || ratio > c.high {
			t.Errorf("%s: the estimate is %.3g times what was measured", c.name, ratio)
		}
	}
	runtime.KeepAlive(d)
}

func TestMemoryOfSynthetic(t *testing.T) {
	checkMemory(t, func() (*sparse.Dataset, error) {
		s, err := sparse.NewSynthetic(sparse.SyntheticOptions{Rows: 40000, Features: 50, Groups: 2, GroupSize: 5, Noise: 1, Seed: 1})
		if err != nil {
			return nil, err
		}
		return &sparse.Dataset{X: s.X, Labels: s.Labels}, nil
	}, 1e-3)
}

func TestMemoryOfPaperSets(t *testing.T) {
	dir := dataDir(t)
	for _, name := range []string{"a9a.zst", "rcv1v2_binary_train.libsvm.zst", "covtype.libsvm.binary.scale.zst"} {
		t.Run(name, func(t *testing.T) {
			checkMemory(t, func() (*sparse.Dataset, error) {
				return sparse.ReadLIBSVMFile(filepath.Join(dir, "paper", name), nil)
			}, 1e-4)
		})
	}
}

func TestParsePeak(t *testing.T) {
	for status, want := range map[string]int64{
		"Name:\tscas\nVmPeak:\t  99 kB\nVmHWM:\t    1234 kB\nVmRSS:\t 7 kB\n": 1234 << 10,
		"VmHWM:\t 1234\n":    0,
		"VmHWM:\t many kB\n": 0,
		"":                   0,
	} {
		if got := parsePeak(status); got != want {
			t.Errorf("%q: %d, want %d", status, got, want)
		}
	}
	if peak := peakMemory(); runtime.GOOS == "linux" && peak < 1<<20 {
		t.Errorf("this process took %d bytes at most", peak)
	}
}

func TestByteCount(t *testing.T) {
	for n, want := range map[int64]string{0: "0 bytes", 1: "1 byte", 1023: "1,023 bytes", 1024: "1 KiB", 1536: "1.5 KiB", 12345678: "11.8 MiB", 5 << 30: "5 GiB"} {
		if got := byteCount(n); got != want {
			t.Errorf("%d: %s, want %s", n, got, want)
		}
	}
}
