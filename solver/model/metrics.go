package model

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/scas-admm/scas/solver/internal/term"
	"github.com/scas-admm/scas/sparse"
)

// Metrics say what a model is worth on some rows.
type Metrics struct {
	Rows int     `json:"rows"`
	Loss float64 `json:"mean_loss"` // of the model's loss
	// Classes is nil for regression, and Numbers for classification.
	Classes *ClassMetrics  `json:"classification,omitempty"`
	Numbers *NumberMetrics `json:"regression,omitempty"`
}

// ClassMetrics are of two classes. Shares of nothing are 0, as in scikit-learn.
type ClassMetrics struct {
	// Threshold is that of the probability, or where there is none of the margin, above
	// which a row is predicted positive.
	Threshold float64 `json:"threshold"`
	Accuracy  float64 `json:"accuracy"`
	Precision float64 `json:"precision"`
	Recall    float64 `json:"recall"`
	F1        float64 `json:"f1"`
	// AUC is the area under the ROC curve, ties counted half; nil if a class is absent.
	AUC *float64 `json:"auc"`
	// LogLoss and Brier, the mean squared error of the probability, are nil for losses
	// without probabilities.
	LogLoss   *float64  `json:"log_loss"`
	Brier     *float64  `json:"brier"`
	Confusion Confusion `json:"confusion"`
}

// Confusion counts rows, or adds up their weights, by class and prediction.
type Confusion struct {
	TruePositive  float64 `json:"true_positive"`
	FalsePositive float64 `json:"false_positive"`
	TrueNegative  float64 `json:"true_negative"`
	FalseNegative float64 `json:"false_negative"`
}

// NumberMetrics are of regression.
type NumberMetrics struct {
	MSE float64 `json:"mse"`
	MAE float64 `json:"mae"`
	// R2 is 1 − Σ ω(y − t)²/Σ ω(y − mean)² for predictions t; where y is constant 1 for
	// perfect predictions and else 0, as in scikit-learn.
	R2 float64 `json:"r2"`
	// Deviance is the mean Poisson deviance, twice the mean loss, and D2 the part of the
	// mean's deviance that the predictions explain, as R2 is of the variance. They are nil for
	// losses that are not for counts.
	Deviance *float64 `json:"deviance,omitempty"`
	D2       *float64 `json:"d2,omitempty"`
}

// ScoreSettings tune Score; nil means the defaults.
type ScoreSettings struct {
	Weights   []float64 // one ≥ 0 for each row; nil means ones
	Offsets   []float64 // added to the margins; nil means none
	Threshold *float64  // of ClassMetrics; nil means 0.5 for probabilities, 0 for margins
}

// Score compares the predictions for the rows of x with labels y as the training data
// had them. A label that the model does not know is an error.
func (m *Model) Score(x *sparse.CSR, y []float64, set *ScoreSettings) (*Metrics, error) {
	set, err := set.checked(x, y)
	if err != nil {
		return nil, err
	}
	margin, err := m.Margins(nil, x)
	if err != nil {
		return nil, err
	}
	for i, o := range set.Offsets {
		margin[i] += o
	}
	return m.metrics(margin, y, set)
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

// metrics compares margins with labels as the training data had them.
func (m *Model) metrics(margin, y []float64, set *ScoreSettings) (*Metrics, error) {
	out, err := m.unranked(margin, y, set)
	if err != nil || out.Classes == nil {
		return out, err
	}
	signs, _ := signsOf(y, m.Labels)
	if auc := AUC(margin, signs, set.Weights); finite(auc) {
		out.Classes.AUC = &auc
	}
	return out, nil
}

// unranked is metrics without the AUC.
func (m *Model) unranked(margin, y []float64, set *ScoreSettings) (*Metrics, error) {
	out := &Metrics{Rows: len(y)}
	if m.Classifies() {
		signs, err := signsOf(y, m.Labels)
		if err != nil {
			return nil, fmt.Errorf("%w (the model knows two)", err)
		}
		y = signs
		out.Classes = m.classMetrics(margin, signs, set)
	} else {
		predicted := slices.Clone(margin)
		if err := m.toPredictions(predicted); err != nil {
			return nil, err
		}
		out.Numbers = numberMetrics(predicted, y, set.Weights)
	}
	out.Loss = mean(set.Weights, len(y), func(i int) float64 { return m.loss().Value(margin[i], y[i]) })
	if m.counts() {
		center := mean(set.Weights, len(y), func(i int) float64 { return y[i] })
		out.compareDeviance(mean(set.Weights, len(y), func(i int) float64 { return deviance(y[i], center) }))
	}
	return out, nil
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

// compareDeviance sets what the metrics say of the deviance, given that of the mean label.
func (m *Metrics) compareDeviance(ofMean float64) {
	all := 2 * m.Loss
	part := explained(all, ofMean)
	m.Numbers.Deviance, m.Numbers.D2 = &all, &part
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

func (m *Model) classMetrics(margin, sign []float64, set *ScoreSettings) *ClassMetrics {
	c := &ClassMetrics{}
	value := margin
	if m.givesProbability() {
		c.Threshold = 0.5
		loss, probability := m.loss(), traits(m.loss()).Probability
		value = make([]float64, len(margin))
		for i, t := range margin {
			value[i] = probability(t)
		}
		logLoss := mean(set.Weights, len(sign), func(i int) float64 { return loss.Value(margin[i], sign[i]) })
		brier := mean(set.Weights, len(sign), func(i int) float64 {
			off := probability(float64(-sign[i] * margin[i])) // 1 − p of the true class
			return float64(off * off)
		})
		c.LogLoss, c.Brier = &logLoss, &brier
	}
	if set.Threshold != nil {
		c.Threshold = *set.Threshold
	}
	for i, b := range sign {
		w := 1.0
		if set.Weights != nil {
			w = set.Weights[i]
		}
		c.Confusion.add(b > 0, value[i] > c.Threshold, w)
	}
	c.shares()
	return c
}

func (c *Confusion) add(positive, predicted bool, w float64) {
	switch {
	case positive && predicted:
		c.TruePositive += w
	case positive:
		c.FalseNegative += w
	case predicted:
		c.FalsePositive += w
	default:
		c.TrueNegative += w
	}
}

// shares fills in what follows from the confusion table.
func (c *ClassMetrics) shares() {
	t := &c.Confusion
	share := func(part, rest float64) float64 {
		if part == 0 {
			return 0
		}
		return part / (part + rest)
	}
	c.Accuracy = share(t.TruePositive+t.TrueNegative, t.FalsePositive+t.FalseNegative)
	c.Precision = share(t.TruePositive, t.FalsePositive)
	c.Recall = share(t.TruePositive, t.FalseNegative)
	c.F1 = share(2*t.TruePositive, t.FalsePositive+t.FalseNegative)
}

// AUC returns the area under the ROC curve: the share of pairs of a positive and a
// negative row, by their weights, in which the positive one has the larger score, ties
// counting half. sign is above 0 for positive rows; weights may be nil. Without a row of
// each class it is NaN.
func AUC(score, sign, weights []float64) float64 {
	order := make([]int, len(score))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int { return cmp.Compare(score[a], score[b]) })
	var area, below, positives float64 // below: weight of the negatives of lower score
	for k := 0; k < len(order); {
		var class [2]float64
		first := score[order[k]]
		for ; k < len(order) && score[order[k]] == first; k++ {
			w := 1.0
			if weights != nil {
				w = weights[order[k]]
			}
			class[classOf(sign[order[k]])] += w
		}
		area += float64(class[1] * (below + float64(class[0]/2)))
		below += class[0]
		positives += class[1]
	}
	return area / positives / below
}

func numberMetrics(predicted, y, weights []float64) *NumberMetrics {
	n := len(y)
	center := mean(weights, n, func(i int) float64 { return y[i] })
	s := &NumberMetrics{
		MSE: mean(weights, n, func(i int) float64 { return float64((y[i] - predicted[i]) * (y[i] - predicted[i])) }),
		MAE: mean(weights, n, func(i int) float64 { return math.Abs(y[i] - predicted[i]) }),
	}
	s.R2 = explained(s.MSE, mean(weights, n, func(i int) float64 { return float64((y[i] - center) * (y[i] - center)) }))
	return s
}

// explained returns the part of what the mean label leaves that predictions explain, which leave
// left of it. Where the mean leaves nothing it is 1 for perfect predictions and else 0.
func explained(left, ofMean float64) float64 {
	switch {
	case ofMean > 0:
		return 1 - left/ofMean
	case left == 0:
		return 1
	}
	return 0
}
