package model

import (
	"math"

	"github.com/scas-admm/scas/sparse"
)

// A Metric is a measure that the caller provides. It returns the value of a model on the rows of x with
// labels y; smaller values are better. set has the weights, offsets and threshold for Score, and may be
// nil.
type Metric func(m *Model, x *sparse.CSR, y []float64, set *ScoreSettings) (float64, error)

// A Measure names the measure by which validation and cross-validation compare models, on rows that the
// models were not fitted to.
type Measure string

// The measures. For ByAUC and ByR2 larger values are better, for the others smaller ones.
const (
	ByLoss  Measure = "loss"  // Metrics.Loss: the mean of the loss that was fitted
	ByError Measure = "error" // 1 − accuracy
	ByAUC   Measure = "auc"   // the area under the ROC curve
	ByMSE   Measure = "mse"   // the mean squared error, for numbers
	// ByR2 is 1 − MSE/variance, with the mean squared error of a fold and the variance of the labels of all
	// folds. So it is defined for folds with few rows.
	ByR2 Measure = "r2"

	byOwn Measure = "own" // the Metric that the caller provides
)

// scores has the measures of a model on some rows. A measure that is not defined for the rows is NaN.
type scores map[Measure]float64

func (m *Metrics) scores() scores {
	if m.Numbers != nil {
		return scores{ByLoss: m.Loss, ByMSE: m.Numbers.MSE}
	}
	s := scores{ByLoss: m.Loss, ByError: 1 - m.Classes.Accuracy, ByAUC: math.NaN()}
	if m.Classes.AUC != nil {
		s[ByAUC] = *m.Classes.AUC
	}
	return s
}

// sign returns −1 if larger values of the measure are better, and 1 if smaller values are better.
func (m Measure) sign() float64 {
	if m == ByAUC || m == ByR2 {
		return -1
	}
	return 1
}

// check returns the measure to use: byOwn if own is set, and ByLoss if m is empty. It returns an error
// if the measure does not apply to the models. classes says that the models predict classes, and own
// that the caller provides a Metric. field is the name of the setting, for the error.
func (m Measure) check(classes, own bool, field string) (Measure, error) {
	ofClasses, known := map[Measure]bool{ByError: true, ByAUC: true, ByMSE: false, ByR2: false}[m]
	switch {
	case m != "" && own:
		return "", errorf("%s = %q beside a metric of your own: give one of them", field, m)
	case own:
		return byOwn, nil
	case m == "" || m == ByLoss:
		return ByLoss, nil
	case !known:
		return "", errorf("%s = %q is no measure", field, m)
	case ofClasses && !classes:
		return "", errorf("%s = %q is for classification, and the loss for numbers", field, m)
	case !ofClasses && classes:
		return "", errorf("%s = %q is for numbers, and the loss for classification", field, m)
	}
	return m, nil
}

const defaultPatience = 10

// A patience decides when a path ends early. Its Validation is nil if the path has no validation.
type patience struct {
	*Validation
	by    Measure
	best  float64 // the best value so far, times the sign of the measure
	since int     // the number of lambdas since the best value
}

func newPatience(v *Validation, classes bool) (p *patience, err error) {
	p = &patience{Validation: v, best: math.Inf(1)}
	if v != nil {
		p.by, err = v.By.check(classes, v.Metric != nil, "PathSettings.Validation.By")
	}
	if err == nil && p.by == ByR2 {
		err = errorf("PathSettings.Validation.By = \"r2\" is for cross-validation; ByMSE chooses the same")
	}
	return p, err
}

// judge sets the Validation of a step to the value of the measure on the held-out rows.
func (p *patience) judge(s *Step) error {
	if p.Validation == nil {
		return nil
	}
	m := s.Model()
	if p.by == byOwn {
		value, err := p.Metric(m, p.X, p.Y, p.Score)
		if err != nil {
			return err
		}
		s.Validation = value
	} else {
		found, err := m.Score(p.X, p.Y, p.Score)
		if err != nil {
			return err
		}
		s.Validation = found.scores()[p.by]
	}
	p.since++
	if v := p.by.sign() * s.Validation; v < p.best {
		p.best, p.since = v, 0
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
