package model

import (
	"context"
	"math"

	"github.com/scas-admm/scas/solver/internal/exact"
)

// An objective has no minimum if a step along features without a penalty can lower the loss of some rows
// forever, and raises the loss of no row. This file finds such a step.

// freePart returns a copy of x, which has the coefficients and the intercept. The copy has 0 in place of
// each coefficient that is penalised or that the domain keeps from growing. The result is nil if it is clear
// that the mean loss does not decrease forever in the direction of the copy.
func (d *design) freePart(lambda float64, x []float64) []float64 {
	if !d.loss.Traits().NeverZero {
		return nil
	}
	part, anyFree := make([]float64, len(x)), false
	if lambda == 0 || d.factors != nil || d.spec.A != nil || d.spec.grouped() {
		// Otherwise, all features are penalised.
		penalised := d.penalised(lambda)
		box, isBox := d.spec.box(d.p)
		for j, v := range x[:d.p] {
			// The domain may keep the coefficient from growing without limit in its direction.
			unlimited := d.spec.Domain == nil ||
				isBox && (v > 0 && math.IsInf(box.Upper[j], 1) || v < 0 && math.IsInf(box.Lower[j], -1))
			if !penalised[j] && unlimited {
				part[j], anyFree = v, true
			}
		}
	}
	// Each class has rows, so an intercept alone cannot separate two classes. But if the labels are counts
	// that are all 0, an intercept alone lowers the loss forever.
	if !anyFree && classifies(d.loss) {
		return nil
	}
	if !d.spec.NoIntercept {
		part[d.p] = x[d.p]
	}
	return part
}

// penalised reports for each coefficient whether the penalty acts on it at the given lambda: by a ridge, or
// by a row of A with a positive limit or square. Spec.Mu and Spec.MuA count even at lambda 0.
func (d *design) penalised(lambda float64) []bool {
	out := make([]bool, d.columns())
	p, err := d.penalty()
	if err != nil {
		return out
	}
	for j := range out {
		out[j] = lambda*p.ridge[j] > 0 || p.fixedRidge != nil && p.fixedRidge[j] > 0
	}
	for k, limit := range p.limit {
		if !(lambda*limit > 0) && (p.square == nil || p.square[k] == 0) {
			continue
		}
		if p.a == nil {
			out[k] = true
			continue
		}
		idx, _ := p.a.Row(k)
		for _, j := range idx {
			out[j] = true
		}
	}
	return out
}

// hasNoOptimum reports whether the solution x for lambda shows that the objective has no minimum. Out of core
// it may read the file once more. ended says whether an error has ended the run.
func (f *fitter) hasNoOptimum(ctx context.Context, lambda float64, x []float64, ended bool) (bool, error) {
	freePart := f.d.freePart(lambda, x)
	if freePart == nil || f.file != nil && (ended || f.d.team.Alone() && ctx.Err() != nil) {
		return false, nil
	}
	return f.s.LossFallsForever(freePart)
}

// hasNoOptimum reports whether the solution x for lambda shows that the objective has no minimum. Out of
// core, this may take a pass over the file.
func (m *minimizer) hasNoOptimum(ctx context.Context, lambda float64, x []float64) bool {
	d := m.d
	freePart := d.freePart(lambda, x)
	switch {
	case freePart == nil:
		return false
	case d.spec.streams():
		q := &exact.Problem{Data: d.x, Labels: d.y, Weights: d.weights, Loss: d.loss}
		f := exact.NewFile(q, exact.FileSettings{Memory: d.spec.Memory})
		f.Stop = ctx.Err
		falls, err := f.LossFallsForever(freePart)
		return falls && err == nil
	}
	margins := make([]float64, d.n)
	d.x.MulVec(margins, freePart)
	return d.team.Separates(d.loss, margins, d.y, d.weights)
}
