package model

import "github.com/scas-admm/scas/sparse"

// A Scorer makes predictions for records whose values have names, such as JSON objects. The features of its
// model have names. Several goroutines may use a Scorer at the same time.
type Scorer struct {
	m       *Model
	encoder *sparse.Encoder
}

// A Prediction is the prediction of a model for a record.
type Prediction struct {
	// Class is the name of the predicted class; empty if the model predicts numbers.
	Class string `json:"class,omitempty"`
	// Number is the predicted number; nil if the model predicts classes.
	Number *float64 `json:"number,omitempty"`
	// Probabilities maps the name of each class to its probability; nil for losses without probabilities.
	Probabilities map[string]float64 `json:"probabilities,omitempty"`
	// Unknown lists the columns whose value is a category that the model does not know.
	Unknown []string `json:"unknown,omitempty"`
}

// Scorer returns a Scorer for records that have the column names of the model. It returns an error if the
// features of the model have no names. Categories and missing values are handled as by sparse.Encoder.
func (m *Model) Scorer() (*Scorer, error) {
	encoder, err := sparse.NewEncoder(m.ReadOptions())
	if err != nil {
		return nil, err
	}
	return &Scorer{m, encoder}, nil
}

// Predict returns the prediction for a record. The record must have a value for every table column from which
// features of the model come, and for the offset column if there is one. Values with other names are ignored.
// If Model.Fill is not nil, values may be missing, see sparse.TableOptions.Fill, but not the offset.
func (s *Scorer) Predict(record map[string]any) (*Prediction, error) {
	r, err := s.encoder.Encode(record)
	if err != nil {
		return nil, err
	}
	m := s.m
	t, err := m.rowMargins(nil, r.Indices, r.Values)
	if err == nil {
		err = m.addOffsets(t, []float64{r.Offset})
	}
	if err != nil {
		return nil, err
	}
	classes, err := m.toScores(t, nil)
	if err != nil {
		return nil, err
	}
	p := &Prediction{Unknown: r.Unknown}
	if classes == nil {
		p.Number = &t[0]
		return p, nil
	}
	p.Class = m.Classes.Name(classes[0])
	if !m.givesProbability() {
		return p, nil
	}
	if len(t) == 1 {
		t = []float64{1 - t[0], t[0]}
	}
	p.Probabilities = make(map[string]float64, len(t))
	for k, v := range t {
		p.Probabilities[m.Classes.Name(k)] = v
	}
	return p, nil
}
