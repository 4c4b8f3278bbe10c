package model

import (
	"iter"

	"github.com/scas-admm/scas/solver/internal/rows"
	"github.com/scas-admm/scas/solver/internal/stream"
	"github.com/scas-admm/scas/sparse"
)

// rowsPerRelease is the number of rows of mapped data that are read before their memory is released.
const rowsPerRelease = 1 << 20

// parts yields the bounds of consecutive parts of x, with at most size rows each. A part has rows lo to
// hi − 1. After its use, the memory of its rows is released if x is mapped.
func parts(x *sparse.CSR, size int) iter.Seq2[int, int] {
	return func(yield func(lo, hi int) bool) {
		n, _ := x.Dims()
		for lo := 0; lo < n; lo += size {
			hi := min(lo+size, n)
			ok := yield(lo, hi)
			x.Release(lo, hi)
			if !ok {
				return
			}
		}
	}
}

// mappedDesign returns a design for a fit out of core. If classLabel is not nil, the rows with
// this label are the positive class, and all other rows the negative class.
func mappedDesign(spec *Spec, x *sparse.CSR, y []float64, classLabel *float64) (*design, error) {
	seen, err := [2]bool{}, spec.checkMapped(x, y)
	switch {
	case err != nil:
	case classLabel == nil:
		seen, err = seenLabels(x, y, spec)
	default:
		err = spec.refuseMinimize("out of core this is for two classes or for numbers")
	}
	team, err := rows.Join(spec.Comm, x, err)
	if err != nil {
		return nil, err
	}
	n, p := x.Dims()
	d := &design{spec: spec, team: team, n: n, p: p, x: x, y: y, loss: spec.loss(), factors: spec.factors(p), classLabel: classLabel}
	switch {
	case classLabel != nil:
		d.mapping = indicatorMapping
	case classifies(d.loss):
		d.mapping = sparse.LabelMapping{Negative: -1, Positive: 1}
		if hasNegative, hasPositive := team.Any(seen[0]), team.Any(seen[1]); !hasNegative || !hasPositive {
			return nil, errorf("every label is the same; expected two classes")
		}
	}
	d.weights, err = spec.weigh(team, y, d.classOfRow())
	x.Release(0, n)
	d.summary = spec.summarise(team, x, d.weights != nil)
	return d, err
}

// checkMapped checks the data and s, but not the values of the labels.
func (s *Spec) checkMapped(x *sparse.CSR, y []float64) error {
	if err := checkSize(x); err != nil {
		return err
	}
	n, p := x.Dims()
	if err := s.check(n, p); err != nil {
		return err
	}
	switch {
	case !x.Mapped():
		return errorf("Spec.Memory is for data that are mapped, as those of .scas files are")
	case len(y) != n:
		return checkLabelCount(y, n)
	case s.Checkpoint != nil:
		return &sparse.RemedyError{
			Err:      errorf("%w: checkpoints are only for data in memory", stream.ErrNotStreamed),
			Remedies: []sparse.Remedy{{Field: "Settings.Checkpoint", To: "nil"}},
		}
	}
	return nil
}

// seenLabels checks the labels. seen[0] is true if the negative class occurs, and seen[1] if the
// positive class does.
func seenLabels(x *sparse.CSR, y []float64, spec *Spec) (seen [2]bool, err error) {
	isClassifier := classifies(spec.loss())
	if positive := spec.Positive; isClassifier && positive != nil && *positive != spec.originalLabel(1) {
		return seen, errorf("Spec.Positive = %v: the positive class of data larger than memory is %v; for the other class set ReadOptions.Positive", *positive, spec.originalLabel(1))
	}
	for lo, hi := range parts(x, rowsPerRelease) {
		for i, v := range y[lo:hi] {
			if isClassifier && v != 1 && v != -1 {
				return seen, errorf("label %v of row %d; those of data larger than memory are −1 and +1, or finite numbers where the loss is for numbers", v, lo+i)
			}
			seen[classOf(v)] = true
		}
		if !isClassifier && spec.loss().Validate(y[lo:hi]) != nil {
			return seen, spec.loss().Validate(y) // all labels, for the row number in the error
		}
	}
	return seen, nil
}
