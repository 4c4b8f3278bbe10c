package model

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/scas-admm/scas/solver"
	"github.com/scas-admm/scas/solver/stream"
	"github.com/scas-admm/scas/sparse"
)

// This file fits several classes, one after the other, to data that are gone through in
// pieces, whose labels stay where they are.

// mappedClasses returns the different labels, in increasing order, or if there are more
// than MaxClasses one more than that.
func mappedClasses(x *sparse.CSR, y []float64) (classes []float64, err error) {
	if err := checkSize(x); err != nil {
		return nil, err
	}
	n, _ := x.Dims()
	if len(y) != n {
		return nil, checkLabels(y, n)
	}
	for lo := 0; lo < n; lo += pieceRows {
		hi := min(lo+pieceRows, n)
		for i, v := range y[lo:hi] {
			if !finite(v) {
				return nil, fmt.Errorf("model: label %v of row %d; it must be finite", v, lo+i)
			}
			if at, seen := slices.BinarySearch(classes, v); !seen && len(classes) <= MaxClasses {
				classes = slices.Insert(classes, at, v)
			}
		}
		x.Release(lo, hi)
	}
	return classes, nil
}

// fitMapped sets the models.
func (m *Multi) fitMapped(ctx context.Context, one *Spec, x *sparse.CSR, y []float64) error {
	return inOrder(m.Classes, one.countFitted(len(m.Classes), func(k int) error {
		d, err := mappedDesign(one.ofClass(k), x, y, &m.Classes[k])
		if err != nil {
			return err
		}
		out, err := d.fit(ctx)
		if out != nil {
			m.Models[k] = d.model(out)
		}
		return err
	}))
}

// inOrder is eachClass for one class after the other.
func inOrder(classes []float64, do func(k int) error) error {
	ended := make([]error, len(classes))
	for k, class := range classes {
		if ended[k] = ofClass(class, do(k)); ended[k] != nil && !errors.Is(ended[k], solver.ErrNotConverged) {
			return ended[k]
		}
	}
	return errors.Join(ended...)
}

// ofClass is s for the class of that number, which is told of.
func (s *Spec) ofClass(k int) *Spec {
	own := *s
	if s.Tell != nil {
		own.Tell = func(at stream.Progress) {
			at.Class = k
			s.Tell(at)
		}
	}
	return &own
}
