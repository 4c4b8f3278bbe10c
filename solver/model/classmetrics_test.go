package model

import (
	"fmt"
	"io"
	"math"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/scas-admm/scas/solver"
	"github.com/scas-admm/scas/sparse"
	"github.com/scas-admm/scas/sparse/sparsetest"
)

// marginModel returns a model and data with one feature for each class. The value of the feature is
// the margin of the class.
func marginModel(t testing.TB, loss solver.Loss, rows [][]float64) (*Model, *sparse.CSR) {
	t.Helper()
	p := len(rows[0])
	m := &Model{Loss: loss}
	for k := range p {
		c := make([]float64, p)
		c[k] = 1
		m.Classes.Values = append(m.Classes.Values, float64(10*k))
		m.Columns = append(m.Columns, Column{Coefficients: c})
	}
	x := denseMatrix(t, len(rows), p, slices.Concat(rows...))
	return m, x
}

func TestClassMetrics(t *testing.T) {
	logit := func(p float64) float64 { return math.Log(p / (1 - p)) }
	m, x := marginModel(t, solver.Logistic{}, [][]float64{
		{logit(0.6), logit(0.3), logit(0.3)},   // probabilities 1/2, 1/4, 1/4: the arguments divided by their sum
		{logit(0.2), logit(0.6), logit(0.2)},   // probabilities 1/5, 3/5, 1/5
		{logit(0.3), logit(0.45), logit(0.15)}, // probabilities 1/3, 1/2, 1/6
		{logit(0.1), logit(0.2), logit(0.7)},   // probabilities 1/10, 1/5, 7/10
	})
	y := []float64{0, 10, 0, 20}
	got, err := m.Score(x, y, nil)
	if err != nil {
		t.Fatal(err)
	}
	loss := -(math.Log(1./2) + math.Log(3./5) + math.Log(1./3) + math.Log(7./10)) / 4
	// The AUC of every class is 1: its own rows have larger probabilities than all other rows.
	auc := 1.0
	want := &Metrics{
		Rows: 4, Loss: loss,
		Classes: &ClassMetrics{
			Accuracy: 0.75, LogLoss: &loss, Precision: 2.5 / 3, Recall: 2.5 / 3, F1: (2./3 + 2./3 + 1) / 3, AUC: &auc,
			Classes: []ClassSummary{
				{Class: "0", Rows: 2, Precision: 1, Recall: 0.5, F1: 2. / 3},
				{Class: "10", Rows: 1, Precision: 0.5, Recall: 1, F1: 2. / 3},
				{Class: "20", Rows: 1, Precision: 1, Recall: 1, F1: 1},
			},
			Confusion: [][]float64{{1, 1, 0}, {0, 1, 0}, {0, 0, 1}},
		},
	}
	nearlyEqual := cmp.Comparer(func(a, b float64) bool { return math.Abs(a-b) < 1e-14 })
	if diff := cmp.Diff(want, got, nearlyEqual); diff != "" {
		t.Error(diff)
	}
	// A weight of 2 counts as two rows. There is no AUC if a class has no weight.
	m.Classes.Names = []string{"ash", "birch", "cedar"}
	weightedMetrics, err := m.Score(x, y, &ScoreSettings{Weights: []float64{2, 1, 1, 0}})
	if err != nil {
		t.Fatal(err)
	}
	loss = -(2*math.Log(1./2) + math.Log(3./5) + math.Log(1./3)) / 4
	if math.Abs(weightedMetrics.Loss-loss) > 1e-14 || weightedMetrics.Classes.Accuracy != 0.75 ||
		weightedMetrics.Classes.AUC != nil || weightedMetrics.Classes.Classes[0].Rows != 3 ||
		weightedMetrics.Classes.Classes[2].Class != "cedar" {
		t.Errorf("weighted: %+v", weightedMetrics)
	}
	shiftedMetrics, err := m.Score(x, y, &ScoreSettings{Offsets: []float64{1, 1, 1, 1}})
	if err != nil || !(shiftedMetrics.Loss > got.Loss+1e-3) || shiftedMetrics.Classes.Accuracy != 0.75 {
		t.Errorf("offsets: %+v, %v", shiftedMetrics, err)
	}
	// A model of two classes may have one column for each class.
	twoClassModel := &Model{Loss: m.Loss, Columns: m.Columns[:2]}
	twoClassModel.Classes.Values = m.Classes.Values[:2]
	if two, err := twoClassModel.Score(x, []float64{0, 10, 0, 10}, nil); err != nil ||
		two.Classes.Threshold != nil || len(two.Classes.Classes) != 2 || two.Classes.AUC == nil {
		t.Errorf("two classes against the rest: %+v, %v", two, err)
	}
	sparsetest.CheckError(t, twoClassModel.WriteLiblinear(io.Discard), "one column for two classes")
	// The squared hinge loss has no probabilities.
	hingeModel, _ := marginModel(t, solver.SquaredHinge{}, [][]float64{{1, 0, 0}})
	x = denseMatrix(t, 2, 3, []float64{2, -1, -3, 0.5, 0, -1})
	s, err := hingeModel.Score(x, []float64{0, 10}, nil)
	if want := ((0 + 0 + 0) + (1.5*1.5 + 1 + 0)) / 3. / 2; err != nil || math.Abs(s.Loss-want) > 1e-14 ||
		s.Classes.LogLoss != nil || s.Classes.AUC != nil || s.Classes.Accuracy != 0.5 {
		t.Errorf("squared hinge: %+v, %v", s, err)
	}
	half, nan := 0.5, math.NaN()
	for want, call := range map[string]func() (*Metrics, error){
		"is none of the classes": func() (*Metrics, error) { return m.Score(x, []float64{0, 5}, nil) },
		"1 labels":               func() (*Metrics, error) { return m.Score(x, []float64{0}, nil) },
		"is for two classes": func() (*Metrics, error) {
			return m.Score(x, []float64{0, 10}, &ScoreSettings{Threshold: &half})
		},
		"threshold is NaN": func() (*Metrics, error) {
			return twoClassModel.Score(x, []float64{0, 10}, &ScoreSettings{Threshold: &nan})
		},
		"overflows": func() (*Metrics, error) {
			return m.Score(x, []float64{0, 10}, &ScoreSettings{Offsets: []float64{0, math.MaxFloat64}})
		},
	} {
		if want == "overflows" {
			m.Columns[0].Coefficients[0] = math.MaxFloat64
			want = "the margin is"
		}
		_, err := call()
		sparsetest.CheckError(t, err, want)
	}
}

func TestClassScoreOfScikitLearn(t *testing.T) {
	x, y := threeClassSample(t)
	m := mustFit(t, &Spec{Lambda: 0.02}, x, y)
	weights := make([]float64, len(y))
	for i := range weights {
		weights[i] = float64(1 + i%4)
	}
	rows := make([][]float64, len(y))
	for i := range rows {
		idx, val := x.Row(i)
		var err error
		rows[i], err = m.RowProbabilities(nil, idx, val)
		if err != nil {
			t.Fatal(err)
		}
	}
	var want struct{ Accuracy, F1, Loss, AUC, PlainAUC float64 }
	runPython(t, `
import numpy as np
from sklearn import metrics
p, y, w = np.array(d["p"]), np.array(d["y"]), np.array(d["w"])
best = np.unique(y)[p.argmax(axis=1)]
out = {
  "Accuracy": metrics.accuracy_score(y, best, sample_weight=w), "F1": metrics.f1_score(y, best, average="macro", sample_weight=w),
  "Loss": metrics.log_loss(y, p, sample_weight=w), "AUC": metrics.roc_auc_score(y, p, multi_class="ovr", sample_weight=w),
  "PlainAUC": metrics.roc_auc_score(y, p, multi_class="ovr")}
`, map[string]any{"p": rows, "y": y, "w": weights}, &want)
	got, err := m.Score(x, y, &ScoreSettings{Weights: weights})
	if err != nil {
		t.Fatal(err)
	}
	plainMetrics, err := m.Score(x, y, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name      string
		got, want float64
	}{
		{"accuracy", got.Classes.Accuracy, want.Accuracy}, {"F1", got.Classes.F1, want.F1}, {"log loss", got.Loss, want.Loss},
		{"AUC", *got.Classes.AUC, want.AUC}, {"AUC without weights", *plainMetrics.Classes.AUC, want.PlainAUC},
	} {
		if !(math.Abs(c.got-c.want) <= 1e-9) {
			t.Error(fmt.Sprint(c.name, ": ", c.got, ", scikit-learn ", c.want))
		}
	}
}
