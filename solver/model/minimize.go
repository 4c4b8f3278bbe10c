package model

import (
	"context"
	"errors"
	"slices"

	"github.com/scas-admm/scas/solver"
	"github.com/scas-admm/scas/sparse"
)

// minimize solves for lambda by package solver, on standardised data, from start if that
// is not nil.
func (d *design) minimize(ctx context.Context, lambda float64, start *solver.Iterate) (*outcome, error) {
	g, err := d.general()
	if err != nil {
		return nil, err
	}
	out, _, err := g.solve(ctx, lambda, start)
	return out, err
}

// A general is a problem of package solver, but for lambda.
type general struct {
	d       *design
	problem solver.Problem
	weights []float64 // of the rows of A, or groups
	groups  [][]int
}

func (d *design) general() (*general, error) {
	g := &general{d: d, problem: solver.Problem{Data: d.x, Labels: d.y, SampleWeights: d.weights, Loss: d.loss}}
	_, columns := d.x.Dims()
	if d.spec.standardizes() {
		inverse := slices.Repeat([]float64{1}, columns)
		divide(inverse, d.scale)
		var err error
		if g.problem.Data, err = d.x.ScaleColumns(inverse); err != nil {
			return nil, err
		}
	}
	if d.spec.Offsets != nil {
		if classifies(d.loss) {
			return nil, errors.New("model: Spec.Offsets with a Method of package solver are for the losses squared and huber")
		}
		// φ(t + o; y) = φ(t; y − o): these losses are of the residual.
		g.problem.Labels = slices.Clone(d.y)
		for i, o := range d.spec.Offsets {
			g.problem.Labels[i] -= o
		}
	}
	if group, ok := d.spec.Penalty.(GroupLasso); ok {
		g.groups, g.weights = group.all(d.p)
		return g, nil
	}
	if d.spec.l1Ratio() < 1 && (!d.spec.NoIntercept || d.spec.PenaltyFactors != nil) {
		return nil, errors.New("model: an ElasticNet with a Method of package solver, or with more coefficients than there is room for, is for models without intercept and penalty factors")
	}
	if err := g.constrain(columns); err != nil {
		return nil, err
	}
	return g, nil
}

// constrain sets A and the weights of its rows: [G; I], or I without a graph, in which
// the row of the intercept has no weight.
func (g *general) constrain(columns int) error {
	d := g.d
	for j := range columns {
		w := 0.0
		if j < d.p {
			w = d.spec.l1Ratio() * d.factor(j)
		}
		g.weights = append(g.weights, w)
	}
	if d.spec.Graph == nil {
		return nil
	}
	edges := d.spec.Graph.Incidence()
	l, _ := edges.Dims()
	ptr, idx, val := make([]int64, 1, l+1), []int32(nil), []float64(nil)
	for i := range l {
		cols, v := edges.Row(i)
		idx, val = append(idx, cols...), append(val, v...)
		ptr = append(ptr, int64(len(idx)))
	}
	wide, err := sparse.New(l, columns, ptr, idx, val)
	if err != nil {
		return err
	}
	a, err := sparse.Stack(wide, sparse.Identity(columns))
	if err != nil {
		return err
	}
	g.problem.Constraint = solver.NewConstraint(a)
	g.weights = append(slices.Repeat([]float64{d.spec.fusion()}, l), g.weights...)
	return nil
}

// solve solves for lambda.
func (g *general) solve(ctx context.Context, lambda float64, start *solver.Iterate) (*outcome, *solver.Iterate, error) {
	d, p := g.d, g.problem
	if g.groups != nil {
		p.Penalty = solver.GroupL2{Lambda: lambda, Groups: g.groups, Weights: g.weights}
	} else {
		p.Penalty = solver.L1{Lambda: lambda, Weights: g.weights}
		p.L2 = lambda * (1 - d.spec.l1Ratio())
	}
	set := &solver.Settings{Method: d.spec.Method, RelTol: d.spec.RelTol, Seed: d.spec.Seed, Threads: d.spec.Threads}
	if start != nil {
		set.Start = *start
	}
	res, err := solver.Minimize(ctx, &p, set)
	if res == nil {
		return nil, nil, err
	}
	out := &outcome{
		lambda: lambda, x: slices.Clone(res.X), groups: res.Groups,
		certificate: Certificate{Objective: res.At.Objective, MeanLoss: res.At.Loss, Gap: res.DualityGap, RelTol: d.spec.relTol(), Status: res.Status},
		run: Run{
			Method: res.Stats.Method, NewtonSteps: res.Stats.NewtonSteps, Passes: res.Stats.Passes,
			OuterIterations: res.Stats.OuterIterations, DualUpdates: res.Stats.DualUpdates, Eta: res.Stats.Eta, Rho: res.Stats.Rho,
		},
	}
	if len(out.groups) == 0 {
		out.groups = nil
	}
	divide(out.x[:d.p], d.scale)
	out.certificate.NoOptimum = d.unattained(lambda, out.x)
	if err != nil && context.Cause(ctx) == errTime {
		goal := d.spec.relTol() * p.Evaluate(make([]float64, len(out.x))).Objective
		out.certificate.Status = solver.TimeDone
		err = out.certificate.notConverged(goal, "allow more time")
	}
	return out, &res.Iterate, err
}
