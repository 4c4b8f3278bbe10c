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
	o := spec.originOf(d)
	m, err := Fit(ctx, &o.spec, o.data.X, o.y)
	if m != nil {
		o.describe(m)
	}
	return m, err
}

// CVData calls CV with the rows of d. It completes spec and the models as FitData does.
func CVData(ctx context.Context, spec *Spec, d *sparse.Dataset, set *CVSettings) (*CVResult, error) {
	o := spec.originOf(d)
	return cv(ctx, &o.spec, o.data.X, o.y, set, o)
}

// PathData calls Path with the rows of d. It completes spec and the models as FitData does.
func PathData(ctx context.Context, spec *Spec, d *sparse.Dataset, set *PathSettings) iter.Seq2[*Step, error] {
	return func(yield func(*Step, error) bool) {
		o := spec.originOf(d)
		path(ctx, &o.spec, o.data.X, o.y, set, o)(yield)
	}
}

// An origin has the arguments of a fit to a Dataset.
type origin struct {
	data *sparse.Dataset
	spec Spec
	y    []float64
}

// originOf returns d and a copy of s, completed from d as FitData says.
func (s *Spec) originOf(d *sparse.Dataset) *origin {
	o := &origin{data: d}
	if s != nil {
		o.spec = *s
	}
	if d == nil { // Fit will return an error
		o.data = &sparse.Dataset{}
		return o
	}
	if o.spec.Features == nil {
		o.spec.Features = d.Names
	}
	o.spec.names = labelNames{labels: d.Mapping, classes: d.Classes}
	if t := d.Table; t != nil {
		o.spec.names.columns = []string{t.Label, t.Offset}
	}
	if o.spec.Offsets == nil {
		o.spec.Offsets = d.Offsets
	}
	if d.Stats.IndexBase == sparse.OneBased {
		o.spec.IndexBase = 1
	}
	if o.spec.streams() && (d.Mapping.IsZero() || classifies(o.spec.loss())) {
		// The labels stay as the .scas file stores them: -1 and +1 for two classes.
		o.y = d.Labels
		return o
	}
	o.y = d.OriginalLabels()
	if o.spec.Positive == nil && !d.Mapping.IsZero() && classifies(o.spec.loss()) {
		o.spec.Positive = &o.data.Mapping.Positive
	}
	return o
}

// describe sets the fields of m that come from the Dataset.
func (o *origin) describe(m *Model) {
	d := o.data
	if t := d.Table; t != nil {
		m.LabelColumn, m.Offset, m.Fill = t.Label, t.Offset, t.Fill
	}
	m.Classes.Names = o.spec.names.words(m.Classes.Values)
	if m.Labels.IsZero() {
		return
	}
	if d.Mapping.IsZero() {
		if words := o.spec.names.words([]float64{m.Labels.Negative, m.Labels.Positive}); words != nil {
			m.Labels.NegativeName, m.Labels.PositiveName = words[0], words[1]
		}
		return
	}
	swapped := !o.spec.streams() && m.Labels.Positive != d.Mapping.Positive
	m.Labels = d.Mapping
	if swapped { // the negative label of the Dataset is positive in m
		m.Labels = sparse.LabelMapping{
			Negative: d.Mapping.Positive, NegativeName: d.Mapping.PositiveName,
			Positive: d.Mapping.Negative, PositiveName: d.Mapping.NegativeName,
		}
	}
}
