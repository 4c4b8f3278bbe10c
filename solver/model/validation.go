package model

import (
	"errors"
	"math"

	"github.com/scas-admm/scas/sparse"
)

// A Metric judges a model on some rows; smaller values are better. set has weights,
// offsets and threshold for Score, and may be nil.
type Metric func(m *Model, x *sparse.CSR, y []float64, set *ScoreSettings) (float64, error)

// MeanLoss is the mean of the loss that was fitted: the log loss, half the deviance, for
// the logistic one.
func MeanLoss(m *Model, x *sparse.CSR, y []float64, set *ScoreSettings) (float64, error) {
	s, err := m.Score(x, y, set)
	if err != nil {
		return 0, err
	}
	return s.Loss, nil
}

// ErrorRate is 1 − accuracy, for classification.
func ErrorRate(m *Model, x *sparse.CSR, y []float64, set *ScoreSettings) (float64, error) {
	s, err := m.Score(x, y, set)
	switch {
	case err != nil:
		return 0, err
	case s.Classes == nil:
		return 0, errors.New("model: ErrorRate is for classification")
	}
	return 1 - s.Classes.Accuracy, nil
}

// A Measure names what cross-validation judges models by on the rows that they were not
// fitted to.
type Measure string

// The measures. Of ByAUC and ByR2 larger values are better.
const (
	ByLoss  Measure = "loss"  // Metrics.Loss: the mean of the loss that was fitted
	ByError Measure = "error" // 1 − accuracy
	ByAUC   Measure = "auc"   // the area under the ROC curve
	ByMSE   Measure = "mse"   // the mean squared error, of numbers
	// ByR2 is 1 − the mean squared error as a share of the variance of all labels, those of
	// the other folds included, so that folds of a few rows have it, too.
	ByR2 Measure = "r2"

	byOwn Measure = "own" // a Metric or MultiMetric of the caller's
)

// scores are the measures of a model on some rows; NaN stands for those that the rows have not.
type scores map[Measure]float64

func (m *Metrics) scores() scores {
	if m.Numbers != nil {
		return scores{ByLoss: m.Loss, ByMSE: m.Numbers.MSE}
	}
	return classScores(m.Loss, m.Classes.Accuracy, m.Classes.AUC)
}

func (m *MultiMetrics) scores() scores { return classScores(m.Loss, m.Accuracy, m.AUC) }

func classScores(loss, accuracy float64, auc *float64) scores {
	s := scores{ByLoss: loss, ByError: 1 - accuracy, ByAUC: math.NaN()}
	if auc != nil {
		s[ByAUC] = *auc
	}
	return s
}

// OneMinusAUC is 1 − the area under the ROC curve, for classification; NaN where a class
// is absent.
func OneMinusAUC(m *Model, x *sparse.CSR, y []float64, set *ScoreSettings) (float64, error) {
	s, err := m.Score(x, y, set)
	switch {
	case err != nil:
		return 0, err
	case s.Classes == nil:
		return 0, errors.New("model: OneMinusAUC is for classification")
	case s.Classes.AUC == nil:
		return math.NaN(), nil
	}
	return 1 - *s.Classes.AUC, nil
}

// MeanSquaredError is for regression.
func MeanSquaredError(m *Model, x *sparse.CSR, y []float64, set *ScoreSettings) (float64, error) {
	s, err := m.Score(x, y, set)
	switch {
	case err != nil:
		return 0, err
	case s.Numbers == nil:
		return 0, errors.New("model: MeanSquaredError is for regression")
	}
	return s.Numbers.MSE, nil
}

const defaultPatience = 10

// A patience says when a path has gone on for long enough.
type patience struct {
	*Validation
	metric Metric
	best   float64
	since  int // lambdas since the best
}

func newPatience(v *Validation) *patience {
	p := &patience{Validation: v, metric: MeanLoss, best: math.Inf(1)}
	if v != nil && v.Metric != nil {
		p.metric = v.Metric
	}
	return p
}

// judge fills in the value of a step on the rows held out.
func (p *patience) judge(s *Step) (err error) {
	if p.Validation == nil {
		return nil
	}
	if s.Validation, err = p.metric(s.Model(), p.X, p.Y, p.Score); err != nil {
		return err
	}
	if p.since++; s.Validation < p.best {
		p.best, p.since = s.Validation, 0
	}
	return nil
}

func (p *patience) ended() bool {
	if p.Validation == nil {
		return false
	}
	limit := p.Patience
	if limit == 0 {
		limit = defaultPatience
	}
	return p.since >= limit
}
