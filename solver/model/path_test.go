package model

import (
	"context"
	"errors"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/scas-admm/scas/solver"
	"github.com/scas-admm/scas/sparse/graph"
	"github.com/scas-admm/scas/sparse/sparsetest"
)

// TestPath checks that each step of a path is proved and has the objective of a fit for its lambda.
func TestPath(t *testing.T) {
	for _, loss := range losses {
		x, y := randomDataFor(t, 70, 9, 3, loss)
		cases := specs(70, loss)
		cases["graph"] = &Spec{Loss: loss, Graph: graph.Chain(9), Settings: solver.Settings{RelTol: 1e-9}}
		for _, spec := range cases {
			spec.RelTol = 1e-10
		}
		cases["solver"] = &Spec{Loss: loss, Settings: solver.Settings{RelTol: 1e-9, OuterIterations: minimizeIterations}}
		for name, spec := range cases {
			if otherLossInShort(loss, name) {
				continue
			}
			steps, err := fitPath(context.Background(), spec, x, y, &PathSettings{Count: 8, Ratio: 1e-3})
			if err != nil || len(steps) != 8 {
				t.Errorf("%v, %s: %d steps, %v", loss, name, len(steps), err)
				continue
			}
			lambdaMax, err := LambdaMax(context.Background(), spec, x, y)
			if err != nil || math.Abs(lambdaMax-steps[0].Lambda) > 1e-9*lambdaMax {
				t.Errorf("%v, %s: lambda max %v, path from %v, %v", loss, name, lambdaMax, steps[0].Lambda, err)
			}
			for k, s := range steps {
				stepSpec := *spec
				stepSpec.Lambda = s.Lambda
				m := s.Model()
				objective := plainObjective(&stepSpec, x, y, m.Columns[0].Coefficients, m.Columns[0].Intercept)
				if c := s.Columns[0].Certificate; c.Status != solver.Converged ||
					math.Abs(c.Objective-objective) > 1e-11*math.Abs(objective) || s.Index != k {
					t.Errorf("%v, %s, lambda %d: %+v, %.15g by plain loops", loss, name, k, c, objective)
				}
				if want := mustFit(t, &stepSpec, x, y).Columns[0].Certificate; math.Abs(want.Objective-s.Columns[0].Certificate.Objective) > want.Gap+s.Columns[0].Certificate.Gap+1e-14*math.Abs(objective) {
					t.Errorf("%v, %s, lambda %d: %.15g, alone %.15g",
						loss, name, k, s.Columns[0].Certificate.Objective, want.Objective)
				}
				if m.NonZeros() != len(s.Columns[0].Indices) ||
					m.Columns[0].Certificate != s.Columns[0].Certificate || m.Summary.Lambda != s.Lambda {
					t.Errorf("%v, %s, lambda %d: %+v, model %+v", loss, name, k, s, m)
				}
			}
			firstModel, factors := steps[0].Model(), spec.factors(9)
			for j, v := range firstModel.Columns[0].Coefficients {
				if (factors == nil || factors[j] > 0) && math.Abs(v) > 1e-6 && name != "ridge" {
					t.Errorf("%v, %s: coefficient %d is %v at lambda max", loss, name, j, v)
				}
			}
		}
	}
}

// TestPathErrStop checks that a Recorder that ends each fit by solver.ErrStop ends neither a path nor a
// cross-validation.
func TestPathErrStop(t *testing.T) {
	x, y := randomData(t, 60, 5, 1, true)
	for name, labels := range map[string][]float64{"two": y, "classes": mixedLabels(60, 3)} {
		spec := &Spec{NoIntercept: true}
		spec.Method, spec.RelTol = solver.SCASK{}, -1
		spec.Recorder = solver.RecorderFunc(func(*solver.Point) error { return solver.ErrStop })
		set := PathSettings{Lambdas: []float64{0.1, 0.05, 0.02}}
		steps, err := fitPath(t.Context(), spec, x, labels, &set)
		if err != nil || len(steps) != 3 || steps[2].Columns[0].Certificate.Status != solver.Stopped {
			t.Errorf("%s: %d steps, %v", name, len(steps), err)
		}
		if r, err := CV(t.Context(), spec, x, labels, &CVSettings{Path: set, Folds: 3}); err != nil || len(r.Mean) != 3 {
			t.Errorf("%s: CV: %v", name, err)
		}
	}
}

// TestLambdaMax checks that all penalised coefficients are zero at LambdaMax, but not at 0.99 times
// LambdaMax.
func TestLambdaMax(t *testing.T) {
	x, y := randomData(t, 70, 9, 3, true)
	signBox := solver.NewBox(9, math.Inf(-1), 0)
	signBox.Upper[4], signBox.Lower[4] = 1, -1
	for _, spec := range []*Spec{{}, {NoIntercept: true}, {Penalty: ElasticNet{0.5}}, {
		Standardize: StandardizeOff,
	}, {Penalty: GroupLasso{Groups: [][]int{{0, 1, 2}, {3, 4}}}},
		{Penalty: GroupLasso{Groups: [][]int{{0, 1, 2}, {3, 4}, {5, 6, 7, 8}}, Weights: []float64{1, 0, 2}}, NoIntercept: true},
		{Graph: graph.Chain(9)}, {Graph: graph.Chain(9), NoIntercept: true, Standardize: StandardizeOff},
		{Graph: graph.Chain(9), Fusion: 20}, {Graph: graph.Chain(9), Fusion: 0.1},
		{Graph: graph.Chain(9), Loss: solver.Squared{}, PenaltyFactors: []float64{1, 2, 3, 4, 5, 6, 7, 8, 9}},
		{MuA: 0.1, PenaltyFactors: []float64{0, 1, 1, 1, 0, 1, 1, 1, 1}},
		{Domain: solver.Nonnegative{}, Mu: 0.1}, {Domain: signBox}, {Domain: signBox, Graph: graph.Chain(9)},
		{Domain: signBox, Penalty: GroupLasso{Groups: [][]int{{0, 1, 2}, {3, 4, 5, 6}, {7, 8}}}}} {
		lambdaMax, err := LambdaMax(context.Background(), spec, x, y)
		if err != nil {
			t.Fatal(err)
		}
		for _, factor := range []float64{0.99, 1} {
			fitSpec := *spec
			fitSpec.Lambda, fitSpec.RelTol = factor*lambdaMax, 1e-12
			m := mustFit(t, &fitSpec, x, y)
			maxCoefficient, factors := 0.0, spec.factors(9)
			for j, v := range m.Columns[0].Coefficients {
				if factors == nil || factors[j] > 0 {
					maxCoefficient = math.Max(maxCoefficient, math.Abs(v))
				}
			}
			if (maxCoefficient > 1e-5) != (factor < 1) {
				t.Errorf("%+v: at %g lambda max the largest coefficient is %v", spec.Penalty, factor, maxCoefficient)
			}
		}
	}
	_, err := LambdaMax(context.Background(), &Spec{Graph: graph.Chain(9), PenaltyFactors: make([]float64, 9)}, x, y)
	sparsetest.CheckError(t, err, "only if all penalty factors are positive")
	_, err = LambdaMax(context.Background(), &Spec{Loss: struct{ solver.Logistic }{}}, x, y)
	sparsetest.CheckError(t, err, "for a solver.ConjugateLoss")
	zeroX := denseMatrix(t, 4, 1, make([]float64, 4))
	_, err = LambdaMax(context.Background(), nil, zeroX, []float64{0, 1, 0, 1})
	sparsetest.CheckError(t, err, "no feature matters")
	// The domain keeps the coefficients of the class 3 at 0, but not those of the others.
	x = denseMatrix(t, 8, 2, []float64{1, 0, 2, 0, 3, 1, 3, 2, 0, 5, 0, 6, -5, -5, -6, -6})
	y = []float64{0, 0, 1, 1, 2, 2, 3, 3}
	spec := &Spec{Domain: solver.Nonnegative{}}
	if v, err := LambdaMax(context.Background(), spec, x, y); !(v > 0) || err != nil {
		t.Errorf("one of four classes without a lambda max: %v, %v", v, err)
	}
	for i := range y {
		y[i] = max(2, y[i])
	}
	spec.Positive = &y[7]
	_, err = LambdaMax(context.Background(), spec, x, y)
	sparsetest.CheckError(t, err, "the domain keeps all")
}

// TestPathEnds checks what ends a path, and that a path continues after a fit that does not converge.
func TestPathEnds(t *testing.T) {
	x, y := randomData(t, 70, 9, 3, true)
	stepCount := 0
	for range Path(context.Background(), nil, x, y, nil) {
		stepCount++
		if stepCount == 5 {
			break
		}
	}
	if stepCount != 5 {
		t.Errorf("%d steps", stepCount)
	}
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	var lastErr error
	stepCount = 0
	for s, err := range Path(ctx, nil, x, y, nil) {
		stepCount++
		if stepCount == 5 {
			cancel()
		}
		lastErr = err
		if s == nil || (err != nil) != (s.Columns[0].Certificate.Status == solver.Stopped) {
			t.Errorf("%+v, %v", s, err)
		}
	}
	if stepCount != 6 || !errors.Is(lastErr, context.Canceled) {
		t.Errorf("%d steps, %v", stepCount, lastErr)
	}
	a1aX, labels := loadData(t, "small/a1a", 123)
	steps, err := fitPath(context.Background(),
		&Spec{Settings: solver.Settings{TimeLimit: 5 * time.Millisecond}}, a1aX, labels,
		&PathSettings{Count: 5000})
	if !errors.Is(err, solver.ErrNotConverged) || len(steps) == 5000 ||
		len(steps) > 0 && steps[len(steps)-1].Columns[0].Certificate.Status != solver.TimeDone {
		t.Errorf("%d steps in 5 ms, %v", len(steps), err)
	}
	steps, err = fitPath(context.Background(), &Spec{Settings: solver.Settings{TimeLimit: 1}}, a1aX, labels, nil)
	if len(steps) > 0 || !errors.Is(err, solver.ErrNotConverged) {
		t.Errorf("%d steps in 1 ns, %v", len(steps), err)
	}
	steps, err = fitPath(context.Background(), &Spec{Settings: solver.Settings{RelTol: 1e-30}}, x, y, &PathSettings{Count: 7})
	if len(steps) != 7 || !errors.Is(err, solver.ErrNotConverged) {
		t.Errorf("%d steps, %v", len(steps), err)
	}
	heldX, heldY := randomData(t, 300, 9, 99, true)
	steps, err = fitPath(context.Background(), nil, x, y, &PathSettings{Validation: &Validation{X: heldX, Y: heldY, Patience: 3}})
	if err != nil || len(steps) < 5 || len(steps) == 100 {
		t.Fatalf("%d steps with a validation set, %v", len(steps), err)
	}
	bestStep := slices.MinFunc(steps, func(a, b *Step) int { return int(math.Copysign(1, a.ValidationScore-b.ValidationScore)) })
	if bestStep.Index != len(steps)-4 {
		t.Errorf("the best is %d of %d", bestStep.Index, len(steps))
	}
	if v, err := metricOf(ByLoss)(bestStep.Model(), heldX, heldY, nil); err != nil || v != bestStep.ValidationScore {
		t.Errorf("%v, then %v (%v)", bestStep.ValidationScore, v, err)
	}
}

func TestBadPaths(t *testing.T) {
	x, y := randomData(t, 70, 9, 3, true)
	for want, set := range map[string]*PathSettings{
		"Lambdas[1] = 2 after 1": {Lambdas: []float64{1, 2}},
		"Lambdas[0] = NaN":       {Lambdas: []float64{math.NaN()}},
		"Lambdas is empty":       {Lambdas: []float64{}},
		"Count = -1":             {Count: -1},
		"Ratio = 1":              {Ratio: 1},
		"needs data":             {Validation: &Validation{}},
		"Validation: 69 labels":  {Validation: &Validation{X: x, Y: y[1:]}},
		"Validation: label 0 of": {Validation: &Validation{X: x, Y: make([]float64, 70)}},
	} {
		stepCount := 0
		for s, err := range Path(context.Background(), nil, x, y, set) {
			stepCount++
			if s != nil || err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("want %q, got %v and %v", want, s, err)
			}
		}
		if stepCount != 1 {
			t.Errorf("%s: %d steps", want, stepCount)
		}
	}
	if steps, err := fitPath(context.Background(), &Spec{Lambda: -1}, x, y, nil); steps != nil || err == nil {
		t.Errorf("%v, %v", steps, err)
	}
}

// BenchmarkPath fits a path of 100 lambdas on one thread, including the preparation of the data.
func BenchmarkPath(b *testing.B) {
	for _, c := range []struct {
		name, file string
		features   int
	}{{"a9a", "paper/a9a.zst", 123}, {"rcv1", "paper/rcv1v2_binary_train.libsvm.zst", 47236}} {
		b.Run(c.name, func(b *testing.B) {
			x, y := loadData(b, c.file, c.features)
			for b.Loop() {
				if steps, err := fitPath(context.Background(),
					&Spec{Standardize: StandardizeOff, Settings: solver.Settings{Threads: 1}}, x, y,
					nil); err != nil || len(steps) != 100 {
					b.Fatalf("%d steps, %v", len(steps), err)
				}
			}
		})
	}
}

// TestSequence checks that the lambdas are a geometric progression between the first and the last lambda.
func TestSequence(t *testing.T) {
	lambdaMaxThree := func(context.Context) (float64, error) { return 3, nil }
	for _, count := range []int{1, 2, 3, 100, 1000} {
		for _, ratio := range []float64{0.9, 1e-2, 1e-4, 1e-12} {
			l, err := (&PathSettings{Count: count, Ratio: ratio}).lambdas(t.Context(), lambdaMaxThree, 10, 5)
			if err != nil || len(l) != count || l[0] != 3 || count > 1 && math.Abs(l[count-1]-3*ratio) > 1e-11*3*ratio {
				t.Errorf("%d down to %g: from %v to %v", count, ratio, l[0], l[count-1])
			}
			for k := 2; k < count; k++ {
				if q := l[k] * l[k-2] / l[k-1] / l[k-1]; math.Abs(q-1) > 1e-13 || !(l[k] < l[k-1]) {
					t.Errorf("%d down to %g: %v, %v, %v", count, ratio, l[k-2], l[k-1], l[k])
				}
			}
		}
	}
}

// TestSubnormalLambda checks that a path by SCASK continues after a lambda from which a subnormal ρ follows.
func TestSubnormalLambda(t *testing.T) {
	x, y := randomData(t, 12, 2, 3, false)
	spec := &Spec{Loss: solver.Squared{}, NoIntercept: true, Settings: solver.Settings{Method: solver.SCASK{}, Passes: 20}}
	steps, err := fitPath(context.Background(), spec, x, y, &PathSettings{Lambdas: []float64{5e-324, 0}})
	if err != nil || len(steps) != 2 || !(steps[1].Columns[0].Certificate.Gap < 1e-9) {
		t.Errorf("%d steps, error %v", len(steps), err)
	}
}
