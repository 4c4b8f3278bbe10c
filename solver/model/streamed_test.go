package model

import (
	"context"
	"errors"
	"math"
	"path/filepath"
	"strings"
	"testing"

	"github.com/scas-admm/scas/solver"
	"github.com/scas-admm/scas/solver/stream"
	"github.com/scas-admm/scas/sparse"
	"github.com/scas-admm/scas/sparse/graph"
)

// mapped writes data to a file and maps it, as if it were larger than memory.
func mapped(t *testing.T, opt sparse.SyntheticOptions) (whole, back *sparse.Dataset) {
	t.Helper()
	made, err := sparse.NewSynthetic(opt)
	if err != nil {
		t.Fatal(err)
	}
	whole = &sparse.Dataset{X: made.X, Labels: made.Labels}
	path := filepath.Join(t.TempDir(), "d.scas")
	if err := sparse.WriteFile(path, whole); err != nil {
		t.Fatal(err)
	}
	if back, err = sparse.ReadFile(path, &sparse.ReadOptions{Regression: opt.Regression, Memory: 1 << 16, Beyond: true}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { back.Close() })
	if !back.X.Mapped() {
		t.Skip("this system maps no files")
	}
	return whole, back
}

// streamedSpecs are fits that are streamed, with the data that they are for.
func streamedSpecs(n, p int) map[string]struct {
	regression bool
	spec       Spec
} {
	weights, offsets, factors := make([]float64, n), make([]float64, n), make([]float64, p)
	for i := range weights {
		weights[i], offsets[i] = float64(i%3), float64(i%5)/2-1
	}
	for j := range factors {
		factors[j] = float64(j % 3)
	}
	type c = struct {
		regression bool
		spec       Spec
	}
	return map[string]c{
		"lasso":                   {false, Spec{Lambda: 2e-3}},
		"as they are":             {false, Spec{Lambda: 2e-3, Standardize: StandardizeOff}},
		"no intercept":            {false, Spec{Lambda: 2e-3, NoIntercept: true}},
		"elastic net":             {false, Spec{Lambda: 5e-3, Penalty: ElasticNet{0.5}}},
		"ridge":                   {false, Spec{Lambda: 1e-2, Penalty: ElasticNet{0}}},
		"weights":                 {false, Spec{Lambda: 2e-3, SampleWeights: weights}},
		"balanced":                {false, Spec{Lambda: 2e-3, Balanced: true}},
		"offsets":                 {false, Spec{Lambda: 2e-3, Offsets: offsets}},
		"factors":                 {false, Spec{Lambda: 2e-3, PenaltyFactors: factors}},
		"squared hinge":           {false, Spec{Lambda: 5e-3, Loss: solver.SquaredHinge{}}},
		"squared":                 {true, Spec{Lambda: 2e-2, Loss: solver.Squared{}, Offsets: offsets}},
		"huber":                   {true, Spec{Lambda: 2e-2, Loss: solver.Huber{Delta: 1.35}}},
		"graph":                   {false, Spec{Lambda: 1e-3, Graph: graph.Chain(p)}},
		"graph, deviations":       {false, Spec{Lambda: 1e-3, Graph: graph.Chain(p), Standardize: StandardizeOn, Fusion: 2}},
		"graph, net":              {false, Spec{Lambda: 1e-3, Graph: graph.Chain(p), Penalty: ElasticNet{0.7}, NoIntercept: true}},
		"graph, squared, offsets": {true, Spec{Lambda: 1e-2, Graph: graph.Chain(p), Loss: solver.Squared{}, Offsets: offsets}},
	}
}

// TestStreamed: fits to data that are gone through in pieces come to the objective of those
// in memory, and say how far from the optimum they are.
func TestStreamed(t *testing.T) {
	const n, p = 40000, 24
	opt := sparse.SyntheticOptions{Rows: n, Features: p, NonzerosPerRow: 9, Noise: 1, Seed: 1}
	whole, back := mapped(t, opt)
	opt.Regression = true
	numbers, backNumbers := mapped(t, opt)
	for name, c := range streamedSpecs(n, p) {
		t.Run(name, func(t *testing.T) {
			in, out := whole, back
			if c.regression {
				in, out = numbers, backNumbers
			}
			c0 := c.spec
			best := c.spec
			best.RelTol = 1e-10
			want, err := Fit(context.Background(), &best, in.X, in.Labels)
			if err != nil {
				t.Fatal(err)
			}
			spec := c.spec
			spec.Memory = 2 << 20
			m, err := Fit(context.Background(), &spec, out.X, out.Labels)
			if err != nil {
				t.Fatal(err)
			}
			c, w := m.Certificate, want.Certificate
			real := naive(&c0, in.X, in.Labels, m.Coefficients, m.Intercept)
			zero := naive(&c0, in.X, in.Labels, make([]float64, p), 0)
			t.Logf("objective %v, gap %.1e, off by %.1e; %v passes, %d steps", c.Objective, c.Gap, real-w.Objective, m.Run.Passes, m.Run.NewtonSteps)
			if math.Abs(real-c.Objective) > 1e-11*zero || real-w.Objective > c.Gap || w.Objective-real > w.Gap+1e-11*zero || c.Gap > 1e-6*zero || c.Status != solver.Converged {
				t.Errorf("objective %v, said to be %v with a gap of %v, in memory %v with %v", real, c.Objective, c.Gap, w.Objective, w.Gap)
			}
			spec.Threads = 3
			again, err := Fit(context.Background(), &spec, out.X, out.Labels)
			if err != nil || again.Intercept != m.Intercept || again.Certificate != m.Certificate {
				t.Errorf("other bits with other threads, %v", err)
			}
		})
	}
}

// TestStreamedPath: so do paths, from the same lambda on.
func TestStreamedPath(t *testing.T) {
	const n, p = 40000, 24
	opt := sparse.SyntheticOptions{Rows: n, Features: p, NonzerosPerRow: 9, Noise: 1, Seed: 1}
	whole, back := mapped(t, opt)
	opt.Regression = true
	numbers, backNumbers := mapped(t, opt)
	for name, c := range streamedSpecs(n, p) {
		t.Run(name, func(t *testing.T) {
			in, out := whole, back
			if c.regression {
				in, out = numbers, backNumbers
			}
			set := &PathSettings{Count: 6, Ratio: 1e-2}
			best := c.spec
			best.RelTol = 1e-9
			want, err := FitPath(context.Background(), &best, in.X, in.Labels, set)
			if err != nil {
				t.Fatal(err)
			}
			spec := c.spec
			spec.Memory = 2 << 20
			steps, err := FitPath(context.Background(), &spec, out.X, out.Labels, set)
			if err != nil {
				t.Fatal(err)
			}
			for k, s := range steps {
				if math.Abs(s.Lambda-want[k].Lambda) > 1e-8*s.Lambda {
					t.Errorf("lambda %v, in memory %v", s.Lambda, want[k].Lambda)
				}
				m, w := s.Certificate, want[k].Certificate
				t.Logf("%.4g: gap %.1e, off by %.1e; %v passes", s.Lambda, m.Gap, m.Objective-w.Objective, s.run.Passes)
				if off := m.Objective - w.Objective; math.Abs(off) > m.Gap+w.Gap+1e-8*w.Objective || m.Status != solver.Converged {
					t.Errorf("lambda %v: objective %v with a gap of %v, in memory %v", s.Lambda, m.Objective, m.Gap, w.Objective)
				}
			}
		})
	}
}

// TestStreamedRefuses: what is not streamed is refused with a reason.
func TestStreamedRefuses(t *testing.T) {
	whole, back := mapped(t, sparse.SyntheticOptions{Rows: 3000, Features: 20, Noise: 1, Seed: 1})
	labels := append([]float64(nil), back.Labels...)
	labels[7] = 3
	positive := -1.0
	for want, c := range map[string]struct {
		x    *sparse.CSR
		y    []float64
		spec Spec
		not  bool // of ErrNotStreamed
	}{
		"data that are mapped":     {whole.X, whole.Labels, Spec{}, true},
		"label 3 of row 7":         {back.X, labels, Spec{}, true},
		"labels of data larger":    {back.X, back.Labels, Spec{Positive: &positive}, true},
		"Memory = -1":              {back.X, back.Labels, Spec{Settings: Settings{Memory: -1}}, true},
		"fits have no Method":      {back.X, back.Labels, Spec{Settings: Settings{Method: solver.SCASK{}}}, false},
		"a GroupLasso":             {back.X, back.Labels, Spec{Penalty: GroupLasso{}}, false},
		"for features as they are": {back.X, back.Labels, Spec{Graph: graph.Chain(20), Penalty: ElasticNet{0.5}, NoIntercept: true, Standardize: StandardizeOn}, false},
	} {
		if c.spec.Memory == 0 {
			c.spec.Memory = 1 << 20
		}
		m, err := Fit(context.Background(), &c.spec, c.x, c.y)
		if m != nil || err == nil || !strings.Contains(err.Error(), want) || errors.Is(err, stream.ErrNotStreamed) == c.not {
			t.Errorf("%v; want %q", err, want)
		}
	}
}
