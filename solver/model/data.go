package model

import (
	"context"
	"iter"

	"github.com/scas-admm/scas/sparse"
)

// FitData calls Fit with the rows of d. The names of the features, the offsets, IndexBase and, for two
// classes, Positive come from d unless spec sets them. The model keeps the names of the classes. If d
// has a Table, the model also keeps the names of the label and offset columns, and the numbers that replace
// missing values.
func FitData(ctx context.Context, spec *Spec, d *sparse.Dataset) (*Model, error) {
	spec, x, y := spec.completeFrom(d)
	return Fit(ctx, spec, x, y)
}

// CVData calls CV with the rows of d. It completes spec and the models as FitData does.
func CVData(ctx context.Context, spec *Spec, d *sparse.Dataset, set *CVSettings) (*CVResult, error) {
	spec, x, y := spec.completeFrom(d)
	return CV(ctx, spec, x, y, set)
}

// PathData calls Path with the rows of d. It completes spec and the models as FitData does.
func PathData(ctx context.Context, spec *Spec, d *sparse.Dataset, set *PathSettings) iter.Seq2[*Step, error] {
	spec, x, y := spec.completeFrom(d)
	return Path(ctx, spec, x, y, set)
}

// completeFrom returns a copy of s, completed from d as FitData says, and the rows and the labels of d.
func (s *Spec) completeFrom(d *sparse.Dataset) (completed *Spec, x *sparse.CSR, y []float64) {
	completed = &Spec{}
	if s != nil {
		*completed = *s
	}
	if d == nil { // Fit will return an error
		return completed, nil, nil
	}
	completed.data = *d
	completed.data.X, completed.data.Labels, completed.data.Offsets = nil, nil, nil // models must not keep the rows
	if completed.Features == nil {
		completed.Features = d.Names
	}
	if completed.Offsets == nil {
		completed.Offsets = d.Offsets
	}
	if d.Stats.IndexBase == sparse.OneBased {
		completed.IndexBase = 1
	}
	if completed.streams() && (d.Mapping.IsZero() || classifies(completed.loss())) {
		// The labels stay as the .scas file stores them: -1 and +1 for two classes.
		return completed, d.X, d.Labels
	}
	if completed.Positive == nil && !d.Mapping.IsZero() && classifies(completed.loss()) {
		completed.Positive = &completed.data.Mapping.Positive
	}
	return completed, d.X, d.OriginalLabels()
}

// describe sets the labels or the classes of m, and the fields that come from a Dataset. classes is nil unless
// there are more than two classes; m.Labels then has the labels in the fit.
func (s *Spec) describe(m *Model, classes []float64) {
	d := &s.data
	m.LabelColumn = d.LabelName
	if t := d.Table; t != nil {
		m.OffsetColumn, m.Fill = t.Offset, t.Fill
	}
	switch {
	case classes != nil:
		m.Labels, m.Classes = sparse.LabelMapping{}, sparse.Classes{Values: classes, Names: s.words(classes)}
	case m.Labels.IsZero():
	case d.Mapping.IsZero():
		if words := s.words([]float64{m.Labels.Negative, m.Labels.Positive}); words != nil {
			m.Labels.NegativeName, m.Labels.PositiveName = words[0], words[1]
		}
	case s.streams() || m.Labels.Positive == d.Mapping.Positive:
		m.Labels = d.Mapping
	default: // the negative label of the Dataset is positive in m
		m.Labels = sparse.LabelMapping{
			Negative: d.Mapping.Positive, NegativeName: d.Mapping.PositiveName,
			Positive: d.Mapping.Negative, PositiveName: d.Mapping.NegativeName,
		}
	}
}

// words returns the words that the Dataset lists for labels, or nil if one of them has none.
func (s *Spec) words(labels []float64) (words []string) {
	for _, label := range labels {
		k, ok := s.data.Classes.Find(label)
		if !ok || k >= len(s.data.Classes.Names) {
			return nil
		}
		words = append(words, s.data.Classes.Names[k])
	}
	return words
}
