package model

import (
	"context"
	"iter"

	"github.com/scas-admm/scas/sparse"
)

// FitData is Fit for the rows of d. It takes the names of the features, the offsets, IndexBase and,
// for two classes, Positive from d where spec does not set them. The model has what d knows of its
// table: the columns of the labels and of the offsets, the values that fill missing ones, and
// classes that are words.
func FitData(ctx context.Context, spec *Spec, d *sparse.Dataset) (*Model, error) {
	o := spec.of(d)
	m, err := Fit(ctx, &o.spec, o.data.X, o.y)
	if m != nil {
		o.describe(m)
	}
	return m, err
}

// CVData is CV for the rows of d; see FitData.
func CVData(ctx context.Context, spec *Spec, d *sparse.Dataset, set *CVSettings) (*CVResult, error) {
	o := spec.of(d)
	found, err := CV(ctx, &o.spec, o.data.X, o.y, set)
	if found != nil {
		for _, s := range found.Path {
			s.origin = o
		}
	}
	return found, err
}

// PathData is Path for the rows of d; see FitData.
func PathData(ctx context.Context, spec *Spec, d *sparse.Dataset, set *PathSettings) iter.Seq2[*Step, error] {
	return func(yield func(*Step, error) bool) {
		o := spec.of(d)
		for s, err := range Path(ctx, &o.spec, o.data.X, o.y, set) {
			if s != nil {
				s.origin = o
			}
			if !yield(s, err) {
				return
			}
		}
	}
}

// An origin is a Dataset that is fitted, with its specification and labels.
type origin struct {
	data *sparse.Dataset
	spec Spec
	y    []float64
}

// of completes s, which may be nil, for the rows of d.
func (s *Spec) of(d *sparse.Dataset) *origin {
	o := &origin{data: d}
	if s != nil {
		o.spec = *s
	}
	if d == nil { // Fit says that there are no data
		o.data = &sparse.Dataset{}
		return o
	}
	if o.spec.Features == nil {
		o.spec.Features = d.Names
	}
	if o.spec.Offsets == nil {
		o.spec.Offsets = d.Offsets
	}
	if d.Stats.IndexBase == sparse.OneBased {
		o.spec.IndexBase = 1
	}
	if o.spec.streams() { // labels stay in the file, those of two classes as -1 and +1
		o.y = d.Labels
		return o
	}
	o.y = d.OriginalLabels()
	if o.spec.Positive == nil && !d.Mapping.IsZero() && classifies(o.spec.loss()) {
		o.spec.Positive = &o.data.Mapping.Positive
	}
	return o
}

// describe sets the fields of a model that describe its data: names, labels and columns of the table.
func (o *origin) describe(m *Model) {
	d := o.data
	if t := d.Table; t != nil {
		m.Target, m.Offset, m.Fill = t.Label, t.Offset, t.Fill
	}
	if len(m.Classes.Values) == len(d.Classes.Names) {
		m.Classes.Names = d.Classes.Names
	}
	if d.Mapping.IsZero() || m.Labels.IsZero() {
		return
	}
	swapped := !o.spec.streams() && m.Labels.Positive != d.Mapping.Positive
	m.Labels = d.Mapping
	if swapped { // by Spec.Positive
		m.Labels = sparse.LabelMapping{
			Negative: d.Mapping.Positive, NegativeName: d.Mapping.PositiveName,
			Positive: d.Mapping.Negative, PositiveName: d.Mapping.NegativeName,
		}
	}
}
