package race

import (
	"math"
	"path/filepath"
	"strings"
	"testing"

	"github.com/scas-admm/scas/solver"
	"github.com/scas-admm/scas/sparse"
)

// TestDivergence checks that the divergence of a run is not an error of curveOf, and that the table shows it.
// A bad setting must be an error of curveOf.
func TestDivergence(t *testing.T) {
	d, err := sparse.NewSynthetic(sparse.SyntheticOptions{Rows: 200, Features: 20, Seed: 1, Noise: 1})
	if err != nil {
		t.Fatal(err)
	}
	p := &solver.Problem{Data: d.X, Labels: d.Labels, Penalty: solver.L1{Lambda: 1e-2}}
	c := &Converge{Passes: 20, Eta: 1e6}
	result, err := c.curveOf(t.Context(), p, solver.SCAS{})
	if err != nil || result.err == nil || len(result.points) == 0 {
		t.Fatalf("%+v, %v", result, err)
	}
	if text := table([]*curve{result}, 0); !strings.Contains(text, result.err.Error()) {
		t.Errorf("the table hides it:\n%s", text)
	}
	c.Passes = -1
	_, err = c.curveOf(t.Context(), p, solver.SCAS{})
	if err == nil {
		t.Error("a bad setting is not an error")
	}
}

func TestBest(t *testing.T) {
	point := func(last, average float64) solver.Point {
		return solver.Point{Last: solver.Evaluation{Objective: last}, Average: solver.Evaluation{Objective: average}}
	}
	curves := []*curve{
		{points: []solver.Point{point(math.NaN(), 5), point(3, 4)}},
		{points: []solver.Point{point(7, math.NaN())}},
	}
	if got := lowestObjective(curves); got != 3 {
		t.Errorf("best is %g, want 3", got)
	}
}

// TestLeftOut checks that converge without --method leaves out methods that do not take the settings, and
// names them.
func TestLeftOut(t *testing.T) {
	d, err := sparse.NewSynthetic(sparse.SyntheticOptions{Rows: 100, Features: 20, Seed: 1, Noise: 1})
	if err != nil {
		t.Fatal(err)
	}
	data := filepath.Join(t.TempDir(), "train.svm")
	if err := sparse.WriteFile(data, d.Dataset); err != nil {
		t.Fatal(err)
	}
	var stdout, stderr strings.Builder
	args := []string{"converge", "--passes=2", "--eta=0.01", data}
	if err := Run(&Env{Ctx: t.Context(), Args: args, Stdout: &stdout, Stderr: &stderr}); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"left out: sdca: ", "left out: svrg-restart: "} {
		if !strings.Contains(stderr.String(), want) {
			t.Errorf("standard error lacks %q:\n%s", want, stderr.String())
		}
	}
	if !strings.Contains(stdout.String(), "scas-k") {
		t.Errorf("scas-k was not run:\n%s", stdout.String())
	}
}
