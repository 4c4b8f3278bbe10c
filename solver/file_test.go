package solver_test

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/scas-admm/scas/solver"
	"github.com/scas-admm/scas/solver/internal/solvertest"
	"github.com/scas-admm/scas/sparse"
	"github.com/scas-admm/scas/sparse/graph"
	"github.com/scas-admm/scas/sparse/sparsetest"
)

func writeTemp(t *testing.T, d *sparse.Dataset) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "d.scas")
	if err := sparse.WriteFile(path, d); err != nil {
		t.Fatal(err)
	}
	return path
}

func mappedCopy(t *testing.T, d *sparse.Dataset) *sparse.Dataset {
	t.Helper()
	return mapFile(t, writeTemp(t, d))
}

func mapFile(t *testing.T, path string) *sparse.Dataset {
	t.Helper()
	dataset, err := sparse.ReadFile(path, &sparse.ReadOptions{Regression: true, Memory: 1 << 20, Beyond: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { dataset.Close() })
	if !dataset.X.Mapped() {
		t.Skip("this system maps no files")
	}
	return dataset
}

// minimizeFile calls solver.Minimize with the given Settings.Memory.
func minimizeFile(ctx context.Context, p *solver.Problem, set *solver.Settings, memory int64) (*solver.Result, error) {
	c := *set
	c.Memory = memory
	return solver.Minimize(ctx, p, &c)
}

func synthetic(t *testing.T, opt sparse.SyntheticOptions) *sparse.Dataset {
	t.Helper()
	d, err := sparse.NewSynthetic(opt)
	if err != nil {
		t.Fatal(err)
	}
	return d.Dataset
}

// TestFileDamage checks that a run out of core on a damaged file returns an error with the path of the file.
func TestFileDamage(t *testing.T) {
	path := writeTemp(t, synthetic(t, sparse.SyntheticOptions{Rows: 6000, Features: 30, Noise: 1, Seed: 1}))
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	data[len(data)/2] ^= 1
	if err := os.WriteFile(path, data, 0o666); err != nil {
		t.Fatal(err)
	}
	dataset := mapFile(t, path)
	p, set := &solver.Problem{Data: dataset.X, Labels: dataset.Labels, L2: 1}, &solver.Settings{Method: solver.SCASK{}}
	res, err := minimizeFile(t.Context(), p, set, 1<<20)
	if bad := (*sparse.ParseError)(nil); res != nil || !errors.As(err, &bad) || bad.File != path {
		t.Errorf("%v, %v", res, err)
	}
}

func TestFileRefuses(t *testing.T) {
	d := mappedCopy(t, synthetic(t, sparse.SyntheticOptions{Rows: 200, Features: 20, Noise: 1, Seed: 1}))
	inMemory := synthetic(t, sparse.SyntheticOptions{Rows: 200, Features: 20, Noise: 1, Seed: 1})
	for want, c := range map[string]struct {
		p      solver.Problem
		method solver.Method
	}{
		"scas convert writes":              {solver.Problem{Data: inMemory.X, Labels: inMemory.Labels}, solver.SCASK{}},
		"only scas-k and":                  {solver.Problem{Data: d.X, Labels: d.Labels}, solver.SCAS{}},
		"losses, penalties and domains of": {solver.Problem{Data: d.X, Labels: d.Labels, Penalty: ownPenalty{}}, solver.SCASK{}},
	} {
		res, err := minimizeFile(t.Context(), &c.p, &solver.Settings{Method: c.method}, 1<<20)
		if res != nil || err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, %v; want %q", res, err, want)
		}
	}
	// InnerSteps is not used out of core, so an outer iteration takes two passes.
	p := &solver.Problem{Data: d.X, Labels: d.Labels}
	_, err := minimizeFile(t.Context(), p, &solver.Settings{Method: solver.SCASK{}, InnerSteps: 2, Passes: 1.5}, 1<<20)
	if e, ok := errors.AsType[*solver.SettingError](err); !ok || e.Field != "Passes" {
		t.Errorf("1.5 passes: %v", err)
	}
	_, err = minimizeFile(t.Context(), p, &solver.Settings{Method: solver.SCASK{}, InnerSteps: 20000, Passes: 5}, 1<<20)
	if err != nil {
		t.Errorf("5 passes: %v", err)
	}
}

// TestFileSmall checks that a run reaches the optimum of a file with one row, and of a file with A = 0, with
// and without a ridge. The formula of the automatic rho divides by the largest eigenvalue of A'A.
func TestFileSmall(t *testing.T) {
	oneRow, err := sparse.FromDense(1, 2, []float64{1, 2})
	if err != nil {
		t.Fatal(err)
	}
	zeroMatrix, err := sparse.FromDense(1, 20, make([]float64, 20))
	if err != nil {
		t.Fatal(err)
	}
	row := mappedCopy(t, &sparse.Dataset{X: oneRow, Labels: []float64{1}})
	d := mappedCopy(t, synthetic(t, sparse.SyntheticOptions{Rows: 200, Features: 20, Noise: 1, Seed: 1}))
	for name, p := range map[string]*solver.Problem{
		"one row":           {Data: row.X, Labels: row.Labels},
		"A = 0":             {Data: d.X, Labels: d.Labels, Loss: solver.Squared{}, Constraint: zeroMatrix},
		"A = 0 and a ridge": {Data: d.X, Labels: d.Labels, Loss: solver.Squared{}, Constraint: zeroMatrix, L2: 0.1},
	} {
		p.Penalty = solver.L1{Lambda: 1e-3}
		best := solvertest.Minimize(t, p, nil).At.Objective
		res, err := minimizeFile(t.Context(), p, &solver.Settings{Method: solver.SCASK{}}, 1<<20)
		if err != nil || !(res.At.Objective < best+1e-4) {
			t.Errorf("%s: %v, %v; the optimum is %v", name, res, err, best)
		}
	}
}

// TestFileStepHalvings checks that Stats counts the halvings of the step size as a run in memory does. The
// run diverges, because the square of a label overflows.
func TestFileStepHalvings(t *testing.T) {
	x, err := sparse.FromDense(2, 1, []float64{1, 1})
	if err != nil {
		t.Fatal(err)
	}
	d := mappedCopy(t, &sparse.Dataset{X: x, Labels: []float64{1e200, 1}})
	p, set := &solver.Problem{Data: d.X, Labels: d.Labels, Loss: solver.Squared{}}, &solver.Settings{Method: solver.SCASK{}}
	want, _ := solver.Minimize(t.Context(), p, set)
	got, _ := minimizeFile(t.Context(), p, set, 1<<20)
	if want.Stats.StepHalvings == 0 || got.Stats.StepHalvings != want.Stats.StepHalvings {
		t.Errorf("%d halvings, in memory %d", got.Stats.StepHalvings, want.Stats.StepHalvings)
	}
}

type ownPenalty struct{ solver.L1 }

// TestFileStops checks that a cancelled context and a time limit end a run with the result so far. Minimize
// must return an error only for the cancelled context.
func TestFileStops(t *testing.T) {
	d := mappedCopy(t, synthetic(t, sparse.SyntheticOptions{Rows: 6000, Features: 30, Noise: 1, Seed: 1}))
	p := &solver.Problem{Data: d.X, Labels: d.Labels, Penalty: solver.L1{Lambda: 1e-3}}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	res, err := minimizeFile(ctx, p, &solver.Settings{Method: solver.SCASK{}}, 1<<20)
	if !errors.Is(err, context.Canceled) || res.Status != solver.Stopped {
		t.Errorf("%v, %v", res, err)
	}
	p.Domain = solver.NewBox(30, 1, 2)
	set := &solver.Settings{Method: solver.SCASK{}, TimeLimit: 1}
	res, err = minimizeFile(t.Context(), p, set, 1<<20)
	if err != nil || res.Status != solver.TimeDone || slices.Min(res.X) != 1 {
		t.Errorf("%v, %v; want x at the start, the nearest point to 0 in the domain", res, err)
	}
}

// TestFileReport checks that the numbers of passes that Report gets increase up to the number in the result,
// and that Report gets the objective of a snapshot.
func TestFileReport(t *testing.T) {
	// More than 4 MiB: two windows of package exact.
	d := mappedCopy(t, synthetic(t, sparse.SyntheticOptions{Rows: 12000, Features: 30, Noise: 1, Seed: 1}))
	p := &solver.Problem{Data: d.X, Labels: d.Labels, Penalty: solver.L1{Lambda: 1e-3}}
	var lastPasses, best float64
	report := func(r solver.Report) {
		if !(r.Passes > lastPasses) {
			t.Errorf("pass %v after %v", r.Passes, lastPasses)
		}
		lastPasses, best = r.Passes, r.Objective
	}
	set := &solver.Settings{Method: solver.SCASK{}, Passes: 4, Report: report}
	res, err := minimizeFile(t.Context(), p, set, 1<<19)
	if err != nil || lastPasses != res.Stats.Passes || !(best >= res.At.Objective && best < 1) {
		t.Errorf("%v: %v passes to the objective %v, in the result %v to %v",
			err, lastPasses, best, res.Stats.Passes, res.At.Objective)
	}
}

// sortedByLabel sorts the rows of d by label, and returns d.
func sortedByLabel(t *testing.T, d *sparse.Dataset) *sparse.Dataset {
	t.Helper()
	order := make([]int, len(d.Labels))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(i, j int) int { return cmp.Compare(d.Labels[i], d.Labels[j]) })
	x, err := d.X.SelectRows(order)
	if err != nil {
		t.Fatal(err)
	}
	slices.Sort(d.Labels)
	d.X = x
	return d
}

// TestFileBatches checks that inner loops that draw from one batch at a time progress about as fast as inner
// loops that draw from all samples, even if the rows of the file are sorted by label. The certified gap must
// not be below the true gap, and without a domain not far above it. The number of threads must not change the
// bits of the result, but the seed must change them.
func TestFileBatches(t *testing.T) {
	for name, c := range map[string]struct {
		opt       sparse.SyntheticOptions
		method    solver.Method
		reference solver.Method
		change    func(p *solver.Problem)
	}{
		"lasso": {
			sparse.SyntheticOptions{Rows: 40000, Features: 30, NonzerosPerRow: 9, Noise: 1, Seed: 1},
			solver.SCASK{}, solver.SCASK{}, func(p *solver.Problem) { p.Penalty = solver.L1{Lambda: 2e-3} },
		},
		"sorted": {
			sparse.SyntheticOptions{Rows: 40000, Features: 30, NonzerosPerRow: 9, Noise: 1, Seed: 1},
			solver.SCASK{}, solver.SCASK{}, func(p *solver.Problem) { p.Penalty = solver.L1{Lambda: 2e-3} },
		},
		"fused": {sparse.SyntheticOptions{
			Rows: 40000, Features: 30, NonzerosPerRow: 9, Noise: 1, Seed: 2,
		}, solver.SCASK{}, solver.SCASL{}, func(p *solver.Problem) {
			p.Penalty, p.Constraint = solver.L1{Lambda: 2e-3}, graph.Chain(30).FusedLasso()
		}},
		"number": {
			sparse.SyntheticOptions{Rows: 40000, Features: 30, Noise: 1, Seed: 5, Regression: true},
			solver.SCASK{}, solver.SCASK{},
			func(p *solver.Problem) { p.Loss, p.Penalty = solver.Squared{}, solver.L1{Lambda: 1e-2} },
		},
		"weights": {sparse.SyntheticOptions{
			Rows: 40000, Features: 30, NonzerosPerRow: 9, Noise: 1, Seed: 8,
		}, solver.SCASL{}, solver.SCASL{}, func(p *solver.Problem) {
			p.Penalty, p.SampleWeights = solver.L1{Lambda: 1e-3}, make([]float64, len(p.Labels))
			for i, b := range p.Labels {
				p.SampleWeights[i] = 2 + b
			}
		}},
		"groups": {sparse.SyntheticOptions{
			Rows: 40000, Features: 30, NonzerosPerRow: 9, Noise: 1, Seed: 10,
		}, solver.SCASK{}, solver.SCASK{}, func(p *solver.Problem) {
			p.Penalty = solver.GroupL2{Lambda: 2e-3, Groups: [][]int{{0, 1, 2, 3}, {20, 7, 9}, {11}, {12, 13, 14, 15, 16}}}
		}},
		"box": {sparse.SyntheticOptions{
			Rows: 40000, Features: 30, NonzerosPerRow: 9, Noise: 1, Seed: 9,
		}, solver.SCASK{}, solver.SCASK{}, func(p *solver.Problem) {
			p.Penalty, p.Domain = solver.L1{Lambda: 1e-3}, solver.NewBox(30, -0.2, 0.2)
		}},
		"ball": {sparse.SyntheticOptions{
			Rows: 40000, Features: 30, NonzerosPerRow: 9, Noise: 1, Seed: 9,
		}, solver.SCASK{}, solver.SCASK{}, func(p *solver.Problem) {
			p.Penalty, p.Domain = solver.L1{Lambda: 1e-3}, solver.Ball{Radius: 0.5}
		}},
	} {
		t.Run(name, func(t *testing.T) {
			if !slices.Contains([]string{"sorted", "fused", "ball"}, name) {
				sparsetest.Long(t)
			}
			dataset := synthetic(t, c.opt)
			if name == "sorted" {
				dataset = sortedByLabel(t, dataset)
			}
			d := mappedCopy(t, dataset)
			p := &solver.Problem{Data: d.X, Labels: d.Labels}
			c.change(p)
			best, err := solver.Minimize(context.Background(), p, &solver.Settings{RelTol: 1e-9})
			if err != nil {
				t.Fatal(err)
			}
			const passes = 20
			reference, err := solver.Minimize(context.Background(), p, &solver.Settings{Method: c.reference, Passes: passes})
			if err != nil {
				t.Fatal(err)
			}
			set := &solver.Settings{Method: c.method, Passes: passes, Seed: 3}
			res, err := minimizeFile(context.Background(), p, set, 3<<20)
			if err != nil {
				t.Fatal(err)
			}
			objectiveAtZero, objective := p.Evaluate(make([]float64, 30)).Objective, p.Evaluate(res.X).Objective
			excess, referenceExcess := (objective-best.At.Objective)/objectiveAtZero,
				(reference.At.Objective-best.At.Objective)/objectiveAtZero
			t.Logf("off by %.1e, from all samples by %.1e; gap proved %.1e; %s: %s",
				excess, referenceExcess, res.DualityGap/objectiveAtZero, res.Stats.Plan, res.Stats.PlanReason)
			if excess > 3*referenceExcess+1e-5 ||
				math.Abs(objective-res.At.Objective) > 1e-12*objectiveAtZero ||
				objective-best.At.Objective > res.DualityGap {
				t.Errorf("objective %v, %v from all samples; gap %v", objective, reference.At.Objective, res.DualityGap)
			}
			if p.Domain == nil && res.DualityGap > 2*(objective-best.At.Objective)+1e-6*objectiveAtZero {
				t.Errorf("the gap is said to be %v, and is %v", res.DualityGap, objective-best.At.Objective)
			}
			// A few passes show equal bits as well as many. Without a proof, the result is the last iterate.
			var runs []*solver.Result
			for _, set := range []solver.Settings{{Seed: 3}, {Seed: 3, Threads: 3}, {Seed: 4}} {
				set.Method, set.Passes, set.NoProof = c.method, 4, true
				res, err := minimizeFile(t.Context(), p, &set, 3<<20)
				if err != nil {
					t.Fatal(err)
				}
				runs = append(runs, res)
			}
			lastExcess := p.Evaluate(runs[0].X).Objective - best.At.Objective
			t.Logf("the last iterate of 4 passes is off by %.1e", lastExcess/objectiveAtZero)
			if !(lastExcess < 0.02*(objectiveAtZero-best.At.Objective)) {
				t.Errorf("the last iterate of 4 passes is %v above the optimum", lastExcess)
			}
			if !slices.Equal(runs[0].X, runs[1].X) {
				t.Error("other bits with other threads")
			}
			if slices.Equal(runs[0].X, runs[2].X) {
				t.Error("the seed has no effect")
			}
		})
	}
}

// TestFileGrouped checks that 12 passes out of core reduce the gap to less than a tenth, although each of 30
// features occurs only in one stretch of consecutive rows.
func TestFileGrouped(t *testing.T) {
	const rows, stretches, commonFeatures = 10000, 30, 5
	rng := rand.New(rand.NewPCG(3, 4))
	dense, labels := make([]float64, rows*(stretches+commonFeatures)), make([]float64, rows)
	for i := range rows {
		row := dense[i*(stretches+commonFeatures):][:stretches+commonFeatures]
		group := i * stretches / rows
		row[group] = 1
		sum := 3 * math.Sin(float64(group))
		for j := range commonFeatures {
			row[stretches+j] = rng.NormFloat64()
			sum += row[stretches+j]
		}
		labels[i] = -1
		if sum+rng.NormFloat64() > 0 {
			labels[i] = 1
		}
	}
	x, err := sparse.FromDense(rows, stretches+commonFeatures, dense)
	if err != nil {
		t.Fatal(err)
	}
	dataset := mappedCopy(t, &sparse.Dataset{X: x, Labels: labels})
	p := &solver.Problem{Data: dataset.X, Labels: dataset.Labels, Penalty: solver.L1{Lambda: 1e-4}}
	best, err := solver.Minimize(t.Context(), p, nil)
	if err != nil {
		t.Fatal(err)
	}
	res, err := minimizeFile(t.Context(), p, &solver.Settings{Method: solver.SCASK{}, Passes: 12}, 1<<18)
	if err != nil {
		t.Fatal(err)
	}
	gap, startGap := res.At.Objective-best.At.Objective, math.Ln2-best.At.Objective
	t.Logf("gap %.2g after 12 passes, of %.2g; proved %.2g", gap, startGap, res.DualityGap)
	if !(gap < 0.1*startGap) {
		t.Errorf("gap %v after 12 passes, of %v at the start", gap, startGap)
	}
}

// TestFileRecords checks that the Recorder gets a point with correct numbers at the start and for each outer
// iteration, or for every second one with RecordEvery = 2, and that the last point is the result. The seconds
// of the result leave out the Recorder.
func TestFileRecords(t *testing.T) {
	d := mappedCopy(t, synthetic(t, sparse.SyntheticOptions{Rows: 6000, Features: 30, Noise: 1, Seed: 1}))
	p := &solver.Problem{Data: d.X, Labels: d.Labels, Penalty: solver.L1{Lambda: 1e-3}, L2: 1e-3}
	best := solvertest.Minimize(t, p, &solver.Settings{RelTol: 1e-10}).At.Objective
	set := solver.Settings{Method: solver.SCASK{}, Passes: 6}
	var points []solver.Point
	var residuals []float64
	var recorderTime time.Duration
	set.Recorder = solver.RecorderFunc(func(pt *solver.Point) error {
		began := time.Now()
		defer func() { recorderTime += time.Since(began) }()
		want, got := p.Evaluate(pt.X), pt.Last
		off := math.Abs(got.Objective-want.Objective) + math.Abs(got.Loss-want.Loss) + math.Abs(got.Penalty-want.Penalty)
		if off > 1e-12 || pt.Average != got {
			t.Errorf("%+v at a point of %+v", got, want)
		}
		if pt.Outer != len(points) ||
			pt.Outer > 0 && (pt.Passes <= points[pt.Outer-1].Passes || pt.Seconds < points[pt.Outer-1].Seconds) {
			t.Errorf("%+v after %d points", pt, len(points))
		}
		if pt.DualityGap < got.Objective-best {
			t.Errorf("%d: gap %v, %v above the optimum", pt.Outer, pt.DualityGap, got.Objective-best)
		}
		residuals = append(residuals, pt.DualResidual())
		point := *pt
		point.X = slices.Clone(pt.X)
		points = append(points, point)
		return nil
	})
	began := time.Now()
	res, err := minimizeFile(t.Context(), p, &set, 1<<19)
	elapsed := time.Since(began)
	if err != nil || len(points) < 3 {
		t.Fatalf("%d points, %v", len(points), err)
	}
	if seconds := res.Stats.Seconds; !(seconds > 0 && seconds+recorderTime.Seconds() <= elapsed.Seconds()) {
		t.Errorf("%v s of %v, with a Recorder of %v", seconds, elapsed, recorderTime)
	}
	lastPoint := points[len(points)-1]
	if lastPoint.Last != res.At || !slices.Equal(lastPoint.X, res.X) ||
		lastPoint.Outer != res.Stats.OuterIterations || lastPoint.Passes > res.Stats.Passes {
		t.Errorf("the last point is %+v of %+v", lastPoint, res)
	}
	if objectiveAtStart := p.Evaluate(make([]float64, 30)).Objective; math.Abs(points[0].Last.Objective-objectiveAtStart) > 1e-12 {
		t.Errorf("the start is %+v", points[0])
	}
	if n := len(residuals); !(residuals[n-1] < residuals[0]) || residuals[n-1] != res.DualResidual {
		t.Errorf("dual residuals %v, of the result %v", residuals, res.DualResidual)
	}
	recordCount := 0
	set.RecordEvery, set.Recorder = 2, solver.RecorderFunc(func(pt *solver.Point) error { recordCount++; return nil })
	if _, err := minimizeFile(t.Context(), p, &set, 1<<19); err != nil || recordCount != (len(points)+1)/2 {
		t.Errorf("%d points of every second of %d, %v", recordCount, len(points), err)
	}
}

// TestFileRecorderStops checks that an error of the Recorder ends the run. Minimize must return the result so
// far, and the error unless it is ErrStop.
func TestFileRecorderStops(t *testing.T) {
	d := mappedCopy(t, synthetic(t, sparse.SyntheticOptions{Rows: 6000, Features: 30, Noise: 1, Seed: 1}))
	p := &solver.Problem{Data: d.X, Labels: d.Labels, Penalty: solver.L1{Lambda: 1e-3}}
	errEnough := errors.New("enough")
	for _, stop := range []error{errEnough, fmt.Errorf("enough: %w", solver.ErrStop)} {
		var x []float64
		set := &solver.Settings{Method: solver.SCASK{}, Passes: 20, Recorder: solver.RecorderFunc(func(pt *solver.Point) error {
			x = slices.Clone(pt.X)
			if pt.Outer == 1 {
				return stop
			}
			return nil
		})}
		res, err := minimizeFile(t.Context(), p, set, 1<<19)
		if errors.Is(stop, solver.ErrStop) && err != nil || errors.Is(stop, errEnough) && err != errEnough {
			t.Errorf("%v of %v", err, stop)
		}
		if res == nil || res.Status != solver.Stopped || !slices.Equal(res.X, x) ||
			!(math.Abs(res.At.Objective-p.Evaluate(x).Objective) < 1e-12) {
			t.Errorf("%+v", res)
		}
	}
}

// TestFileOperator checks the result and the last recorded point for an A that is not a matrix.
func TestFileOperator(t *testing.T) {
	d := mappedCopy(t, synthetic(t, sparse.SyntheticOptions{Rows: 2000, Features: 30, Noise: 1, Seed: 1}))
	a := graph.Chain(30).FusedLasso()
	p := &solver.Problem{
		Data: d.X, Labels: d.Labels, Penalty: solver.L1{Lambda: 1e-3}, Constraint: solvertest.JustAnOperator{Operator: a},
	}
	var lastPoint solver.Point
	var residual float64
	set := &solver.Settings{Method: solver.SCASL{}, Passes: 6, Recorder: solver.RecorderFunc(func(pt *solver.Point) error {
		lastPoint, residual = *pt, pt.DualResidual()
		return nil
	})}
	res, err := minimizeFile(t.Context(), p, set, 1<<19)
	if err != nil {
		t.Fatal(err)
	}
	y := make([]float64, len(res.Dual))
	a.MulVec(y, res.X)
	if want := p.Evaluate(res.X); math.Abs(want.Loss-res.At.Loss)+
		math.Abs(want.Penalty-res.At.Penalty) > 1e-12 || lastPoint.Last != res.At {
		t.Errorf("%+v in the result, %+v in the last point, want %+v", res.At, lastPoint.Last, want)
	}
	if solvertest.Distance(res.Y, y) > 1e-12 || len(res.Y) != len(y) || res.DualResidual != residual {
		t.Errorf("A x is %v, want %v; dual residual %v, in the last point %v", res.Y, y, res.DualResidual, residual)
	}
}
