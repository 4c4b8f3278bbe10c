package main

import (
	"context"
	"errors"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"testing"

	"github.com/scas-admm/scas/solver"
	"github.com/scas-admm/scas/solver/internal/solvertest"
	"github.com/scas-admm/scas/sparse"
	"github.com/scas-admm/scas/sparse/graph"
	"github.com/scas-admm/scas/sparse/sparsetest"
)

// checkMemory compares the estimated memory of data and of a fit with the memory that they really need. read
// returns the data. change, unless nil, may change the problem of the fit.
func checkMemory(t *testing.T, read func() (*sparse.Dataset, error), change func(*solver.Problem)) {
	t.Helper()
	startHeap := solvertest.HeapAfterGC()
	d, err := read()
	if err != nil {
		t.Fatal(err)
	}
	loadedHeap := solvertest.HeapAfterGC()
	dataSize := dataBytes(d)
	p := &solver.Problem{Data: d.X, Labels: d.Labels, Penalty: solver.L1{Lambda: 1e-4}}
	if change != nil {
		change(p)
	}
	heap, estimate := solvertest.HeapAfterGC(), p.Memory(nil)
	var res *solver.Result
	trainedBytes := int64(math.MaxInt64)
	for range 3 { // garbage may count as live memory: take the smallest of up to three measurements
		peak := int64(0)
		res, peak = solvertest.PeakHeap(func() (res *solver.Result) {
			res, err = solver.Minimize(context.Background(), p, nil)
			return res
		})
		if err != nil && !errors.Is(err, solver.ErrNotConverged) {
			t.Fatal(err)
		}
		trainedBytes = min(trainedBytes, peak-heap)
		if float64(estimate) > 0.75*float64(trainedBytes) {
			break
		}
	}
	// The reader may leave up to a quarter of its arrays unused.
	if ratio := float64(dataSize) / float64(loadedHeap-startHeap); ratio < 1/1.28 || ratio > 1.03 {
		t.Errorf("the data have %s by the estimate, %.3g times what was measured", formatBytes(dataSize), ratio)
	}
	solvertest.CheckEstimate(t, estimate, trainedBytes)
	runtime.KeepAlive(d)
	runtime.KeepAlive(res)
}

func TestMemoryOfSynthetic(t *testing.T) {
	checkMemory(t, func() (*sparse.Dataset, error) {
		return newSynthetic(t, sparse.SyntheticOptions{Rows: 40000, Features: 50, Groups: 2, GroupSize: 5}).Dataset, nil
	}, nil)
}

func TestMemoryOfManyColumns(t *testing.T) {
	wideData := func(rows, dataFeatures, features int) func() (*sparse.Dataset, error) {
		return func() (*sparse.Dataset, error) {
			s := newSynthetic(t, sparse.SyntheticOptions{Rows: rows, Features: dataFeatures, NonzerosPerRow: 100})
			matrix := s.X.Rows(0, rows)
			x, err := sparse.New(rows, features, matrix.Ptr, matrix.Idx, matrix.Val)
			return &sparse.Dataset{X: x, Labels: s.Labels}, err
		}
	}
	checkMemory(t, wideData(1000, 500, 500000), nil)
	if testing.Short() {
		return
	}
	checkMemory(t, wideData(1000, 500, 100000), func(p *solver.Problem) {
		g, err := graph.FromPairs(100000, [][2]int32{{1, 2}, {2, 7000}, {8000, 8001}})
		if err != nil {
			t.Fatal(err)
		}
		p.Constraint = g.FusedLasso()
	})
}

func TestMemoryOfPaperSets(t *testing.T) {
	sparsetest.Long(t)
	dir := sparsetest.DataFile(t)
	for name, change := range map[string]func(*solver.Problem){
		"a9a.zst": nil, "covtype.libsvm.binary.scale.zst": nil,
		"rcv1v2_binary_train.libsvm.zst": func(p *solver.Problem) {
			p.Penalty = solver.L1{Lambda: 1e-5} // small enough for large working sets
		},
	} {
		t.Run(name, func(t *testing.T) {
			checkMemory(t, func() (*sparse.Dataset, error) {
				return sparse.ReadFile(filepath.Join(dir, "paper", name), nil)
			}, change)
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
		if got := fieldBytes(status, "VmHWM:"); got != want {
			t.Errorf("%q: %d, want %d", status, got, want)
		}
	}
	if peak := peakMemory(); runtime.GOOS == "linux" && peak < 1<<20 {
		t.Errorf("this process took %d bytes at most", peak)
	}
}

func TestFormatBytes(t *testing.T) {
	for n, want := range map[int64]string{
		0: "0 bytes", 1: "1 byte", 1023: "1,023 bytes", 1024: "1 KiB", 1536: "1.5 KiB", 12345678: "11.8 MiB",
		999 << 20: "999 MiB", 1010 << 20: "0.986 GiB", 5 << 30: "5 GiB",
	} {
		if got := formatBytes(n); got != want {
			t.Errorf("%d: %s, want %s", n, got, want)
		}
	}
}

// TestBeyondIsUnchecked checks that memorySize.lessThanMapped returns true for every limit at which ReadFile
// does not notice a damaged row.
func TestBeyondIsUnchecked(t *testing.T) {
	path := filepath.Join(t.TempDir(), "d.scas")
	if err := sparse.WriteFile(path, &sparse.Dataset{X: sparse.Identity(400000), Labels: make([]float64, 400000)}); err != nil {
		t.Fatal(err)
	}
	dataset, err := sparse.ReadFile(path, &sparse.ReadOptions{Regression: true})
	if err != nil {
		t.Fatal(err)
	}
	fileBytes, dataSize := dataset.Stats.Bytes, dataBytes(dataset)
	file, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	file[len(file)*4/5] ^= 1
	if err := os.WriteFile(path, file, 0o666); err != nil {
		t.Fatal(err)
	}
	uncheckedReads := 0
	for _, limit := range []int64{
		dataSize - 1, dataSize, dataSize + 1, fileBytes - 1, fileBytes, fileBytes + 1,
	} {
		d, err := sparse.ReadFile(path, &sparse.ReadOptions{Regression: true, Memory: limit, Beyond: true})
		if err != nil {
			continue
		}
		uncheckedReads++
		if !memorySize(limit).lessThanMapped(d) {
			t.Errorf("%d bytes allowed, %d in the file, %d as data: nobody checks the rows",
				limit, fileBytes, dataSize)
		}
	}
	if uncheckedReads == 0 {
		t.Error("all was checked: the test shows nothing")
	}
}

// TestRoom checks leastOutOfCoreBytes, the limit that errors name as enough for work out of core. This limit
// must leave room for windows of the rows, and a limit of one byte less must leave none.
func TestRoom(t *testing.T) {
	data := &sparse.Dataset{X: sparse.Identity(54)}
	command := &graphCmd{Method: "glasso", Threads: 4}
	source := &graphSource{data: data, features: 54}
	pairBytes := int64(command.graphBytes(source) + command.solverBytes(source, 54) + command.pairBytes(source))
	for keptBytes, limit := range map[int64]int64{
		0: 128 << 20, pairBytes: 128 << 20, 4.6e6: 128 << 20, 16 << 20: 128 << 20, 20 << 20: 132 << 20,
	} {
		if namedLimit := int64((&demand{keptBytes: keptBytes}).leastOutOfCoreBytes()); namedLimit != limit {
			t.Errorf("with %d bytes kept a refusal names %d bytes, want %d", keptBytes, namedLimit, limit)
		}
		if roomAtLimit, roomBelow := memorySize(limit).room(keptBytes), memorySize(limit-1).room(keptBytes); roomAtLimit == 0 || roomBelow != 0 {
			t.Errorf("with %d bytes kept the room is %d with %d bytes, %d with one less",
				keptBytes, roomAtLimit, limit, roomBelow)
		}
	}
}

// TestComponentBeyondMemory checks the error if the memory is too small for a component of the graph. The
// error must name --memory and a larger penalty.
func TestComponentBeyondMemory(t *testing.T) {
	s := newSynthetic(t, sparse.SyntheticOptions{Rows: 500, Features: 200, Groups: 2, GroupSize: 5})
	path := writeData(t, t.TempDir(), "d.scas", s.Dataset)
	args := []string{"graph", "--penalty", "0.01", "--threads", "1", path, "--memory"}
	r := runHere(t, append(args, "9MiB")...)
	want := regexp.MustCompile(`with 9 MiB of memory \(--memory\): penalty 0.01: 200 features or more .* more than 1[0-9]{2}; give --penalty 0\.[0-9]+ or more, or allow more with --memory`)
	if r.code != exitIO || !want.MatchString(r.stderr) {
		t.Errorf("exit code %d: %s", r.code, r.stderr)
	}
	succeed(t, append(args, "20MiB")...)
}
