package model

import (
	"cmp"

	"github.com/scas-admm/scas/solver/internal/rows"
	"github.com/scas-admm/scas/solver/internal/term"
	"github.com/scas-admm/scas/sparse"
)

// Metrics measure the predictions of a model for some rows. With weights, all means are weighted means.
type Metrics struct {
	Rows int     `json:"rows"`
	Loss float64 `json:"mean_loss"` // mean loss; Classes.LogLoss, if not nil, has the same value
	// Classes is nil if the model predicts numbers, and Numbers is nil if it predicts classes.
	Classes *ClassMetrics  `json:"classification,omitempty"`
	Numbers *NumberMetrics `json:"regression,omitempty"`
}

// ClassMetrics are the metrics of a model of two or more classes. Precision, recall and F1 are 0 if their
// divisor is 0.
type ClassMetrics struct {
	Accuracy float64 `json:"accuracy"`
	// Precision, Recall and F1 are for the positive class. For models that have a column for each class, they
	// are the means over the classes.
	Precision float64 `json:"precision"`
	Recall    float64 `json:"recall"`
	F1        float64 `json:"f1"`
	// AUC is the area under the ROC curve of the margins. A pair of rows with equal margins counts half. If
	// the model has a column for each class, AUC is the mean of the AUCs of each class against all other
	// classes. With the logistic loss, these AUCs use the probabilities of RowProbabilities instead of the
	// margins. They order the rows in another way, and more rows are equal, because probabilities near 0 and
	// 1 are rounded. AUC is nil if a class has no rows or only rows of weight 0, or if NewBriefTally made the
	// Tally.
	AUC *float64 `json:"auc"`
	// LogLoss is the mean of −log(probability of the class of the row). It is nil for losses without
	// probabilities.
	LogLoss *float64 `json:"log_loss"`
	// Brier is the mean squared error of the probability of the positive class. It is nil for losses without
	// probabilities, and for models that have a column for each class.
	Brier *float64 `json:"brier,omitempty"`
	// Threshold is the probability, or for losses without probabilities the margin, above which the positive
	// class is predicted. It is nil for models that have a column for each class.
	Threshold *float64       `json:"threshold,omitempty"`
	Classes   []ClassSummary `json:"classes"` // of two classes, the negative class is first
	// Confusion[i][j] is the number of rows of class i for which class j is predicted, or their total weight.
	// It is nil if NewBriefTally made the Tally.
	Confusion [][]float64 `json:"confusion"`
}

// A ClassSummary has the metrics of one class. Precision, recall and F1 are 0 if their divisor is 0.
type ClassSummary struct {
	Class     string  `json:"class"`
	Rows      float64 `json:"rows"` // number of rows of the class, or their total weight
	Precision float64 `json:"precision"`
	Recall    float64 `json:"recall"`
	F1        float64 `json:"f1"`
}

// NumberMetrics are the metrics of a model that predicts numbers.
type NumberMetrics struct {
	MSE float64 `json:"mse"`
	MAE float64 `json:"mae"`
	// R2 is 1 − MSE/variance, with the variance of the labels. If all labels are equal, R2 is 1 for perfect
	// predictions and 0 otherwise.
	R2 float64 `json:"r2"`
	// Deviance is the mean Poisson deviance. D2 is 1 − Deviance/D, where D is the deviance if the mean label
	// is predicted for all rows. Both are nil unless the loss is for counts.
	Deviance *float64 `json:"deviance,omitempty"`
	D2       *float64 `json:"d2,omitempty"`
}

// ScoreSettings are the settings of Score; nil means the defaults.
type ScoreSettings struct {
	Weights   []float64 // a weight ≥ 0 for each row, not all 0; nil means that all are 1
	Offsets   []float64 // a number for each row that is added to its margins; nil means zeros
	Threshold *float64  // only for two classes; nil means probability 0.5, or margin 0: see ClassMetrics
}

// Score compares the predictions for the rows of x with the labels y. If the model predicts classes, each
// label in y must be one that occurred in the training data; any other label is an error.
func (m *Model) Score(x *sparse.CSR, y []float64, set *ScoreSettings) (*Metrics, error) {
	t := m.NewTally(nil)
	if err := t.Add(x, y, set); err != nil {
		return nil, err
	}
	return t.Metrics()
}

var errNoRows = errorf("no rows to score")

func (s *ScoreSettings) check(x *sparse.CSR, y []float64) error {
	if x == nil {
		return errNoData
	}
	n, _ := x.Dims()
	if err := cmp.Or(checkLabelCount(y, n), checkFinite(y, 0)); err != nil {
		return err
	}
	if n == 0 {
		return errNoRows
	}
	err := cmp.Or(
		checkNumbers("ScoreSettings.Weights", s.Weights, n, "rows", false),
		checkNumbers("ScoreSettings.Offsets", s.Offsets, n, "rows", true),
	)
	if err == nil && rows.Mass(s.Weights, n) == 0 {
		err = errorf("the weights of the rows sum to 0; at least one must be positive")
	}
	return err
}

func (m *Model) predictsCounts() bool { return m.loss().Traits().Labels == term.Counts }

// deviance returns the Poisson deviance of a count and a rate. The rate may be 0 only if the count is 0.
func deviance(count, rate float64) float64 {
	if rate == 0 {
		return 0
	}
	return 2 * term.Poisson{}.Value(term.Counts.MarginOf(rate), count)
}

// mean returns Σ ωᵢ f(i)/Σ ωᵢ over n rows. ω are the weights; nil means that all are 1.
func mean(weights []float64, n int, f func(i int) float64) float64 {
	var sum, totalWeight float64
	for i := range n {
		if w := weightOf(weights, i); w > 0 {
			sum += float64(w * f(i))
			totalWeight += w
		}
	}
	return sum / totalWeight
}

// summarise sets the metrics that can be computed from totals.
func (c *ClassMetrics) summarise(m *Model, totals *classTotals) {
	ratio := func(numerator, divisor float64) float64 {
		if numerator == 0 {
			return 0
		}
		return numerator / divisor
	}
	hitWeight, totalWeight := 0.0, 0.0
	for k, hit := range totals.hits {
		rowWeight, predictedWeight := totals.rows[k], totals.predictions[k]
		c.Classes = append(c.Classes, ClassSummary{
			Class: m.Classes.Name(k), Rows: rowWeight,
			Precision: ratio(hit, predictedWeight), Recall: ratio(hit, rowWeight),
			F1: ratio(2*hit, rowWeight+predictedWeight),
		})
		hitWeight += hit
		totalWeight += rowWeight
	}
	c.Accuracy = ratio(hitWeight, totalWeight)
	if m.hasPositive() {
		c.Precision, c.Recall, c.F1 = c.Classes[1].Precision, c.Classes[1].Recall, c.Classes[1].F1
		return
	}
	for _, class := range c.Classes {
		c.Precision += class.Precision / float64(len(c.Classes))
		c.Recall += class.Recall / float64(len(c.Classes))
		c.F1 += class.F1 / float64(len(c.Classes))
	}
}

// explainedShare returns 1 − deviation/baseline. deviation is the deviation of the labels from the
// predictions, and baseline is the deviation of the labels from their mean. If baseline is 0, explainedShare
// returns 1 if deviation is 0, and 0 otherwise.
func explainedShare(deviation, baseline float64) float64 {
	switch {
	case baseline > 0:
		return 1 - deviation/baseline
	case deviation == 0:
		return 1
	}
	return 0
}
