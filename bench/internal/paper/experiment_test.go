package paper

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/scas-admm/scas/solver"
	"github.com/scas-admm/scas/sparse"
	"github.com/scas-admm/scas/sparse/graph"
)

// tinySetup returns a protocol with all methods, and a small synthetic data set for it.
func tinySetup(t *testing.T) (Protocol, *Data) {
	t.Helper()
	d, err := sparse.NewSynthetic(sparse.SyntheticOptions{Rows: 240, Features: 15, Noise: 2, Seed: 3})
	if err != nil {
		t.Fatal(err)
	}
	s := Spec{Name: "tiny", Features: 15, Lambda: 1e-2, MakeGraph: chain, GraphText: "chain"}
	pr := QuickProtocol()
	pr.Splits, pr.SplitsOnHalf = 2, 1
	pr.Data, pr.TuneSamples, pr.Passes = []string{s.Name}, 60, 10
	data, err := s.Build(d.Dataset, File{Origin: "synthetic"})
	if err != nil {
		t.Fatal(err)
	}
	return pr, data
}

func chain(x *sparse.CSR) (*graph.Graph, error) {
	_, features := x.Dims()
	return graph.Chain(features), nil
}

// runExperiment runs a protocol with up to workers runs in parallel.
func runExperiment(t *testing.T, ctx context.Context, dir string, pr Protocol, d *Data, workers int) (*Experiment, error) {
	t.Helper()
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(workers))
	r, err := Open(dir, pr)
	if err != nil {
		t.Fatal(err)
	}
	e := &Experiment{Records: r, TimedSplits: 1, Machine: []string{"cpu: a test"}}
	if err := e.Run(ctx, d); err != nil {
		return nil, errors.Join(err, r.Save())
	}
	return e, r.Save()
}

func mustRead(t *testing.T, path string) []byte {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// TestSameTwice checks that pointsFile has the same bytes for any number of workers, and after an
// interruption. It also checks each run; see checkContents.
func TestSameTwice(t *testing.T) {
	pr, d := tinySetup(t)
	firstDir, secondDir := t.TempDir(), t.TempDir()
	e, err := runExperiment(t, t.Context(), firstDir, pr, d, 2)
	if err != nil {
		t.Fatal(err)
	}
	points := mustRead(t, filepath.Join(firstDir, pointsFile))

	// Cut the file within a line, as a crash can do, and continue the experiment.
	if err := os.WriteFile(filepath.Join(secondDir, pointsFile), points[:2*len(points)/3+7], 0o644); err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	stop()
	if _, err := runExperiment(t, ctx, secondDir, pr, d, 1); !errors.Is(err, context.Canceled) {
		t.Errorf("an interrupted experiment returns %v", err)
	}
	size := len(mustRead(t, filepath.Join(secondDir, pointsFile)))
	if size < len(points)/2 || size >= len(points) {
		t.Errorf("%d of %d bytes survive an interruption", size, len(points))
	}
	if _, err := runExperiment(t, t.Context(), secondDir, pr, d, 1); err != nil {
		t.Fatal(err)
	}
	if secondPoints := mustRead(t, filepath.Join(secondDir, pointsFile)); !bytes.Equal(points, secondPoints) {
		t.Errorf("%s differs between two runs: %d and %d bytes", pointsFile, len(points), len(secondPoints))
	}
	timings := mustRead(t, filepath.Join(secondDir, timingsFile))
	if bytes.Count(timings, []byte("cpu: a test")) != 1 {
		t.Errorf("the machine is not there once:\n%s", timings)
	}
	for split := range pr.Splits {
		for _, key := range slices.Concat(pr.Keys(d.Spec, split, Rules()...)...) {
			checkContents(t, e, key)
		}
	}
}

// TestOrder checks that the runs with the rule OnHalf are made after all other runs.
func TestOrder(t *testing.T) {
	pr, d := tinySetup(t)
	pr.Methods = []Method{solver.SCAS{}.Info().Name}
	r, err := Open(t.TempDir(), pr)
	if err != nil {
		t.Fatal(err)
	}
	e := &Experiment{Records: r}
	if err := e.Run(t.Context(), d); err != nil {
		t.Fatal(err)
	}
	halfRuns := 0
	for raw := range bytes.Lines(mustRead(t, filepath.Join(r.dir, pointsFile))) {
		var l line
		if err := json.Unmarshal(raw, &l); err != nil {
			t.Fatal(err)
		}
		switch {
		case l.Run == nil:
		case l.Run.Rule == OnHalf:
			halfRuns++
		case halfRuns > 0:
			t.Errorf("%v is run after %d runs with the rule %s", l.Run.Key, halfRuns, OnHalf)
		}
	}
	if halfRuns == 0 {
		t.Errorf("no run with the rule %s", OnHalf)
	}
}

// checkContents checks the points and the parameters of the run k. If k is a timed run (see
// Protocol.TimedKey), it also checks the timing.
func checkContents(t *testing.T, e *Experiment, k Key) {
	t.Helper()
	traits := e.Protocol.Traits(k.Method)
	u, o := e.Runs[k], e.Optima[Key{Data: "tiny", Mu: k.Mu, Split: k.Split}]
	if u == nil || u.Failed != "" || len(u.Points) < 2 {
		t.Fatalf("%v: no run: %+v", k, u)
	}
	if budgetEnd := u.BudgetEnd; (budgetEnd != nil) != traits.Info.PaperPass ||
		budgetEnd != nil &&
			(budgetEnd.Passes > e.Protocol.Passes || budgetEnd.Objective > u.Points[0].Objective ||
				budgetEnd.Objective < o.Objective-1e-12) {
		t.Errorf("%v: within the budget %+v", k, budgetEnd)
	}
	first, last := u.Points[0], u.Points[len(u.Points)-1]
	if !(last.Objective < first.Objective) || last.Objective < o.Objective-1e-12 {
		t.Errorf("%v: objective from %g to %g, optimum %g", k, first.Objective, last.Objective, o.Objective)
	}
	if first.Test != 0.6931471806 || !(last.Test > 0) || last.Test == first.Test {
		t.Errorf("%v: test loss from %g to %g", k, first.Test, last.Test)
	}
	if (k.Rule == Automatic) != (u.Step == 0) {
		t.Errorf("%v: chosen %+v", k, u.Tuned)
	}
	if k != e.Protocol.TimedKey(k) || k.Split > 0 {
		return
	}
	x := e.Timings[k]
	if x == nil || !(x.PerPass > 0) || x.Bytes == 0 || len(x.Seconds) != len(x.Passes) {
		t.Fatalf("%v: timing %+v", k, x)
	}
	if rotated := strings.HasPrefix(x.Plan, "rotated"); rotated != (x.Unrotated != nil) ||
		rotated && (x.Unrotated.Plan == x.Plan || x.Unrotated.Bytes >= x.Bytes) {
		t.Errorf("%v: %s takes %g bytes, without rotation %+v", k, x.Plan, x.Bytes, x.Unrotated)
	}
}

// ownSCAS is a method of a caller, which the solver does not have.
type ownSCAS struct{ solver.SCAS }

func (m ownSCAS) Info() solver.MethodInfo {
	info := m.SCAS.Info()
	info.Name = "own"
	return info
}

// TestOwnMethod checks that a method from outside the solver is tuned, run and recorded.
func TestOwnMethod(t *testing.T) {
	pr, d := tinySetup(t)
	pr.Methods, pr.Splits = []Method{"stoc"}, 1
	pr.AddMethods(ownSCAS{})
	dir := t.TempDir()
	e, err := runExperiment(t, t.Context(), dir, pr, d, 1)
	if err != nil {
		t.Fatal(err)
	}
	for _, rule := range []Rule{Sampled, Automatic} {
		u := e.Runs[Key{"tiny", 0, "own", 0, rule, Last}]
		if u == nil || u.Failed != "" || len(u.Points) < 2 {
			t.Errorf("rule %s: %+v", rule, u)
		}
	}
	records, err := OpenAny(dir)
	if err != nil {
		t.Fatal(err)
	}
	if m := records.Methods(); len(m) != 2 || m[1].Info.Name != "own" {
		t.Errorf("reopened: %v", m)
	}
}
