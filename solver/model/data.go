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
	// Models must not keep the rows.
	completed.data.X, completed.data.Labels, completed.data.Offsets = nil, nil, nil
	if completed.Features == nil {
		completed.Features = d.Names
	}
	if completed.Offsets == nil {
		completed.Offsets = d.Offsets
	}
	if d.Stats.IndexBase == sparse.OneBased {
		completed.IndexBase = 1
	}
	isClassifier := classifies(completed.loss())
	if !d.Signs || isClassifier && (completed.Comm == nil || completed.streams()) {
		return completed, d.X, d.Labels
	}
	completed.data.Signs = false // the Datasets of other processes may have other Classes, or no Signs
	switch {
	case !isClassifier:
		completed.data.Classes = sparse.Classes{}
	case completed.Positive == nil && len(d.Classes.Values) == 2:
		completed.Positive = &d.Classes.Values[1]
	}
	return completed, d.X, d.OriginalLabels()
}
