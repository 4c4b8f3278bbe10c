package dist_test

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/scas-admm/scas/solver"
	"github.com/scas-admm/scas/solver/dist"
	"github.com/scas-admm/scas/solver/internal/solvertest"
	"github.com/scas-admm/scas/sparse"
)

// shard returns p with only the rows that belong to the rank of comm.
func shard(t testing.TB, p *solver.Problem, comm dist.Comm) *solver.Problem {
	t.Helper()
	n, _ := p.Data.Dims()
	lo, hi := comm.Rank()*n/comm.Size(), (comm.Rank()+1)*n/comm.Size()
	var rows []int
	for i := lo; i < hi; i++ {
		rows = append(rows, i)
	}
	data, err := p.Data.SelectRows(rows)
	if err != nil {
		t.Fatal(err)
	}
	q := *p
	q.Data, q.Labels, q.Comm = data, p.Labels[lo:hi], comm
	if p.SampleWeights != nil {
		q.SampleWeights = p.SampleWeights[lo:hi]
	}
	return &q
}

// onRanks solves p with the given number of ranks, and returns the result and the error of each rank.
// prepare may change the Comm, the shard and the settings of a rank. A rank that fails closes its Comm,
// like a process that ends. A call of a Comm waits for other ranks no longer than limit.
func onRanks(
	t testing.TB, p *solver.Problem, ranks int, limit time.Duration,
	prepare func(c *dist.Goroutine, shard *solver.Problem, set *solver.Settings),
) ([]*solver.Result, []error) {
	t.Helper()
	results, errs := make([]*solver.Result, ranks), make([]error, ranks)
	var wg sync.WaitGroup
	for r, c := range dist.Local(ranks, limit) {
		shardProblem, set := shard(t, p, c), &solver.Settings{}
		prepare(c, shardProblem, set)
		wg.Go(func() {
			results[r], errs[r] = solver.Minimize(context.Background(), shardProblem, set)
			if errs[r] != nil {
				c.Close()
			}
		})
	}
	wg.Wait()
	return results, errs
}

func solve(t testing.TB, p *solver.Problem, set solver.Settings, ranks int) ([]*solver.Result, []error) {
	t.Helper()
	return onRanks(t, p, ranks, time.Minute,
		func(_ *dist.Goroutine, _ *solver.Problem, target *solver.Settings) { *target = set })
}

// TestStatsOfRanks checks that all ranks have the same Stats, although their shards are stored differently.
func TestStatsOfRanks(t *testing.T) {
	x, err := sparse.FromDense(4, 1, []float64{1, 2, 0.1, 0.3}) // 0.1 and 0.3 are no float32
	if err != nil {
		t.Fatal(err)
	}
	p := &solver.Problem{Data: x, Labels: []float64{1, -1, 1, 1}, Penalty: solver.L1{Lambda: 0.1}}
	results, errs := solve(t, p, solver.Settings{Method: solver.SCASK{}, Passes: 4}, 2)
	if errs[0] != nil {
		t.Fatal(errs)
	}
	for _, r := range results {
		r.Stats.Seconds, r.Stats.SetupSeconds = 0, 0
	}
	if diff := cmp.Diff(results[0].Stats, results[1].Stats); diff != "" {
		t.Error(diff)
	}
}

// TestSameOptimum checks for every kind of problem that ranks certify the same optimum as one
// process. The bits must be the same on every rank and in every run. One rank must give the bits of
// a run without a Comm.
func TestSameOptimum(t *testing.T) {
	rankCounts := []int{1, 2, 3}
	if testing.Short() {
		rankCounts = []int{2}
	}
	for k, c := range solvertest.EveryProblem(t, 1) {
		if testing.Short() && k%3 > 0 { // every pair of a penalty and a domain remains
			continue
		}
		singleRun := solvertest.Minimize(t, c.Problem, nil)
		for _, ranks := range rankCounts {
			res := sameBits(t, c.Name, c.Problem, ranks)
			if difference := math.Abs(res.At.Objective - singleRun.At.Objective); res.Status != singleRun.Status || difference > math.Max(res.DualityGap, singleRun.DualityGap) {
				t.Errorf("%s, %d ranks: %s, objective %v, gap %v; one process: %s, %v, %v",
					c.Name, ranks, res.Status, res.At.Objective, res.DualityGap, singleRun.Status,
					singleRun.At.Objective, singleRun.DualityGap)
			}
			if ranks == 1 {
				res.Stats.Seconds, res.Stats.SetupSeconds = singleRun.Stats.Seconds, singleRun.Stats.SetupSeconds
				if diff := cmp.Diff(singleRun, res); diff != "" {
					t.Errorf("%s: one rank is not the single process: %s", c.Name, diff)
				}
			}
		}
	}
}

// sameBits solves p twice, checks that all ranks in both runs have the same bits, and returns one
// result.
func sameBits(t *testing.T, name string, p *solver.Problem, ranks int) *solver.Result {
	t.Helper()
	var reference *solver.Result
	for range 2 {
		results, errs := solve(t, p, solver.Settings{}, ranks)
		for r, res := range results {
			if errs[r] != nil {
				t.Fatalf("%s, rank %d of %d: %v", name, r, ranks, errs[r])
			}
			if reference == nil {
				reference = res
			}
			if diff := cmp.Diff([]any{reference.Iterate, reference.At, reference.DualityGap},
				[]any{res.Iterate, res.At, res.DualityGap}); diff != "" {
				t.Fatalf("%s, rank %d of %d: %s", name, r, ranks, diff)
			}
		}
	}
	return reference
}

// TestColumnsWithoutData solves a problem in which most columns have no entry. Four ranks must find
// the same optimum as one process.
func TestColumnsWithoutData(t *testing.T) {
	checkRanks(t, 4, randomProblem(t, 400, 4000, 1e-3, func(rng *rand.Rand, i int) (row []sparse.Triplet) {
		for k := range 5 { // i/100 is the rank: no two ranks have entries in the same column
			row = append(row, sparse.Triplet{Row: i, Col: i/100*1000 + (60*k+rng.IntN(60))*3, Value: rng.NormFloat64()})
		}
		return row
	}))
}

// TestRareFeatures solves a problem in which some features have few entries, all of them in the rows of the
// first rank. The run begins with a part of the samples.
func TestRareFeatures(t *testing.T) {
	const rows = 16384
	checkRanks(t, 2, randomProblem(t, rows, 24, 1e-5, func(rng *rand.Rand, i int) []sparse.Triplet {
		row := []sparse.Triplet{{Row: i, Col: rng.IntN(16), Value: 1}}
		if i < rows/2 && i%16 == 0 {
			row = append(row, sparse.Triplet{Row: i, Col: 16 + rng.IntN(8), Value: 1})
		}
		return row
	}))
}

// randomProblem returns a lasso problem with random labels. draw returns the entries of row i.
func randomProblem(
	t *testing.T, rows, features int, lambda float64, draw func(rng *rand.Rand, i int) []sparse.Triplet,
) *solver.Problem {
	t.Helper()
	rng := rand.New(rand.NewPCG(1, 2))
	var entries []sparse.Triplet
	labels := make([]float64, rows)
	for i := range labels {
		entries = append(entries, draw(rng, i)...)
		labels[i] = float64(2*rng.IntN(2) - 1)
	}
	data, err := sparse.FromTriplets(rows, features, entries)
	if err != nil {
		t.Fatal(err)
	}
	return &solver.Problem{Data: data, Labels: labels, Penalty: solver.L1{Lambda: lambda}}
}

// checkRanks checks that ranks find the optimum that one process finds.
func checkRanks(t *testing.T, ranks int, p *solver.Problem) {
	t.Helper()
	singleRun := solvertest.Minimize(t, p, nil)
	res := sameBits(t, t.Name(), p, ranks)
	_, features := p.Data.Dims()
	if difference := math.Abs(res.At.Objective - singleRun.At.Objective); len(res.X) != features ||
		difference > singleRun.DualityGap+res.DualityGap {
		t.Errorf("%d coefficients, %g apart, gaps %g and %g", len(res.X), difference, singleRun.DualityGap, res.DualityGap)
	}
}

// TestUnlikeShards sorts the rows by label, so that nearly every shard has only one class. SCASK
// must come close to the optimum, and the default method must certify the optimum.
func TestUnlikeShards(t *testing.T) {
	p, _ := solvertest.PlantedProblem(t, sparse.SyntheticOptions{Rows: 3000, Features: 60, Noise: 1, Seed: 3}, 1e-3)
	rows := make([]int, 3000)
	for i := range rows {
		rows[i] = i
	}
	slices.SortStableFunc(rows, func(i, j int) int { return int(p.Labels[i] - p.Labels[j]) })
	sortedProblem := *p
	sortedProblem.Labels = make([]float64, 3000)
	for i, row := range rows {
		sortedProblem.Labels[i] = p.Labels[row]
	}
	var err error
	sortedProblem.Data, err = p.Data.SelectRows(rows)
	if err != nil {
		t.Fatal(err)
	}
	singleRun := solvertest.Minimize(t, p, nil)
	for _, ranks := range []int{2, 6} {
		got, errs := solve(t, &sortedProblem, solver.Settings{Method: solver.SCASK{}, Passes: 20}, ranks)
		if errs[0] != nil || got[0].Stats.StepHalvings > 0 || !(got[0].At.Objective-singleRun.At.Objective < 0.05) {
			t.Errorf("%d ranks: %+v above the optimum, %v", ranks, got[0].At.Objective-singleRun.At.Objective, errs)
		}
		if res := sameBits(t, "sorted", &sortedProblem, ranks); math.Abs(res.At.Objective-singleRun.At.Objective) > singleRun.DualityGap+res.DualityGap {
			t.Errorf("%d ranks: %v, one %v", ranks, res.At.Objective, singleRun.At.Objective)
		}
	}
}

// TestRefusals checks that every rank returns an error if one rank cannot begin, or if the settings of all
// ranks are wrong.
func TestRefusals(t *testing.T) {
	p := solvertest.ChainProblem(t, 0)
	for name, c := range map[string]struct {
		spoil func(*solver.Problem)
		set   solver.Settings
		want  string
	}{
		"a label":       {func(p *solver.Problem) { p.Labels[3] = 2 }, solver.Settings{}, "Labels[3]"},
		"other columns": {func(p *solver.Problem) { p.Data = sparse.Identity(len(p.Labels)) }, solver.Settings{}, "columns"},
		"a method":      {func(*solver.Problem) {}, solver.Settings{Method: solver.SCAS{}}, "all rows in one process"},
		"a start":       {func(*solver.Problem) {}, solver.Settings{Start: solver.Iterate{X: []float64{1}}}, "Start.X"},
		"time":          {func(*solver.Problem) {}, solver.Settings{TimeLimit: 1}, "Settings.TimeLimit"},
		"too few rows": {
			func(p *solver.Problem) { p.Data, p.Labels = &sparse.CSR{}, nil }, solver.Settings{},
			"at least one sample",
		},
		"nothing of value": {
			func(p *solver.Problem) { p.SampleWeights = make([]float64, len(p.Labels)) }, solver.Settings{},
			"sum to 0",
		},
	} {
		_, errs := onRanks(t, p, 2, time.Minute, func(comm *dist.Goroutine, shard *solver.Problem, set *solver.Settings) {
			shard.Labels, *set = slices.Clone(shard.Labels), c.set
			if comm.Rank() == 1 {
				c.spoil(shard)
			}
		})
		if errs[0] == nil || errs[1] == nil || !strings.Contains(errs[1].Error(), c.want) {
			t.Errorf("%s: %v, %v", name, errs[0], errs[1])
		}
	}
}

// TestRecorderEndsRun checks that the error of the recorder of one rank ends the run of all ranks. The other
// ranks have no error if it is ErrStop.
func TestRecorderEndsRun(t *testing.T) {
	errFull := errors.New("the disk is full")
	for _, returned := range []error{solver.ErrStop, errFull} {
		results, errs := onRanks(t, solvertest.ChainProblem(t, 0), 3, time.Minute,
			func(comm *dist.Goroutine, _ *solver.Problem, set *solver.Settings) {
				*set = solver.Settings{Method: solver.SCASK{}, Recorder: solver.RecorderFunc(func(pt *solver.Point) error {
					if comm.Rank() == 1 && pt.Outer == 2 {
						return returned
					}
					return nil
				})}
			})
		for r, res := range results {
			if res == nil || res.Status != solver.Stopped || res.Stats.OuterIterations != 2 ||
				(errs[r] != nil) != (returned == errFull) {
				t.Errorf("%v: rank %d: %v, %v", returned, r, res, errs[r])
			}
		}
		if returned == errFull && !errors.Is(errs[1], errFull) {
			t.Errorf("rank 1: %v, want %v", errs[1], errFull)
		}
	}
}
