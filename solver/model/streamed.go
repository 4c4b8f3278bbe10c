package model

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/scas-admm/scas/solver"
	"github.com/scas-admm/scas/solver/stream"
	"github.com/scas-admm/scas/sparse"
)

// A streamed is package stream at work.
type streamed struct {
	d  *design
	of *stream.Samples
	f  *stream.Fit
}

// pieceRows is how many labels of mapped data are gone through before they leave memory.
const pieceRows = 1 << 20

// mappedDesign is newDesign for data that are gone through in pieces, of which nothing is
// copied; against, unless nil, is the label of one class of several, which mappedClasses has
// seen.
func mappedDesign(spec *Spec, x *sparse.CSR, y []float64, against *float64) (*design, error) {
	if err := checkSize(x); err != nil {
		return nil, err
	}
	n, p := x.Dims()
	if err := spec.check(n, p); err != nil {
		return nil, err
	}
	switch {
	case !x.Mapped():
		return nil, errors.New("model: Settings.Memory is for data that are mapped, as those of .scas files are")
	case len(y) != n:
		return nil, checkLabels(y, n)
	case spec.Comm != nil:
		return nil, fmt.Errorf("model: %w: ranks have their rows in memory, of which more ranks have more", stream.ErrNotStreamed)
	case spec.Checkpoint != nil:
		return nil, fmt.Errorf("model: %w: checkpoints are not kept of passes over a file; leave Checkpoint nil", stream.ErrNotStreamed)
	case spec.Method != nil:
		return nil, fmt.Errorf("model: %w: fits have no Method there; leave it nil", stream.ErrNotStreamed)
	}
	d := &design{spec: spec, n: n, p: p, x: x, y: y, loss: spec.loss(), against: against}
	if err := d.checkMapped(); err != nil {
		return nil, err
	}
	var err error
	d.weights, err = spec.weigh(nil, y, d.side())
	x.Release(0, n)
	d.facts = Facts{Rows: n, NNZ: x.NNZ(), Weighted: d.weights != nil, Standardized: spec.standardizes(), Offsets: spec.Offsets != nil}
	return d, err
}

// checkMapped looks at the labels, piece by piece.
func (d *design) checkMapped() error {
	if d.against != nil {
		d.mapping = oneOfMany
		return nil
	}
	classes := classifies(d.loss)
	if positive := d.spec.Positive; classes && positive != nil && *positive != 1 {
		return fmt.Errorf("model: Spec.Positive = %v: labels of data larger than memory are −1 and +1", *positive)
	}
	var seen [2]bool
	for lo := 0; lo < d.n; lo += pieceRows {
		hi := min(lo+pieceRows, d.n)
		for i, v := range d.y[lo:hi] {
			if classes && v != 1 && v != -1 || math.IsNaN(v) || math.IsInf(v, 0) {
				return fmt.Errorf("model: label %v of row %d; those of data larger than memory are −1 and +1, or for the losses squared and huber finite numbers", v, lo+i)
			}
			seen[classOf(v)] = true
		}
		d.x.Release(lo, hi)
	}
	if !classes {
		return nil
	}
	d.mapping = sparse.LabelMapping{Negative: -1, Positive: 1}
	if seen != [2]bool{true, true} {
		return errors.New("model: every label is the same; expected two classes")
	}
	return nil
}

// newStreamed makes the first pass over the data.
func (d *design) newStreamed(ctx context.Context) (*streamed, error) {
	of := &stream.Samples{
		Data: d.x, Labels: d.y, Positive: d.against, Weights: d.weights, Offsets: d.spec.Offsets, Folds: d.held.folds, Out: d.held.fold,
		Loss: d.loss, Intercept: !d.spec.NoIntercept, Threads: d.spec.Threads,
	}
	f, err := stream.NewFit(ctx, of, stream.Options{Memory: d.spec.Memory, Tell: d.spec.Tell})
	if err != nil && context.Cause(ctx) == errTime {
		return nil, errEarly
	}
	if err != nil {
		return nil, err
	}
	d.scale = slices.Repeat([]float64{1}, d.p)
	if d.spec.standardizes() {
		d.scale = f.Deviations()
	}
	s := &streamed{d, of, f}
	return s, s.penalise()
}

// penalise sets the penalty for lambda = 1: that of features divided by their scale.
func (s *streamed) penalise() error {
	d, ratio := s.d, s.d.spec.l1Ratio()
	if group, ok := d.spec.Penalty.(GroupLasso); ok {
		groups, weights := group.all(d.p)
		return s.f.PenaliseGroups(groups, d.scale, weights)
	}
	l1, l2 := make([]float64, d.columns()), make([]float64, d.columns())
	for j, scale := range d.scale {
		l1[j] = ratio * d.factor(j) * scale
		l2[j] = (1 - ratio) * d.factor(j) * scale * scale
	}
	if d.spec.Graph == nil {
		return s.f.Penalise(nil, l1, l2)
	}
	g := &general{d: d}
	if err := g.penalise(d.columns()); err != nil {
		return err
	}
	scale := slices.Repeat([]float64{1}, d.columns())
	copy(scale, d.scale)
	a, err := g.problem.Constraint.(*solver.Constraint).Operator.(*sparse.CSR).ScaleColumns(scale)
	if err != nil {
		return err
	}
	return s.f.Penalise(a, g.weights, l2)
}

// lambdaMax is design.lambdaMax, and leaves s at the model without penalised coefficients.
func (s *streamed) lambdaMax(ctx context.Context) (float64, error) {
	d, ratio := s.d, math.Max(leastRatio, s.d.spec.l1Ratio())
	l1 := make([]float64, d.columns())
	for j, scale := range d.scale {
		l1[j] = ratio * d.factor(j) * scale
	}
	if err := s.f.Penalise(nil, l1, make([]float64, len(l1))); err != nil {
		return 0, err
	}
	gradient, err := s.f.Null(ctx)
	if err != nil {
		return 0, err
	}
	gradient = slices.Clone(gradient)
	most := 0.0
	for j, w := range l1 {
		if w > 0 {
			most = math.Max(most, math.Abs(gradient[j])/w)
		}
	}
	if err := s.penalise(); err != nil {
		return 0, err
	}
	return d.dualMax(ctx, most, gradient, nil)
}

// solve goes on from where it is to the solution for lambda.
func (s *streamed) solve(ctx context.Context, lambda float64) (*outcome, error) {
	d := s.d
	goal := d.spec.relTol() * s.f.Scale()
	res, err := s.f.Solve(ctx, lambda, goal)
	if res == nil && context.Cause(ctx) == errTime {
		return nil, fmt.Errorf("%w: the time limit came before anything was known; allow more time", solver.ErrNotConverged)
	}
	if res == nil {
		return nil, err
	}
	out := &outcome{
		lambda: lambda, x: res.X, groups: res.Groups,
		certificate: Certificate{Objective: res.At.Objective, MeanLoss: res.At.Loss, Gap: res.DualityGap, RelTol: d.spec.relTol(), Status: res.Status},
		run:         Run{Method: res.Stats.Method, NewtonSteps: res.Stats.NewtonSteps, Passes: res.Stats.Passes},
	}
	if len(out.groups) == 0 {
		out.groups = nil
	}
	if err != nil && context.Cause(ctx) == errTime {
		out.certificate.Status = solver.TimeDone
		return out, out.certificate.notConverged(goal, "allow more time")
	}
	if free := d.unpenalised(lambda, out.x); free != nil && ctx.Err() == nil {
		apart, bad := stream.Separates(ctx, s.of, free)
		if bad != nil {
			return out, bad
		}
		out.certificate.NoOptimum = apart
	}
	return out, err
}
