package model

import (
	"fmt"
	"slices"

	"github.com/scas-admm/scas/kernels"
	"github.com/scas-admm/scas/solver"
	"github.com/scas-admm/scas/sparse"
)

// MultiMetrics say what a model of several classes is worth on some rows.
type MultiMetrics struct {
	Rows     int     `json:"rows"`
	Accuracy float64 `json:"accuracy"`
	// Loss is the log loss of the probabilities or, of losses without probabilities,
	// the mean over the classes of the loss against the rest.
	Loss float64 `json:"mean_loss"`
	// LogLoss is nil for losses without probabilities.
	LogLoss *float64 `json:"log_loss"`
	// MacroF1 is the mean of F1 over the classes.
	MacroF1 float64 `json:"macro_f1"`
	// AUC is the mean over the classes of the area under the ROC curve of the class against
	// the rest, by the probabilities or else the margins; nil if a class is absent.
	AUC     *float64       `json:"auc"`
	Classes []ClassSummary `json:"classes"`
	// Confusion adds up the rows, or their weights, of class i that are predicted to be of
	// class j in [i][j].
	Confusion [][]float64 `json:"confusion"`
}

// A ClassSummary is of one class. Shares of nothing are 0, as in scikit-learn.
type ClassSummary struct {
	Class     string  `json:"class"`
	Rows      float64 `json:"rows"` // or their weights
	Precision float64 `json:"precision"`
	Recall    float64 `json:"recall"`
	F1        float64 `json:"f1"`
}

// Score compares the predictions for the rows of x with labels y as the training data had
// them, or the numbers that stand for words. A label that the model does not know is an
// error, and so is a threshold.
func (m *Multi) Score(x *sparse.CSR, y []float64, set *ScoreSettings) (*MultiMetrics, error) {
	set, err := m.checked(x, y, set)
	if err != nil {
		return nil, err
	}
	class, err := m.numbers(y)
	if err != nil {
		return nil, err
	}
	margins, err := m.Margins(x, set.Offsets)
	if err != nil {
		return nil, err
	}
	s, scores := m.unranked(margins, class, set.Weights)
	s.summarise(m)
	s.AUC = meanAUC(scores, class, set.Weights)
	return s, nil
}

// checked is ScoreSettings.checked for several classes.
func (m *Multi) checked(x *sparse.CSR, y []float64, set *ScoreSettings) (*ScoreSettings, error) {
	set, err := set.checked(x, y)
	if err == nil && set.Threshold != nil {
		err = fmt.Errorf("model: ScoreSettings.Threshold = %v is for two classes; leave it nil", *set.Threshold)
	}
	return set, err
}

// numbers are those of the classes of labels.
func (m *Multi) numbers(y []float64) ([]int, error) {
	class := make([]int, len(y))
	for i, v := range y {
		k, ok := slices.BinarySearch(m.Classes, v)
		if !ok {
			return nil, fmt.Errorf("model: label %v of row %d is none of the classes %v", v, i, m.Classes)
		}
		class[i] = k
	}
	return class, nil
}

// unranked compares margins with the numbers of the classes, by the loss and the confusion
// table, and returns the scores that the AUC of each class is of.
func (m *Multi) unranked(margins [][]float64, class []int, weights []float64) (*MultiMetrics, [][]float64) {
	s := &MultiMetrics{Rows: len(class), Confusion: make([][]float64, len(m.Classes))}
	for k := range s.Confusion {
		s.Confusion[k] = make([]float64, len(m.Classes))
	}
	probable := m.Models[0].givesProbability()
	losses := make([]float64, len(class))
	scores := make([][]float64, len(m.Classes))
	for k := range scores {
		scores[k] = make([]float64, len(class))
	}
	row, share := make([]float64, len(m.Classes)), make([]float64, len(m.Classes))
	for i, k := range class {
		for j := range row {
			row[j] = margins[j][i]
		}
		w := 1.0
		if weights != nil {
			w = weights[i]
		}
		s.Confusion[k][slices.Index(row, slices.Max(row))] += w
		if probable {
			m.Shares(share, row)
			losses[i] = surprise(m.Models[0].loss(), row, k)
		} else {
			copy(share, row)
			losses[i] = m.againstRest(row, k)
		}
		for j, v := range share {
			scores[j][i] = v
		}
	}
	s.Loss = mean(weights, len(class), func(i int) float64 { return losses[i] })
	if probable {
		s.LogLoss = &s.Loss
	}
	return s, scores
}

// surprise is −log of the share of class k in the probabilities of models with margins t.
func surprise(l solver.Loss, t []float64, k int) float64 {
	most := slices.Max(t)
	own := l.Value(t[k], 1) // −log of its probability
	first := l.Value(most, 1)
	var sum float64 // of the probabilities, by that of most
	for _, v := range t {
		sum += kernels.ExpNeg(l.Value(v, 1) - first)
	}
	return own - first + kernels.Log(sum)
}

// againstRest is the mean over the classes of the loss of margins t of a row of class k.
func (m *Multi) againstRest(t []float64, k int) (sum float64) {
	for j, v := range t {
		sign := -1.0
		if j == k {
			sign = 1
		}
		sum += m.Models[j].loss().Value(v, sign)
	}
	return sum / float64(len(t))
}

// summarise fills in what follows from the confusion table.
func (s *MultiMetrics) summarise(m *Multi) {
	var right, all float64
	for k, row := range s.Confusion {
		var c ClassMetrics
		c.Confusion.TruePositive = row[k]
		for j, w := range row {
			if j != k {
				c.Confusion.FalseNegative += w
				c.Confusion.FalsePositive += s.Confusion[j][k]
			}
		}
		c.shares()
		rows := c.Confusion.TruePositive + c.Confusion.FalseNegative
		s.Classes = append(s.Classes, ClassSummary{Class: m.Name(k), Rows: rows, Precision: c.Precision, Recall: c.Recall, F1: c.F1})
		s.MacroF1 += c.F1 / float64(len(s.Confusion))
		right += row[k]
		all += rows
	}
	s.Accuracy = right / all
}

// meanAUC is the mean over the classes of the area under the ROC curve of their scores,
// nil if a class has no row.
func meanAUC(scores [][]float64, class []int, weights []float64) *float64 {
	var sum float64
	sign := make([]float64, len(class))
	for k, score := range scores {
		for i, of := range class {
			if sign[i] = -1; of == k {
				sign[i] = 1
			}
		}
		sum += AUC(score, sign, weights)
	}
	sum /= float64(len(scores))
	if !finite(sum) {
		return nil
	}
	return &sum
}
