package model

import (
	"math"

	"github.com/scas-admm/scas/sparse"
	"github.com/scas-admm/scas/sparse/pages"
)

// DataPredictions has the predictions of a model for the rows of a sparse.Dataset.
type DataPredictions struct {
	// Scores has a number for each row and each column of the model; the numbers of the first row come first.
	// It is the predicted number or, if the model predicts classes, a probability as in Model.Probabilities.
	// If the loss has no probabilities, it is a margin.
	Scores []float64
	// Classes has the predicted class of each row, an index of Names; nil if the model predicts numbers.
	Classes []int
	// Names has the names of the classes. Of two classes, the negative class comes first. Names is nil if the
	// model predicts numbers.
	Names []string
}

// PredictData returns the predictions for the rows of d. It adds d.Offsets to the margins, and ignores the
// labels. The data must have the features of the model, as data that were read with ReadOptions have. Of two
// classes, the positive one is predicted if its score exceeds threshold; nil means the default, see
// ScoreSettings. With other models, threshold must be nil.
func (m *Model) PredictData(d *sparse.Dataset, threshold *float64) (*DataPredictions, error) {
	if d == nil {
		return nil, errNoData
	}
	if err := m.checkThreshold(threshold); err != nil {
		return nil, err
	}
	scores, err := m.Margins(nil, d.X)
	if err != nil {
		return nil, err
	}
	n, _ := d.X.Dims()
	if err := checkNumbers("Dataset.Offsets", d.Offsets, n, "rows", true); err != nil {
		return nil, err
	}
	if err := m.addOffsets(scores, d.Offsets); err != nil {
		return nil, err
	}
	classes, err := m.toScores(scores, threshold)
	if err != nil {
		return nil, err
	}
	p := &DataPredictions{Scores: scores, Classes: classes}
	if m.Classifies() {
		p.Names = m.Classes.All()
	}
	return p, nil
}

func (m *Model) checkThreshold(threshold *float64) error {
	switch {
	case threshold != nil && math.IsNaN(*threshold):
		return errorf("the threshold is NaN; want a number, or nil for the default")
	case threshold != nil && !m.hasPositive():
		return errorf("the threshold %v is for two classes; leave it nil", *threshold)
	}
	return nil
}

// toScores replaces the margins of rows by scores, see DataPredictions.Scores. It returns the predicted class
// of each row, or nil if the model predicts numbers.
func (m *Model) toScores(margins []float64, threshold *float64) ([]int, error) {
	if !m.Classifies() {
		return nil, m.toPredictions(margins, nil)
	}
	columnCount := len(m.Columns)
	classes := pages.Make[int](len(margins) / columnCount)
	for i := range classes {
		classes[i] = m.predictedClass(margins[i*columnCount : (i+1)*columnCount])
	}
	if m.givesProbability() {
		m.toProbabilities(margins)
	}
	if threshold != nil {
		for i, v := range margins {
			classes[i] = 0
			if v > *threshold {
				classes[i] = 1
			}
		}
	}
	return classes, nil
}
