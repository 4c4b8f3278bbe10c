package model

import (
	"context"
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/scas-admm/scas/solver"
	"github.com/scas-admm/scas/solver/baseline"
	"github.com/scas-admm/scas/solver/internal/rows"
	"github.com/scas-admm/scas/sparse"
	"github.com/scas-admm/scas/sparse/graph"
	"github.com/scas-admm/scas/sparse/sparsetest"
)

// TestMethods checks the objectives and gaps of the methods that baseline.Methods lists.
func TestMethods(t *testing.T) {
	x, y := randomData(t, 80, 6, 3, true)
	for name, spec := range map[string]Spec{
		"lasso":   {},
		"factors": {PenaltyFactors: []float64{1, 2, 0, 1, 0.5, 1}},
		"graph":   {Graph: graph.Chain(6)},
		"ridge":   {Mu: 0.2, NoIntercept: true},
	} {
		spec.Lambda = 0.03
		spec.RelTol = 1e-11
		bestCertificate := mustFit(t, &spec, x, y).Columns[0].Certificate
		for _, m := range baseline.Methods() {
			if m.Info().NeedsL2 && spec.Mu == 0 {
				continue
			}
			methodSpec := spec
			methodSpec.Settings = solver.Settings{Method: m, Passes: 300, RelTol: -1}
			model := mustFit(t, &methodSpec, x, y)
			column := &model.Columns[0]
			c := column.Certificate
			objective := plainObjective(&spec, x, y, column.Coefficients, column.Intercept)
			if math.Abs(objective-c.Objective) > 1e-12 {
				t.Errorf("%s, %s: objective %.15g, by plain loops %.15g", name, m.Info().Name, c.Objective, objective)
			}
			if excess := c.Objective - bestCertificate.Objective; excess < -bestCertificate.Gap ||
				excess > c.Gap+1e-15 || excess > 0.5*(math.Ln2-bestCertificate.Objective) || c.RelTol != 0 {
				t.Errorf("%s, %s: %g above the optimum, %+v", name, m.Info().Name, excess, c)
			}
			run := &column.Run
			if run.Method != m.Info().Name || run.OuterIterations == 0 || run.Last == nil ||
				math.Abs(run.Last.Objective-c.Objective) > 1e-3 || run.Average {
				t.Errorf("%s, %s: %+v", name, m.Info().Name, run)
			}
		}
	}
}

// squaredGraphs returns specifications for eight features with squares beside a graph or beside factors.
func squaredGraphs() map[string]Spec {
	g, factors := graph.Chain(8), []float64{1, 2, 1, 0, 0.5, 1, 1, 1}
	return map[string]Spec{
		"factors, ridge":                 {PenaltyFactors: factors, Mu: 0.02, MuA: 0.01},
		"graph, MuA":                     {Graph: g, MuA: 0.05},
		"graph, MuA, fusion":             {Graph: g, MuA: 0.05, Fusion: 0.2},
		"graph, MuA, factors":            {Graph: g, MuA: 0.05, PenaltyFactors: factors},
		"graph, MuA, net, fusion, ridge": {Graph: g, MuA: 0.05, Penalty: ElasticNet{0.3}, Fusion: 3, Mu: 0.01},
		"matrix, MuA":                    {A: g.FusedLasso(), MuA: 0.05},
	}
}

// TestSquaredGraphs checks that SCASK in memory reaches the optimum of problems with squares beside a graph
// or beside factors. TestStreamedMethods checks the same out of core.
func TestSquaredGraphs(t *testing.T) {
	x, y := randomData(t, 80, 8, 3, true)
	for name, spec := range squaredGraphs() {
		spec.Lambda, spec.NoIntercept = 0.02, true
		want := mustFit(t, &spec, x, y).Columns[0].Certificate
		spec.Settings = solver.Settings{Method: solver.SCASK{}, RelTol: 1e-5, Passes: 2000}
		column := mustFit(t, &spec, x, y).Columns[0]
		c := column.Certificate
		if objective := plainObjective(&spec, x, y, column.Coefficients, 0); math.Abs(objective-c.Objective) > 1e-12 {
			t.Errorf("%s: objective %.15g, by plain loops %.15g", name, c.Objective, objective)
		}
		if math.Abs(c.Objective-want.Objective) > c.Gap+want.Gap {
			t.Errorf("%s: %+v, by Newton steps %+v", name, c, want)
		}
	}
}

// TestAuto checks that solver.Auto fits the same model as the default method, even if solver.Minimize does
// not support the specification.
func TestAuto(t *testing.T) {
	x, y := randomData(t, 60, 5, 9, true)
	for name, spec := range map[string]Spec{
		"lasso": {}, "ridge": {Mu: 0.3}, "factors": {Mu: 0.3, NoIntercept: true, PenaltyFactors: []float64{1, 2, 3, 0, 1}},
		"graph": {Graph: graph.Chain(5), Fusion: 2, MuA: 0.1}, "elastic net": {Penalty: ElasticNet{0.5}},
		"offsets": {Offsets: make([]float64, 60)},
	} {
		spec.Lambda = 0.02
		want := mustFit(t, &spec, x, y)
		spec.Method = solver.Auto{}
		if diff := cmp.Diff(want, mustFit(t, &spec, x, y)); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
}

// TestRidge checks that Certificate.Ridge is what Mu adds to the objective, with and without offsets.
func TestRidge(t *testing.T) {
	x, y := randomData(t, 60, 5, 9, true)
	offsets := make([]float64, 60)
	for i := range offsets {
		offsets[i] = float64(i%3) / 2
	}
	for name, set := range map[string]solver.Settings{
		"Newton": {}, "by package solver": {OuterIterations: minimizeIterations},
		"by passes": {Method: solver.SCASK{}, Passes: 200},
	} {
		for _, o := range [][]float64{nil, offsets} {
			spec := &Spec{Lambda: 0.02, Mu: 0.3, NoIntercept: true, Offsets: o, Settings: set}
			m := mustFit(t, spec, x, y)
			c, specWithoutRidge := m.Columns[0].Certificate, *spec
			specWithoutRidge.Mu = 0
			if objectiveWithoutRidge := plainObjective(&specWithoutRidge, x, y, m.Columns[0].Coefficients,
				0); !(c.Ridge > 0) || math.Abs(c.Objective-c.Ridge-objectiveWithoutRidge) > 1e-12 {
				t.Errorf("%s, %d offsets: %+v, without the ridge %v", name, len(o), c, objectiveWithoutRidge)
			}
		}
	}
}

// TestAverage checks that Spec.Average stores the averaged iterate and its objective in the model.
func TestAverage(t *testing.T) {
	x, y := randomData(t, 80, 6, 3, true)
	spec := &Spec{Lambda: 0.03, Settings: solver.Settings{Method: solver.SCAS{}, Passes: 20}}
	lastColumn := mustFit(t, spec, x, y).Columns[0]
	spec.Average = true
	m := mustFit(t, spec, x, y)
	c := m.Columns[0]
	if objective := plainObjective(spec, x, y, c.Coefficients, c.Intercept); math.Abs(objective-c.Certificate.Objective) > 1e-12 || !(objective > lastColumn.Certificate.Objective) {
		t.Errorf("objective %v, by plain loops %v, of the last iterate %v",
			c.Certificate.Objective, objective, lastColumn.Certificate.Objective)
	}
	if !c.Run.Average || c.Run.Last != nil || c.Groups != nil || c.Run.Rounded {
		t.Errorf("%+v", c)
	}
}

// TestAverageStatus checks that the status is about the average of the iterates if the model has it.
func TestAverageStatus(t *testing.T) {
	x, y := randomData(t, 80, 6, 3, true)
	spec := &Spec{Lambda: 0.03, Settings: solver.Settings{Method: solver.SCASK{}, Passes: 300, RelTol: 1e-5}}
	if c := mustFit(t, spec, x, y).Columns[0].Certificate; c.Status != solver.Converged {
		t.Fatalf("the last iterate: %+v", c)
	}
	spec.Average = true
	m, err := Fit(context.Background(), spec, x, y)
	e, ok := errors.AsType[*solver.NotConvergedError](err)
	if c := m.Columns[0].Certificate; !ok || c.Status != solver.Stalled || e.Gap != c.Gap ||
		!(c.Gap > e.Goal) || e.Objective != c.Objective ||
		!slices.ContainsFunc(e.Remedies, func(r sparse.Remedy) bool { return r.Field == "Spec.Average" }) {
		t.Errorf("%+v, error %v", c, err)
	}
}

// TestMethodErrors checks that an error names the part of the specification that the method does not support.
func TestMethodErrors(t *testing.T) {
	x, y := randomData(t, 40, 3, 1, true)
	withMethod := func(m solver.Method) solver.Settings { return solver.Settings{Method: m} }
	ones := make([]float64, 40)
	for i := range ones {
		ones[i] = 1
	}
	g := graph.Chain(3)
	for _, c := range []struct {
		spec           Spec
		setting, field string
	}{
		{Spec{Mu: 1, Settings: withMethod(solver.SCASK{})}, "Method", "NoIntercept"},
		{Spec{Mu: 1, Settings: solver.Settings{Passes: 10}}, "Passes", "NoIntercept"},
		{Spec{Mu: 1, Settings: solver.Settings{RelTol: -1}}, "RelTol", "NoIntercept"},
		{Spec{Mu: 1, Average: true}, "Average", "NoIntercept"},
		{
			Spec{
				Mu: 1, NoIntercept: true, Penalty: ElasticNet{0.5}, PenaltyFactors: []float64{1, 2, 3},
				Settings: withMethod(solver.SCASK{}),
			},
			"Method", "PenaltyFactors",
		},
		{Spec{SampleWeights: ones, Settings: withMethod(baseline.SA{})}, "Method", "SampleWeights"},
		{Spec{ClassWeights: map[float64]float64{1: 2}, Settings: withMethod(baseline.SA{})}, "Method", "ClassWeights"},
		{Spec{Balanced: true, Settings: withMethod(baseline.SA{})}, "Method", "Balanced"},
		{Spec{Domain: solver.Nonnegative{}, Settings: withMethod(baseline.SA{})}, "Method", "Domain"},
		{Spec{Offsets: ones, Settings: withMethod(baseline.SA{})}, "Method", "Offsets"},
		{Spec{Offsets: ones, Settings: withMethod(solver.SCASStrong{})}, "Method", "Offsets"},
		{
			Spec{
				Offsets: ones, Domain: solver.Ball{Radius: 1}, NoIntercept: true, Standardize: StandardizeOff,
				Settings: withMethod(solver.SCASK{}),
			},
			"Method", "Offsets",
		},
		{Spec{Penalty: GroupLasso{Groups: [][]int{{0, 1}}}, Settings: withMethod(baseline.SA{})}, "Method", "Penalty"},
		{Spec{Graph: g, MuA: 1, Settings: withMethod(baseline.SA{})}, "Method", "MuA"},
		{Spec{Penalty: ElasticNet{0.5}, Settings: withMethod(baseline.SA{})}, "Method", "NoIntercept"},
		{
			Spec{
				Penalty: ElasticNet{0.5}, NoIntercept: true, PenaltyFactors: []float64{1, 0, 1},
				Settings: withMethod(baseline.SA{}),
			},
			"Method", "PenaltyFactors",
		},
	} {
		m, err := Fit(t.Context(), &c.spec, x, y)
		settingErr, ok := errors.AsType[*solver.SettingError](err)
		if m != nil || !ok || settingErr.Field != c.setting ||
			settingErr.Remedies[0].Field != "Spec."+c.field || settingErr.Err != nil ||
			!strings.Contains(settingErr.Error(), c.field) {
			t.Errorf("%v for %s: %v", c.setting, c.field, err)
		}
	}
	startSettings := solver.Settings{Start: solver.Iterate{X: make([]float64, 3)}}
	_, err := Fit(t.Context(), &Spec{Settings: startSettings}, x, y)
	sparsetest.CheckError(t, err, "Spec.Start")
}

// TestStreamedNoOptimum checks that a fit out of core by SCASK reports NoOptimum exactly if the feature
// without a penalty separates the classes.
func TestStreamedNoOptimum(t *testing.T) {
	dataset := synthetic(t, sparse.SyntheticOptions{Rows: 4000, Features: 4, Groups: 1, GroupSize: 3, Noise: 1, Seed: 4})
	x := make([]float64, 4)
	x[0] = 1
	margins := make([]float64, 4000)
	dataset.X.MulVec(margins, x)
	for _, separated := range []bool{true, false} {
		for i, v := range margins {
			dataset.Labels[i] = math.Copysign(1, v)
		}
		if !separated {
			dataset.Labels[0] = -dataset.Labels[0]
		}
		data := storeInFile(t, dataset, false).fileData
		spec := Spec{
			Lambda: 1e-2, PenaltyFactors: []float64{0, 1, 1, 1}, NoIntercept: true,
			Standardize: StandardizeOff, Memory: 1 << 20,
		}
		spec.Settings = solver.Settings{Method: solver.SCASK{}, Passes: 10}
		m, err := Fit(t.Context(), &spec, data.X, data.Labels)
		if m == nil || m.Columns[0].Certificate.NoOptimum != separated {
			t.Errorf("separable: %v; %+v, %v", separated, m, err)
		}
	}
}

// TestStreamedMethods checks that SCASK and SCASL reach the optimum out of core, and that Fit and CV return
// errors for settings that these methods do not support out of core.
func TestStreamedMethods(t *testing.T) {
	data := storeInFile(t,
		synthetic(t, sparse.SyntheticOptions{Rows: 1000, Features: 8, Groups: 2, GroupSize: 3, Noise: 1, Seed: 4}),
		false)
	memoryData, fileData := data.memoryData, data.fileData
	plainSpec := Spec{Lambda: 1e-3, NoIntercept: true, Standardize: StandardizeOff}
	for _, m := range []solver.Method{solver.SCASK{}, solver.SCASL{}} {
		specs := squaredGraphs()
		specs["plain"] = Spec{}
		specs["weights"] = Spec{Balanced: true, PenaltyFactors: []float64{1, 2, 1, 1, 0.5, 1, 1, 1}}
		specs["graph"] = Spec{Graph: graph.Chain(8), Mu: 0.01}
		for name, spec := range specs {
			spec.Lambda, spec.NoIntercept, spec.Standardize = plainSpec.Lambda, true, StandardizeOff
			want := mustFit(t, &spec, memoryData.X, memoryData.Labels).Columns[0].Certificate
			calls := 0
			report := func(solver.Report) { calls++ }
			spec.Memory, spec.Settings = 1<<18, solver.Settings{Method: m, RelTol: 1e-5, Passes: 40, Report: report}
			got := mustFit(t, &spec, fileData.X, fileData.Labels).Columns[0]
			if c := got.Certificate; c.Status != solver.Converged ||
				math.Abs(c.Objective-want.Objective) > c.Gap+want.Gap || got.Run.Method != m.Info().Name ||
				calls == 0 {
				t.Errorf("%s, %s: %+v, in memory %+v; %d reports", m.Info().Name, name, c, want, calls)
			}
		}
	}
	for _, tt := range []struct {
		field    string // the setting that the error names
		remedies []sparse.Remedy
		change   func(s *Spec)
	}{
		{"Method", []sparse.Remedy{asTheyAre}, func(s *Spec) { s.NoIntercept = false }},
		{"Method", []sparse.Remedy{asTheyAre}, func(s *Spec) { s.Standardize = StandardizeOn }},
		{"Method", []sparse.Remedy{noOffsets}, func(s *Spec) { s.Offsets = make([]float64, 1000) }},
		{"BatchSize", []sparse.Remedy{leaveUnset}, func(s *Spec) { s.BatchSize = 3 }},
		{"Average", []sparse.Remedy{leaveUnset}, func(s *Spec) { s.Average = true }},
		{"Float32", []sparse.Remedy{leaveUnset}, func(s *Spec) { s.Method, s.Float32, s.Passes = nil, true, 10 }},
		{"Passes", []sparse.Remedy{{To: "leave it 0"}, useStreamed}, func(s *Spec) { s.Method, s.Passes = nil, 10 }},
		{"Method", []sparse.Remedy{useAuto, useStreamed}, func(s *Spec) { s.Method = solver.SCAS{} }},
		{"Method", []sparse.Remedy{useStreamed}, func(s *Spec) { s.Method, s.Passes = solver.SCAS{}, 10 }},
	} {
		spec := plainSpec
		spec.Memory, spec.Method = 1<<18, solver.SCASK{}
		tt.change(&spec)
		m, err := Fit(t.Context(), &spec, fileData.X, fileData.Labels)
		settingErr, ok := errors.AsType[*solver.SettingError](err)
		if m != nil || !ok || settingErr.Field != tt.field ||
			!slices.Equal(settingErr.Remedies, tt.remedies) || !errors.Is(err, rows.ErrNotStreamed) {
			t.Errorf("want an error about %s with %v, got %v", tt.field, tt.remedies, err)
		}
	}
	for field, set := range map[string]solver.Settings{"Settings.Method": {Method: solver.SCASK{}}, "": {Passes: 10}} {
		spec := plainSpec
		spec.Memory, spec.Settings = 1<<18, set
		_, err := CV(t.Context(), &spec, fileData.X, fileData.Labels, nil)
		settingErr, ok := errors.AsType[*solver.SettingError](err)
		if !ok || settingErr.Remedies[0].Field != field || !errors.Is(err, rows.ErrNotStreamed) {
			t.Errorf("CV with %+v: %v", set, err)
		}
	}
}
