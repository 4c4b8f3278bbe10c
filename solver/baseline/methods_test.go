package baseline_test

import (
	"context"
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/scas-admm/scas/kernels"
	"github.com/scas-admm/scas/solver"
	"github.com/scas-admm/scas/solver/baseline"
	"github.com/scas-admm/scas/solver/internal/solvertest"
	"github.com/scas-admm/scas/sparse"
)

// baselines returns the methods that package solver does not have.
func baselines() []solver.Method {
	return baseline.Methods()[len(solver.Methods()):]
}

// TestMethodsConverge checks the objective minus the optimum of every method that only package baseline has,
// after 300 passes with automatic settings. For noisyMethods it takes the objective at the average of the
// iterates. For mu > 0, Result.DualityGap must be at least the objective at X minus the optimum.
func TestMethodsConverge(t *testing.T) {
	type maxGaps struct{ general, strong float64 }
	exactGaps := maxGaps{1e-12, 1e-13}
	maxGapsOf := map[solver.Method]maxGaps{
		baseline.STOC{}: {1e-3, 4e-4}, baseline.OPG{}: {1e-3, 4e-4}, baseline.OADM{}: {2e-3, 4e-4},
		baseline.RDA{}: {5e-3, 2e-3}, baseline.OS1{}: {0, 5e-4}, baseline.OS2{}: {2e-3, 1e-3},
		baseline.SVRG{}: exactGaps, baseline.PDFP{}: exactGaps, baseline.SVRPDHG{}: exactGaps,
		baseline.SA{}: exactGaps, baseline.SAIU{}: exactGaps, baseline.SAG{}: exactGaps,
		baseline.SAGIU{}: exactGaps, baseline.SDCA{}: exactGaps,
		baseline.ASVRG{}: {5e-6, 1e-13}, baseline.ASVRPDHG{}: {5e-6, 1e-13}, baseline.AccSADMM{}: {2e-4, 2e-7},
		baseline.SVRGRestart{}: {0, 1e-9}, baseline.Batch{}: {2e-4, 4e-6}, baseline.BatchCG{}: {2e-5, 1e-6},
		baseline.BatchLinear{}: {1e-12, 1e-13}, baseline.BatchUzawa{}: {1e-10, 1e-13},
	}
	noisyMethods := []solver.Method{
		baseline.STOC{}, baseline.OPG{}, baseline.OADM{}, baseline.RDA{}, baseline.OS1{}, baseline.OS2{},
	}
	for _, mu := range []float64{0, 0.05} {
		p := solvertest.ChainProblem(t, mu)
		optimum := solvertest.Minimize(t, p, &solver.Settings{RelTol: 1e-13}).At.Objective
		for _, m := range baselines() {
			info := m.Info()
			w, ok := maxGapsOf[m]
			if !ok {
				t.Errorf("%s: no accuracy is stated", info.Name)
				continue
			}
			maxGap := w.general
			if mu > 0 {
				maxGap = w.strong
			} else if info.NeedsL2 {
				continue
			}
			res := solvertest.Minimize(t, p, &solver.Settings{Method: m, Passes: 300, Seed: 3})
			got := res.At.Objective
			if slices.Contains(noisyMethods, m) {
				got = res.AtAverage.Objective
			}
			t.Logf("mu = %v, %s: gap %.1e, wanted %.1e", mu, info.Name, got-optimum, maxGap)
			if gap := got - optimum; !(gap < maxGap) || gap < -1e-12 {
				t.Errorf("mu = %v, %s: gap %.2e, want at most %.0e", mu, info.Name, gap, maxGap)
			}
			if res.Stats.Passes > 300*(1+1e-12) {
				t.Errorf("%s used %v of 300 passes", info.Name, res.Stats.Passes)
			}
			if mu > 0 && res.DualityGap < p.Evaluate(res.X).Objective-optimum-1e-12 {
				t.Errorf("mu = %v, %s: duality gap %.2e below the true gap", mu, info.Name, res.DualityGap)
			}
		}
	}
}

// TestMethodsOnOtherProblems starts every method at a point other than 0. At the end, the gap of
// the last iterate or the gap of the average must be below 5 % of the gap at the start.
func TestMethodsOnOtherProblems(t *testing.T) {
	regressionProblem, _ := solvertest.PlantedProblem(t,
		sparse.SyntheticOptions{Rows: 150, Features: 15, Noise: 1, Seed: 9, Regression: true}, 1e-2)
	identityProblem := solvertest.ChainProblem(t, 0.1)
	identityProblem.Constraint = nil
	weightedProblem := solvertest.ChainProblem(t, 0.1)
	l, _ := weightedProblem.Constraint.Dims()
	weights := make([]float64, l)
	for j := range weights {
		weights[j] = float64(j % 3)
	}
	weightedProblem.Penalty = solver.L1{Lambda: 1e-2, Weights: weights}
	operatorProblem := solvertest.ChainProblem(t, 0.1)
	operatorProblem.Constraint = solvertest.JustAnOperator{Operator: operatorProblem.Constraint}
	start := slices.Repeat([]float64{0.3}, 15)
	for name, p := range map[string]*solver.Problem{
		"regression": regressionProblem, "identity": identityProblem, "weights": weightedProblem,
		"operator": operatorProblem,
	} {
		optimum := solvertest.Minimize(t, p, &solver.Settings{RelTol: 1e-12}).At.Objective
		for _, m := range baselines() {
			info := m.Info()
			if info.NeedsL2 && p.L2 == 0 {
				continue
			}
			res := solvertest.Minimize(t, p, &solver.Settings{Method: m, Passes: 120, Start: solver.Iterate{X: start}})
			startObjective := p.Evaluate(start).Objective
			if gap := min(res.At.Objective, res.AtAverage.Objective) - optimum; !(gap < 0.05*(startObjective-optimum)) || gap < -1e-9 {
				t.Errorf("%s, %s: gap %.2e after %.2e at the start",
					name, info.Name, gap, startObjective-optimum)
			}
		}
	}
}

// TestOneColumn runs methods on the squared loss and one column of ones. Then ν_f is the Lipschitz constant
// of the gradient of the mean loss, so longer steps than in theory do not converge. With the labels' mean 1
// the solution is not 0. With the mean 0 it is 0, and the multiplier stays below its limit.
func TestOneColumn(t *testing.T) {
	const n = 400
	x, err := sparse.FromDense(n, 1, slices.Repeat([]float64{1}, n))
	if err != nil {
		t.Fatal(err)
	}
	for _, mean := range []float64{0, 1} {
		p := &solver.Problem{Data: x, Labels: make([]float64, n), Loss: solver.Squared{}, Penalty: solver.L1{Lambda: 0.1}}
		for i := range p.Labels {
			p.Labels[i] = mean + math.Sin(float64(i))
		}
		optimum := solvertest.Minimize(t, p, &solver.Settings{RelTol: 1e-13}).At.Objective
		for m, maxGap := range map[solver.Method]float64{
			baseline.SVRG{}: 1e-12, baseline.PDFP{}: 1e-12, baseline.SVRPDHG{}: 1e-12,
			baseline.ASVRPDHG{}: 1e-4,
		} {
			res := solvertest.Minimize(t, p, &solver.Settings{Method: m, Passes: 50})
			if gap := res.At.Objective - optimum; !(gap < maxGap) || res.Stats.StepHalvings > 0 {
				t.Errorf("mean %v, %s: gap %.1e after %d halvings, want %.0e",
					mean, m.Info().Name, gap, res.Stats.StepHalvings, maxGap)
			}
		}
	}
}

// TestOuterIterationsOfOADM checks that the step sizes of OADM depend on the samples that both limits allow.
func TestOuterIterationsOfOADM(t *testing.T) {
	p := solvertest.ChainProblem(t, 0)
	x := solvertest.Minimize(t, p, &solver.Settings{Method: baseline.OADM{}, Passes: 5}).X
	if !slices.Equal(x, solvertest.Minimize(t, p, &solver.Settings{Method: baseline.OADM{}, OuterIterations: 5}).X) {
		t.Error("5 outer iterations differ from 5 passes")
	}
}

// cancellingOperator calls cancel in the given call of MulVec.
type cancellingOperator struct {
	solver.Operator
	cancel       func()
	calls, limit int
}

func (c *cancellingOperator) MulVec(dst, x []float64) {
	c.calls++
	if c.calls == c.limit {
		c.cancel()
	}
	c.Operator.MulVec(dst, x)
}

// TestCancellationWithConjugateGradients cancels runs whose steps are long, because conjugate gradients solve
// their linear systems. A run must end after a few more products with A.
func TestCancellationWithConjugateGradients(t *testing.T) {
	const n, features = 60, 30
	dense := make([]float64, 0, n*features)
	for i := range n { // powers of a number: H is nearly singular, so conjugate gradients need many products
		v := 1.0
		for range features {
			dense = append(dense, v)
			v *= float64(i+1) / n
		}
	}
	x, err := sparse.FromDense(n, features, dense)
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range []solver.Method{baseline.STOC{}, baseline.OS2{}, baseline.OADM{}, baseline.SA{}, baseline.BatchCG{}} {
		ctx, cancel := context.WithCancel(context.Background())
		defer cancel()
		a := &cancellingOperator{Operator: sparse.Identity(features), cancel: cancel}
		p := &solver.Problem{
			Data: x, Loss: solver.Squared{}, Constraint: a, Penalty: solver.L1{Lambda: 1e-6},
			Labels: make([]float64, n),
		}
		for i := range p.Labels {
			p.Labels[i] = math.Sin(float64(i))
		}
		counter := solver.RecorderFunc(func(*solver.Point) error {
			if a.limit == 0 { // the run begins
				a.limit = a.calls + 60
			}
			return nil
		})
		_, err := solver.Minimize(ctx, p, &solver.Settings{Method: m, Passes: 5000, Recorder: counter, NoProof: true})
		t.Logf("%s: %d products", m.Info().Name, a.calls-a.limit)
		if late := a.calls - a.limit; !errors.Is(err, context.Canceled) || late < 0 || late > 20 {
			t.Errorf("%s: %d products with A after the cancellation, %v", m.Info().Name, late, err)
		}
	}
}

// TestDualBounds checks methods whose steps update x, y and beta in this order. At the end |beta| must be
// at most lambda, and where y is not zero, beta must be lambda with the sign of y.
func TestDualBounds(t *testing.T) {
	p := solvertest.ChainProblem(t, 0.05)
	for _, m := range []solver.Method{
		(baseline.STOC{}), (baseline.OPG{}), (baseline.RDA{}), (baseline.OADM{}), (baseline.OS1{}),
		(baseline.OS2{}), (baseline.SA{}), (baseline.SAIU{}), (baseline.SAG{}), (baseline.SAGIU{}),
		(baseline.Batch{}), (baseline.BatchCG{}), (baseline.BatchLinear{}), (baseline.BatchUzawa{}),
	} {
		s := &solver.Settings{Method: m, Passes: 60}
		res := solvertest.Minimize(t, p, s)
		nonzeros := 0
		for j, b := range res.Dual {
			if math.Abs(b) > 1e-2 {
				t.Errorf("%T: beta[%d] = %v exceeds lambda", m, j, b)
			}
			if y := res.Y[j]; y != 0 && b != math.Copysign(1e-2, y) {
				t.Errorf("%T: y[%d] = %v, but beta is %v", m, j, y, b)
			} else if y != 0 {
				nonzeros++
			}
		}
		if nonzeros == 0 {
			t.Errorf("%T: y is zero", m)
		}
	}
}

// TestMethodsAreDeterministic checks that x does not depend on the number of threads. It must depend on the
// seed, unless the method uses all samples in each step.
func TestMethodsAreDeterministic(t *testing.T) {
	p := solvertest.ChainProblem(t, 0.05)
	for _, m := range baselines() {
		info := m.Info()
		run := func(seed uint64, threads int) []float64 {
			return solvertest.Minimize(t, p, &solver.Settings{Method: m, Passes: 40, Seed: seed, Threads: threads}).X
		}
		x := run(1, 1)
		if !slices.Equal(x, run(1, 3)) {
			t.Errorf("%s: the same seed gives other bits", info.Name)
		}
		allSamples := info.AllSamples
		if slices.Equal(x, run(2, 1)) != allSamples {
			t.Errorf("%s: another seed gives the same iterates: %v", info.Name, !allSamples)
		}
	}
}

// TestMethodsStop checks that methods stop during the first outer iteration if the context is cancelled.
func TestMethodsStop(t *testing.T) {
	p, _ := solvertest.PlantedProblem(t, sparse.SyntheticOptions{Rows: 3000, Features: 15, Noise: 1, Seed: 7}, 1e-2)
	p.L2 = 0.05
	for _, m := range baselines() {
		info := m.Info()
		ctx, cancel := context.WithCancel(t.Context())
		s := &solver.Settings{
			Method: m, Passes: 1000,
			Recorder: solver.RecorderFunc(func(*solver.Point) error { cancel(); return nil }),
		}
		res, err := solver.Minimize(ctx, p, s)
		if !errors.Is(err, context.Canceled) || res.Status != solver.Stopped || res.Stats.OuterIterations > 0 {
			t.Errorf("%s: %v, status %v after %d outer iterations", info.Name, err, res.Status, res.Stats.OuterIterations)
		}
	}
}

// TestStopWithinStage stops runs within their fourth outer iteration. The result must be the iterate after
// the third one.
func TestStopWithinStage(t *testing.T) {
	p, _ := solvertest.PlantedProblem(t, sparse.SyntheticOptions{Rows: 3000, Features: 15, Noise: 1, Seed: 7}, 1e-2)
	p.L2 = 0.05
	for _, m := range []solver.Method{
		baseline.SVRG{}, baseline.SVRGRestart{}, baseline.ASVRG{}, baseline.PDFP{}, baseline.SVRPDHG{},
		baseline.ASVRPDHG{}, baseline.AccSADMM{}, baseline.SDCA{},
	} {
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		a := &cancellingOperator{Operator: sparse.Identity(15), cancel: cancel}
		p.Constraint = a
		want := solvertest.Minimize(t, p, &solver.Settings{Method: m, OuterIterations: 3})
		recorder := solver.RecorderFunc(func(point *solver.Point) error {
			if point.Outer == 3 {
				a.limit = a.calls + 100
			}
			return nil
		})
		got, err := solver.Minimize(ctx, p, &solver.Settings{Method: m, Recorder: recorder})
		if !errors.Is(err, context.Canceled) || a.limit == 0 {
			t.Errorf("%s: %v", m.Info().Name, err)
		}
		if !slices.Equal(got.X, want.X) || !slices.Equal(got.Y, want.Y) || !slices.Equal(got.Dual, want.Dual) {
			t.Errorf("%s: x, y and beta are not those of one iterate: |A x - y| is %.1e, and %.1e after the last outer iteration",
				m.Info().Name, got.PrimalResidual, want.PrimalResidual)
		}
	}
}

// TestMethodsDiverge checks that a step size that is far too large gives a finite result, and an error that
// proposes a smaller step size.
func TestMethodsDiverge(t *testing.T) {
	p, _ := solvertest.PlantedProblem(t,
		sparse.SyntheticOptions{Rows: 200, Features: 15, Noise: 1, Seed: 7, Regression: true}, 1e-2)
	for _, m := range baselines() {
		info := m.Info()
		// The implicit steps of OADM do not diverge. The other excluded methods need mu > 0, or have no eta.
		if info.NeedsL2 || !info.TakesEta || m == (baseline.OADM{}) {
			continue
		}
		s := &solver.Settings{Method: m, Passes: 200, Eta: 1e5}
		res, err := solver.Minimize(t.Context(), p, s)
		var diverged *solver.DivergenceError
		if !errors.As(err, &diverged) {
			t.Errorf("%s with eta = 1e5: error %v", info.Name, err)
			continue
		}
		if !(diverged.Try < 1e5) || res.Status != solver.Diverged || math.IsNaN(kernels.Dot(res.X, res.X)) ||
			math.IsInf(kernels.Dot(res.X, res.X), 0) {
			t.Errorf("%s: try %v, status %v, |x|^2 = %v", info.Name, diverged.Try, res.Status, kernels.Dot(res.X, res.X))
		}
	}
}

// TestLastIterateIsJudged checks runs with an extreme eta or rho. The objective of the result must be at
// most ten times the objective at the start, and the error of a diverged run must say what to change. The
// loss is logistic, so that iterates can move far away without overflow.
func TestLastIterateIsJudged(t *testing.T) {
	divergedRuns := 0
	for _, lambda := range []float64{0, 1e-6, 1e-2} {
		p := solvertest.ChainProblem(t, 0.05)
		p.Penalty = solver.L1{Lambda: lambda}
		if lambda == 0 {
			p.L2 = 0
		}
		for _, m := range baselines() {
			info := m.Info()
			if info.NeedsL2 && p.L2 == 0 {
				continue
			}
			s := &solver.Settings{Method: m, Passes: 20}
			if info.TakesEta {
				s.Eta = 1e9
			} else {
				s.Rho = 1e-9
			}
			res, err := solver.Minimize(t.Context(), p, s)
			startObjective := p.Evaluate(make([]float64, 15)).Objective
			if !(res.At.Objective <= 10*startObjective) {
				t.Errorf("lambda = %v, %s ends at %v after %v: %v", lambda, info.Name, res.At.Objective, startObjective, err)
			}
			var diverged *solver.DivergenceError
			if !errors.As(err, &diverged) {
				if err != nil {
					t.Errorf("lambda = %v, %s: %v", lambda, info.Name, err)
				}
				continue
			}
			divergedRuns++
			remedy := "try eta"
			if !info.TakesEta {
				remedy = "try another rho"
			}
			if !strings.Contains(err.Error(), remedy) || res.Status != solver.Diverged || diverged.Start != startObjective {
				t.Errorf("lambda = %v, %s: %v, status %v", lambda, info.Name, err, res.Status)
			}
			if info.TakesEta {
				retry := solvertest.Minimize(t, p, &solver.Settings{Method: m, Passes: 20, Eta: diverged.Try})
				if !(retry.At.Objective < startObjective) {
					t.Errorf("lambda = %v, %s: with the proposed eta = %v the objective is %v",
						lambda, info.Name, diverged.Try, retry.At.Objective)
				}
			}
		}
	}
	if divergedRuns < 20 {
		t.Errorf("only %d runs diverged", divergedRuns)
	}
}

func TestMethodsRefuse(t *testing.T) {
	for _, c := range []struct {
		method  solver.Method
		message string
		change  func(*solver.Problem, *solver.Settings)
	}{
		{
			baseline.STOC{}, "a penalty L1",
			func(p *solver.Problem, _ *solver.Settings) { p.Penalty = solver.ElasticNet{L1: 1, L2: 1} },
		},
		{
			baseline.SVRG{}, "set Problem.Domain to nil",
			func(p *solver.Problem, _ *solver.Settings) { p.Domain = solver.Ball{Radius: 1} },
		},
		{baseline.SA{}, "set Problem.Coupling to nil", func(p *solver.Problem, _ *solver.Settings) {
			p.Coupling = &solver.Coupling{C: make([]float64, 15)}
			p.Constraint = nil
		}},
		{baseline.Batch{}, "equal sample weights", func(p *solver.Problem, _ *solver.Settings) {
			p.SampleWeights = append(make([]float64, len(p.Labels)-1), 2)
		}},
		{baseline.OS1{}, "set Problem.L2 to a number above 0", func(*solver.Problem, *solver.Settings) {}},
		{baseline.STOC{}, "method stoc has none", func(_ *solver.Problem, s *solver.Settings) { s.InnerSteps = 50 }},
		{baseline.STOC{}, "one sample at a time", func(_ *solver.Problem, s *solver.Settings) { s.BatchSize = 5 }},
		{baseline.Batch{}, "takes all samples", func(_ *solver.Problem, s *solver.Settings) { s.BatchSize = 5 }},
		{baseline.BatchLinear{}, "takes all samples", func(_ *solver.Problem, s *solver.Settings) { s.BatchSize = 5 }},
		{baseline.Batch{}, "method batch has no step size", func(_ *solver.Problem, s *solver.Settings) { s.Eta = 0.1 }},
		{baseline.SDCA{}, "method sdca has no step size", func(_ *solver.Problem, s *solver.Settings) { s.Eta = 0.1 }},
		{baseline.SVRG{}, "set Settings.Method to scas-k", func(_ *solver.Problem, s *solver.Settings) { s.DualUpdates = 2 }},
		{
			baseline.RDA{}, "no theorem covers method rda",
			func(_ *solver.Problem, s *solver.Settings) { s.Schedule = solver.Theorem },
		},
		{baseline.PDFP{}, "at most 1/(eta lambda_1)", func(_ *solver.Problem, s *solver.Settings) { s.Eta, s.Rho = 0.1, 100 }},
		{
			baseline.STOC{}, "one outer iteration costs 1 pass here",
			func(_ *solver.Problem, s *solver.Settings) { s.Passes = 0.5 },
		},
		{
			baseline.SVRG{}, "one outer iteration costs 0.25 passes",
			func(_ *solver.Problem, s *solver.Settings) { s.Passes = 0.1 },
		},
		{baseline.AccSADMM{}, "one outer iteration costs", func(_ *solver.Problem, s *solver.Settings) { s.BatchSize = 4e18 }},
		{
			baseline.SA{}, "9.3 GiB here (at most 8); set Settings.Method to sag or sag-iu",
			func(p *solver.Problem, _ *solver.Settings) { *p = *hugeProblem(t) },
		},
		{
			baseline.SAIU{}, "set Settings.Method to sag or sag-iu",
			func(p *solver.Problem, _ *solver.Settings) { *p = *hugeProblem(t) },
		},
	} {
		p := solvertest.ChainProblem(t, 0)
		s := &solver.Settings{Method: c.method}
		c.change(p, s)
		var bad *solver.SettingError
		if _, err := solver.Minimize(t.Context(), p, s); !errors.As(err, &bad) || !strings.Contains(err.Error(), c.message) {
			t.Errorf("%T: %v, want an error that says %q", c.method, err, c.message)
		}
	}
}

// hugeProblem returns a problem for which the iterates that SA-ADMM stores would take too much memory.
func hugeProblem(t *testing.T) *solver.Problem {
	const rows, cols = 25000, 50000
	labels := make([]float64, rows)
	for i := range labels {
		labels[i] = float64(2*(i%2) - 1)
	}
	ptr := make([]int64, rows+1)
	for i := range ptr[1:] {
		ptr[i+1] = 2 * int64(i+1)
	}
	idx, val := make([]int32, cols), make([]float64, cols)
	for j := range idx {
		idx[j], val[j] = int32(j), 1
	}
	x, err := sparse.New(rows, cols, ptr, idx, val)
	if err != nil {
		t.Fatal(err)
	}
	return &solver.Problem{Data: x, Labels: labels}
}
