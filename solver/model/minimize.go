package model

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"

	"github.com/scas-admm/scas/solver"
	"github.com/scas-admm/scas/solver/internal/exact"
	"github.com/scas-admm/scas/sparse"
)

// minimize solves for lambda by package solver, on standardised data, from start if that
// is not nil.
func (d *design) minimize(ctx context.Context, lambda float64, start *solver.Iterate) (*outcome, error) {
	g, err := d.general()
	if err = d.team.Agreed(err); err != nil {
		return nil, err
	}
	if start == nil && d.start != nil {
		start = &solver.Iterate{X: g.scaled(d.start)}
	}
	out, _, err := g.solve(ctx, lambda, start)
	return out, err
}

// scaled returns x as the problem has it: of scaled features, with a 1 for the column of offsets.
func (g *general) scaled(x []float64) []float64 {
	_, columns := g.problem.Data.Dims()
	out := append(slices.Clone(x), make([]float64, columns-len(x))...)
	for j, s := range g.scale {
		out[j] *= s
	}
	if g.offsets {
		out[columns-1] = 1
	}
	return out
}

// A general is a problem of package solver, but for lambda.
type general struct {
	d       *design
	problem solver.Problem
	weights []float64 // of the rows of A
	l2      bool      // of the coefficients by the penalty, not by the problem
	ridge   float64   // that by the problem, for lambda = 1
	scale   []float64 // what features are divided by
	offsets bool      // a last column has them
}

// errRidges is of ridges that differ between coefficients: a solver.Problem has one L2 for all, and one
// for A x.
var errRidges = errors.New("model: ridges that the intercept has not, or with factors, are beside other penalties for Newton's method alone, " +
	"in one process or from a mapped file: set NoIntercept and leave PenaltyFactors nil, or leave Method and Comm nil and the features at most " +
	strconv.Itoa(exact.DenseFeatures))

// ridgesDiffer reports whether ridges do, of coefficients or of rows of A.
func (s *Spec) ridgesDiffer() bool {
	some := !s.NoIntercept || s.PenaltyFactors != nil
	return some && (s.Mu > 0 || s.Graph != nil && s.l1Ratio() < 1 || s.MuA > 0 && s.A == nil) || s.MuA > 0 && s.Graph != nil && s.fusion() != 1
}

func (d *design) general() (*general, error) {
	if d.spec.ridgesDiffer() {
		return nil, errRidges
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
	if _, grouped := d.spec.Penalty.(GroupLasso); !grouped {
		return g, g.constrain(columns)
	}
	a, err := d.rowsOfA(columns)
	if a != nil {
		g.problem.Constraint = solver.NewConstraint(a)
	}
	return g, err
}

// confine sets the domain, in which the coefficient of offsets is 1.
func (g *general) confine(columns int) error {
	g.problem.Domain = g.d.region(g.scale, columns)
	if !g.offsets {
		return nil
	}
	box, ok := g.problem.Domain.(solver.Box)
	if g.problem.Domain == nil {
		box, ok = solver.NewBox(columns, math.Inf(-1), math.Inf(1)), true
	}
	if !ok {
		return fmt.Errorf("model: Spec.Domain %T takes no Offsets with this loss and method; leave Method and Comm nil", g.d.spec.Domain)
	}
	box.Lower[columns-1], box.Upper[columns-1] = 1, 1
	g.problem.Domain = box
	return nil
}

// roots returns, for an elastic net with factors, √fⱼ: with vⱼ = √fⱼuⱼ the squares of all
// features that are penalised weigh the same,
//
//	fⱼ (r|uⱼ| + (1 − r)/2 uⱼ²) = √fⱼ r|vⱼ| + (1 − r)/2 vⱼ²;
//
// nil for other penalties.
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

// offset takes offsets into the problem; nil is none.
func (g *general) offset(offsets []float64) (err error) {
	if offsets == nil {
		return nil
	}
	if traits(g.d.loss).Residual { // φ(t + o; y) = φ(t; y − o)
		g.problem.Labels = slices.Clone(g.d.y)
		for i, o := range offsets {
			g.problem.Labels[i] -= o
		}
		return nil
	}
	g.offsets = true // a column whose coefficient is held at 1
	g.problem.Data, err = withColumn(context.Background(), g.d.x, func(i int) float64 { return offsets[i] })
	return err
}

// relTol is the accuracy in units of the objective at margins of 0, which package solver
// takes; the specification has it at the offsets. Where these are worse, it is the same. For
// counts see term.Labels.Unit.
func (g *general) relTol() float64 {
	if !g.offsets || g.d.spec.Method != nil && g.d.spec.RelTol == 0 {
		return g.d.spec.RelTol
	}
	_, columns := g.problem.Data.Dims()
	x := make([]float64, columns)
	zero := g.unit(x)
	x[columns-1] = 1
	return g.d.spec.relTol() * math.Min(1, g.unit(x)/zero)
}

// unit is term.Labels.Unit for the margins of x.
func (g *general) unit(x []float64) float64 {
	loss, d := g.problem.Evaluate(x).Loss, g.d
	margins := make([]float64, d.n)
	g.problem.Data.MulVec(margins, x)
	var label, slope, weight float64
	for i, b := range d.y {
		w := 1.0
		if d.weights != nil {
			w = d.weights[i]
		}
		label += float64(w * b)
		slope += float64(w * d.loss.Slope(margins[i], b))
		weight += w
	}
	return traits(d.loss).Labels.Unit(loss, d.team.Mean(label, weight), d.team.Mean(slope, weight))
}

// constrain sets A and the weights of its rows: A, [G; I] with a graph, or I with neither, in which
// the row of the intercept has no weight; or the rows of I that are of features with a
// factor, where an elastic net has them alone.
func (g *general) constrain(columns int) error {
	d, roots := g.d, g.d.roots()
	a, err := d.rowsOfA(columns)
	if err != nil {
		return err
	}
	if g.weights = d.limits(); a == nil { // what is no feature has none
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
	if g.l2 = g.ridge > 0 && len(penalised) < columns; !g.l2 {
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

// solve solves for lambda.
func (g *general) solve(ctx context.Context, lambda float64, start *solver.Iterate) (*outcome, *solver.Iterate, error) {
	d, p := g.d, g.problem
	group, grouped := d.spec.Penalty.(GroupLasso)
	switch r := d.spec.l1Ratio(); {
	case grouped:
		p.Penalty = solver.GroupL2{Lambda: lambda, Groups: group.Groups, Weights: group.Weights}
	case g.l2:
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
	tol := g.relTol()
	set := &solver.Settings{Method: d.spec.Method, RelTol: tol, Seed: d.spec.Seed, Threads: d.spec.Threads, Checkpoint: d.spec.Checkpoint}
	if start != nil {
		set.Start = *start
	}
	if !d.team.Alone() {
		set.TimeLimit = d.spec.TimeLimit
	}
	res, err := solver.Minimize(ctx, &p, set)
	if res == nil {
		return nil, nil, err
	}
	_, columns := d.x.Dims()
	out := &outcome{
		lambda: lambda, x: slices.Clone(res.X[:columns]), groups: res.Groups,
		certificate: Certificate{Objective: res.At.Objective, MeanLoss: res.At.Loss, Gap: res.DualityGap, RelTol: d.spec.relTol(), Status: res.Status},
		run: Run{
			Method: res.Stats.Method, NewtonSteps: res.Stats.NewtonSteps, Passes: res.Stats.Passes,
			OuterIterations: res.Stats.OuterIterations, DualUpdates: res.Stats.DualUpdates, Eta: res.Stats.Eta, Rho: res.Stats.Rho,
		},
	}
	divide(out.x[:d.p], g.scale)
	out.certificate.NoOptimum = d.unattained(lambda, out.x)
	if err != nil && context.Cause(ctx) == errTime {
		goal := d.spec.relTol() * p.Evaluate(make([]float64, len(out.x))).Objective
		out.certificate.Status = solver.TimeDone
		err = out.certificate.notConverged(goal, "allow more time")
	}
	return out, &res.Iterate, err
}
