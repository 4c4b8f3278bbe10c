package model

import (
	"fmt"
	"math"

	"github.com/scas-admm/scas/solver/internal/term"
	"github.com/scas-admm/scas/sparse"
)

// An OverflowError reports that a margin, or the prediction of a count, is not finite, because values of
// the row or coefficients are too large.
type OverflowError struct {
	Row    int // the number of the row in the matrix, from 0; 0 for a single row
	Margin float64
}

// Error says which margin is not finite.
func (e *OverflowError) Error() string { return "model: " + e.Reword(nil) }

// Reword returns the text of Error without the name of the package. It ignores its argument, because the
// text has no remedies.
func (e *OverflowError) Reword(func(sparse.Remedy) string) string {
	return fmt.Sprintf("row %d: the margin is %v: its values are too large", e.Row, e.Margin)
}

// ErrNoProbability is the error of methods for probabilities if the loss has no probabilities.
var ErrNoProbability = errorf("probabilities are for the logistic loss; take margins or classes")

// errColumns is the error of Margin, which returns one number, if the model has several columns.
var errColumns = errorf("the model has a margin for each of its classes; Predict, RowProbabilities and the methods for matrices take it")

// ReadOptions returns the options of package sparse for reading data for the model. The data get the number
// of features of the model. If features have names in the model and in the data, columns are found by name.
// Labels are mapped as in training, and may be absent. In tables, missing values are filled as in training,
// and the offsets are read from the column Offset.
func (m *Model) ReadOptions() *sparse.ReadOptions {
	base := sparse.OneBased
	if m.IndexBase == 0 {
		base = sparse.ZeroBased
	}
	return &sparse.ReadOptions{
		Features: m.featureCount(), Names: m.Features, IndexBase: base,
		Mapping: m.Labels, Classes: m.Classes, Regression: !m.Classifies(), Counts: m.counts(), LabelsOptional: true,
		Table: sparse.TableOptions{Label: m.Target, Offset: m.Offset, Fill: m.Fill},
	}
}

// Margin returns the margin of one row, Σ values[k]·Coefficients[indices[k]] + Intercept, for a model
// with one column. For numbers the margin is the prediction, and for counts the logarithm of the
// prediction. Indices count from 0 and must increase; features that are absent are 0. Margin checks its
// arguments and allocates no memory. Several goroutines may call it at the same time.
func (m *Model) Margin(indices []int32, values []float64) (float64, error) {
	if len(m.Columns) != 1 {
		return 0, errColumns
	}
	if err := m.checkRow(indices, values); err != nil {
		return 0, err
	}
	return m.Columns[0].checkedMargin(indices, values)
}

// checkRow returns an error if the indices of a row are not valid.
func (m *Model) checkRow(indices []int32, values []float64) error {
	if len(indices) != len(values) {
		return errorf("%d indices and %d values; want as many of both", len(indices), len(values))
	}
	last, p := int32(-1), m.featureCount()
	for k, j := range indices {
		if j <= last || int(j) >= p {
			return badIndex(k, j, last, p)
		}
		last = j
	}
	return nil
}

// checkedMargin returns the margin, or an error if it is not finite.
func (c *Column) checkedMargin(indices []int32, values []float64) (float64, error) {
	sum := c.margin(indices, values)
	if !finite(sum) {
		return 0, badValue(indices, values, sum)
	}
	return sum, nil
}

// margin returns the margin of a row. It sums the products that are not zero, in eight lanes as package
// kernels does. The order of the sum must not depend on features whose coefficient is zero. Then rows
// that differ only in such features have equal margins, and the AUC counts their pair half.
func (c *Column) margin(indices []int32, values []float64) float64 {
	var lane [8]float64
	kept := 0
	for k, j := range indices {
		if w, v := c.Coefficients[j], values[k]; w != 0 && v != 0 || v-v != 0 { // v-v is not 0 for NaN and ±Inf
			lane[kept%8] = math.FMA(v, w, lane[kept%8])
			kept++
		}
	}
	return ((lane[0] + lane[4]) + (lane[2] + lane[6])) + ((lane[1] + lane[5]) + (lane[3] + lane[7])) + c.Intercept
}

func badIndex(k int, j, last int32, p int) error {
	if j < 0 || int(j) >= p {
		return errorf("position %d: index %d is outside 0..%d, the features of the model", k, j, p-1)
	}
	return errorf("position %d: index %d follows %d; want increasing indices", k, j, last)
}

// badValue returns an error that names the first value that is not finite. If there is none, it returns
// an OverflowError with the margin.
func badValue(indices []int32, values []float64, margin float64) error {
	for k, v := range values {
		if !finite(v) {
			return errorf("position %d: value %v of index %d; want a finite number", k, v, indices[k])
		}
	}
	return &OverflowError{Margin: margin}
}

// Probability returns the probability of the positive class, for a model of two classes with the logistic
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

// RowProbabilities sets dst to the probabilities of the classes for one row, and returns it. It allocates
// no memory if the capacity of dst is sufficient. With two classes it sets only the probability of the
// positive class. With more classes, the probability of a class is the probability from its fit against
// the rest, divided by the sum of these probabilities over all classes. See Margin for the arguments.
func (m *Model) RowProbabilities(dst []float64, indices []int32, values []float64) ([]float64, error) {
	if !m.givesProbability() {
		return nil, ErrNoProbability
	}
	if err := m.checkRow(indices, values); err != nil {
		return nil, err
	}
	if cap(dst) < len(m.Columns) {
		dst = make([]float64, len(m.Columns))
	}
	dst = dst[:len(m.Columns)]
	for k := range m.Columns {
		t, err := m.Columns[k].checkedMargin(indices, values)
		if err != nil {
			return nil, err
		}
		dst[k] = t
	}
	m.toProbabilities(dst)
	return dst, nil
}

// Predict returns the predicted label of one row, with the values of the labels in the training data.
// With more than two classes it is the class with the largest margin, or the first of several such
// classes. For numbers Predict returns the predicted number, and for counts the rate e^margin. See Margin
// for the arguments.
func (m *Model) Predict(indices []int32, values []float64) (float64, error) {
	if err := m.checkRow(indices, values); err != nil {
		return 0, err
	}
	best, most := 0, 0.0
	for k := range m.Columns {
		t, err := m.Columns[k].checkedMargin(indices, values)
		if err != nil {
			return 0, err
		}
		if k == 0 || t > most {
			best, most = k, t
		}
	}
	switch {
	case !m.Classes.IsZero():
		return m.Classes.Values[best], nil
	case m.Classifies():
		return m.Labels.Original(most), nil
	}
	number := m.prediction(most)
	if !finite(number) {
		return 0, &OverflowError{Margin: most}
	}
	return number, nil
}

// prediction returns the predicted number for a margin.
func (m *Model) prediction(margin float64) float64 { return traits(m.loss()).Labels.Predicts(margin) }

// toPredictions replaces the margins of a model for numbers by its predictions.
func (m *Model) toPredictions(margins []float64) error {
	labels := traits(m.loss()).Labels
	for i, t := range margins {
		if margins[i] = labels.Predicts(t); !finite(margins[i]) {
			return &OverflowError{i, t}
		}
	}
	return nil
}

// Margins sets dst to the margins of the rows of x and returns it. It allocates no memory if the capacity
// of dst is sufficient. A model with K columns has K margins for each row, and the margins of the first
// row come first. x may have more or fewer columns than the model has features. But an entry in a column
// after the last feature is an error, which names its row and column.
func (m *Model) Margins(dst []float64, x *sparse.CSR) ([]float64, error) {
	if x == nil {
		return nil, errNoData
	}
	n, cols := x.Dims()
	each := len(m.Columns)
	if cap(dst) < n*each {
		dst = make([]float64, n*each)
	}
	dst = dst[:n*each]
	if p := m.featureCount(); cols > p {
		for i := range n {
			if idx, _ := x.Row(i); len(idx) > 0 && int(idx[len(idx)-1]) >= p {
				return nil, errorf("row %d has column %d; the model has the features 0..%d", i, idx[len(idx)-1], p-1)
			}
		}
	}
	for k := range m.Columns { // the outer loop is over columns, so that their coefficients stay in the cache
		for i := range n {
			t := m.Columns[k].margin(x.Row(i))
			if !finite(t) {
				return nil, &OverflowError{i, t}
			}
			dst[i*each+k] = t
		}
	}
	return dst, nil
}

// addOffsets adds the offset of each row to all margins of the row. offsets may be nil. An
// OverflowError says that a margin is no longer finite.
func (m *Model) addOffsets(margins, offsets []float64) error {
	each := len(m.Columns)
	for i, o := range offsets {
		for k := i * each; k < (i+1)*each; k++ {
			if margins[k] += o; !finite(margins[k]) {
				return &OverflowError{i, margins[k]}
			}
		}
	}
	return nil
}

// Probabilities sets dst to the probabilities of the rows of x and returns it, in the order of Margins. See
// RowProbabilities for the probabilities of a row.
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
	if each := len(m.Columns); each > 1 {
		loss := term.LossOf(m.loss())
		for ; len(margins) > 0; margins = margins[each:] {
			term.Shares(loss, margins[:each], margins[:each])
		}
		return
	}
	probability := m.probability()
	for i, t := range margins {
		margins[i] = probability(t)
	}
}

// Predictions sets dst to the predictions for the rows of x and returns it: one label or number for each
// row, as Predict returns it.
func (m *Model) Predictions(dst []float64, x *sparse.CSR) ([]float64, error) {
	dst, err := m.Margins(dst, x)
	if err != nil {
		return nil, err
	}
	switch each := len(m.Columns); {
	case !m.Classifies():
		return dst, m.toPredictions(dst)
	case each == 1:
		for i, t := range dst {
			dst[i] = m.Labels.Original(t)
		}
	default:
		for i := range len(dst) / each {
			dst[i] = m.Classes.Values[largest(dst[i*each:(i+1)*each])]
		}
		dst = dst[:len(dst)/each]
	}
	return dst, nil
}

// largest returns the index of the largest number, or the first such index if several numbers are equal.
func largest(v []float64) (best int) {
	for k, x := range v {
		if x > v[best] {
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
	return traits(m.loss()).Probability
}

// givesProbability reports whether the model has probabilities.
func (m *Model) givesProbability() bool { return m.probability() != nil }
