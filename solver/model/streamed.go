package model

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/scas-admm/scas/solver"
	"github.com/scas-admm/scas/solver/internal/pass"
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
	seen, err := [2]bool{}, spec.checkMapped(x, y)
	if err == nil && against == nil {
		seen, err = seenLabels(x, y, spec)
	}
	team, err := pass.Join(spec.Comm, x, err)
	if err != nil {
		return nil, err
	}
	n, p := x.Dims()
	d := &design{spec: spec, team: team, n: n, p: p, x: x, y: y, loss: spec.loss(), factors: spec.factors(p), against: against}
	switch {
	case against != nil:
		d.mapping = oneOfMany
	case classifies(d.loss):
		d.mapping = sparse.LabelMapping{Negative: -1, Positive: 1}
		if low, high := team.Any(seen[0]), team.Any(seen[1]); !low || !high {
			return nil, errors.New("model: every label is the same; expected two classes")
		}
	}
	d.weights, err = spec.weigh(team, y, d.side())
	x.Release(0, n)
	d.facts = spec.factsOf(team, x, d.weights != nil)
	return d, err
}

// checkMapped is checkData for data that are gone through in pieces, but for their labels.
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
		return errors.New("model: Settings.Memory is for data that are mapped, as those of .scas files are")
	case len(y) != n:
		return checkLabels(y, n)
	case s.Checkpoint != nil:
		return fmt.Errorf("model: %w: Spec.Checkpoint works only with data in memory", stream.ErrNotStreamed)
	case s.Method != nil:
		return fmt.Errorf("model: %w: fits have no Method there; leave it nil", stream.ErrNotStreamed)
	}
	return nil
}

// seenLabels looks at the labels, piece by piece, and tells which of two classes are there.
func seenLabels(x *sparse.CSR, y []float64, spec *Spec) (seen [2]bool, err error) {
	classes := classifies(spec.loss())
	if positive := spec.Positive; classes && positive != nil && *positive != 1 {
		return seen, fmt.Errorf("model: Spec.Positive = %v: labels of data larger than memory are −1 and +1", *positive)
	}
	for lo := 0; lo < len(y); lo += pieceRows {
		hi := min(lo+pieceRows, len(y))
		for i, v := range y[lo:hi] {
			if classes && v != 1 && v != -1 || math.IsNaN(v) || math.IsInf(v, 0) {
				return seen, fmt.Errorf("model: label %v of row %d; those of data larger than memory are −1 and +1, or finite numbers where the loss is for numbers", v, lo+i)
			}
			seen[classOf(v)] = true
		}
		x.Release(lo, hi)
	}
	return seen, nil
}

// newStreamed makes the first pass over the data.
func (d *design) newStreamed(ctx context.Context) (*streamed, error) {
	of := &stream.Samples{
		Data: d.x, Labels: d.y, Positive: d.against, Weights: d.weights, Offsets: d.spec.Offsets, Folds: d.held.folds, Out: d.held.fold,
		Loss: d.loss, Intercept: !d.spec.NoIntercept, Threads: d.spec.Threads, Comm: d.spec.Comm,
	}
	f, err := stream.NewFit(ctx, of, stream.Options{Memory: d.spec.Memory, Tell: d.spec.Tell})
	if d.late(ctx, err) {
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

// late reports whether an error is that of a fit whose time is up: with ranks, of which one
// has told the others.
func (d *design) late(ctx context.Context, err error) bool {
	if d.team.Alone() {
		return err != nil && context.Cause(ctx) == errTime
	}
	return errors.Is(err, context.DeadlineExceeded)
}

// penalise sets the penalty for lambda = 1.
func (s *streamed) penalise() error {
	p, err := s.d.penalty()
	if err != nil {
		return err
	}
	return s.f.Penalise(p.a, p.limit, p.ridge, p.groups)
}

// lambdaMax is design.lambdaMax, and leaves s at the model without penalised coefficients.
func (s *streamed) lambdaMax(ctx context.Context) (float64, error) {
	d, ratio := s.d, math.Max(leastRatio, s.d.spec.l1Ratio())
	l1 := make([]float64, d.columns())
	for j, scale := range d.scale {
		l1[j] = ratio * d.factor(j) * scale
	}
	if err := s.f.Penalise(nil, l1, make([]float64, len(l1)), nil); err != nil {
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
	if res == nil && d.late(ctx, err) {
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
	if d.late(ctx, err) {
		out.certificate.Status = solver.TimeDone
		return out, out.certificate.notConverged(goal, "allow more time")
	}
	goesOn := ctx.Err() == nil
	if !d.team.Alone() { // which end together
		goesOn = out.certificate.Status != solver.Stopped
	}
	if free := d.unpenalised(lambda, out.x); free != nil && goesOn {
		apart, bad := stream.Separates(ctx, s.of, free)
		if bad != nil {
			return out, bad
		}
		out.certificate.NoOptimum = apart
	}
	return out, err
}
