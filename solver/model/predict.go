package model

import (
	"errors"
	"fmt"
	"math"

	"github.com/scas-admm/scas/sparse"
)

// ErrOverflow is matched by errors of predictions whose margin is not finite: values of
// the row or coefficients are too large.
var ErrOverflow = errors.New("model: the margin overflows: its values are too large")

// An OverflowError says which row of a matrix has a margin that is not finite. It matches
// ErrOverflow.
type OverflowError struct {
	Row    int // from 0
	Margin float64
}

func (e *OverflowError) Error() string {
	return fmt.Sprintf("model: row %d: the margin is %v: its values are too large", e.Row, e.Margin)
}

// Is reports whether the target is ErrOverflow.
func (e *OverflowError) Is(target error) bool { return target == ErrOverflow }

// ErrNoProbability is returned where the loss gives no probabilities, as the logistic one does.
var ErrNoProbability = errors.New("model: probabilities are for the logistic loss; take margins or classes")

// ReadOptions are those by which package sparse reads data for the model to predict: with
// as many features, by their names where model and data have names; labels as the model
// knows them, which may be absent; missing values of tables filled as in training, and
// offsets of the column that had them.
func (m *Model) ReadOptions() *sparse.ReadOptions {
	base := sparse.OneBased
	if m.IndexBase == 0 {
		base = sparse.ZeroBased
	}
	return &sparse.ReadOptions{
		Features: len(m.Coefficients), Names: m.Features, IndexBase: base,
		Mapping: m.Labels, Regression: !m.Classifies(), Counts: m.counts(), LabelsOptional: true,
		Table: sparse.TableOptions{Label: m.Target, Offset: m.Offset, Fill: m.Fill},
	}
}

// Margin returns the margin of one row, Σ values[k]·Coefficients[indices[k]] + Intercept: the
// prediction for regression, or its logarithm for counts. Indices count from 0 and increase; features that are
// absent are 0. It checks what it is given, allocates nothing, and may be called by many
// goroutines.
func (m *Model) Margin(indices []int32, values []float64) (float64, error) {
	if len(indices) != len(values) {
		return 0, fmt.Errorf("model: %d indices and %d values; want as many of both", len(indices), len(values))
	}
	last := int32(-1)
	for k, j := range indices {
		if j <= last || int(j) >= len(m.Coefficients) {
			return 0, m.badIndex(k, j, last)
		}
		last = j
	}
	sum := m.margin(indices, values)
	if !finite(sum) {
		return 0, m.badValue(indices, values)
	}
	return sum, nil
}

// margin sums the products that are not zero, in the lanes of package kernels. The order
// of the sum must not depend on other features: rows that differ only in features without
// a coefficient are ties, which the area under the ROC curve counts half.
func (m *Model) margin(indices []int32, values []float64) float64 {
	var lane [8]float64
	kept := 0
	for k, j := range indices {
		if w, v := m.Coefficients[j], values[k]; w != 0 && v != 0 || v-v != 0 { // NaN and infinity stay
			lane[kept%8] = math.FMA(v, w, lane[kept%8])
			kept++
		}
	}
	return ((lane[0] + lane[4]) + (lane[2] + lane[6])) + ((lane[1] + lane[5]) + (lane[3] + lane[7])) + m.Intercept
}

func (m *Model) badIndex(k int, j, last int32) error {
	if j < 0 || int(j) >= len(m.Coefficients) {
		return fmt.Errorf("model: position %d: index %d is outside 0..%d, the features of the model", k, j, len(m.Coefficients)-1)
	}
	return fmt.Errorf("model: position %d: index %d follows %d; want increasing indices", k, j, last)
}

// badValue reports the value that makes a margin what is no number.
func (m *Model) badValue(indices []int32, values []float64) error {
	for k, v := range values {
		if !finite(v) {
			return fmt.Errorf("model: position %d: value %v of index %d; want a finite number", k, v, indices[k])
		}
	}
	return ErrOverflow
}

// Probability returns that of the positive class, for the logistic loss; see Margin.
func (m *Model) Probability(indices []int32, values []float64) (float64, error) {
	if !m.givesProbability() {
		return 0, ErrNoProbability
	}
	t, err := m.Margin(indices, values)
	if err != nil {
		return 0, err
	}
	return traits(m.loss()).Probability(t), nil
}

// Predict returns the label of one row, as the training data had it, or for regression
// the prediction, of counts the rate e^margin; see Margin.
func (m *Model) Predict(indices []int32, values []float64) (float64, error) {
	t, err := m.Margin(indices, values)
	if m.Classifies() || err != nil {
		return m.Labels.Original(t), err
	}
	if t = m.prediction(t); !finite(t) {
		return 0, ErrOverflow
	}
	return t, nil
}

// prediction returns that of a margin, for regression.
func (m *Model) prediction(margin float64) float64 { return traits(m.loss()).Labels.Predicts(margin) }

// toPredictions makes margins predictions, for regression.
func (m *Model) toPredictions(margins []float64) error {
	for i, t := range margins {
		if margins[i] = m.prediction(t); !finite(margins[i]) {
			return &OverflowError{i, t}
		}
	}
	return nil
}

// Margins sets dst to the margins of the rows of x and returns it; with room for them it
// allocates nothing. x may have more or fewer columns than the model features, but no
// entry beyond: that is an error, which names the row and the column.
func (m *Model) Margins(dst []float64, x *sparse.CSR) ([]float64, error) {
	if x == nil {
		return nil, errNoData
	}
	n, cols := x.Dims()
	if cap(dst) < n {
		dst = make([]float64, n)
	}
	dst = dst[:n]
	if cols > len(m.Coefficients) {
		for i := range n {
			if idx, _ := x.Row(i); len(idx) > 0 && int(idx[len(idx)-1]) >= len(m.Coefficients) {
				return nil, fmt.Errorf("model: row %d has column %d; the model has the features 0..%d", i, idx[len(idx)-1], len(m.Coefficients)-1)
			}
		}
	}
	for i := range n {
		if dst[i] = m.margin(x.Row(i)); !finite(dst[i]) {
			return nil, &OverflowError{i, dst[i]}
		}
	}
	return dst, nil
}

// Probabilities is Margins for probabilities of the positive class.
func (m *Model) Probabilities(dst []float64, x *sparse.CSR) ([]float64, error) {
	if !m.givesProbability() {
		return nil, ErrNoProbability
	}
	dst, err := m.Margins(dst, x)
	probability := traits(m.loss()).Probability
	for i, t := range dst {
		dst[i] = probability(t)
	}
	return dst, err
}

// Predictions is Margins for labels, or for regression predictions.
func (m *Model) Predictions(dst []float64, x *sparse.CSR) ([]float64, error) {
	dst, err := m.Margins(dst, x)
	if err != nil {
		return nil, err
	}
	if !m.Classifies() {
		return dst, m.toPredictions(dst)
	}
	for i, t := range dst {
		dst[i] = m.Labels.Original(t)
	}
	return dst, nil
}

// givesProbability reports whether margins stand for probabilities.
func (m *Model) givesProbability() bool { return traits(m.loss()).Probability != nil && m.Classifies() }
