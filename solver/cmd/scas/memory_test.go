package main

import (
	"context"
	"errors"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"sync/atomic"
	"testing"

	"github.com/scas-admm/scas/solver"
	"github.com/scas-admm/scas/sparse"
	"github.com/scas-admm/scas/sparse/graph"
)

// heap returns the bytes of live objects.
func heap() int64 {
	runtime.GC()
	runtime.GC() // finalizers and pools
	return live()
}

// live returns the bytes that the last collection found alive.
func live() int64 {
	sample := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
	metrics.Read(sample)
	return int64(sample[0].Value.Uint64())
}

// peak returns the most bytes that collections find alive while do runs, with a
// collection whenever the heap has grown by a twentieth, and what do returned.
func peak[T any](do func() T) (result T, most int64) {
	defer debug.SetGCPercent(debug.SetGCPercent(5))
	var seen atomic.Int64
	var ended atomic.Bool
	var watch func()
	watch = func() { // an object that the next collection finds dead
		runtime.SetFinalizer(new([4]*byte), func(*[4]*byte) {
			seen.Store(max(seen.Load(), live()))
			if !ended.Load() {
				watch()
			}
		})
	}
	watch()
	result = do()
	last := heap()
	ended.Store(true)
	return result, max(last, seen.Load())
}

// checkMemory holds the account of a data set to what the allocator says.
func checkMemory(t *testing.T, read func() (*sparse.Dataset, error), low, high float64, change func(*solver.Problem) *solver.Settings) {
	t.Helper()
	start := heap()
	d, err := read()
	if err != nil {
		t.Fatal(err)
	}
	loaded := heap()
	data := newDataFacts("data", sparse.LIBSVM, d).Memory.Data
	p := &solver.Problem{Data: d.X, Labels: d.Labels, Penalty: solver.L1{Lambda: 1e-4}}
	settings := change(p)
	before := heap()
	res, trained := peak(func() (res *solver.Result) {
		res, err = solver.Minimize(context.Background(), p, settings)
		return res
	})
	if err != nil && !errors.Is(err, solver.ErrNotConverged) {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name               string
		estimate, measured int64
		low, high          float64 // of the ratio
	}{
		// The reader keeps room of up to a quarter rather than copy.
		{"data", data, loaded - start, 1 / 1.28, 1.03},
		{"solver", p.Memory(nil), trained - before, low, high},
	} {
		ratio := float64(c.estimate) / float64(c.measured)
		t.Logf("%s: %s estimated, %s measured, %.2f", c.name, byteCount(c.estimate), byteCount(c.measured), ratio)
		if ratio < c.low || ratio > c.high {
			t.Errorf("%s: the estimate is %.3g times what was measured", c.name, ratio)
		}
	}
	runtime.KeepAlive(d)
	runtime.KeepAlive(res)
}

func TestMemoryOfSynthetic(t *testing.T) {
	checkMemory(t, func() (*sparse.Dataset, error) {
		s, err := sparse.NewSynthetic(sparse.SyntheticOptions{Rows: 40000, Features: 50, Groups: 2, GroupSize: 5, Noise: 1, Seed: 1})
		if err != nil {
			return nil, err
		}
		return &sparse.Dataset{X: s.X, Labels: s.Labels}, nil
	}, 0.7, 1.6, asIs)
}

func asIs(*solver.Problem) *solver.Settings { return nil }

// TestMemoryOfManyColumns: with a graph, and without data.
func TestMemoryOfManyColumns(t *testing.T) {
	wide := func(data, features int) func() (*sparse.Dataset, error) {
		return func() (*sparse.Dataset, error) {
			s, err := sparse.NewSynthetic(sparse.SyntheticOptions{Rows: 1000, Features: data, NonzerosPerRow: 100, Noise: 1, Seed: 1})
			if err != nil {
				return nil, err
			}
			all := s.X.Rows(0, 1000)
			x, err := sparse.New(1000, features, all.Ptr, all.Idx, all.Val)
			return &sparse.Dataset{X: x, Labels: s.Labels}, err
		}
	}
	checkMemory(t, wide(500, 2000000), 0.7, 1.6, asIs)
	checkMemory(t, wide(20000, 100000), 0.7, 2, func(p *solver.Problem) *solver.Settings {
		p.Constraint = graph.Chain(100000).FusedLasso() // the largest working set is not reached
		return &solver.Settings{Passes: 4}
	})
	checkMemory(t, wide(500, 100000), 0.7, 1.6, func(p *solver.Problem) *solver.Settings {
		g, err := graph.FromPairs(100000, [][2]int32{{1, 2}, {2, 7000}, {8000, 8001}})
		if err != nil {
			t.Fatal(err)
		}
		p.Constraint = g.FusedLasso()
		return nil
	})
}

func TestMemoryOfPaperSets(t *testing.T) {
	dir := dataDir(t)
	for name, high := range map[string]float64{
		"a9a.zst": 1.6, "covtype.libsvm.binary.scale.zst": 1.6,
		"rcv1v2_binary_train.libsvm.zst": 6, // full working sets are counted, and some hundred of 2048 columns used
	} {
		t.Run(name, func(t *testing.T) {
			checkMemory(t, func() (*sparse.Dataset, error) {
				return sparse.ReadLIBSVMFile(filepath.Join(dir, "paper", name), nil)
			}, 0.7, high, asIs)
		})
	}
}

func TestKilobytes(t *testing.T) {
	for status, want := range map[string]int64{
		"Name:\tscas\nVmPeak:\t  99 kB\nVmHWM:\t    1234 kB\nVmRSS:\t 7 kB\n": 1234 << 10,
		"VmHWM:\t 1234\n":    0,
		"VmHWM:\t many kB\n": 0,
		"":                   0,
	} {
		if got := kilobytes(status, "VmHWM:"); got != want {
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
