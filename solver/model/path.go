package model

import (
	"cmp"
	"context"
	"errors"
	"iter"
	"math"
	"slices"

	"github.com/scas-admm/scas/kernels"
	"github.com/scas-admm/scas/solver"
	"github.com/scas-admm/scas/solver/internal/ending"
	"github.com/scas-admm/scas/solver/internal/rows"
	"github.com/scas-admm/scas/sparse"
)

// PathSettings are the settings of Path; nil means the defaults.
type PathSettings struct {
	// Lambdas are the lambdas of the path, in decreasing order. nil means a geometric progression of Count
	// values, from LambdaMax down to Ratio times LambdaMax.
	Lambdas []float64
	// Count is the number of lambdas; zero means 100.
	Count int
	// Ratio, below 1, is the last lambda divided by the first. Zero means 1e-4 if there are more rows than
	// features, and 1e-2 otherwise.
	Ratio float64
	// Validation scores each model on rows that were not fitted, and may end the path early; nil means no
	// validation.
	Validation *Validation
}

// A Step is the solution for one lambda of a path.
type Step struct {
	Index  int // index of the lambda in the path
	Lambda float64
	// Columns are the columns of the model, as in Model.Columns.
	Columns []StepColumn
	// ValidationScore is the value of the measure for PathSettings.Validation; NaN without validation.
	ValidationScore float64

	empty    *Model // the model without Columns and Lambda
	features int    // number of features
}

// A StepColumn is a Column that stores only the coefficients that are not zero.
type StepColumn struct {
	Indices     []int32
	Values      []float64
	Intercept   float64
	Certificate Certificate

	run        FitRun
	groups     [][]int
	endedEarly bool // the fit ended with an error and the status Stopped or TimeDone
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
	m := *s.empty
	m.Summary.Lambda = s.Lambda
	for k := range s.Columns {
		c := &s.Columns[k]
		x := make([]float64, s.features)
		for i, j := range c.Indices {
			x[j] = c.Values[i]
		}
		m.Columns = append(m.Columns,
			Column{
				Coefficients: x, Intercept: c.Intercept, Groups: c.groups, Certificate: c.Certificate,
				Run: c.run,
			})
	}
	return &m
}

// Path fits spec for one lambda after the other, and yields a step for each lambda. It ignores spec.Lambda.
// Each fit begins at the solution for the previous lambda. If a fit does not converge, its step comes with an
// error that matches solver.ErrNotConverged, and the path continues.
//
// PathSettings.Validation, the end of ctx and Settings.TimeLimit can end the path early. If ctx or the time
// limit ends the path, the path yields an error, together with a step if the last fit has a model. An error
// while the Validation scores a step ends the path, and comes together with this step. If the data, the
// specification or the settings are not valid, the path yields only an error. With more than two classes, the
// first step comes after all classes are fitted for all lambdas.
func Path(ctx context.Context, spec *Spec, x *sparse.CSR, y []float64, set *PathSettings) iter.Seq2[*Step, error] {
	return func(yield func(*Step, error) bool) {
		if err := spec.checkNoCheckpoint(); err != nil {
			yield(nil, err)
			return
		}
		p, err := newProblems(spec, x, y)
		if err != nil {
			yield(nil, err)
			return
		}
		ctx, cancel := ending.WithTimeLimit(ctx, p.spec.TimeLimit)
		defer cancel()
		p.path(ctx, set)(yield)
	}
}

// path yields the steps of Path. It ignores the time limit. With more than two classes it yields the
// first step only after it has fitted all classes.
func (p *problems) path(ctx context.Context, set *PathSettings) iter.Seq2[*Step, error] {
	return func(yield func(*Step, error) bool) {
		if set == nil {
			set = &PathSettings{}
		}
		if err := set.check(); err != nil {
			yield(nil, err)
			return
		}
		patience, err := p.newPatience(set.Validation)
		if err != nil {
			yield(nil, err)
			return
		}
		steps := p.problemPath(ctx, 0, set)
		if p.count() > 1 {
			steps = p.classPaths(ctx, set)
		}
		for step, err := range steps {
			if err == nil || step != nil && errors.Is(err, solver.ErrNotConverged) {
				if judgeErr := patience.judge(step); judgeErr != nil {
					yield(step, judgeErr)
					return
				}
			}
			if !yield(step, err) || patience.ended() {
				return
			}
		}
	}
}

// classPaths yields the steps of a path of more than two classes. It ignores set.Validation.
func (p *problems) classPaths(ctx context.Context, set *PathSettings) iter.Seq2[*Step, error] {
	return func(yield func(*Step, error) bool) {
		lambdas, err := set.lambdas(ctx, p.lambdaMax, p.empty.Summary.Rows, p.features)
		if err != nil {
			yield(nil, err)
			return
		}
		type stepResult struct {
			step *Step
			err  error
		}
		paths := make([][]stepResult, p.count())
		err = p.eachProblem(p.countFitted(func(k int) error {
			for step, err := range p.problemPath(ctx, k, &PathSettings{Lambdas: lambdas}) {
				if step == nil {
					return err
				}
				paths[k] = append(paths[k], stepResult{step, err})
			}
			return nil
		}))
		if err != nil {
			yield(nil, err)
			return
		}
		for i := range lambdas {
			step := p.step(i, lambdas[i])
			errs := make([]error, len(paths))
			for k, path := range paths {
				if i >= len(path) { // the path of this class ended earlier
					return
				}
				errs[k] = path[i].err
				step.Columns = append(step.Columns, path[i].step.Columns...)
			}
			if !yield(step, p.classError(errs)) {
				return
			}
		}
	}
}

// problemPath yields the steps of Path for problem k. ctx must end at the time limit. problemPath ignores
// set.Validation.
func (p *problems) problemPath(ctx context.Context, k int, set *PathSettings) iter.Seq2[*Step, error] {
	return func(yield func(*Step, error) bool) {
		l, lambdas, err := p.startPath(ctx, k, set)
		if err != nil {
			yield(nil, err)
			return
		}
		for i, lambda := range lambdas {
			out, err := l.solve(ctx, lambda)
			if out == nil {
				yield(nil, err)
				return
			}
			c := stepColumn(out)
			c.endedEarly = err != nil &&
				(c.Certificate.Status == solver.Stopped || c.Certificate.Status == solver.TimeDone)
			if !yield(p.step(i, lambda, c), err) || c.endedEarly {
				return
			}
		}
	}
}

func (p *problems) step(index int, lambda float64, columns ...StepColumn) *Step {
	return &Step{
		Index: index, Lambda: lambda, Columns: columns, ValidationScore: math.NaN(), empty: p.empty,
		features: p.features,
	}
}

func stepColumn(c *Column) StepColumn {
	s := StepColumn{Intercept: c.Intercept, Certificate: c.Certificate, run: c.Run, groups: c.Groups}
	for j, v := range c.Coefficients {
		if v != 0 {
			s.Indices, s.Values = append(s.Indices, int32(j)), append(s.Values, v)
		}
	}
	return s
}

// endedEarly reports whether a fit of the step ended with an error and the status Stopped or TimeDone. After
// solver.ErrStop of a Recorder there is no error, and the path goes on.
func (s *Step) endedEarly() bool {
	return slices.ContainsFunc(s.Columns, func(c StepColumn) bool { return c.endedEarly })
}

// startPath returns the fitter and the lambdas of a path of problem k.
func (p *problems) startPath(ctx context.Context, k int, set *PathSettings) (l *lambdaFitter, lambdas []float64, err error) {
	defer rows.Rescue(&err)
	d, err := p.preparedDesign(k)
	if err != nil {
		return nil, nil, err
	}
	d.manyLambdas = true
	l, err = d.newLambdaFitter(ctx)
	lambdaMax := d.lambdaMax
	if l.fitter != nil {
		lambdaMax = l.fitter.lambdaMax
	}
	switch {
	case err == nil:
		lambdas, err = set.lambdas(ctx, lambdaMax, p.empty.Summary.Rows, d.p)
	case err == errUnknown && set.Lambdas == nil:
		err = errEarly
	}
	return l, lambdas, err
}

func (s *PathSettings) check() error {
	lastLambda := math.Inf(1)
	for k, l := range s.Lambdas {
		if !(l >= 0 && l < lastLambda) {
			return errorf("PathSettings.Lambdas[%d] = %v after %v; lambdas must not be negative, and decrease", k, l, lastLambda)
		}
		lastLambda = l
	}
	switch {
	case s.Lambdas != nil && len(s.Lambdas) == 0:
		return errorf("PathSettings.Lambdas is empty; leave it nil for the default")
	case s.Count < 0:
		return errorf("PathSettings.Count = %d; it must be positive, or 0 for 100", s.Count)
	case !(s.Ratio >= 0 && s.Ratio < 1):
		return errorf("PathSettings.Ratio = %v; it must be above 0 and below 1, or 0 for the default",
			s.Ratio)
	case s.Validation != nil && (s.Validation.X == nil || s.Validation.Patience < 0):
		return errorf("PathSettings.Validation needs data, and a Patience that is not negative")
	}
	return nil
}

// lambdas returns Lambdas or, if they are nil, Count lambdas from the result of lambdaMax downwards. n and p
// are the numbers of rows and features.
func (s *PathSettings) lambdas(
	ctx context.Context, lambdaMax func(context.Context) (float64, error), n, p int,
) ([]float64, error) {
	if s.Lambdas != nil {
		return s.Lambdas, nil
	}
	largestLambda, err := lambdaMax(ctx)
	switch {
	case err != nil && ending.Late(ctx),
		errors.Is(err, context.DeadlineExceeded) && ctx.Err() == nil: // only another process is late so far
		return nil, errEarly
	case err != nil:
		return nil, err
	}
	ratio := cmp.Or(s.Ratio, 1e-4)
	if s.Ratio == 0 && n <= p {
		ratio = 1e-2
	}
	lambdas := make([]float64, cmp.Or(s.Count, 100))
	for k := range lambdas {
		// not math.Pow, whose last bits may differ between machines
		fraction := float64(k) / math.Max(1, float64(len(lambdas)-1))
		lambdas[k] = largestLambda * kernels.ExpNeg(-float64(fraction*kernels.Log(ratio)))
	}
	return lambdas, nil
}
