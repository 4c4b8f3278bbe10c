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
