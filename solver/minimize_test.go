package solver_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"runtime"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/scas-admm/scas/kernels"
	"github.com/scas-admm/scas/solver"
	"github.com/scas-admm/scas/solver/internal/solvertest"
	"github.com/scas-admm/scas/sparse"
)

func smallProblem(t testing.TB) *solver.Problem {
	p, _ := solvertest.PlantedProblem(t,
		sparse.SyntheticOptions{Rows: 100, Features: 20, NonzerosPerRow: 6, Noise: 1, Seed: 11}, 1e-2)
	return p
}

func TestBadSettings(t *testing.T) {
	for _, c := range []struct {
		set             solver.Settings
		field, wantText string
		mod             func(*solver.Problem)
	}{
		{set: solver.Settings{DualUpdates: -1}, field: "DualUpdates", wantText: "at least 1"},
		{set: solver.Settings{OuterIterations: -1}, field: "OuterIterations", wantText: "leave it 0 for no limit"},
		{set: solver.Settings{DualUpdates: 101}, field: "DualUpdates", wantText: "between 1 and the 100 inner steps"},
		{
			set: solver.Settings{Method: solver.SCAS{}, DualUpdates: 5}, field: "DualUpdates",
			wantText: "set Settings.Method to scas-k",
		},
		{set: solver.Settings{Passes: -1}, field: "Passes", wantText: "positive"},
		{set: solver.Settings{Passes: math.NaN()}, field: "Passes", wantText: "positive"},
		{set: solver.Settings{Passes: 1}, field: "Passes", wantText: "one outer iteration costs 2 passes"},
		{set: solver.Settings{Eta: -0.1}, field: "Eta", wantText: "0 to derive it"},
		{set: solver.Settings{Eta: math.Inf(1)}, field: "Eta", wantText: "finite"},
		{set: solver.Settings{Rho: math.NaN()}, field: "Rho", wantText: "finite"},
		{set: solver.Settings{InnerSteps: 1}, field: "InnerSteps", wantText: "at least 2"},
		{set: solver.Settings{BatchSize: 51}, field: "BatchSize", wantText: "half the 100 inner steps"},
		{set: solver.Settings{Schedule: "x"}, field: "Schedule", wantText: "practical or theorem"},
		{set: solver.Settings{Delta: 0.5}, field: "Delta", wantText: "at least 1"},
		{set: solver.Settings{NoProof: true}, field: "NoProof", wantText: "set Settings.RelTol to a number below 0"},
		{set: solver.Settings{Method: solver.SCAS{}, NoProof: true, RelTol: 1e-3}, field: "NoProof", wantText: "needs the proof"},
		{set: solver.Settings{Threads: -1}, field: "Threads", wantText: "positive"},
		{set: solver.Settings{RecordEvery: -1}, field: "RecordEvery", wantText: "positive"},
		{set: solver.Settings{Start: solver.Iterate{X: []float64{1}}}, field: "Start.X", wantText: "20 features"},
		{set: solver.Settings{Start: solver.Iterate{Y: []float64{1}}}, field: "Start.Y", wantText: "coordinates of y"},
		{set: solver.Settings{Start: solver.Iterate{Dual: []float64{1}}}, field: "Start.Dual", wantText: "rows of A"},
		{
			set:   solver.Settings{Start: solver.Iterate{X: append(make([]float64, 19), math.NaN())}},
			field: "Start.X[19]", wantText: "finite",
		},
		{
			set: solver.Settings{Method: solver.SCASStrong{}}, field: "Method", wantText: "X = R^p",
			mod: func(p *solver.Problem) { p.Domain = solver.Ball{Radius: 1} },
		},
		{set: solver.Settings{Schedule: solver.Theorem}, field: "Schedule", wantText: "no theorem covers method auto"},
		{set: solver.Settings{Schedule: solver.Theorem, Method: solver.SCAS{}}, field: "Schedule", wantText: "bounded domain"},
		{
			set: solver.Settings{Schedule: solver.Theorem, Method: solver.SCAS{}}, field: "Schedule",
			wantText: "bounded domain", mod: func(p *solver.Problem) { p.Domain = ownNonnegative{} },
		},
		{
			set: solver.Settings{Schedule: solver.Theorem, Method: solver.SCASStrong{}}, field: "Schedule",
			wantText: "set Problem.L2 to a number above 0",
		},
		{set: solver.Settings{Schedule: solver.Theorem, Method: solver.SCAS{}, Eta: 1}, field: "Eta", wantText: "leave it 0"},
		{
			set:   solver.Settings{Schedule: solver.Theorem, Method: solver.SCASStrong{}, BatchSize: 2},
			field: "BatchSize", wantText: "steps of one sample", mod: func(p *solver.Problem) { p.L2 = 1 },
		},
		{
			set:   solver.Settings{Schedule: solver.Theorem, Method: solver.SCAS{}, InnerSteps: 9},
			field: "InnerSteps", wantText: "leave it 0",
		},
	} {
		p := smallProblem(t)
		if c.mod != nil {
			c.mod(p)
		}
		res, err := solver.Minimize(context.Background(), p, &c.set)
		var bad *solver.SettingError
		if !errors.As(err, &bad) || bad.Field != c.field || !strings.Contains(err.Error(), c.wantText) || res != nil {
			t.Errorf("%+v: got %v, want an error about %s that says %q", c.set, err, c.field, c.wantText)
		}
	}
}

func TestBadProblems(t *testing.T) {
	for _, c := range []struct {
		wantText string
		mod      func(*solver.Problem)
	}{
		{"Data is nil", func(p *solver.Problem) { p.Data = nil }},
		{"Labels has length 99", func(p *solver.Problem) { p.Labels = p.Labels[:99] }},
		{"Labels[3] = 2", func(p *solver.Problem) { p.Labels = slices.Clone(p.Labels); p.Labels[3] = 2 }},
		{"Labels[5] = NaN", func(p *solver.Problem) {
			p.Loss = solver.Squared{}
			p.Labels = slices.Clone(p.Labels)
			p.Labels[5] = math.NaN()
		}},
		{"L2 = -1", func(p *solver.Problem) { p.L2 = -1 }},
		{"Lambda = NaN", func(p *solver.Problem) { p.Penalty = solver.L1{Lambda: math.NaN()} }},
		{"Weights has length 2", func(p *solver.Problem) { p.Penalty = solver.L1{Lambda: 1, Weights: []float64{1, 2}} }},
		{"Weights[0] = -1", func(p *solver.Problem) {
			p.Constraint = nil
			p.Penalty = solver.L1{Lambda: 1, Weights: append([]float64{-1}, make([]float64, 19)...)}
		}},
		{"Constraint is 5 x 5", func(p *solver.Problem) { p.Constraint = sparse.Identity(5) }},
		{"Box has 3 lower", func(p *solver.Problem) { p.Domain = solver.NewBox(3, 0, 1) }},
		{"bounds of feature 0 are [1, 0]", func(p *solver.Problem) { p.Domain = solver.NewBox(20, 1, 0) }},
		{"Radius = 0", func(p *solver.Problem) { p.Domain = solver.Ball{} }},
		{
			"Coupling has both",
			func(p *solver.Problem) { p.Coupling = &solver.Coupling{B: sparse.Identity(5), Diagonal: []float64{1}} },
		},
		{"Coupling.B has 5 rows", func(p *solver.Problem) { p.Coupling = &solver.Coupling{B: sparse.Identity(5)} }},
		{"Coupling.C has length 1", func(p *solver.Problem) { p.Coupling = &solver.Coupling{C: []float64{1}} }},
		{"C[0] = NaN", func(p *solver.Problem) {
			p.Constraint = nil
			p.Coupling = &solver.Coupling{C: append([]float64{math.NaN()}, make([]float64, 19)...)}
		}},
		{"Diagonal[0] = 0", func(p *solver.Problem) {
			p.Constraint = nil
			p.Coupling = &solver.Coupling{Diagonal: make([]float64, 20)}
		}},
		{"not separable", func(p *solver.Problem) {
			p.Constraint, p.Penalty = nil, solver.GroupL2{Lambda: 1}
			d := make([]float64, 20)
			for j := range d {
				d[j] = float64(j + 1)
			}
			p.Coupling = &solver.Coupling{Diagonal: d}
		}},
		{"share coordinate 1", func(p *solver.Problem) { p.Penalty = solver.GroupL2{Lambda: 1, Groups: [][]int{{0, 1}, {1}}} }},
		{"has coordinate 99", func(p *solver.Problem) { p.Penalty = solver.GroupL2{Lambda: 1, Groups: [][]int{{99}}} }},
		{"is empty", func(p *solver.Problem) { p.Penalty = solver.Within{Lower: 1, Upper: 0} }},
		{
			"Within{+Inf, +Inf} is empty",
			func(p *solver.Problem) { p.Penalty = solver.Within{Lower: math.Inf(1), Upper: math.Inf(1)} },
		},
		{"ElasticNet.L2 = -1", func(p *solver.Problem) { p.Penalty = solver.ElasticNet{L1: 1, L2: -1} }},
		{"SampleWeights has length 1", func(p *solver.Problem) { p.SampleWeights = []float64{1} }},
		{"which is too small; multiply all", func(p *solver.Problem) {
			p.SampleWeights = slices.Repeat([]float64{1e-310}, 100)
		}},
		{"SampleWeights sum to 0", func(p *solver.Problem) { p.SampleWeights = make([]float64, 100) }},
		{"Box bounds of feature 3 are [+Inf, +Inf]; there must be a finite number between them", func(p *solver.Problem) {
			box := solver.NewBox(20, 0, math.Inf(1))
			box.Lower[3] = math.Inf(1)
			p.Domain = box
		}},
		{"Simplex.Total = -1", func(p *solver.Problem) { p.Domain = solver.Simplex{Total: -1} }},
		{"infimum of the loss squared is -0.5 for Problem.Labels[0]", func(p *solver.Problem) { p.Loss = fallingLoss{} }},
		{"mean loss at x = 0 is -2", func(p *solver.Problem) { p.Loss = negativeLoss{} }},
		{"Huber.Delta = -1", func(p *solver.Problem) { p.Loss = solver.Huber{Delta: -1} }},
	} {
		p := smallProblem(t)
		c.mod(p)
		if res, err := solver.Minimize(context.Background(), p, nil); err == nil ||
			!strings.Contains(err.Error(), c.wantText) || res != nil {
			t.Errorf("got %v, want an error that says %q", err, c.wantText)
		}
	}
}

// TestDivergence checks that a much too large step size gives an error, and that the run converges with the
// step size that the error proposes.
func TestDivergence(t *testing.T) {
	p, _ := solvertest.PlantedProblem(t, sparse.SyntheticOptions{Rows: 200, Features: 20, Seed: 12, Regression: true}, 1e-2)
	res, err := solver.Minimize(context.Background(), p, &solver.Settings{Method: solver.SCASK{}, Eta: 10})
	var diverged *solver.DivergenceError
	if !errors.As(err, &diverged) || res.Status != solver.Diverged {
		t.Fatalf("eta = 10: got %v", err)
	}
	if math.IsNaN(res.At.Objective) || res.At.Objective > diverged.Start {
		t.Errorf("the result of a diverged run has objective %v, worse than the start %v", res.At.Objective, diverged.Start)
	}
	retriedRun := solvertest.Minimize(t, p, &solver.Settings{Method: solver.SCASK{}, Eta: diverged.Try, Passes: 1000})
	automaticRun := solvertest.Minimize(t, p, &solver.Settings{Method: solver.SCASK{}, Passes: 1000})
	if math.Abs(retriedRun.At.Objective-automaticRun.At.Objective) > 1e-6 {
		t.Errorf("with the proposed eta = %v the objective is %v, automatic %v",
			diverged.Try, retriedRun.At.Objective, automaticRun.At.Objective)
	}
}

func TestHalving(t *testing.T) {
	p := misjudgedProblem(t)
	res := solvertest.Minimize(t, p, &solver.Settings{Method: solver.SCASK{}, Passes: 100})
	if res.Stats.StepHalvings == 0 {
		t.Error("the step size was never halved; the case does not test what it should")
	}
	if res.At.Loss > 1e-6 {
		t.Errorf("loss %v, want nearly zero", res.At.Loss)
	}
}

// misjudgedProblem returns a problem whose first automatic step size is too large: the step size depends on
// every third row, and rows with large values are not among them.
func misjudgedProblem(t *testing.T) *solver.Problem {
	t.Helper()
	n := 3 * solver.CurvatureSample
	var entries []sparse.Triplet
	labels := make([]float64, n)
	for i := range n {
		v := 0.1
		if i%3 == 1 {
			v = 1
		}
		entries = append(entries, sparse.Triplet{Row: i, Col: i % 7, Value: v})
		labels[i] = v * float64(i%7)
	}
	x, err := sparse.FromTriplets(n, 7, entries)
	if err != nil {
		t.Fatal(err)
	}
	return &solver.Problem{Data: x, Labels: labels, Loss: solver.Squared{}, Penalty: solver.L1{Lambda: 1e-6}}
}

// TestAverageAfterRestart checks that the average begins again when a run restores an earlier iterate.
func TestAverageAfterRestart(t *testing.T) {
	p := misjudgedProblem(t)
	objectiveAtStart := p.Evaluate(make([]float64, 7)).Objective
	checkedCount, halvings := 0, 0
	var sinceRestart [][]float64 // iterates after the last restart
	for outer := range 12 {
		var lastX []float64
		res := solvertest.Minimize(t, p,
			&solver.Settings{Method: solver.SCASK{}, OuterIterations: outer + 1, Recorder: solver.RecorderFunc(func(pt *solver.Point) error {
				lastX = slices.Clone(pt.X)
				return nil
			})})
		if res.Stats.StepHalvings > halvings {
			halvings, sinceRestart = res.Stats.StepHalvings, nil
		}
		sinceRestart = append(sinceRestart, lastX)
		if halvings == 0 || p.Evaluate(lastX).Objective > objectiveAtStart {
			continue // no restart yet, or Minimize may have restored an iterate at the end
		}
		mean := make([]float64, 7)
		for _, x := range sinceRestart {
			for j, v := range x {
				mean[j] += v / float64(len(sinceRestart))
			}
		}
		if d := solvertest.RelativeDistance(res.XAverage, mean); d > 1e-12 {
			t.Errorf("%d outer iterations: the average differs by %.1e from that since the restart", outer+1, d)
		}
		checkedCount++
	}
	if checkedCount < 3 {
		t.Errorf("only %d averages after a restart; the case does not test what it should", checkedCount)
	}
}

// TestSeeds checks that results depend on the seed, but not on the kernel level.
func TestSeeds(t *testing.T) {
	activeLevel := kernels.Active()
	defer kernels.Use(activeLevel)
	for _, method := range []solver.Method{(solver.SCASK{}), (solver.SCAS{}), (solver.SCASStrong{}), (solver.SCASL{})} {
		sameBits(t, smallProblem(t), method)
		sameBits(t, withScaledColumns(t, smallProblem(t)), method)
	}
}

// sameBits checks that a method gives the same bits at every kernel level, and other iterates with another
// seed.
func sameBits(t *testing.T, p *solver.Problem, method solver.Method) {
	t.Helper()
	reference := solvertest.Minimize(t, p, &solver.Settings{Method: method, Passes: 20, Seed: 1})
	for _, level := range kernels.Available() {
		if err := kernels.Use(level); err != nil {
			t.Fatal(err)
		}
		res := solvertest.Minimize(t, p, &solver.Settings{Method: method, Passes: 20, Seed: 1})
		if !slices.Equal(res.X, reference.X) || !slices.Equal(res.XAverage, reference.XAverage) ||
			!slices.Equal(res.Dual, reference.Dual) || res.At != reference.At {
			t.Errorf("%T: level %v gives other bits", method, level)
		}
	}
	otherSeedRun := solvertest.Minimize(t, p, &solver.Settings{Method: method, Passes: 20, Seed: 2})
	if slices.Equal(otherSeedRun.XAverage, reference.XAverage) {
		t.Errorf("%T: two seeds give the same iterates", method)
	}
}

// crowdedLoss is the logistic loss. most becomes the largest number of concurrent calls of Value.
type crowdedLoss struct {
	solver.Logistic
	active, most *atomic.Int32
}

func (l crowdedLoss) Value(margin, label float64) float64 {
	l.most.Store(max(l.most.Load(), l.active.Add(1)))
	runtime.Gosched()
	defer l.active.Add(-1)
	return l.Logistic.Value(margin, label)
}

// TestSingleThread checks that a run with one thread never reads rows with two goroutines, also not for
// records and results.
func TestSingleThread(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(2))
	p, _ := solvertest.PlantedProblem(t, sparse.SyntheticOptions{Rows: 7000, Features: 40, Seed: 13}, 1e-3)
	for _, threads := range []int32{1, 2} {
		loss := crowdedLoss{active: new(atomic.Int32), most: new(atomic.Int32)}
		p.Loss = loss
		solvertest.Minimize(t, p, &solver.Settings{
			Method: solver.SCASK{}, Passes: 2, Threads: int(threads),
			Recorder: solver.RecorderFunc(func(*solver.Point) error { return nil }),
		})
		if loss.most.Load() != threads {
			t.Errorf("%d goroutines read rows with %d threads", loss.most.Load(), threads)
		}
	}
}

// TestThreads checks that the bits of a result do not depend on the number of threads, however large it is.
func TestThreads(t *testing.T) {
	p, _ := solvertest.PlantedProblem(t, sparse.SyntheticOptions{Rows: 14000, Features: 40, Seed: 13}, 1e-3)
	ballProblem := smallProblem(t)
	ballProblem.Domain = solver.Ball{Radius: 1}
	for _, c := range []struct {
		p   *solver.Problem
		set solver.Settings
	}{
		{p, solver.Settings{Method: solver.SCASK{}, Passes: 4}}, {smallProblem(t), solver.Settings{}},
		{ballProblem, solver.Settings{}},
	} {
		c.set.Threads = 1
		singleThreadRun := solvertest.Minimize(t, c.p, &c.set)
		for _, threads := range []int{3, math.MaxInt32} {
			c.set.Threads = threads
			if res := solvertest.Minimize(t, c.p, &c.set); !slices.Equal(res.X, singleThreadRun.X) ||
				res.At != singleThreadRun.At {
				t.Errorf("%+v, domain %v: other bits than with one thread", c.set, c.p.Domain)
			}
		}
	}
	if solver.Chunks(p) < 3 { // the sum of two chunks is the same in any order
		t.Error("too few chunks: the case does not test what it should")
	}
}

func TestBudget(t *testing.T) {
	p := smallProblem(t)
	for _, c := range []struct {
		set             solver.Settings
		outerIterations int
		passes          float64
	}{
		{solver.Settings{Method: solver.SCASK{}, Passes: 10}, 5, 10},
		{solver.Settings{Method: solver.SCASK{}, Passes: 11.9}, 5, 10},
		{solver.Settings{Method: solver.SCASK{}, Passes: 10, InnerSteps: 25, DualUpdates: 2}, 8, 10},
		{solver.Settings{Passes: 10, InnerSteps: 400, Method: solver.SCAS{}}, 2, 10},
		{solver.Settings{Method: solver.SCASK{}, OuterIterations: 3}, 3, 6},
	} {
		res := solvertest.Minimize(t, p, &c.set)
		if st := res.Stats; st.OuterIterations != c.outerIterations || st.Passes != c.passes ||
			st.Method != c.set.Method.Info().Name || res.Status != solver.PassesDone {
			t.Errorf("%+v: %s, %+v, want %d outer iterations, %v passes",
				c.set, res.Status, st, c.outerIterations, c.passes)
		}
	}
}

func TestTheoremSchedule(t *testing.T) {
	p := smallProblem(t)
	p.Domain = solver.Ball{Radius: 1}
	var got []solver.Stats
	for outer := 1; outer <= 3; outer++ {
		passes := 1.0
		for {
			res, err := solver.Minimize(context.Background(), p,
				&solver.Settings{Method: solver.SCAS{}, Schedule: solver.Theorem, Rho: 0.01, Passes: passes})
			if err == nil && res.Stats.OuterIterations == outer {
				got = append(got, res.Stats)
				break
			}
			passes *= 1.3
		}
	}
	for i, s := range got {
		// M_t η_t (t+1)^−δ is 1, except for rounding of M_t to an integer.
		if v := float64(s.InnerSteps) * s.Eta * math.Pow(float64(i+1), -1.1); math.Abs(v-1) > 1e-2 {
			t.Errorf("outer iteration %d: M eta (t+1)^-delta = %v, want 1", i, v)
		}
	}
	c := got[0].Constants
	ct := 1 / got[0].Eta // in Theorem 1 it is C_0 = ν_L² D² + G_0²; D = 2 is the diameter of the ball
	if ct < c.NuL*c.NuL*4 {
		t.Errorf("C_0 = %v is below nu_L^2 D^2 = %v", ct, c.NuL*c.NuL*4)
	}

	p = smallProblem(t)
	p.L2 = 0.5
	res := solvertest.Minimize(t, p,
		&solver.Settings{Method: solver.SCASStrong{}, Schedule: solver.Theorem, Rho: 0.1, Passes: 3000})
	best := solvertest.Minimize(t, p, &solver.Settings{Passes: 500})
	c = res.Stats.Constants
	if want := 0.5 / (8*c.NuF*c.NuF + 0.5*c.NuL); math.Abs(res.Stats.Eta/want-1) > 1e-12 {
		t.Errorf("Theorem 2: eta = %v, want %v", res.Stats.Eta, want)
	}
	if want := int(math.Ceil(4 / (res.Stats.Eta * 0.5))); res.Stats.InnerSteps != want {
		t.Errorf("Theorem 2: M = %v, want %v", res.Stats.InnerSteps, want)
	}
	if gap := res.At.Objective - best.At.Objective; gap > 1e-3 {
		t.Errorf("Theorem 2's schedule is %.1e from the optimum after 3000 passes", gap)
	}
}

func TestRecorder(t *testing.T) {
	p := smallProblem(t)
	var passes []float64
	errStop := errors.New("enough")
	res, err := solver.Minimize(context.Background(), p,
		&solver.Settings{Method: solver.SCASK{}, RecordEvery: 2, Recorder: solver.RecorderFunc(func(pt *solver.Point) error {
			passes = append(passes, pt.Passes)
			if pt.Outer == 0 && math.Abs(pt.Last.Objective-math.Ln2) > 1e-12 {
				t.Errorf("objective at the origin is %v, want log 2", pt.Last.Objective)
			}
			if pt.Passes >= 8 {
				return errStop
			}
			return nil
		})})
	if !errors.Is(err, errStop) || res.Status != solver.Stopped || !slices.Equal(passes, []float64{0, 4, 8}) {
		t.Errorf("recorder: %v, %v, passes %v", err, res.Status, passes)
	}
	if res.At.Objective >= math.Ln2 {
		t.Errorf("a stopped run returns objective %v", res.At.Objective)
	}
	n := 0
	for pt, err := range solver.Progress(context.Background(), p, &solver.Settings{Method: solver.SCASK{}}) {
		if err != nil {
			t.Fatal(err)
		}
		n++
		if pt.Outer == 3 {
			break
		}
	}
	if n != 4 {
		t.Errorf("Progress yielded %d records up to outer iteration 3", n)
	}
	for pt, err := range solver.Progress(context.Background(), p, &solver.Settings{Method: solver.SCASK{}, Eta: -1}) {
		if err == nil || pt != nil {
			t.Error("Progress hides a bad setting")
		}
	}
	var lastPoint *solver.Point
	provedCount := 0
	for pt, err := range solver.Progress(context.Background(), p,
		&solver.Settings{Method: solver.SCASK{}, Passes: 40, RelTol: 1e-12}) {
		if err != nil && !errors.Is(err, solver.ErrNotConverged) {
			t.Fatal(err)
		}
		lastPoint = pt
		if !math.IsInf(pt.DualityGap, 1) {
			provedCount++
		}
	}
	// Gaps are proved after 2, 4, 8 and 16 iterations.
	if lastPoint.Result == nil || lastPoint.Last != lastPoint.Result.At ||
		lastPoint.DualResidual() != lastPoint.Result.DualResidual || provedCount < 4 {
		t.Errorf("the last point is %+v; %d of them have a gap", lastPoint, provedCount)
	}
	if res, err := solver.Minimize(context.Background(), p,
		&solver.Settings{Method: solver.SCASK{}, Recorder: solver.RecorderFunc(func(pt *solver.Point) error {
			if pt.Outer == 3 {
				return fmt.Errorf("enough: %w", solver.ErrStop)
			}
			return nil
		})}); err != nil || res.Status != solver.Stopped || res.Stats.OuterIterations != 3 {
		t.Errorf("ErrStop: %v, %v", res, err)
	}
}

// TestWarmStart checks that a run from the solution x ends with a lower objective than a run from 0. A run
// from x, y and beta of the solution must end nearer to the solution than a run from x alone.
func TestWarmStart(t *testing.T) {
	p := smallProblem(t)
	coldRun := solvertest.Minimize(t, p, &solver.Settings{Method: solver.SCASK{}, Passes: 1000})
	shortRun := solvertest.Minimize(t, p, &solver.Settings{Method: solver.SCASK{}, Passes: 10})
	warmXRun := solvertest.Minimize(t, p,
		&solver.Settings{Method: solver.SCASK{}, Passes: 10, Start: solver.Iterate{X: coldRun.X}})
	warmIterateRun := solvertest.Minimize(t, p, &solver.Settings{Method: solver.SCASK{}, Passes: 10, Start: coldRun.Iterate})
	if !(warmXRun.At.Objective < shortRun.At.Objective) {
		t.Errorf("warm start %v, cold start %v", warmXRun.At.Objective, shortRun.At.Objective)
	}
	if d := solvertest.Distance(warmIterateRun.X, coldRun.X); d > 1e-9 || d > solvertest.Distance(warmXRun.X, coldRun.X) {
		t.Errorf("from x, y and beta of the solution x moves by %.1e", d)
	}
}

// TestStorage checks that Stats.Storage names the storage form, and that values are rounded only if Float32
// is set.
func TestStorage(t *testing.T) {
	p := smallProblem(t)
	unroundedRun := solvertest.Minimize(t, p, &solver.Settings{Method: solver.SCASK{}})
	if unroundedRun.Stats.Storage != "uint16 columns, float64 values" {
		t.Errorf("storage: %s", unroundedRun.Stats.Storage)
	}
	roundedRun := solvertest.Minimize(t, p, &solver.Settings{Method: solver.SCASK{}, Float32: true})
	if roundedRun.Stats.Storage != "uint16 columns, float32 values" {
		t.Errorf("storage: %s", roundedRun.Stats.Storage)
	}
	if d := solvertest.Distance(unroundedRun.X, roundedRun.X); d == 0 || d > 1e-5 {
		t.Errorf("rounding the data moves x by %.1e", d)
	}
	p.Data = withValues(t, p.Data, func(float64) float64 { return 1 })
	if res := solvertest.Minimize(t, p, &solver.Settings{Method: solver.SCASK{}}); res.Stats.Storage != "uint16 columns, all values 1" {
		t.Errorf("storage: %s", res.Stats.Storage)
	}
}

// withValues returns x with f(v) in place of each value v.
func withValues(t *testing.T, x *sparse.CSR, f func(v float64) float64) *sparse.CSR {
	t.Helper()
	n, cols := x.Dims()
	rows := x.Rows(0, n)
	val := make([]float64, len(rows.Val))
	for k, v := range rows.Val {
		val[k] = f(v)
	}
	y, err := sparse.New(n, cols, rows.Ptr, rows.Idx, val)
	if err != nil {
		t.Fatal(err)
	}
	return y
}

func TestSettingsJSON(t *testing.T) {
	want := solver.Settings{
		OuterIterations: 8, Passes: 7, Eta: 0.1, Rho: 3e-5, InnerSteps: 9,
		Schedule: solver.Practical, Delta: 1.5, Seed: math.MaxUint64, RecordEvery: 2,
	}
	b, err := json.Marshal(want)
	if err != nil {
		t.Fatal(err)
	}
	var got solver.Settings
	if err := json.Unmarshal(b, &got); err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
}

func TestZeroPenaltyAndEmptyRows(t *testing.T) {
	x, err := sparse.FromTriplets(4, 3, []sparse.Triplet{{Row: 0, Col: 0, Value: 1}, {Row: 2, Col: 0, Value: -1}})
	if err != nil {
		t.Fatal(err)
	}
	p := &solver.Problem{Data: x, Labels: []float64{1, -1, 1, 1}}
	res := solvertest.Minimize(t, p, &solver.Settings{Method: solver.SCASK{}})
	// Rows 0 and 2 have opposite effects on x[0]; rows 1 and 3 are empty.
	if math.Abs(res.X[0]) > 1e-6 || res.X[1] != 0 || res.X[2] != 0 {
		t.Errorf("x = %v, want zeros", res.X)
	}
}

// TestBallFloat32 checks that a run with Settings.Float32 gives the same average as a run with data rounded
// to float32.
func TestBallFloat32(t *testing.T) {
	p, _ := solvertest.PlantedProblem(t,
		sparse.SyntheticOptions{Rows: 100, Features: 200, NonzerosPerRow: 5, Noise: 1, Seed: 21}, 1e-3)
	p.Constraint, p.Domain = nil, solver.Ball{Radius: 0.3}
	roundedProblem := *p
	roundedProblem.Data = withValues(t, p.Data, func(v float64) float64 { return float64(float32(v)) })
	set := &solver.Settings{Method: solver.SCASK{}, Passes: 40, Float32: true}
	got := solvertest.Minimize(t, p, set)
	// Automatic step sizes and rho depend on the data before rounding, so they are given here.
	set.Eta, set.Rho = got.Stats.Eta, got.Stats.Rho
	got, want := solvertest.Minimize(t, p, set), solvertest.Minimize(t, &roundedProblem, set)
	if !slices.Equal(got.XAverage, want.XAverage) {
		t.Errorf("rounding before or on request: averages %.1e apart", solvertest.Distance(got.XAverage, want.XAverage))
	}
}

// TestGapOfRoundedData checks that the gap of a run with Float32 is a gap of the problem itself, not of the
// problem with rounded data. With odd seeds, rounding changes the data much, because all values are near 1e5.
func TestGapOfRoundedData(t *testing.T) {
	for seed := range uint64(4) {
		p, _ := solvertest.PlantedProblem(t,
			sparse.SyntheticOptions{Rows: 100, Features: 20, NonzerosPerRow: 6, Noise: 1, Seed: seed}, 1e-3)
		p.L2 = 0.02
		if seed%2 > 0 {
			p.Data = withValues(t, p.Data, func(v float64) float64 { return 1e5 + v })
		}
		for _, ownPenalty := range []bool{false, true} {
			best, problem := solvertest.Minimize(t, p, &solver.Settings{RelTol: 1e-11}).At.Objective, *p
			if ownPenalty {
				problem.Penalty = ownL1{p.Penalty.(solver.L1)}
			}
			for _, set := range []solver.Settings{
				{Method: solver.SCASK{}, RelTol: 1e-9, Passes: 400}, {RelTol: 1e-9},
				{RelTol: 1e-9, Passes: 40}, {RelTol: 1e-12, Passes: 400},
			} {
				set.Float32 = true
				res, err := solver.Minimize(t.Context(), &problem, &set)
				if res == nil {
					t.Fatal(err)
				}
				excess := res.At.Objective - best
				if !(res.DualityGap >= excess-1e-14) {
					t.Errorf("seed %d, own %v, method %T, %g passes: gap %.3g, excess %.3g",
						seed, ownPenalty, set.Method, set.Passes, res.DualityGap, excess)
				}
			}
		}
	}
}

// zeroSecondDerivative is a squared loss whose second derivative is wrongly 0.
type zeroSecondDerivative struct{ solver.Squared }

func (zeroSecondDerivative) SecondDerivative(_, _, _ float64) float64 { return 0 }

// TestNoWorseThanTheStart checks that the objective of a result is at most 2 % above the objective at the
// start, for small and large step sizes and a loss whose second derivative is wrong.
func TestNoWorseThanTheStart(t *testing.T) {
	p := smallProblem(t)
	p.Loss = zeroSecondDerivative{}
	objectiveAtStart := p.Evaluate(make([]float64, 20)).Objective
	for _, eta := range []float64{0, 0.02, 0.1, 0.5, 2} {
		for _, method := range []solver.Method{solver.SCASK{}, solver.SCAS{}} {
			for _, passes := range []float64{2, 4, 10} {
				res, err := solver.Minimize(context.Background(), p, &solver.Settings{Method: method, Eta: eta, Passes: passes})
				if res == nil || res.At.Objective > objectiveAtStart*1.02 {
					t.Errorf("%T, eta %g, %g passes: objective %v after %v, %v",
						method, eta, passes, res.At.Objective, objectiveAtStart, err)
				}
			}
		}
	}
}
