package model

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"math"
	"slices"

	"github.com/scas-admm/scas/solver"
	"github.com/scas-admm/scas/solver/internal/exact"
	"github.com/scas-admm/scas/solver/internal/rows"
	"github.com/scas-admm/scas/sparse"
)

// PathSettings tune Path; nil means the defaults.
type PathSettings struct {
	// Lambdas are the lambdas of the path, in decreasing order. nil means Count values in geometric
	// progression, from LambdaMax down to Ratio times LambdaMax.
	Lambdas []float64
	// Count is the number of lambdas; zero means 100.
	Count int
	// Ratio, below 1, is the last lambda over the first; zero means 1e-4 where there are
	// more rows than features, else 1e-2.
	Ratio float64
	// Validation ends the path early; nil means that it goes to its end.
	Validation *Validation
}

// A Validation judges the models of a path on rows held out.
type Validation struct {
	X        *sparse.CSR
	Y        []float64
	Score    *ScoreSettings // weights, offsets and threshold; nil means none
	By       Measure        // empty means ByLoss; not ByR2
	Metric   Metric         // takes the place of By; nil means none
	Patience int            // lambdas in a row without a better value after which the path ends; zero means 10
}

// A Step is the solution for one lambda of a path.
type Step struct {
	Index  int // of the lambda, from 0
	Lambda float64
	// Columns are the columns of the model, as in Model.
	Columns []StepColumn
	// Validation is the value of the measure on the rows held out; NaN without.
	Validation float64

	design *design
	of     *problems // several classes; nil for one problem
	origin *origin   // the Dataset; nil without
}

// A StepColumn is a Column with the coefficients that are not zero.
type StepColumn struct {
	Indices     []int32
	Values      []float64
	Intercept   float64
	Certificate Certificate

	run    Run
	groups [][]int
}

// NonZeros returns the number of coefficients that are not zero, in all columns.
func (s *Step) NonZeros() (count int) {
	for k := range s.Columns {
		count += len(s.Columns[k].Indices)
	}
	return count
}

// Model returns the model of the step.
func (s *Step) Model() *Model {
	d := s.design
	m := d.blank(s.Lambda)
	for k := range s.Columns {
		c := &s.Columns[k]
		x := make([]float64, d.p)
		for i, j := range c.Indices {
			x[j] = c.Values[i]
		}
		m.Columns = append(m.Columns, Column{Coefficients: x, Intercept: c.Intercept, Groups: c.groups, Certificate: c.Certificate, Run: c.run})
	}
	if s.of != nil {
		s.of.name(m)
	}
	if s.origin != nil {
		s.origin.describe(m)
	}
	return m
}

// Path fits spec for one lambda after the other, each from where the last one ended, and
// yields the solutions, each with its own status and certificate. A lambda that does not
// converge comes with an error that matches solver.ErrNotConverged, and the path goes
// on: it ends early only by the end of ctx or Settings.TimeLimit, which comes with an
// error, and a step unless no lambda was known yet, or by PathSettings.Validation. Bad
// data or a bad specification yield no step and an error. spec.Lambda is not looked at.
// Classes are as for Fit; of more than two the first step comes when all lambdas of all classes
// are fitted.
func Path(ctx context.Context, spec *Spec, x *sparse.CSR, y []float64, set *PathSettings) iter.Seq2[*Step, error] {
	return func(yield func(*Step, error) bool) {
		if err := spec.stateless(); err != nil {
			yield(nil, err)
			return
		}
		p, err := newProblems(spec, x, y)
		if err != nil {
			yield(nil, err)
			return
		}
		ctx, cancel := p.spec.limit(ctx)
		defer cancel()
		p.path(ctx, set)(yield)
	}
}

// path is Path for one problem, without the time limit. It ignores set.Validation.
func (d *design) path(ctx context.Context, set *PathSettings) iter.Seq2[*Step, error] {
	return func(yield func(*Step, error) bool) {
		p, err := d.newPather(ctx, set)
		if err != nil {
			yield(nil, err)
			return
		}
		for k := range p.lambdas {
			step, err := p.step(ctx, k)
			if !yield(step, err) || step == nil || step.cut() {
				return
			}
		}
	}
}

// cut reports whether time or the caller ended the fit.
func (s *Step) cut() bool {
	return slices.ContainsFunc(s.Columns, func(c StepColumn) bool {
		return c.Certificate.Status == solver.Stopped || c.Certificate.Status == solver.TimeDone
	})
}

// A pather is a path at work.
type pather struct {
	d       *design
	bare    *design // d without the rows, for the steps, which outlive the rows
	set     PathSettings
	lambdas []float64
	fitter  *fitter  // nil where package solver does it:
	general *general // then this is not
	start   *solver.Iterate
}

func (d *design) newPather(ctx context.Context, set *PathSettings) (p *pather, err error) {
	defer rows.Rescue(&err)
	p = &pather{d: d}
	bare := *d
	bare.x, bare.y, bare.weights, bare.held = nil, nil, nil, held{}
	p.bare = &bare
	if set != nil {
		p.set = *set
	}
	err = p.set.check()
	if err == nil && !d.team.Alone() && p.set.Validation != nil {
		err = errors.New("model: PathSettings.Validation is for one process; leave it nil with Spec.Comm")
	}
	if err = d.team.Agreed(err); err != nil {
		return nil, err
	}
	if p.fitter, err = d.newFitter(ctx); errors.Is(err, exact.ErrNotApplicable) {
		if !d.team.Alone() {
			return nil, fmt.Errorf("model: with Spec.Comm a Path is by Newton's method, which does not take this: %w", err)
		}
		p.general, err = d.general()
	}
	if err != nil {
		return nil, err
	}
	if p.lambdas = p.set.Lambdas; p.lambdas == nil {
		most, err := p.lambdaMax(ctx)
		switch {
		case err != nil && context.Cause(ctx) == errTime:
			return nil, errEarly
		case err != nil:
			return nil, err
		}
		p.lambdas = p.set.sequence(most, d.facts.Rows, d.p)
	}
	return p, nil
}

func (p *pather) lambdaMax(ctx context.Context) (float64, error) {
	if p.fitter == nil {
		return p.d.lambdaMax(ctx)
	}
	return p.fitter.lambdaMax(ctx)
}

// errEarly is the error if the time limit ends before a path begins.
var errEarly = outOfTime("the first lambda was known")

func (s *PathSettings) check() error {
	last := math.Inf(1)
	for k, l := range s.Lambdas {
		if !(l >= 0 && l < last) {
			return fmt.Errorf("model: PathSettings.Lambdas[%d] = %v after %v; lambdas must not be negative, and decrease", k, l, last)
		}
		last = l
	}
	switch {
	case s.Lambdas != nil && len(s.Lambdas) == 0:
		return errors.New("model: PathSettings.Lambdas is empty; leave it nil for the default")
	case s.Count < 0:
		return fmt.Errorf("model: PathSettings.Count = %d; it must be positive, or 0 for 100", s.Count)
	case !(s.Ratio >= 0 && s.Ratio < 1):
		return fmt.Errorf("model: PathSettings.Ratio = %v; it must be above 0 and below 1, or 0 for the default", s.Ratio)
	case s.Validation != nil && (s.Validation.X == nil || s.Validation.Patience < 0):
		return errors.New("model: PathSettings.Validation needs data, and a Patience that is not negative")
	}
	return nil
}

// sequence returns the lambdas from the largest on.
func (s *PathSettings) sequence(most float64, n, p int) []float64 {
	count, ratio := s.Count, s.Ratio
	if count == 0 {
		count = 100
	}
	if ratio == 0 {
		if ratio = 1e-4; n <= p {
			ratio = 1e-2
		}
	}
	lambdas := make([]float64, count)
	q := root(ratio, count-1)
	for k := range lambdas {
		lambdas[k] = most * power(q, k)
	}
	return lambdas
}

// root returns the k-th root of r, 0 < r < 1, by Newton's method from above: math.Pow
// differs between machines.
func root(r float64, k int) float64 {
	q := 1.0
	for k > 0 {
		part := power(q, k-1)
		next := q - (float64(q*part)-r)/(float64(k)*part)
		if !(next < q) { // rounding, which this step corrects
			return next
		}
		q = next
	}
	return q
}

// power returns q to the k.
func power(q float64, k int) float64 {
	p := 1.0
	for ; k > 0; k >>= 1 {
		if k&1 > 0 {
			p *= q
		}
		q *= q
	}
	return p
}

// step solves for lambda number k.
func (p *pather) step(ctx context.Context, k int) (s *Step, err error) {
	defer rows.Rescue(&err)
	out, err := p.solve(ctx, k)
	if out == nil {
		return nil, err
	}
	c := StepColumn{Certificate: out.certificate, run: out.run, groups: out.groups}
	c.run.Seed, c.Certificate.Ridge = p.d.spec.Seed, p.d.ridge(out.x)
	for j, v := range out.x[:p.d.p] {
		if v != 0 {
			c.Indices, c.Values = append(c.Indices, int32(j)), append(c.Values, v)
		}
	}
	if !p.d.spec.NoIntercept {
		c.Intercept = out.x[p.d.p]
	}
	s = &Step{Index: k, Lambda: p.lambdas[k], Columns: []StepColumn{c}, design: p.bare, Validation: math.NaN()}
	return s, err
}

// solve fits lambda number k, by the exact solver or by package solver.
func (p *pather) solve(ctx context.Context, k int) (*outcome, error) {
	if p.fitter == nil {
		return p.generalStep(ctx, k)
	}
	out, err := p.fitter.solve(ctx, p.lambdas[k])
	if p.fitter.full && p.d.team.Alone() {
		// The rest of the path is for package solver, if it can.
		if p.general, _ = p.d.general(); p.general != nil {
			p.fitter = nil
			return p.generalStep(ctx, k)
		}
	}
	return out, err
}

// generalStep starts from x and y of the last lambda and its multipliers, scaled.
func (p *pather) generalStep(ctx context.Context, k int) (*outcome, error) {
	out, at, err := p.general.solve(ctx, p.lambdas[k], p.start)
	if at != nil && k+1 < len(p.lambdas) && p.lambdas[k] > 0 {
		for j := range at.Dual {
			at.Dual[j] *= p.lambdas[k+1] / p.lambdas[k]
		}
		p.start = at
	}
	return out, err
}

// FitPath returns all steps of a Path. If fits have errors, it returns the error of the first lambda
// that has one, with all steps that were reached. For bad data or a bad specification the result is
// nil.
func FitPath(ctx context.Context, spec *Spec, x *sparse.CSR, y []float64, set *PathSettings) ([]*Step, error) {
	return collect(Path(ctx, spec, x, y, set))
}
