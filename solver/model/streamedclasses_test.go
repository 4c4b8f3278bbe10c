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
	"github.com/scas-admm/scas/solver/internal/rows"
	"github.com/scas-admm/scas/sparse"
)

// storedClasses returns data of four classes, and weights and offsets for the rows.
func storedClasses(t *testing.T, n int) (data *storedData, weights, offsets []float64) {
	t.Helper()
	classData := synthetic(t,
		sparse.SyntheticOptions{Rows: n, Features: 16, NonzerosPerRow: 6, Noise: 1, Seed: 1, Regression: true})
	weights, offsets = make([]float64, n), make([]float64, n)
	for i, v := range classData.Labels {
		classData.Labels[i] = 5 * math.Max(-1, math.Min(math.Floor(v/3), 2))
		weights[i], offsets[i] = float64(i%3), float64(i%5)/2-1
	}
	return storeInFile(t, classData, false), weights, offsets
}

// TestStreamedClasses checks that models of four classes that are fitted out of core agree with models that
// are fitted in memory.
func TestStreamedClasses(t *testing.T) {
	data, weights, offsets := storedClasses(t, 5000)
	memoryData, fileData := data.memoryData, data.fileData
	for name, spec := range map[string]Spec{
		"lasso": {}, "weights": {SampleWeights: weights, Offsets: offsets},
		"balanced":      {Balanced: true, Penalty: ElasticNet{0.5}},
		"class weights": {ClassWeights: map[float64]float64{5: 3}, Loss: solver.SquaredHinge{}},
	} {
		spec.Lambda = 2e-3
		want := mustFit(t, &spec, memoryData.X, memoryData.Labels)
		finished, reportsOfClass := 0, make([]int, 5)
		spec.Memory = 1 << 19
		spec.Report = func(solver.Report) { reportsOfClass[finished]++ }
		spec.ClassFitted = func(done, _ int) { finished = done }
		got := mustFit(t, &spec, fileData.X, fileData.Labels)
		if len(got.Classes.Values) != 4 || finished != 4 || reportsOfClass[4] > 0 || slices.Contains(reportsOfClass[:4], 0) {
			t.Errorf("%s: classes %v, reports %v", name, got.Classes, reportsOfClass)
		}
		for k, m := range got.Columns {
			c, w := m.Certificate, want.Columns[k].Certificate
			if math.Abs(c.Objective-w.Objective) > c.Gap+w.Gap || c.Status != solver.Converged ||
				m.Run.Method != "streamed-newton" {
				t.Errorf("%s, class %v: %+v, in memory %+v", name, got.Classes.Values[k], c, w)
			}
		}
	}
}

// TestStreamedClassesRefuse checks the errors of fits of several classes out of core.
func TestStreamedClassesRefuse(t *testing.T) {
	data, _, _ := storedClasses(t, 3000)
	fileData := data.fileData
	labels := append([]float64(nil), fileData.Labels...)
	labels[7] = math.NaN()
	const memory = 1 << 20
	lateSpec := Spec{Memory: memory, Settings: solver.Settings{TimeLimit: time.Nanosecond}}
	plainSpec := Spec{
		Memory: memory, NoIntercept: true, Standardize: StandardizeOff,
		Settings: solver.Settings{Method: solver.SCASK{}},
	}
	for want, c := range map[string]struct {
		y          []float64
		spec       Spec
		wrappedErr error
	}{
		"label NaN of row 7": {labels, Spec{Memory: memory}, nil},
		"2999 labels":        {labels[1:], Spec{Memory: memory}, nil},
		"is for two classes": {fileData.Labels, plainSpec, rows.ErrNotStreamed},
		"the time limit came before anything was known": {fileData.Labels, lateSpec, solver.ErrNotConverged},
	} {
		m, err := Fit(context.Background(), &c.spec, fileData.X, c.y)
		if m != nil || err == nil || !strings.Contains(err.Error(), want) ||
			c.wrappedErr != nil && !errors.Is(err, c.wrappedErr) {
			t.Errorf("%v; want %q", err, want)
		}
	}
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	spec := &Spec{Lambda: 1e-3, Memory: memory}
	spec.ClassFitted = func(done, _ int) {
		if done == 2 {
			cancel()
		}
	}
	if m, err := Fit(ctx, spec, fileData.X, fileData.Labels); m != nil || !errors.Is(err, context.Canceled) {
		t.Errorf("%v, %v", m, err)
	}
}

// TestStreamedAUC checks that the AUC of a fold out of core equals the AUC in memory, even if Spec.Memory is
// sufficient only for the scores of a few models.
func TestStreamedAUC(t *testing.T) {
	const n, foldCount = 9000, 3
	data, weights, offsets := storedClasses(t, n)
	memoryData, fileData := data.memoryData, data.fileData
	classes := []float64{-5, 0, 5, 10}
	folds := make([]int, n)
	for i := range folds {
		folds[i] = i * i % 7 % foldCount
	}
	models := make([]*Model, 7)
	for i := range models {
		models[i] = &Model{Classes: sparse.Classes{Values: classes}}
		for k := range classes {
			c := Column{Coefficients: make([]float64, 16)}
			for j := range c.Coefficients { // rounding makes some scores equal
				c.Coefficients[j] = math.Round(3*math.Sin(float64(1+i+7*k+j*j))) / 4
			}
			models[i].Columns = append(models[i].Columns, c)
		}
	}
	for _, weights := range [][]float64{nil, weights} {
		spec := &Spec{SampleWeights: weights, Offsets: offsets}
		for _, memory := range []int64{1 << 21, 2 * 16 * 4 * n} {
			spec.Memory = memory
			c, err := newCrossValidation(spec, fileData.X, fileData.Labels, &CVSettings{Assignment: folds, Measure: ByAUC})
			if err != nil {
				t.Fatal(err)
			}
			rows, _ := splitRows(folds, 1)
			heldX, err := memoryData.X.SelectRows(rows)
			if err != nil {
				t.Fatal(err)
			}
			set := &ScoreSettings{Weights: pick(weights, rows), Offsets: pick(offsets, rows)}
			h, err := c.newFoldScorer(1)
			if err != nil {
				t.Fatal(err)
			}
			var got []scores
			for chunk := range slices.Chunk(models, h.modelsPerPass()) {
				chunkScores, err := h.score(t.Context(), chunk)
				if err != nil {
					t.Fatal(err)
				}
				got = append(got, chunkScores...)
			}
			for i, m := range models {
				want, err := m.Score(heldX, pick(memoryData.Labels, rows), set)
				if err != nil {
					t.Fatal(err)
				}
				checkNear(t, "AUC", got[i][ByAUC], *want.Classes.AUC)
				checkNear(t, "loss", got[i][ByLoss], want.Loss)
			}
		}
	}
	_, err := CV(context.Background(), &Spec{Memory: 1 << 17}, fileData.X, fileData.Labels, &CVSettings{Measure: ByAUC, Folds: 2})
	if !errors.Is(err, rows.ErrNotStreamed) || !strings.Contains(err.Error(), "set CVSettings.Folds to a larger number") {
		t.Error(err)
	}
}
