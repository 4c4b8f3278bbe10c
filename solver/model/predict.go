package model

import (
	"fmt"
	"math"

	"github.com/scas-admm/scas/solver/internal/term"
	"github.com/scas-admm/scas/sparse"
	"github.com/scas-admm/scas/sparse/pages"
)

// An OverflowError reports that a margin, or the prediction of a count, is not finite.
type OverflowError struct {
	Row    int // number of the row in the matrix, from 0; 0 for a single row
	Margin float64
}

// Error names the row and the margin.
func (e *OverflowError) Error() string { return "model: " + e.Reword(nil) }

// Reword returns the text of Error without the name of the package. The text has no remedies, so Reword
// ignores its argument.
func (e *OverflowError) Reword(func(sparse.Remedy) string) string {
	phrase := "margin is"
	if finite(e.Margin) {
		phrase = "predicted count is beyond the largest number: it is e to the power of"
	}
	return fmt.Sprintf("row %d: the %s %v; its values are too large", e.Row, phrase, e.Margin)
}

// ErrNoProbability is the error of methods that return probabilities, if the loss of the model has none.
var ErrNoProbability = errorf("probabilities are for the logistic loss; take margins or classes")

var errColumns = errorf("the model has a margin for each of its classes; Predict, RowProbabilities and the methods for matrices take it")

// ReadOptions returns the options of package sparse for reading data for the model. The data get the number
// of features of the model. If features have names in the model and in the data, columns are found by name.
// Labels are mapped as in training, and may be absent. In tables, missing values are filled as in training,
// and offsets are read from the column that Offset names.
func (m *Model) ReadOptions() *sparse.ReadOptions {
	base := sparse.OneBased
	if m.IndexBase == 0 {
		base = sparse.ZeroBased
	}
	return &sparse.ReadOptions{
		Features: m.featureCount(), Names: m.Features, IndexBase: base,
		Classes: m.Classes, Regression: !m.Classifies(), Counts: m.predictsCounts(),
		LabelsOptional: true,
		Table:          sparse.TableOptions{Label: m.LabelColumn, Offset: m.OffsetColumn, Fill: m.Fill},
	}
}

// Margin returns Σ values[k]·Coefficients[indices[k]] + Intercept for one row and a model with one column.
// If the model predicts numbers, the margin is the prediction; if it predicts counts, the margin is the
// logarithm of the prediction. indices count from 0 and must increase; a feature without an index is 0.
// Without an error, Margin allocates no memory.
func (m *Model) Margin(indices []int32, values []float64) (float64, error) {
	if len(m.Columns) != 1 {
		return 0, errColumns
	}
	var dst [1]float64
	margins, err := m.rowMargins(dst[:], indices, values)
	if err != nil {
		return 0, err
	}
	return margins[0], nil
}

// rowMargins sets dst to the margins of one row, one for each column, and returns dst. It allocates no memory
// if the capacity of dst is sufficient.
func (m *Model) rowMargins(dst []float64, indices []int32, values []float64) ([]float64, error) {
	if err := m.checkRow(indices, values); err != nil {
		return nil, err
	}
	if cap(dst) < len(m.Columns) {
		dst = make([]float64, len(m.Columns))
	}
	dst = dst[:len(m.Columns)]
	for k := range m.Columns {
		dst[k] = m.Columns[k].margin(indices, values)
		if !finite(dst[k]) {
			return nil, badValue(indices, values, dst[k])
		}
	}
	return dst, nil
}

func (m *Model) checkRow(indices []int32, values []float64) error {
	if len(indices) != len(values) {
		return errorf("%d indices and %d values; want as many of both", len(indices), len(values))
	}
	lastIndex, p := int32(-1), m.featureCount()
	for k, j := range indices {
		if j <= lastIndex || int(j) >= p {
			return badIndex(k, j, lastIndex, p)
		}
		lastIndex = j
	}
	return nil
}

// margin returns the margin of a row. It skips products that are 0, so that features whose coefficient is 0
// do not change the order of the sum.
func (c *Column) margin(indices []int32, values []float64) float64 {
	var lane [8]float64
	products := 0
	for k, j := range indices {
		if w, v := c.Coefficients[j], values[k]; w != 0 && v != 0 || v-v != 0 {
			// v-v is 0 unless v is NaN or ±Inf
			lane[products%8] = math.FMA(v, w, lane[products%8])
			products++
		}
	}
	return ((lane[0] + lane[4]) + (lane[2] + lane[6])) + ((lane[1] + lane[5]) + (lane[3] + lane[7])) +
		c.Intercept
}

func badIndex(k int, j, lastIndex int32, p int) error {
	if j < 0 || int(j) >= p {
		return errorf("position %d: index %d is outside 0..%d, the features of the model", k, j, p-1)
	}
	return errorf("position %d: index %d follows %d; want increasing indices", k, j, lastIndex)
}

func badValue(indices []int32, values []float64, margin float64) error {
	for k, v := range values {
		if !finite(v) {
			return errorf("position %d: value %v of index %d; want a finite number", k, v, indices[k])
		}
	}
	return &OverflowError{Margin: margin}
}

// Probability returns the probability of the positive class. The model must have two classes and the logistic
// loss. See Margin for the arguments.
func (m *Model) Probability(indices []int32, values []float64) (float64, error) {
	probability := m.probability()
	if probability == nil {
		return 0, ErrNoProbability
	}
	t, err := m.Margin(indices, values)
	if err != nil {
		return 0, err
	}
	return probability(t), nil
}

// RowProbabilities sets dst to the probabilities of the classes for one row, and returns dst. It allocates no
// memory if the capacity of dst is sufficient. If the model has one column, dst has only the probability of
// the positive class. Otherwise, the probability that the fit of a class gives is divided by the sum of these
// probabilities over all classes. See Margin for the arguments.
func (m *Model) RowProbabilities(dst []float64, indices []int32, values []float64) ([]float64, error) {
	if !m.givesProbability() {
		return nil, ErrNoProbability
	}
	dst, err := m.rowMargins(dst, indices, values)
	if err == nil {
		m.toProbabilities(dst)
	}
	return dst, err
}

// Predict returns the predicted label of one row. Labels have the values of the training data. With a column
// for each class, Predict returns the class with the largest margin, or the first of several such classes.
// A model of numbers predicts the margin, and a model of counts the rate e^margin. See Margin for the
// arguments.
func (m *Model) Predict(indices []int32, values []float64) (float64, error) {
	var few [8]float64 // so that models of few classes need no other memory
	margins, err := m.rowMargins(few[:0], indices, values)
	if err != nil {
		return 0, err
	}
	if m.Classifies() {
		return m.Classes.Values[m.predictedClass(margins)], nil
	}
	if err := m.toPredictions(margins, nil); err != nil {
		return 0, err
	}
	return margins[0], nil
}

// toPredictions replaces margins by the predictions of m, whose labels must be numbers. weights are the
// weights of the rows; nil means that all are 1. The prediction for a row of weight 0 may be infinite.
func (m *Model) toPredictions(margins, weights []float64) error {
	labels := m.loss().Traits().Labels
	for i, t := range margins {
		margins[i] = labels.Prediction(t)
		if !finite(margins[i]) && weightOf(weights, i) > 0 {
			return &OverflowError{i, t}
		}
	}
	return nil
}

// Margins sets dst to the margins of the rows of x and returns dst. It allocates no memory if the capacity of
// dst is sufficient. A model with K columns has K margins for each row; the margins of the first row come
// first. x may have more or fewer columns than the model has features, but an entry in a column after the
// last feature is an error.
func (m *Model) Margins(dst []float64, x *sparse.CSR) ([]float64, error) {
	if x == nil {
		return nil, errNoData
	}
	n, cols := x.Dims()
	columnCount := len(m.Columns)
	if cap(dst) < n*columnCount {
		dst = pages.Make[float64](n * columnCount)
	}
	dst = dst[:n*columnCount]
	if p := m.featureCount(); cols > p {
		for i := range n {
			if idx, _ := x.Row(i); len(idx) > 0 && int(idx[len(idx)-1]) >= p {
				return nil, errorf("row %d has column %d; the model has the features 0..%d",
					i, idx[len(idx)-1], p-1)
			}
		}
	}
	for k := range m.Columns { // this order keeps the coefficients of a column in the cache
		for i := range n {
			t := m.Columns[k].margin(x.Row(i))
			if !finite(t) {
				return nil, &OverflowError{i, t}
			}
			dst[i*columnCount+k] = t
		}
	}
	return dst, nil
}

// addOffsets adds the offset of each row to all margins of the row.
func (m *Model) addOffsets(margins, offsets []float64) error {
	columnCount := len(m.Columns)
	for i, o := range offsets {
		for k := i * columnCount; k < (i+1)*columnCount; k++ {
			margins[k] += o
			if !finite(margins[k]) {
				return &OverflowError{i, margins[k]}
			}
		}
	}
	return nil
}

// Probabilities sets dst to the probabilities of the rows of x, in the order of Margins, and returns dst. See
// RowProbabilities for the probabilities of one row.
func (m *Model) Probabilities(dst []float64, x *sparse.CSR) ([]float64, error) {
	if !m.givesProbability() {
		return nil, ErrNoProbability
	}
	dst, err := m.Margins(dst, x)
	if err == nil {
		m.toProbabilities(dst)
	}
	return dst, err
}

// toProbabilities replaces the margins of rows by probabilities.
func (m *Model) toProbabilities(margins []float64) {
	if columnCount := len(m.Columns); columnCount > 1 {
		loss := m.loss()
		for ; len(margins) > 0; margins = margins[columnCount:] {
			term.SetClassProbabilities(loss, margins[:columnCount], margins[:columnCount])
		}
		return
	}
	probability := m.probability()
	for i, t := range margins {
		margins[i] = probability(t)
	}
}

// Predictions sets dst to one label or number for each row of x, as Predict returns it, and returns dst.
func (m *Model) Predictions(dst []float64, x *sparse.CSR) ([]float64, error) {
	dst, err := m.Margins(dst, x)
	if err != nil {
		return nil, err
	}
	if !m.Classifies() {
		if err := m.toPredictions(dst, nil); err != nil {
			return nil, err
		}
		return dst, nil
	}
	columnCount := len(m.Columns)
	for i := range len(dst) / columnCount {
		dst[i] = m.Classes.Values[m.predictedClass(dst[i*columnCount:(i+1)*columnCount])]
	}
	return dst[:len(dst)/columnCount], nil
}

// predictedClass returns the number of the class that is predicted for the margins of a row: the first one
// with the largest margin or, with one column, class 1 if the margin is positive.
func (m *Model) predictedClass(margins []float64) (best int) {
	if len(margins) == 1 && margins[0] > 0 {
		return 1
	}
	for k, t := range margins {
		if t > margins[best] {
			best = k
		}
	}
	return best
}

// probability returns the function that turns a margin into a probability, or nil if the model has no
// probabilities.
func (m *Model) probability() func(margin float64) float64 {
	if !m.Classifies() {
		return nil
	}
	return m.loss().Traits().Probability
}

func (m *Model) givesProbability() bool { return m.probability() != nil }
