package model

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"

	"golang.org/x/sync/errgroup"

	"github.com/scas-admm/scas/solver"
	"github.com/scas-admm/scas/sparse"
)

// A Multi is a model of several classes, one against the rest each.
type Multi struct {
	// Classes are the labels, in increasing order.
	Classes []float64
	// Models has a model for each class, which is its positive one.
	Models []*Model
}

// FitMulti fits a model for each of the values of y, at least three, against all others:
// the positive class of each has the label 1 and the rest 0. spec.Positive,
// ClassWeights and Graph mean what they do for each fit; class weights are by the labels
// of y. Classes are fitted in parallel. An error that matches solver.ErrNotConverged
// comes with the models.
func FitMulti(ctx context.Context, spec *Spec, x *sparse.CSR, y []float64) (*Multi, error) {
	if spec == nil {
		spec = &Spec{}
	}
	classes := slices.Compact(slices.Sorted(slices.Values(y)))
	switch {
	case x == nil:
		return nil, errors.New("model: the data are nil")
	case !classifies(spec.loss()):
		return nil, fmt.Errorf("model: FitMulti is for classification; the %s loss is for numbers", spec.loss())
	case len(classes) < 3:
		return nil, fmt.Errorf("model: %d classes; FitMulti is for at least 3, Fit for 2", len(classes))
	case len(classes) > maxClasses:
		return nil, fmt.Errorf("model: %d classes; at most %d: are the labels numbers, for the loss squared or huber?", len(classes), maxClasses)
	case spec.Positive != nil:
		return nil, errors.New("model: Spec.Positive is for two classes; leave it nil")
	}
	n, _ := x.Dims()
	if err := checkLabels(y, n); err != nil {
		return nil, err
	}
	m := &Multi{Classes: classes, Models: make([]*Model, len(classes))}
	ended := make([]error, len(classes))
	part, err := spec.forClass(y)
	if err != nil {
		return nil, err
	}
	var group errgroup.Group
	group.SetLimit(part.Threads)
	one := *part
	one.Threads = 1
	for k, class := range classes {
		group.Go(func() error {
			var err error
			m.Models[k], err = Fit(ctx, &one, x, against(y, class))
			if err != nil {
				ended[k] = fmt.Errorf("class %v: %w", class, err)
			}
			return nil
		})
	}
	_ = group.Wait() // errors are in ended
	for k, err := range ended {
		if err != nil && (m.Models[k] == nil || !errors.Is(err, solver.ErrNotConverged)) {
			return nil, err
		}
	}
	return m, errors.Join(ended...)
}

const maxClasses = 1000

// against returns labels of one class against the rest.
func against(y []float64, class float64) []float64 {
	labels := make([]float64, len(y))
	for i, v := range y {
		if v == class {
			labels[i] = 1
		}
	}
	return labels
}

// forClass returns the specification with class weights, which are by label, made
// sample weights.
func (s *Spec) forClass(y []float64) (*Spec, error) {
	part := *s
	if part.Threads == 0 {
		part.Threads = runtime.GOMAXPROCS(0)
	}
	if s.ClassWeights == nil {
		return &part, nil
	}
	plain := *s
	plain.Balanced = false
	if s.SampleWeights != nil && len(s.SampleWeights) != len(y) {
		return nil, fmt.Errorf("model: Spec.SampleWeights has length %d; the data have %d rows", len(s.SampleWeights), len(y))
	}
	w, err := plain.weigh(y, nil)
	if err != nil {
		return nil, err
	}
	part.SampleWeights, part.ClassWeights = w, nil
	return &part, nil
}

// Probabilities sets dst, one number for each class, to their probabilities for a row,
// those of the models divided by their sum, and returns it; with room for them it
// allocates nothing. See Model.Margin for what a row is.
func (m *Multi) Probabilities(dst []float64, indices []int32, values []float64) ([]float64, error) {
	if cap(dst) < len(m.Models) {
		dst = make([]float64, len(m.Models))
	}
	dst = dst[:len(m.Models)]
	var sum float64
	for k, one := range m.Models {
		p, err := one.Probability(indices, values)
		if err != nil {
			return nil, err
		}
		dst[k] = p
		sum += p
	}
	for k := range dst {
		dst[k] /= sum
	}
	return dst, nil
}

// Predict returns the label of the class with the largest margin, the first of equal
// ones.
func (m *Multi) Predict(indices []int32, values []float64) (float64, error) {
	best, most := 0, 0.0
	for k, one := range m.Models {
		t, err := one.Margin(indices, values)
		if err != nil {
			return 0, err
		}
		if k == 0 || t > most {
			best, most = k, t
		}
	}
	return m.Classes[best], nil
}

// Accuracy returns the share of the rows of x that Predict gives their label in y.
func (m *Multi) Accuracy(x *sparse.CSR, y []float64) (float64, error) {
	n, _ := x.Dims()
	if err := checkLabels(y, n); err != nil {
		return 0, err
	}
	right := 0
	for i := range n {
		label, err := m.Predict(x.Row(i))
		if err != nil {
			return 0, fmt.Errorf("row %d: %w", i, err)
		}
		if label == y[i] {
			right++
		}
	}
	return float64(right) / float64(n), nil
}
