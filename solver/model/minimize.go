package model

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/scas-admm/scas/solver"
	"github.com/scas-admm/scas/solver/internal/ending"
	"github.com/scas-admm/scas/solver/internal/stream"
	"github.com/scas-admm/scas/solver/internal/term"
	"github.com/scas-admm/scas/sparse"
)

// This file fits with solver.Minimize, which is used if a setting requires it or if package exact does not
// support the problem.

// minimize solves the problem for Spec.Lambda by solver.Minimize, beginning at d.start.
func (d *design) minimize(ctx context.Context) (*outcome, error) {
	g, err := d.general()
	if err != nil {
		return nil, err
	}
	var start *solver.Iterate
	if d.start != nil {
		start = &solver.Iterate{X: g.scaled(d.start)}
	}
	out, _, err := g.solve(ctx, d.spec.Lambda, start)
	return out, err
}

// scaled converts coefficients for the data as given to coefficients of the problem.
func (g *general) scaled(x []float64) []float64 {
	_, columns := g.problem.Data.Dims()
	out := append(slices.Clone(x), make([]float64, columns-len(x))...)
	for j, s := range g.scale {
		out[j] *= s
	}
	if g.offsetColumn {
		out[columns-1] = 1
	}
	return out
}

// A general is the problem of a design for solver.Minimize; pose adds lambda. The features of the problem are
// divided by scale.
type general struct {
	d                *design
	problem          solver.Problem
	weights          []float64 // weights of the rows of A
	squaresInPenalty bool      // the squares of an elastic net are in Problem.Penalty, not in Problem.L2
	ridge            float64   // Problem.L2 has the term lambda·ridge, unless squaresInPenalty is true
	scale            []float64 // divisor of each feature
	offsetColumn     bool      // the last column of the data has the offsets
}

// general returns the problem of the design for solver.Minimize. All processes must call it.
func (d *design) general() (*general, error) {
	g, err := d.ownGeneral()
	if err = d.team.Agreed(err); err != nil {
		return nil, err
	}
	return g, nil
}

// ownGeneral does the work of general for the rows of this process.
func (d *design) ownGeneral() (*general, error) {
	// checkMethod has checked the specification only if a setting requires solver.Minimize.
	if !d.spec.minimizes() {
		if err := d.spec.checkParts(solver.Auto{}.Info(), "Method", solver.Auto{}.Info().Name); err != nil {
			return nil, err
		}
	}
	if d.scale == nil {
		d.scale = slices.Repeat([]float64{1}, d.p)
	}
	g := &general{d: d, problem: solver.Problem{Data: d.x, Labels: d.y, SampleWeights: d.weights, Loss: d.loss, Comm: d.spec.Comm}}
	if err := g.offset(d.spec.Offsets); err != nil {
		return nil, err
	}
	_, columns := g.problem.Data.Dims()
	roots := d.roots()
	if g.scale = d.scale; roots != nil {
		g.scale = make([]float64, d.p)
		for j, s := range d.scale {
			g.scale[j] = s * cmp.Or(roots[j], 1)
		}
	}
	if d.spec.standardizes() || roots != nil {
		inverse := slices.Repeat([]float64{1}, columns)
		divide(inverse, g.scale)
		var err error
		if g.problem.Data, err = g.problem.Data.ScaleColumns(inverse); err != nil {
			return nil, err
		}
	}
	if err := g.confine(columns); err != nil {
		return nil, err
	}
	if !d.spec.grouped() {
		return g, g.constrain(columns)
	}
	a, err := d.rowsOfA(columns)
	if a != nil {
		g.problem.Constraint = solver.NewConstraint(a)
	}
	return g, err
}

// confine sets the domain of the problem. If the last column of the data has the offsets, confine fixes its
// coefficient at 1.
func (g *general) confine(columns int) error {
	g.problem.Domain = g.d.region(g.scale, columns)
	if !g.offsetColumn {
		return nil
	}
	box, ok := g.problem.Domain.(solver.Box)
	if g.problem.Domain == nil {
		box, ok = solver.NewBox(columns, math.Inf(-1), math.Inf(1)), true
	}
	if !ok {
		return errorf("Spec.Domain %T takes no Offsets with this loss and method; leave Method and Comm nil", g.d.spec.Domain)
	}
	box.Lower[columns-1], box.Upper[columns-1] = 1, 1
	g.problem.Domain = box
	return nil
}

// roots returns √fⱼ for the penalty factors fⱼ of an elastic net, and nil if the penalty has no L2 part or no
// factors. If uⱼ are coefficients of standardised features, the squares of all vⱼ = √fⱼuⱼ have the same
// weight (r is L1Ratio):
//
//	fⱼ (r|uⱼ| + (1 − r)/2 uⱼ²) = √fⱼ r|vⱼ| + (1 − r)/2 vⱼ²
func (d *design) roots() []float64 {
	if d.spec.l1Ratio() == 1 || d.spec.PenaltyFactors == nil {
		return nil
	}
	roots := make([]float64, d.p)
	for j := range roots {
		roots[j] = math.Sqrt(d.factor(j))
	}
	return roots
}

// offset adds the offsets to the problem. For a loss of the margin minus the label, it subtracts the offsets
// from the labels. For other losses, the offsets become a column of the data.
func (g *general) offset(offsets []float64) (err error) {
	if offsets == nil {
		return nil
	}
	if traits(g.d.loss).Residual {
		g.problem.Labels = slices.Clone(g.d.y)
		for i, o := range offsets {
			g.problem.Labels[i] -= o
		}
		return nil
	}
	g.offsetColumn = true
	g.problem.Data, err = withColumn(context.Background(), g.d.x, func(i int) float64 { return offsets[i] })
	return err
}

// relTol converts Spec.RelTol to RelTol of solver.Minimize. Spec.RelTol is relative to the objective if all
// margins are the offsets, and RelTol of solver.Minimize to the objective if all margins are 0; unit returns
// either. The result is at most Spec.RelTol.
func (g *general) relTol() float64 {
	if !g.offsetColumn || g.d.spec.relTol() == 0 {
		return g.d.spec.RelTol
	}
	_, columns := g.problem.Data.Dims()
	x := make([]float64, columns)
	zero := g.unit(x)
	x[columns-1] = 1
	return g.d.spec.relTol() * math.Min(1, g.unit(x)/zero)
}

// unit returns the number to which tolerances are relative, term.Labels.Unit, for margins with the
// coefficients x.
func (g *general) unit(x []float64) float64 {
	loss, d := g.problem.Evaluate(x).Loss, g.d
	margins := make([]float64, d.n)
	g.problem.Data.MulVec(margins, x)
	var label, slope, weight float64
	for i, b := range d.y {
		w := weightOf(d.weights, i)
		label += float64(w * b)
		slope += float64(w * d.loss.Slope(margins[i], b))
		weight += w
	}
	return traits(d.loss).Labels.Unit(loss, d.team.Mean(label, weight), d.team.Mean(slope, weight))
}

// constrain sets the matrix A of the problem and the weights of its rows. A is the matrix of the
// specification, [G; I] for a graph, and otherwise the identity. For an elastic net that does not penalise
// all coefficients, A has only the rows of the identity for coefficients that are penalised.
func (g *general) constrain(columns int) error {
	d, roots := g.d, g.d.roots()
	a, err := d.rowsOfA(columns)
	if err != nil {
		return err
	}
	if g.weights = d.limits(); a == nil { // the intercept and the column of offsets have weight 0
		g.weights = append(g.weights, make([]float64, columns-d.p)...)
	}
	var penalised []int
	for j := range d.p {
		if d.factor(j) == 0 {
			continue
		}
		if penalised = append(penalised, j); roots != nil {
			g.weights[j] = d.spec.l1Ratio() * roots[j]
		}
	}
	if penalised != nil {
		g.ridge = 1 - d.spec.l1Ratio()
	}
	if a != nil {
		g.problem.Constraint = solver.NewConstraint(a)
		return nil
	}
	if g.squaresInPenalty = g.ridge > 0 && len(penalised) < columns; !g.squaresInPenalty {
		return nil
	}
	g.weights = make([]float64, len(penalised))
	for k, j := range penalised {
		if g.weights[k] = 1; roots != nil {
			g.weights[k] = roots[j]
		}
	}
	own, err := sparse.Identity(columns).SelectRows(penalised)
	g.problem.Constraint = own
	return err
}

// pose returns the problem of package solver for lambda.
func (g *general) pose(lambda float64) solver.Problem {
	d, p := g.d, g.problem
	group, grouped := d.spec.Penalty.(GroupLasso)
	switch r := d.spec.l1Ratio(); {
	case grouped:
		p.Penalty = solver.GroupL2{Lambda: lambda, Groups: group.Groups, Weights: group.Weights}
	case g.squaresInPenalty:
		p.Penalty = solver.ElasticNet{L1: lambda * r, L2: lambda * (1 - r), Weights: g.weights}
	case d.spec.MuA > 0 && d.spec.couples():
		p.Penalty = solver.ElasticNet{L1: lambda, L2: d.spec.MuA}
	default:
		p.Penalty = solver.L1{Lambda: lambda, Weights: g.weights}
		p.L2 = lambda * g.ridge
	}
	if p.L2 += d.spec.Mu; !d.spec.couples() {
		p.L2 += d.spec.MuA
	}
	return p
}

// solve solves the problem for lambda. It begins at start, or at zeros if start is nil. It also returns the
// last iterate.
func (g *general) solve(ctx context.Context, lambda float64, start *solver.Iterate) (*outcome, *solver.Iterate, error) {
	d, p := g.d, g.pose(lambda)
	set := d.spec.Settings
	set.RelTol = g.relTol()
	set.TimeLimit = 0 // ctx ends at the time limit
	if start != nil {
		set.Start = *start
	}
	res, err := g.run(ctx, &p, &set)
	if res == nil {
		return nil, nil, err
	}
	late := res.Status == solver.TimeDone
	if late && !finite(res.At.Objective) { // out of core, no point was evaluated in time
		return nil, nil, errUnknown
	}
	out := g.outcome(lambda, res)
	c := &out.certificate
	if err == nil || !late { // after the time limit, there is no time for a pass over the file
		c.NoOptimum = g.unattained(ctx, &p, out)
	}
	if late && !errors.Is(err, solver.ErrNotConverged) {
		err = c.lateError(p.Evaluate(make([]float64, len(res.X))).Objective)
	}
	return out, &res.Iterate, err
}

// outOfTime returns an error that says that the time limit came before event.
func outOfTime(event string) error {
	return &sparse.RemedyError{
		Err:      fmt.Errorf("%w: the time limit came before %s", solver.ErrNotConverged, event),
		Remedies: ending.MoreTime,
	}
}

// errUnknown is the error if the time limit ends a fit that has no model. errLate is the error if the fit has
// a model, and no proof was requested.
var (
	errUnknown = outOfTime("anything was known")
	errLate    = outOfTime("the end of the run")
)

// run runs solver.Minimize or, out of core, stream.Minimize.
func (g *general) run(ctx context.Context, p *solver.Problem, set *solver.Settings) (*solver.Result, error) {
	if spec := g.d.spec; spec.streams() {
		opt := stream.Options{Memory: spec.Memory}
		if spec.Progress != nil {
			opt.Tell = func(passes, objective float64) {
				spec.Progress(Progress{Passes: passes, Objective: objective, Gap: math.Inf(1)})
			}
		}
		return stream.Minimize(ctx, p, set, opt)
	}
	return solver.Minimize(ctx, p, set)
}

// outcome returns the outcome of a run: the averaged iterate if Spec.Average is set and the run has not
// diverged, and otherwise the last iterate.
func (g *general) outcome(lambda float64, res *solver.Result) *outcome {
	d, set := g.d, &g.d.spec.Settings
	out := &outcome{
		lambda: lambda, groups: res.Groups,
		run: FitRun{
			Stats: res.Stats, Schedule: set.Schedule, Float32: set.Float32,
			Last: &LastIterate{res.Unrounded, res.PrimalResidual, res.DualResidual},
		},
	}
	out.run.Seconds, out.run.SetupSeconds = 0, 0 // so that equal fits give equal models
	x, at, gap := res.X, res.At, res.DualityGap
	if d.spec.Average && res.Status != solver.Diverged {
		x, at, out.groups = res.XAverage, res.AtAverage, nil
		gap = math.Max(0, at.Objective-res.At.Objective+gap)
		out.run.Average, out.run.Rounded, out.run.Last = true, false, nil
	}
	out.certificate = Certificate{Objective: at.Objective, MeanLoss: at.Loss, Gap: gap, RelTol: d.spec.relTol(), Status: res.Status}
	_, columns := d.x.Dims()
	out.x = slices.Clone(x[:columns])
	divide(out.x[:d.p], g.scale)
	return out
}

// unattained reports whether the outcome shows that the objective has no minimum. Out of core it makes a pass
// over the file, and returns false on an error.
func (g *general) unattained(ctx context.Context, p *solver.Problem, out *outcome) bool {
	d := g.d
	free := d.unpenalised(out.lambda, out.x)
	switch {
	case free == nil:
		return false
	case d.spec.streams():
		apart, err := stream.Separates(ctx, p, free)
		return apart && err == nil
	}
	margins := make([]float64, d.n)
	d.x.MulVec(margins, free)
	return d.team.Separates(term.LossOf(d.loss), margins, d.y, d.weights)
}
