package model

import (
	"cmp"
	"context"
	"errors"
	"math"
	"slices"

	"github.com/scas-admm/scas/solver"
	"github.com/scas-admm/scas/solver/internal/ending"
	"github.com/scas-admm/scas/solver/internal/gap"
	"github.com/scas-admm/scas/solver/internal/rows"
	"github.com/scas-admm/scas/solver/internal/term"
	"github.com/scas-admm/scas/sparse"
)

// This file fits with solver.Minimize, which is used if a setting requires it, or if package exact does not
// support the problem or does not solve it.

// scaledCoefficients converts coefficients for the data as given to coefficients of m.problem.
func (m *minimizer) scaledCoefficients(x []float64) []float64 {
	_, columns := m.problem.Data.Dims()
	out := append(slices.Clone(x), make([]float64, columns-len(x))...)
	for j, s := range m.scale {
		out[j] = times(out[j], s)
	}
	if m.hasOffsetColumn {
		out[columns-1] = 1
	}
	return out
}

// A minimizer solves the problem of a design with solver.Minimize, for one lambda after the other.
type minimizer struct {
	d                *design
	problem          solver.Problem // the problem without the penalty, which the method problemFor adds
	weights          []float64      // weights of the rows of A in the penalty
	squaresInPenalty bool           // the squares of an elastic net are in Problem.Penalty, not in Problem.L2
	ridge            float64        // the factor of lambda in Problem.L2, unless squaresInPenalty is true
	scale            []float64      // divisor of each feature
	hasOffsetColumn  bool           // the last column of the data has the offsets
	// An upper bound of the rounding errors of labels minus offsets; 0 if nothing was subtracted.
	labelError float64
}

// newMinimizer returns a minimizer for the design. All processes must call it.
func (d *design) newMinimizer() (*minimizer, error) {
	m, err := d.localMinimizer()
	err = d.team.CommonError(err)
	if err != nil {
		return nil, err
	}
	if d.spec.Offsets != nil && !m.hasOffsetColumn {
		largest := 0.0
		for _, label := range m.problem.Labels {
			largest = max(largest, math.Abs(label))
		}
		m.labelError = 0x1p-53 * d.team.MaxNumber(largest)
	}
	return m, nil
}

// localMinimizer does the work of newMinimizer for the rows of this process.
func (d *design) localMinimizer() (*minimizer, error) {
	// checkMethod has checked the specification only if a setting requires solver.Minimize.
	if !d.spec.needsMinimize() {
		err := d.spec.checkParts(d.p, solver.Auto{}.Info(), "Method", solver.Auto{}.Info().Name)
		if err != nil {
			return nil, err
		}
	}
	m := &minimizer{
		d: d,
		problem: solver.Problem{
			Data: d.x, Labels: d.y, SampleWeights: d.weights, Loss: d.spec.Loss, Comm: d.spec.Comm,
		},
	}
	if err := m.addOffsets(d.spec.Offsets); err != nil {
		return nil, err
	}
	_, columns := m.problem.Data.Dims()
	sqrtFactors := d.sqrtPenaltyFactors()
	m.scale = d.scale
	if sqrtFactors != nil {
		m.scale = make([]float64, d.p)
		for j, s := range d.scale {
			m.scale[j] = s * cmp.Or(sqrtFactors[j], 1)
		}
	}
	if d.spec.standardizes() || sqrtFactors != nil {
		inverseScale := slices.Repeat([]float64{1}, columns)
		divide(inverseScale, m.scale)
		var err error
		m.problem.Data, err = m.problem.Data.ScaleColumns(inverseScale)
		if err != nil {
			return nil, err
		}
	}
	m.setDomain(columns)
	if !d.spec.grouped() {
		return m, m.setConstraint(columns)
	}
	a, err := d.rowsOfA(columns)
	if a != nil {
		m.problem.Constraint = solver.NewConstraint(a)
	}
	return m, err
}

// setDomain sets the domain of the problem. It fixes the coefficient of a column of offsets at 1.
func (m *minimizer) setDomain(columns int) {
	box, ok := m.d.spec.box(m.d.p)
	if !ok && !m.hasOffsetColumn { // checkDomain allows no scales for a domain that is not a box
		m.problem.Domain = m.d.spec.Domain
		return
	}
	wideBox := widenBox(box, columns, m.scale) // without a domain, box is empty and wideBox has no bounds
	if m.hasOffsetColumn {                     // checkParts allows only boxes
		wideBox.Lower[columns-1], wideBox.Upper[columns-1] = 1, 1
	}
	m.problem.Domain = solver.Box(wideBox)
}

// sqrtPenaltyFactors returns √fⱼ for the penalty factors fⱼ of an elastic net, or nil if the penalty has no
// squares or no factors. Let uⱼ be the coefficients of the standardised features, and r the L1Ratio. In terms
// of vⱼ = √fⱼuⱼ, the squares have the same weight for all features:
//
//	fⱼ (r|uⱼ| + (1 − r)/2 uⱼ²) = √fⱼ r|vⱼ| + (1 − r)/2 vⱼ²
func (d *design) sqrtPenaltyFactors() []float64 {
	if d.spec.l1Ratio() == 1 || d.spec.PenaltyFactors == nil {
		return nil
	}
	sqrtFactors := make([]float64, d.p)
	for j := range sqrtFactors {
		sqrtFactors[j] = math.Sqrt(d.factor(j))
	}
	return sqrtFactors
}

// addOffsets adds the offsets to the problem. If the loss depends only on the margin minus the label,
// addOffsets subtracts the offsets from the labels. For other losses, the offsets become a column of the
// data.
func (m *minimizer) addOffsets(offsets []float64) (err error) {
	if offsets == nil {
		return nil
	}
	if m.d.loss.Traits().DependsOnResidual {
		m.problem.Labels = slices.Clone(m.d.y)
		for i, o := range offsets {
			m.problem.Labels[i] -= o
		}
		return nil
	}
	m.hasOffsetColumn = true
	m.problem.Data, err = withColumn(context.Background(), m.d.x, func(i int) float64 { return offsets[i] })
	return err
}

// relTol converts the RelTol of the specification to the RelTol for solver.Minimize. The first is relative to
// the objective at margins equal to the offsets, and the second to the objective at margins of 0.
func (m *minimizer) relTol() float64 {
	if !m.hasOffsetColumn || m.d.spec.relTol() == 0 {
		return m.d.spec.RelTol
	}
	zeroUnit, offsetUnit := m.units()
	if 0 < offsetUnit && offsetUnit < zeroUnit {
		return m.d.spec.relTol() * (offsetUnit / zeroUnit)
	}
	return m.d.spec.relTol()
}

// units returns design.unit for margins of 0 and for margins equal to the offsets. If the data have no column
// of offsets, both results are the unit for margins of 0.
func (m *minimizer) units() (zeroUnit, offsetUnit float64) {
	_, columns := m.problem.Data.Dims()
	x := make([]float64, columns)
	zeroUnit = m.d.unit(m.problem.Evaluate(x).Loss, nil)
	if !m.hasOffsetColumn {
		return zeroUnit, zeroUnit
	}
	x[columns-1] = 1
	return zeroUnit, m.d.unit(m.problem.Evaluate(x).Loss, m.d.spec.Offsets)
}

// unit returns the number to which tolerances are relative, see term.LabelKind.ToleranceUnit. loss is the
// mean loss at the given margins of the rows. If margins is nil, all margins are 0.
func (d *design) unit(loss float64, margins []float64) float64 {
	labels := d.loss.Traits().Labels
	if labels != term.Counts {
		return loss
	}
	data := rows.Data{Team: d.team, Labels: d.y, Weights: d.weights, Loss: d.loss}
	label, slope := data.MeanLabelAndSlope(margins)
	return labels.ToleranceUnit(loss, label, slope)
}

// setConstraint sets the matrix A of the problem and the weights of its rows. A is the matrix of the
// specification, [G; I] for a graph with incidence matrix G, and otherwise the identity. For an elastic net
// that does not penalise all coefficients, A has only those rows of the identity that belong to penalised
// coefficients.
func (m *minimizer) setConstraint(columns int) error {
	d, sqrtFactors := m.d, m.d.sqrtPenaltyFactors()
	a, err := d.rowsOfA(columns)
	if err != nil {
		return err
	}
	m.weights = d.limits()
	if a == nil { // the intercept and the column of offsets have weight 0
		m.weights = append(m.weights, make([]float64, columns-d.p)...)
	}
	var penalised []int
	for j := range d.p {
		if d.factor(j) == 0 {
			continue
		}
		penalised = append(penalised, j)
		if sqrtFactors != nil {
			m.weights[j] = d.spec.l1Ratio() * sqrtFactors[j]
		}
	}
	if penalised != nil {
		m.ridge = 1 - d.spec.l1Ratio()
	}
	if a != nil {
		m.problem.Constraint = solver.NewConstraint(a)
		return nil
	}
	m.squaresInPenalty = m.ridge > 0 && len(penalised) < columns
	if !m.squaresInPenalty {
		return nil
	}
	m.weights = make([]float64, len(penalised))
	for k, j := range penalised {
		m.weights[k] = 1
		if sqrtFactors != nil {
			m.weights[k] = sqrtFactors[j]
		}
	}
	identityRows, err := sparse.Identity(columns).SelectRows(penalised)
	m.problem.Constraint = identityRows
	return err
}

func (m *minimizer) problemFor(lambda float64) solver.Problem {
	d, p := m.d, m.problem
	group, grouped := d.spec.Penalty.(GroupLasso)
	switch r := d.spec.l1Ratio(); {
	case grouped:
		p.Penalty = solver.GroupL2{Lambda: lambda, Groups: group.Groups, Weights: group.Weights}
	case m.squaresInPenalty:
		p.Penalty = solver.ElasticNet{L1: lambda * r, L2: lambda * (1 - r), Weights: m.weights}
	case d.spec.MuA > 0 && d.spec.couples():
		p.Penalty = solver.ElasticNet{L1: lambda, L2: d.spec.MuA, Weights: m.weights}
		p.L2 = lambda * m.ridge
	default:
		p.Penalty = solver.L1{Lambda: lambda, Weights: m.weights}
		p.L2 = lambda * m.ridge
	}
	p.L2 += d.spec.Mu
	if !d.spec.couples() {
		p.L2 += d.spec.MuA
	}
	return p
}

// solve solves the problem for lambda. It begins at start, or at zeros if start is nil. It also returns the
// last iterate.
func (m *minimizer) solve(ctx context.Context, lambda float64, start *solver.Iterate) (*Column, *solver.Iterate, error) {
	d, p := m.d, m.problemFor(lambda)
	set := d.spec.Settings
	set.RelTol = m.relTol()
	set.TimeLimit = 0 // ctx ends at the time limit
	set.Memory = d.spec.Memory
	if start != nil {
		set.Start = *start
	}
	res, err := solver.Minimize(ctx, &p, &set)
	if res == nil {
		return nil, nil, err
	}
	if m.hasOffsetColumn {
		subtractRidge(0.5*p.L2, res, err)
	}
	late := res.Status == solver.TimeDone
	if late && !finite(res.At.Objective) { // out of core, the time may end before a point is evaluated
		return nil, nil, errUnknown
	}
	out, x := m.column(res)
	c := &out.Certificate
	err = m.judge(c, err)
	if err == nil || !late { // after the time limit, there is no time for another pass over the data
		c.NoOptimum = m.hasNoOptimum(ctx, lambda, x)
	}
	if late && !errors.Is(err, solver.ErrNotConverged) {
		zeroUnit, offsetUnit := m.units()
		err = c.lateError(math.Min(zeroUnit, offsetUnit))
	}
	return out, &res.Iterate, err
}

// subtractRidge subtracts ridge from the objectives of a run whose offsets are a column of the data. The
// coefficient of this column is 1, and ridge is the ridge term of this coefficient.
func subtractRidge(ridge float64, res *solver.Result, err error) {
	res.At.Objective -= ridge
	res.AtAverage.Objective -= ridge
	res.Unrounded -= ridge
	if e, ok := errors.AsType[*solver.NotConvergedError](err); ok {
		e.Objective -= ridge
	}
}

// column returns the column of a result. x has its coefficients, followed by the intercept if there is one.
func (m *minimizer) column(res *solver.Result) (c *Column, x []float64) {
	d, set := m.d, &m.d.spec.Settings
	run := FitRun{
		Stats: res.Stats, Schedule: set.Schedule, Float32: set.Float32,
		Last: &LastIterate{res.Unrounded, res.PrimalResidual, res.DualResidual},
	}
	run.Seconds, run.SetupSeconds = 0, 0 // so that equal fits give equal models
	x, evaluation, bound, groups := res.X, res.At, res.DualityGap, res.Groups
	if d.spec.Average && res.Status != solver.Diverged {
		x, evaluation, groups = res.XAverage, res.AtAverage, nil
		rounding := m.lossError(res.X, res.At.Loss) + m.lossError(x, evaluation.Loss)
		bound = gap.GapAtObjective(bound, res.At.Objective, evaluation.Objective, rounding)
		run.Average, run.Rounded, run.Last = true, false, nil
	}
	_, columns := d.x.Dims()
	x = slices.Clone(x[:columns])
	divide(x[:d.p], m.scale)
	if box, ok := d.spec.box(d.p); ok { // the division rounds
		box.Project(x[:d.p])
	}
	c = d.column(x, groups, run)
	c.Certificate = Certificate{
		Objective: evaluation.Objective, MeanLoss: evaluation.Loss, Ridge: d.ridge(x),
		Gap: m.gapForGivenLabels(bound), RelTol: d.spec.relTol(), Status: res.Status,
	}
	return c, x
}

// lossError bounds the error of the computed mean loss at x that rounding of the margins causes.
func (m *minimizer) lossError(x []float64, loss float64) float64 {
	return gap.LossErrorOf(m.d.team, m.problem.Data, x, loss, m.d.loss.Curvature())
}

// gapForGivenLabels returns a gap for the labels and offsets as given. bound is a gap for the labels of
// m.problem, from which the offsets were subtracted with rounding.
//
// Proof: let φ'ᵢ be the slope of the loss at the margin of row i, αᵢ the entry of the optimal dual point, κ
// the curvature of the loss, and Fᵢ the Fenchel term of row i (see package gap). The mean of the Fᵢ is at
// most bound, and |φ'ᵢ − αᵢ| is at most √(2κFᵢ), as in gap.LossError. So if no label changes by more than d,
// the mean of the Fᵢ grows by at most √(2κ·bound) d + κd²/2.
func (m *minimizer) gapForGivenLabels(bound float64) float64 {
	return bound + float64(gap.LossError(bound, m.labelError, m.d.loss.Curvature())*(1+0x1p-40))
}

// judge changes the status converged in c if the gap in c is above the goal. This can happen because c.Status
// comes from the solver, but the gap in c may be larger than the solver's: it may be the gap of the average
// of the iterates, and it includes the rounding of labels. err is the error of the solver, and judge returns
// the error of the fit.
func (m *minimizer) judge(c *Certificate, err error) error {
	if e, ok := errors.AsType[*solver.NotConvergedError](err); ok {
		e.Objective, e.Gap, e.Remedies = c.Objective, c.Gap, specRemedies(e.Remedies)
		return err
	}
	if c.Status != solver.Converged {
		return err
	}
	zeroUnit, offsetUnit := m.units()
	goal := c.RelTol * math.Min(zeroUnit, offsetUnit)
	switch {
	case c.Gap <= goal:
		return err
	case goal == 0:
		c.Status = solver.PassesDone
		return err
	}
	c.Status = solver.Stalled
	advice := &ending.Advice{
		Why: "the labels minus the offsets are rounded numbers", Remedies: []sparse.Remedy{ending.AskForLess},
	}
	if m.d.spec.Average {
		lastIterate := sparse.Remedy{Field: "Spec.Average", To: "false"}
		advice = &ending.Advice{
			Why:      "the average of the iterates is farther from the optimum than the last iterate",
			Remedies: []sparse.Remedy{lastIterate, ending.AskForLess},
		}
	}
	return c.notConverged(goal, advice)
}

func divide(u, s []float64) {
	for j, v := range s {
		u[j] /= v
	}
}
