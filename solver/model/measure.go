package model

import (
	"math"

	"github.com/scas-admm/scas/sparse"
)

// A Metric is a measure that the caller provides. It returns the value of a model on the rows of x with
// labels y; smaller values are better. set has the weights, offsets and threshold for Score, and may be nil.
// CV may call a Metric in several goroutines at the same time.
type Metric func(m *Model, x *sparse.CSR, y []float64, set *ScoreSettings) (float64, error)

// A Measure is the name of the measure by which validation and cross-validation compare models.
type Measure string

// The measures. Smaller values are better, except for ByAUC and ByR2.
const (
	ByLoss  Measure = "loss"  // Metrics.Loss
	ByError Measure = "error" // 1 − ClassMetrics.Accuracy
	ByAUC   Measure = "auc"   // ClassMetrics.AUC
	ByMSE   Measure = "mse"   // NumberMetrics.MSE
	// ByR2 is 1 − MSE/variance, with the MSE of a fold and the variance of the labels of all folds.
	ByR2 Measure = "r2"

	byMetric Measure = "own" // the caller's Metric
)

// scores has the measures of a model on some rows. NaN means that a measure is not defined for these rows.
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

// sign returns −1 if larger values are better, and 1 if smaller values are better.
func (m Measure) sign() float64 {
	if m == ByAUC || m == ByR2 {
		return -1
	}
	return 1
}

// check returns the measure to use, or an error if m does not apply. predictsClasses is true if the models
// predict classes, and hasMetric if the caller provides a Metric. field is the name of the setting, for the
// error.
func (m Measure) check(predictsClasses, hasMetric bool, field string) (Measure, error) {
	forClasses, known := map[Measure]bool{ByError: true, ByAUC: true, ByMSE: false, ByR2: false}[m]
	switch {
	case m != "" && hasMetric:
		return "", errorf("%s = %q beside a metric of your own: give one of them", field, m)
	case hasMetric:
		return byMetric, nil
	case m == "" || m == ByLoss:
		return ByLoss, nil
	case !known:
		return "", errorf("%s = %q is no measure", field, m)
	case forClasses && !predictsClasses:
		return "", errorf("%s = %q is for classification, and the loss for numbers", field, m)
	case !forClasses && predictsClasses:
		return "", errorf("%s = %q is for numbers, and the loss for classification", field, m)
	}
	return m, nil
}
