package solver

import (
	"context"
	"encoding/json"
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/scas-admm/scas/kernels"
	"github.com/scas-admm/scas/sparse"
)

func small(t testing.TB) *Problem {
	p, _ := planted(t, sparse.SyntheticOptions{Rows: 100, Features: 20, NonzerosPerRow: 6, Noise: 1, Seed: 11}, 1e-2)
	return p
}

func TestBadSettings(t *testing.T) {
	for _, c := range []struct {
		set         Settings
		field, says string
		mod         func(*Problem)
	}{
		{set: Settings{Method: "sgd"}, field: "Method", says: "scas-k, scas, scas-strong, scas-l"},
		{set: Settings{DualUpdates: -1}, field: "DualUpdates", says: "between 1 and the 100 inner steps"},
		{set: Settings{DualUpdates: 101}, field: "DualUpdates", says: "between 1 and the 100 inner steps"},
		{set: Settings{Method: SCAS, DualUpdates: 5}, field: "DualUpdates", says: "use scas-k for more"},
		{set: Settings{Passes: -1}, field: "Passes", says: "positive"},
		{set: Settings{Passes: math.NaN()}, field: "Passes", says: "positive"},
		{set: Settings{Passes: 1}, field: "Passes", says: "one outer iteration costs 2 passes"},
		{set: Settings{Eta: -0.1}, field: "Eta", says: "0 to derive it"},
		{set: Settings{Eta: math.Inf(1)}, field: "Eta", says: "finite"},
		{set: Settings{Rho: math.NaN()}, field: "Rho", says: "finite"},
		{set: Settings{InnerSteps: 1}, field: "InnerSteps", says: "at least 2"},
		{set: Settings{BatchSize: 51}, field: "BatchSize", says: "half the 100 inner steps"},
		{set: Settings{Schedule: "x"}, field: "Schedule", says: "practical or theorem"},
		{set: Settings{Delta: 0.5}, field: "Delta", says: "at least 1"},
		{set: Settings{Threads: -1}, field: "Threads", says: "positive"},
		{set: Settings{RecordEvery: -1}, field: "RecordEvery", says: "positive"},
		{set: Settings{Start: []float64{1}}, field: "Start", says: "20 features"},
		{set: Settings{Start: append(make([]float64, 19), math.NaN())}, field: "Start[19]", says: "finite"},
		{set: Settings{Method: SCASStrong}, field: "Method", says: "X = R^p", mod: func(p *Problem) { p.Domain = Ball{1} }},
		{set: Settings{Schedule: Theorem}, field: "Schedule", says: "no theorem covers scas-k"},
		{set: Settings{Schedule: Theorem, Method: SCAS}, field: "Schedule", says: "bounded domain"},
		{set: Settings{Schedule: Theorem, Method: SCAS}, field: "Schedule", says: "bounded domain", mod: func(p *Problem) { p.Domain = positive{} }},
		{set: Settings{Schedule: Theorem, Method: SCASStrong}, field: "Schedule", says: "L2 > 0"},
		{set: Settings{Schedule: Theorem, Method: SCAS, Eta: 1}, field: "Eta", says: "leave it 0"},
		{set: Settings{Schedule: Theorem, Method: SCAS, InnerSteps: 9}, field: "InnerSteps", says: "leave it 0"},
	} {
		p := small(t)
		if c.mod != nil {
			c.mod(p)
		}
		res, err := Minimize(context.Background(), p, &c.set)
		var bad *SettingError
		if !errors.As(err, &bad) || bad.Field != c.field || !strings.Contains(err.Error(), c.says) || res != nil {
			t.Errorf("%+v: got %v, want an error about %s that says %q", c.set, err, c.field, c.says)
		}
	}
}

func TestBadProblems(t *testing.T) {
	for _, c := range []struct {
		says string
		mod  func(*Problem)
	}{
		{"Data is nil", func(p *Problem) { p.Data = nil }},
		{"Labels has length 99", func(p *Problem) { p.Labels = p.Labels[:99] }},
		{"Labels[3] = 2", func(p *Problem) { p.Labels = slices.Clone(p.Labels); p.Labels[3] = 2 }},
		{"Labels[5] = NaN", func(p *Problem) { p.Loss = Squared{}; p.Labels = slices.Clone(p.Labels); p.Labels[5] = math.NaN() }},
		{"L2 = -1", func(p *Problem) { p.L2 = -1 }},
		{"Lambda = NaN", func(p *Problem) { p.Penalty = L1{Lambda: math.NaN()} }},
		{"Weights has length 2", func(p *Problem) { p.Penalty = L1{1, []float64{1, 2}} }},
		{"Weights[0] = -1", func(p *Problem) {
			p.Constraint = nil
			p.Penalty = L1{1, append([]float64{-1}, make([]float64, 19)...)}
		}},
		{"Constraint is 5 x 5", func(p *Problem) { p.Constraint = sparse.Identity(5) }},
		{"Box has 3 lower", func(p *Problem) { p.Domain = NewBox(3, 0, 1) }},
		{"bounds of feature 0 are [1, 0]", func(p *Problem) { p.Domain = NewBox(20, 1, 0) }},
		{"Radius = 0", func(p *Problem) { p.Domain = Ball{} }},
	} {
		p := small(t)
		c.mod(p)
		if res, err := Minimize(context.Background(), p, nil); err == nil || !strings.Contains(err.Error(), c.says) || res != nil {
			t.Errorf("got %v, want an error that says %q", err, c.says)
		}
	}
}

// TestDivergence: a step size far too large is an error that names one that
// works; the automatic one recovers by itself.
func TestDivergence(t *testing.T) {
	p, _ := planted(t, sparse.SyntheticOptions{Rows: 200, Features: 20, Seed: 12, Regression: true}, 1e-2)
	res, err := Minimize(context.Background(), p, &Settings{Eta: 10})
	var diverged *DivergenceError
	if !errors.As(err, &diverged) || res.Status != Diverged {
		t.Fatalf("eta = 10: got %v", err)
	}
	if math.IsNaN(res.At.Objective) || res.At.Objective > diverged.Start {
		t.Errorf("the result of a diverged run has objective %v, worse than the start %v", res.At.Objective, diverged.Start)
	}
	again := mustMinimize(t, p, &Settings{Eta: diverged.Try, Passes: 1000})
	auto := mustMinimize(t, p, &Settings{Passes: 1000})
	if math.Abs(again.At.Objective-auto.At.Objective) > 1e-6 {
		t.Errorf("with the proposed eta = %v the objective is %v, automatic %v", diverged.Try, again.At.Objective, auto.At.Objective)
	}
}

// TestHalving makes the automatic step size wrong: rows that are long where the
// sample of rows does not look.
func TestHalving(t *testing.T) {
	n := 3 * curvatureSample
	var entries []sparse.Triplet
	labels := make([]float64, n)
	for i := range n {
		v := 0.1
		if i%3 == 1 { // every third row is looked at, from the first
			v = 1
		}
		entries = append(entries, sparse.Triplet{Row: i, Col: i % 7, Value: v})
		labels[i] = v * float64(i%7)
	}
	x, err := sparse.FromTriplets(n, 7, entries)
	if err != nil {
		t.Fatal(err)
	}
	p := &Problem{Data: x, Labels: labels, Loss: Squared{}, Penalty: L1{Lambda: 1e-6}}
	res := mustMinimize(t, p, &Settings{Passes: 100})
	if res.Stats.StepHalvings == 0 {
		t.Error("the step size was never halved; the case does not test what it should")
	}
	if res.At.Loss > 1e-6 {
		t.Errorf("loss %v, want nearly zero", res.At.Loss)
	}
}

// TestSeeds: the same seed gives the same bits at every level, another seed
// another path.
func TestSeeds(t *testing.T) {
	active := kernels.Active()
	defer kernels.Use(active)
	for _, method := range []Method{SCASK, SCAS, SCASStrong, SCASL} {
		p := small(t)
		first := mustMinimize(t, p, &Settings{Method: method, Passes: 20, Seed: 1})
		for _, level := range kernels.Available() {
			if err := kernels.Use(level); err != nil {
				t.Fatal(err)
			}
			res := mustMinimize(t, p, &Settings{Method: method, Passes: 20, Seed: 1})
			if !slices.Equal(res.X, first.X) || !slices.Equal(res.XAverage, first.XAverage) || !slices.Equal(res.Dual, first.Dual) || res.At != first.At {
				t.Errorf("%s: level %v gives other bits", method, level)
			}
		}
		other := mustMinimize(t, p, &Settings{Method: method, Passes: 20, Seed: 2})
		if slices.Equal(other.XAverage, first.XAverage) {
			t.Errorf("%s: two seeds give the same iterates", method)
		}
	}
}

// TestThreads: any number of threads gives the same bits.
func TestThreads(t *testing.T) {
	p, _ := planted(t, sparse.SyntheticOptions{Rows: 20000, Features: 40, Seed: 13}, 1e-3)
	one := mustMinimize(t, p, &Settings{Passes: 4, Threads: 1})
	for _, threads := range []int{2, 3, 16} {
		res := mustMinimize(t, p, &Settings{Passes: 4, Threads: threads})
		if !slices.Equal(res.X, one.X) || res.At != one.At {
			t.Errorf("%d threads give other bits than one", threads)
		}
	}
	if g := newFullGradient(p, p.Data.Rows(0, 20000), 1); len(g.loss) < 2 {
		t.Error("one chunk only: the case does not test what it should")
	}
}

// TestBudget counts passes as the paper does.
func TestBudget(t *testing.T) {
	p := small(t)
	for _, c := range []struct {
		set    Settings
		outer  int
		passes float64
	}{
		{Settings{Passes: 10}, 5, 10},
		{Settings{Passes: 11.9}, 5, 10},
		{Settings{Passes: 10, InnerSteps: 25, DualUpdates: 2}, 8, 10},
		{Settings{Passes: 10, InnerSteps: 400, Method: SCAS}, 2, 10},
	} {
		res := mustMinimize(t, p, &c.set)
		if res.Stats.OuterIterations != c.outer || res.Stats.Passes != c.passes || res.Status != PassesDone {
			t.Errorf("%+v: %d outer iterations, %v passes, want %d, %v", c.set, res.Stats.OuterIterations, res.Stats.Passes, c.outer, c.passes)
		}
	}
}

// TestTheoremSchedule checks η_t and M_t of both theorems, and that they lead
// to the optimum.
func TestTheoremSchedule(t *testing.T) {
	p := small(t)
	p.Domain = Ball{1}
	var got []Stats
	for outer := 1; outer <= 3; outer++ {
		passes := 1.0
		for {
			res, err := Minimize(context.Background(), p, &Settings{Method: SCAS, Schedule: Theorem, Rho: 0.01, Passes: passes})
			if err == nil && res.Stats.OuterIterations == outer {
				got = append(got, res.Stats)
				break
			}
			passes *= 1.3
		}
	}
	for i, s := range got {
		// M_t η_t (t+1)^−δ is 1 up to the rounding of M_t.
		if v := float64(s.InnerSteps) * s.Eta * math.Pow(float64(i+1), -1.1); math.Abs(v-1) > 1e-2 {
			t.Errorf("outer iteration %d: M eta (t+1)^-delta = %v, want 1", i, v)
		}
	}
	c := got[0].Constants
	ct := 1 / got[0].Eta
	if ct < c.NuL*c.NuL*4 { // C_0 = ν_L² D² + G_0², D = 2
		t.Errorf("C_0 = %v is below nu_L^2 D^2 = %v", ct, c.NuL*c.NuL*4)
	}

	p = small(t)
	p.L2 = 0.5
	res := mustMinimize(t, p, &Settings{Method: SCASStrong, Schedule: Theorem, Rho: 0.1, Passes: 3000})
	best := mustMinimize(t, p, &Settings{Passes: 500})
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

func TestRecorderAndContext(t *testing.T) {
	p := small(t)
	var passes []float64
	stop := errors.New("enough")
	res, err := Minimize(context.Background(), p, &Settings{RecordEvery: 2, Recorder: RecorderFunc(func(pt *Point) error {
		passes = append(passes, pt.Passes)
		if pt.Outer == 0 && math.Abs(pt.Last.Objective-math.Ln2) > 1e-12 {
			t.Errorf("objective at the origin is %v, want log 2", pt.Last.Objective)
		}
		if pt.Passes >= 8 {
			return stop
		}
		return nil
	})})
	if !errors.Is(err, stop) || res.Status != Stopped || !slices.Equal(passes, []float64{0, 4, 8}) {
		t.Errorf("recorder: %v, %v, passes %v", err, res.Status, passes)
	}
	if res.At.Objective >= math.Ln2 {
		t.Errorf("a stopped run returns objective %v", res.At.Objective)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if res, err := Minimize(ctx, p, nil); !errors.Is(err, context.Canceled) || res.Status != Stopped {
		t.Errorf("context: %v", err)
	}
	n := 0
	for pt, err := range Progress(context.Background(), p, nil) {
		if err != nil {
			t.Fatal(err)
		}
		if n++; pt.Outer == 3 {
			break
		}
	}
	if n != 4 {
		t.Errorf("Progress yielded %d records up to outer iteration 3", n)
	}
	for _, err := range Progress(context.Background(), p, &Settings{Eta: -1}) {
		if err == nil {
			t.Error("Progress hides a bad setting")
		}
	}
}

// TestWarmStart: from the solution, little remains to do.
func TestWarmStart(t *testing.T) {
	p := small(t)
	cold := mustMinimize(t, p, &Settings{Passes: 100})
	warm := mustMinimize(t, p, &Settings{Passes: 10, Start: cold.X})
	short := mustMinimize(t, p, &Settings{Passes: 10})
	if !(warm.At.Objective < short.At.Objective) {
		t.Errorf("warm start %v, cold start %v", warm.At.Objective, short.At.Objective)
	}
}

// TestStorage: exact forms change no bit; rounding is done when asked for.
func TestStorage(t *testing.T) {
	p := small(t)
	plain := mustMinimize(t, p, nil)
	if plain.Stats.Storage != "uint16 columns, float64 values" {
		t.Errorf("storage: %s", plain.Stats.Storage)
	}
	rounded := mustMinimize(t, p, &Settings{Float32: true})
	if rounded.Stats.Storage != "uint16 columns, float32 values" {
		t.Errorf("storage: %s", rounded.Stats.Storage)
	}
	if d := distance(plain.X, rounded.X); d == 0 || d > 1e-5 {
		t.Errorf("rounding the data moves x by %.1e", d)
	}
	n, cols := p.Data.Dims()
	var ones []sparse.Triplet
	for i := range n {
		idx, _ := p.Data.Row(i)
		for _, j := range idx {
			ones = append(ones, sparse.Triplet{Row: i, Col: int(j), Value: 1})
		}
	}
	binary, err := sparse.FromTriplets(n, cols, ones)
	if err != nil {
		t.Fatal(err)
	}
	p.Data = binary
	if res := mustMinimize(t, p, nil); res.Stats.Storage != "uint16 columns, all values 1" {
		t.Errorf("storage: %s", res.Stats.Storage)
	}
}

// TestSettingsJSON: settings survive a round trip.
func TestSettingsJSON(t *testing.T) {
	want := Settings{Method: SCAS, Passes: 7, Eta: 0.1, Rho: 3e-5, InnerSteps: 9, Schedule: Practical, Delta: 1.5, Seed: math.MaxUint64, RecordEvery: 2}
	b, err := json.Marshal(want)
	if err != nil {
		t.Fatal(err)
	}
	var got Settings
	if err := json.Unmarshal(b, &got); err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
}

// TestRounding checks zeros, ties, signed ties and contradictory ties.
func TestRounding(t *testing.T) {
	x := []float64{1, 1.1, -0.9, 0.001, 5, 6}
	zero := []bool{false, false, false, true, false, false}
	ties := []tie{{0, 1, 1}, {1, 2, -1}, {4, 5, 1}, {5, 4, -1}}
	got := withTies(x, zero, ties)
	want := []float64{1, 1, -1, 0, 0, 0}
	for j := range want {
		if math.Abs(got[j]-want[j]) > 1e-15 {
			t.Errorf("withTies = %v, want %v", got, want)
			break
		}
	}
	if got[0] != got[1] || got[0] != -got[2] {
		t.Error("tied coordinates are not exactly equal")
	}
	if z := withZeros(x, zero); z[3] != 0 || z[0] != 1 {
		t.Errorf("withZeros = %v", z)
	}
}

func TestZeroPenaltyAndEmptyRows(t *testing.T) {
	x, err := sparse.FromTriplets(4, 3, []sparse.Triplet{{Row: 0, Col: 0, Value: 1}, {Row: 2, Col: 0, Value: -1}})
	if err != nil {
		t.Fatal(err)
	}
	p := &Problem{Data: x, Labels: []float64{1, -1, 1, 1}}
	res := mustMinimize(t, p, nil)
	// Rows 0 and 2 pull the one coefficient apart; the others carry nothing.
	if math.Abs(res.X[0]) > 1e-6 || res.X[1] != 0 || res.X[2] != 0 {
		t.Errorf("x = %v, want zeros", res.X)
	}
	empty, err := sparse.FromTriplets(3, 2, nil)
	if err != nil {
		t.Fatal(err)
	}
	if res := mustMinimize(t, &Problem{Data: empty, Labels: []float64{1, -1, 1}, Penalty: L1{Lambda: 1}}, nil); sumSquares(res.X) != 0 {
		t.Errorf("x = %v without any data", res.X)
	}
}

// TestBallFloat32: the tracked norm is that of the rounded data.
func TestBallFloat32(t *testing.T) {
	p, _ := planted(t, sparse.SyntheticOptions{Rows: 100, Features: 200, NonzerosPerRow: 5, Noise: 1, Seed: 21}, 1e-3)
	p.Constraint, p.Domain = nil, Ball{0.3}
	n, cols := p.Data.Dims()
	var entries []sparse.Triplet
	for i := range n {
		idx, val := p.Data.Row(i)
		for k, j := range idx {
			entries = append(entries, sparse.Triplet{Row: i, Col: int(j), Value: float64(float32(val[k]))})
		}
	}
	rounded := *p
	var err error
	if rounded.Data, err = sparse.FromTriplets(n, cols, entries); err != nil {
		t.Fatal(err)
	}
	set := &Settings{Passes: 40, Float32: true}
	got := mustMinimize(t, p, set)
	set.Eta, set.Rho = got.Stats.Eta, got.Stats.Rho // the automatic ones look at the data as given
	got, want := mustMinimize(t, p, set), mustMinimize(t, &rounded, set)
	if !slices.Equal(got.XAverage, want.XAverage) {
		t.Errorf("rounding before or on request: averages %.1e apart", distance(got.XAverage, want.XAverage))
	}
}
