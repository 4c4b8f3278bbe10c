package model

import (
	"errors"
	"fmt"
	"math"

	"github.com/scas-admm/scas/solver/internal/term"
	"github.com/scas-admm/scas/sparse"
)

// Metrics say what a model is worth on some rows.
type Metrics struct {
	Rows int     `json:"rows"`
	Loss float64 `json:"mean_loss"` // of the model's loss
	// Classes is nil for numbers, and Numbers for classes.
	Classes *ClassMetrics  `json:"classification,omitempty"`
	Numbers *NumberMetrics `json:"regression,omitempty"`
}

// ClassMetrics are the metrics of a model of two or more classes. A share of no rows is 0, as in
// scikit-learn.
type ClassMetrics struct {
	Accuracy float64 `json:"accuracy"`
	// Precision, Recall and F1 are for the positive class of two, and with more classes the means over the
	// classes.
	Precision float64 `json:"precision"`
	Recall    float64 `json:"recall"`
	F1        float64 `json:"f1"`
	// AUC is the area under the ROC curve, ties counted half; nil if a class is absent. Of more
	// than two classes it is the mean over the classes, each against the rest.
	AUC *float64 `json:"auc"`
	// LogLoss is −log of the probability of the row's class; nil for losses without probabilities.
	LogLoss *float64 `json:"log_loss"`
	// Brier is the mean squared error of the probability of the positive class of two; nil for
	// other models.
	Brier *float64 `json:"brier,omitempty"`
	// Threshold is the probability (for losses without probabilities, the margin) above which a row is
	// predicted to be of the positive class of two; nil for more classes.
	Threshold *float64       `json:"threshold,omitempty"`
	Classes   []ClassSummary `json:"classes"` // of two classes the negative one is first
	// Confusion adds up the rows, or their weights, of class i that are predicted to be of
	// class j in [i][j].
	Confusion [][]float64 `json:"confusion"`
}

// A ClassSummary has the metrics of one class. A share of no rows is 0, as in scikit-learn.
type ClassSummary struct {
	Class     string  `json:"class"`
	Rows      float64 `json:"rows"` // or their weights
	Precision float64 `json:"precision"`
	Recall    float64 `json:"recall"`
	F1        float64 `json:"f1"`
}

// NumberMetrics are the metrics of a model that predicts numbers.
type NumberMetrics struct {
	MSE float64 `json:"mse"`
	MAE float64 `json:"mae"`
	// R2 is 1 − Σ ω(y − t)²/Σ ω(y − mean)² for predictions t. If all y are equal, it is 1 for perfect
	// predictions and 0 otherwise, as in scikit-learn.
	R2 float64 `json:"r2"`
	// Deviance is the mean Poisson deviance, twice the mean loss. D2 is the share of the deviance around
	// the mean that the predictions explain. Both are nil for losses that are not for counts.
	Deviance *float64 `json:"deviance,omitempty"`
	D2       *float64 `json:"d2,omitempty"`
}

// ScoreSettings tune Score; nil means the defaults.
type ScoreSettings struct {
	Weights   []float64 // one ≥ 0 for each row; nil means ones
	Offsets   []float64 // added to the margins; nil means none
	Threshold *float64  // of ClassMetrics, for two classes; nil means 0.5 for probabilities, 0 for margins
}

// Score compares the predictions for the rows of x with labels y as the training data
// had them. A label that the model does not know is an error.
func (m *Model) Score(x *sparse.CSR, y []float64, set *ScoreSettings) (*Metrics, error) {
	t := m.NewTally(nil)
	if err := t.Add(x, y, set); err != nil {
		return nil, err
	}
	return t.Metrics()
}

// checked returns s, or the defaults for nil, unless something is wrong with it or the
// data.
func (s *ScoreSettings) checked(x *sparse.CSR, y []float64) (*ScoreSettings, error) {
	if s == nil {
		s = &ScoreSettings{}
	}
	if x == nil {
		return nil, errNoData
	}
	n, _ := x.Dims()
	if err := checkLabels(y, n); err != nil {
		return nil, err
	}
	if n == 0 {
		return nil, errNoRows
	}
	return s, s.check(n)
}

var errNoRows = errors.New("model: no rows to score")

func (s *ScoreSettings) check(n int) error {
	if s.Weights != nil && len(s.Weights) != n || s.Offsets != nil && len(s.Offsets) != n {
		return fmt.Errorf("model: %d weights and %d offsets for %d rows", len(s.Weights), len(s.Offsets), n)
	}
	var sum float64
	for i, w := range s.Weights {
		if !(w >= 0) || math.IsInf(w, 0) {
			return fmt.Errorf("model: weight %v of row %d; it must be finite and not negative", w, i)
		}
		sum += w
	}
	if s.Weights != nil && sum == 0 {
		return errors.New("model: the weights of the rows sum to 0; at least one must be positive")
	}
	for i, o := range s.Offsets {
		if !finite(o) {
			return fmt.Errorf("model: offset %v of row %d; it must be finite", o, i)
		}
	}
	return nil
}

// counts reports whether the labels are counts.
func (m *Model) counts() bool { return traits(m.loss()).Labels == term.Counts }

// deviance returns the Poisson deviance of a count and a rate, which is 0 for counts of 0 alone.
func deviance(count, rate float64) float64 {
	if rate == 0 {
		return 0
	}
	return 2 * term.Poisson{}.Value(term.Counts.MarginOf(rate), count)
}

// mean returns Σ ωᵢ f(i)/Σ ωᵢ; weights may be nil.
func mean(weights []float64, n int, f func(i int) float64) float64 {
	var sum, total float64
	for i := range n {
		w := 1.0
		if weights != nil {
			w = weights[i]
		}
		if w > 0 {
			sum += float64(w * f(i))
			total += w
		}
	}
	return sum / total
}

// AUC returns the area under the ROC curve: the share of pairs of a positive and a
// negative row, by their weights, in which the positive one has the larger score, ties
// counting half. sign is above 0 for positive rows; weights may be nil. Without a row of
// each class it is NaN.
func AUC(score, sign, weights []float64) float64 {
	var s sides
	for i, v := range score {
		s[classOf(sign[i])].add(v, i, weights)
	}
	return s.auc(nil)
}

// summarise fills in what follows from the confusion table.
func (c *ClassMetrics) summarise(m *Model) {
	share := func(part, rest float64) float64 {
		if part == 0 {
			return 0
		}
		return part / (part + rest)
	}
	right, wrong := 0.0, 0.0
	for k, row := range c.Confusion {
		hit, missed, called := row[k], 0.0, 0.0
		for j, w := range row {
			if j != k {
				missed += w
				called += c.Confusion[j][k]
			}
		}
		c.Classes = append(c.Classes, ClassSummary{
			Class: m.className(k), Rows: hit + missed,
			Precision: share(hit, called), Recall: share(hit, missed), F1: share(2*hit, called+missed),
		})
		right += hit
		wrong += missed
	}
	c.Accuracy = share(right, wrong)
	if !m.Labels.IsZero() {
		c.Precision, c.Recall, c.F1 = c.Classes[1].Precision, c.Classes[1].Recall, c.Classes[1].F1
		return
	}
	for _, one := range c.Classes {
		c.Precision += one.Precision / float64(len(c.Classes))
		c.Recall += one.Recall / float64(len(c.Classes))
		c.F1 += one.F1 / float64(len(c.Classes))
	}
}

// explained returns the share of the deviation around the mean label that the predictions explain.
// left is the deviation around the predictions. If all labels equal the mean, it returns 1 for perfect
// predictions and 0 otherwise.
func explained(left, ofMean float64) float64 {
	switch {
	case ofMean > 0:
		return 1 - left/ofMean
	case left == 0:
		return 1
	}
	return 0
}
