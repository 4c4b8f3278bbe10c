package model

import (
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/scas-admm/scas/solver"
	"github.com/scas-admm/scas/sparse"
	"github.com/scas-admm/scas/sparse/sparsetest"
)

func TestMetricsByHand(t *testing.T) {
	x := denseMatrix(t, 5, 1, []float64{-2, -1, 0.5, 0.5, 3})
	m := &Model{Columns: []Column{{Coefficients: []float64{1}}}, Classes: sparse.Classes{Values: []float64{10, 20}}}
	y := []float64{10, 20, 10, 20, 20}
	got, err := m.Score(x, y, nil)
	if err != nil {
		t.Fatal(err)
	}
	c := got.Classes
	if fmt.Sprint(c.Confusion) != "[[1 1] [1 2]]" || *c.Threshold != 0.5 {
		t.Errorf("%+v", c)
	}
	// The AUC has 6 pairs: 4 in the right order, 1 with equal scores.
	checkNear(t, "accuracy", c.Accuracy, 0.6)
	checkNear(t, "precision", c.Precision, 2.0/3)
	checkNear(t, "recall", c.Recall, 2.0/3)
	checkNear(t, "F1", c.F1, 2.0/3)
	checkNear(t, "AUC", *c.AUC, 4.5/6)
	s := func(t float64) float64 { return 1 / (1 + math.Exp(-t)) }
	checkNear(t, "log loss", *c.LogLoss, -(math.Log(s(2))+math.Log(s(-1))+math.Log(s(-0.5))+math.Log(s(0.5))+math.Log(s(3)))/5)
	checkNear(t, "Brier", *c.Brier, (s(-2)*s(-2)+s(1)*s(1)+s(0.5)*s(0.5)+s(-0.5)*s(-0.5)+s(-3)*s(-3))/5)
	checkNear(t, "mean loss", got.Loss, *c.LogLoss)
	threshold := 0.7
	got, err = m.Score(x, y,
		&ScoreSettings{Threshold: &threshold, Weights: []float64{1, 2, 3, 4, 5}, Offsets: []float64{0, 5, 0, 0, -5}})
	if err != nil || fmt.Sprint(got.Classes.Confusion) != "[[4 0] [9 2]]" {
		t.Errorf("%+v, %v", got.Classes, err)
	}
	oneClassMetrics, err := m.Score(x, []float64{10, 10, 10, 10, 10}, nil)
	if err != nil || oneClassMetrics.Classes.AUC != nil || oneClassMetrics.Classes.Recall != 0 ||
		oneClassMetrics.Classes.Precision != 0 || oneClassMetrics.Classes.F1 != 0 {
		t.Errorf("one class: %+v, %v", oneClassMetrics.Classes, err)
	}
	if text, err := json.Marshal(oneClassMetrics); err != nil || !strings.Contains(string(text), `"auc":null`) {
		t.Errorf("%s, %v", text, err)
	}
	lineModel := &Model{Loss: solver.Squared{}, Columns: []Column{{Coefficients: []float64{1}, Intercept: 1}}}
	got, err = lineModel.Score(x, []float64{-1, 0, 1.5, 2.5, 4}, nil)
	if err != nil {
		t.Fatal(err)
	}
	checkNear(t, "MSE", got.Numbers.MSE, 0.2)
	checkNear(t, "MAE", got.Numbers.MAE, 0.2)
	checkNear(t, "R2", got.Numbers.R2, 1-1/(1+0+2.25+6.25+16-49.0/5))
	got, err = lineModel.Score(x, []float64{1, 1, 1, 1, 1}, nil)
	if err != nil || got.Numbers.R2 != 0 {
		t.Errorf("constant: %+v, %v", got.Numbers, err)
	}
	for want, call := range map[string]func() (*Metrics, error){
		"none of the classes of the model, 10 and 20": func() (*Metrics, error) {
			return m.Score(x, []float64{10, 10, 30, 10, 10}, nil)
		},
		"data are nil": func() (*Metrics, error) { return m.Score(nil, y, nil) },
		"4 labels":     func() (*Metrics, error) { return m.Score(x, y[:4], nil) },
		"ScoreSettings.Weights[1] = -1; it must be finite and not negative": func() (*Metrics, error) {
			return m.Score(x, y, &ScoreSettings{Weights: []float64{1, -1, 1, 1, 1}})
		},
		"sum to 0": func() (*Metrics, error) { return m.Score(x, y, &ScoreSettings{Weights: make([]float64, 5)}) },
		"ScoreSettings.Weights has length 2; there are 5 rows": func() (*Metrics, error) {
			return m.Score(x, y, &ScoreSettings{Weights: []float64{1, 1}})
		},
		"ScoreSettings.Offsets[2] = NaN; it must be finite": func() (*Metrics, error) {
			return m.Score(x, y, &ScoreSettings{Offsets: []float64{0, 0, math.NaN(), 0, 0}})
		},
	} {
		_, err := call()
		sparsetest.CheckError(t, err, want)
	}
}

func checkNear(t *testing.T, name string, got, want float64) {
	t.Helper()
	if !(math.Abs(got-want) <= 1e-12*(1+math.Abs(want))) {
		t.Errorf("%s is %v, want %v", name, got, want)
	}
}

// TestScoreNearZero checks that Score counts the class that Predict returns, even if the margin is so small
// that its probability is rounded to 0.5.
func TestScoreNearZero(t *testing.T) {
	x := denseMatrix(t, 1, 1, []float64{1e-17})
	m := &Model{Columns: []Column{{Coefficients: []float64{1}}}, Classes: sparse.Classes{Values: []float64{10, 20}}}
	label, err := m.Predict(x.Row(0))
	if err != nil || label != 20 {
		t.Fatalf("%v, %v", label, err)
	}
	if got, err := m.Score(x, []float64{label}, nil); err != nil || got.Classes.Accuracy != 1 {
		t.Errorf("%+v, %v", got, err)
	}
}

// TestAUC compares the AUC with a loop over all pairs of rows.
func TestAUC(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for range 100 {
		n := 2 + rng.IntN(30)
		scores, signs, weights := make([]float64, n), make([]float64, n), make([]float64, n)
		for i := range n {
			scores[i], signs[i], weights[i] = float64(rng.IntN(6)), float64(rng.IntN(2)), rng.Float64()
		}
		var aheadWeight, pairWeight float64
		for i := range n {
			for j := range n {
				if signs[i] > 0 && signs[j] <= 0 {
					pairWeight += weights[i] * weights[j]
					if scores[i] > scores[j] {
						aheadWeight += weights[i] * weights[j]
					} else if scores[i] == scores[j] {
						aheadWeight += weights[i] * weights[j] / 2
					}
				}
			}
		}
		var s classScores
		for i, v := range scores {
			s[int(signs[i])].add(v, i, weights)
		}
		got := s.auc(nil)
		if pairWeight == 0 {
			if !math.IsNaN(got) {
				t.Errorf("one class: %v", got)
			}
			continue
		}
		checkNear(t, "AUC", got, aheadWeight/pairWeight)
	}
}

// TestMetricsOfPeers checks that the metrics equal the metrics of scikit-learn, with and without weights.
func TestMetricsOfPeers(t *testing.T) {
	x, y := randomData(t, 200, 8, 5, true)
	for _, weighted := range []bool{false, true} {
		m := mustFit(t, &Spec{Lambda: 0.01}, x, y)
		lineModel := mustFit(t, &Spec{Loss: solver.Squared{}, Lambda: 0.01}, x, y)
		probabilities, _ := m.Probabilities(nil, x)
		for i := range probabilities {
			if i%3 == 0 { // so that some scores are equal
				probabilities[i] = (math.Round(probabilities[i]*7) + 0.5) / 8
			}
		}
		lineMargins, _ := lineModel.Margins(nil, x)
		rng := rand.New(rand.NewPCG(7, 7))
		weights := make([]float64, 200)
		for i := range weights {
			weights[i] = 1
			if weighted {
				weights[i] = rng.Float64()
			}
		}
		var want map[string]float64
		runPython(t, `
from sklearn import metrics as m
y, p, w, v = d["y"], d["p"], d["w"], d["v"]
b = [1 if u == 7 else 0 for u in y]
h = [1 if u > 0.3 else 0 for u in p]
out = {
  "log": m.log_loss(b, p, sample_weight=w), "auc": m.roc_auc_score(b, p, sample_weight=w), "brier": m.brier_score_loss(b, p, sample_weight=w),
  "accuracy": m.accuracy_score(b, h, sample_weight=w), "precision": m.precision_score(b, h, sample_weight=w),
  "recall": m.recall_score(b, h, sample_weight=w), "f1": m.f1_score(b, h, sample_weight=w),
  "mse": m.mean_squared_error(y, v, sample_weight=w), "mae": m.mean_absolute_error(y, v, sample_weight=w), "r2": m.r2_score(y, v, sample_weight=w)}
`, map[string][]float64{"y": y, "p": probabilities, "w": weights, "v": lineMargins}, &want)
		margins := make([]float64, 200)
		for i, p := range probabilities {
			margins[i] = math.Log(p / (1 - p))
		}
		threshold := 0.3
		// The two models get a single coefficient of 1, so that the margin of a row is its only value.
		m.HasIntercept, m.Columns = false, []Column{{Coefficients: []float64{1}}}
		lineModel.HasIntercept, lineModel.Columns = false, m.Columns
		score := func(m *Model, margins []float64, set *ScoreSettings) *Metrics {
			x := denseMatrix(t, 200, 1, margins)
			s, err := m.Score(x, y, set)
			if err != nil {
				t.Fatal(err)
			}
			return s
		}
		got := score(m, margins, &ScoreSettings{Weights: weights, Threshold: &threshold})
		numberMetrics := score(lineModel, lineMargins, &ScoreSettings{Weights: weights}).Numbers
		c := got.Classes
		for name, v := range map[string]float64{
			"log": *c.LogLoss, "auc": *c.AUC, "brier": *c.Brier, "accuracy": c.Accuracy, "precision": c.Precision,
			"recall": c.Recall, "f1": c.F1, "mse": numberMetrics.MSE, "mae": numberMetrics.MAE, "r2": numberMetrics.R2,
		} {
			if !(math.Abs(v-want[name]) <= 1e-9*(1+math.Abs(want[name]))) {
				t.Errorf("weighted %v: %s is %.15g, scikit-learn's %.15g", weighted, name, v, want[name])
			}
		}
	}
}
