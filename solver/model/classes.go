package model

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"
	"sync"

	"github.com/scas-admm/scas/kernels/pkgerr"
	"github.com/scas-admm/scas/solver"
	"github.com/scas-admm/scas/solver/internal/ending"
	"github.com/scas-admm/scas/solver/internal/rows"
	"github.com/scas-admm/scas/sparse"
)

// A problems divides the fit of a specification into problems. There is one problem if the labels are
// numbers or if there are two classes. Otherwise there is one problem for each class, which is fitted
// against all other classes.
type problems struct {
	spec        *Spec      // the specification of the caller
	team        *rows.Team // the processes that share the rows; nil if this process has all rows
	problemSpec *Spec      // the specification of each problem
	x           *sparse.CSR
	y           []float64
	empty       *Model // the fitted model without Columns and Lambda; with its Classes, there are many problems
}

// newProblems checks the data and the specification. spec may be nil.
func newProblems(spec *Spec, x *sparse.CSR, y []float64) (p *problems, err error) {
	defer rows.Rescue(&err)
	if spec == nil {
		spec = &Spec{}
	}
	team, err := rows.Join(spec.Comm, x, spec.checkData(x, y))
	if err != nil {
		return nil, err
	}
	if err := spec.checkCommon(team); err != nil {
		return nil, err
	}
	p = &problems{spec: spec, team: team, problemSpec: spec, x: x, y: y}
	p.empty = p.emptyModel()
	if !classifies(spec.loss()) {
		return p, nil
	}
	labels := p.differentLabels()
	switch {
	case len(labels) < 3 || spec.Positive != nil:
		p.empty.Labels, err = p.twoLabels(labels)
		return p, err
	case len(labels) > rows.MaxClasses:
		return nil, errorf("more than %d classes: are the labels numbers, for the loss %s?", rows.MaxClasses, lossesForNumbers())
	case spec.streams():
		if err := spec.refuseMinimize("out of core this is for two classes or for numbers"); err != nil {
			return nil, err
		}
	}
	p.empty.Classes = sparse.Classes{Values: labels, Names: spec.words(labels)}
	p.problemSpec, err = p.classSpec()
	return p, err
}

// checkCommon returns an error if SampleWeights or Offsets are nil in some processes only.
func (s *Spec) checkCommon(team *rows.Team) error {
	var err error
	for _, field := range []struct {
		name  string
		given bool
	}{{"SampleWeights", s.SampleWeights != nil}, {"Offsets", s.Offsets != nil}} {
		if team.Any(field.given) && !field.given {
			err = errorf("Spec.%s is nil in this process, but not in all: give it in all processes or in none", field.name)
		}
	}
	return team.CommonError(err)
}

// differentLabels returns the labels that occur in any process, each once, in increasing order. If there are
// more than rows.MaxClasses + 1, it returns only the smallest rows.MaxClasses + 1.
func (p *problems) differentLabels() (labels []float64) {
	for lo, hi := range rows.Parts(p.x, rows.PartRows) {
		labels = rows.InsertDistinct(labels, p.y[lo:hi], rows.MaxClasses+1)
	}
	return p.team.Distinct(labels, rows.MaxClasses+1)
}

// classSpec returns the specification for the fits of each class against the rest. It is a copy of p.spec in which
// SampleWeights include the ClassWeights. The copy has no TimeLimit, because p.spec.TimeLimit is for all classes
// together.
func (p *problems) classSpec() (_ *Spec, err error) {
	spec := *p.spec
	if spec.TimeLimit = 0; spec.parallel() {
		spec.Threads, spec.Report = 1, nil
	}
	if spec.ClassWeights != nil {
		spec.SampleWeights, err = p.spec.weigh(p.team, p.y, nil, [2]string{})
		spec.ClassWeights = nil
	}
	return &spec, err
}

func (p *problems) count() int { return max(1, len(p.empty.Classes.Values)) }

// design returns the design of problem k. The caller must then call prepare.
func (p *problems) design(k int, spec *Spec) (d *design, err error) {
	n, features := p.x.Dims()
	d = &design{
		spec: spec, team: p.team, n: n, p: features, x: p.x, y: p.y, loss: spec.loss(), factors: spec.factors(features),
		scale: slices.Repeat([]float64{1}, features),
	}
	labels := p.empty.Labels
	positive, classOfRow, classNames := spec.rowLabel(labels.Positive), d.classOfRow, [2]string{"class " + labels.Name(-1), "class " + labels.Name(1)}
	if classes := p.empty.Classes; !classes.IsZero() {
		positive, classNames = classes.Values[k], [2]string{"the other classes", "this class"} // classError names the class
	}
	switch {
	case !classifies(d.loss):
		classOfRow = nil
	case !spec.streams():
		d.y = signs(p.y, positive)
	default:
		d.classLabel = &positive
	}
	d.weights, err = spec.weigh(p.team, p.y, classOfRow, classNames)
	return d, err
}

// start returns where the fit of problem k begins: the coefficients of Spec.Start, followed by the
// intercept if there is one. All signs are changed if the positive class of the problem is the negative
// class of Start. The result is nil if there is no Start, or if its labels do not match the problem.
func (p *problems) start(k int, d *design) []float64 {
	m := p.spec.Start
	if m == nil {
		return nil
	}
	column, sign := 0, 1.0
	switch {
	case !p.empty.Classes.IsZero():
		var known bool
		if column, known = p.columnOf(m, k); !known {
			return nil
		}
	case !m.Classes.IsZero() || m.Labels.IsZero() != p.empty.Labels.IsZero():
		return nil
	case !m.Labels.IsZero():
		names := [2]string{m.Labels.Name(-1), m.Labels.Name(1)}
		switch labels := p.empty.Labels; names {
		case [2]string{labels.Name(-1), labels.Name(1)}:
		case [2]string{labels.Name(1), labels.Name(-1)}:
			sign = -1
		default:
			return nil
		}
	}
	c := m.Columns[column]
	x := append(slices.Clone(c.Coefficients), c.Intercept)[:d.columns()]
	for j := range x {
		x[j] *= sign
	}
	return x
}

// columnOf returns the number of the column of m for class k. Classes that have names are compared by name.
func (p *problems) columnOf(m *Model, k int) (column int, known bool) {
	classes := p.empty.Classes
	switch {
	case (m.Classes.Names == nil) != (classes.Names == nil):
		return 0, false
	case classes.Names == nil:
		return m.Classes.Find(classes.Values[k])
	}
	column = slices.Index(m.Classes.Names, classes.Names[k])
	return column, column >= 0
}

func (p *problems) preparedDesign(k int) (d *design, err error) {
	defer rows.Rescue(&err)
	if d, err = p.design(k, p.problemSpec); err == nil {
		err = d.prepare(context.Background())
	}
	return d, err
}

// parallel reports whether classes, or folds, may be fitted in parallel.
func (s *Spec) parallel() bool {
	return !s.streams() && rows.NewTeam(s.Comm).Alone() && s.Checkpoint == nil
}

// parallelFits returns the number of classes, or of folds, that may be fitted at the same time.
func (s *Spec) parallelFits() int {
	if s.parallel() {
		return s.threads()
	}
	return 1
}

// eachProblem calls do(k) for every problem k, in parallel if possible. It returns the error of classError.
func (p *problems) eachProblem(do func(k int) error) error {
	if p.empty.Classes.IsZero() {
		return do(0)
	}
	return p.classError(p.spec.spread(p.count(), isFatal, do))
}

func isFatal(err error) bool { return err != nil && !errors.Is(err, solver.ErrNotConverged) }

// classError returns one error for the errors of the classes, of which some or all are nil. It is the first
// fatal error, with the name of its class. If no error is fatal, it is the first error, and it also says how
// many other classes have not converged.
func (p *problems) classError(errs []error) error {
	k, others := slices.IndexFunc(errs, isFatal), ""
	if k < 0 {
		failed := func(err error) bool { return err != nil }
		if k = slices.IndexFunc(errs, failed); k < 0 {
			return nil
		}
		count := 0
		for _, err := range errs[k+1:] {
			if failed(err) {
				count++
			}
		}
		switch count {
		case 0:
		case 1:
			others = " and 1 other"
		default:
			others = fmt.Sprintf(" and %d others", count)
		}
	}
	return fmt.Errorf("class %s%s: %w", p.empty.className(k), others, errs[k])
}

// spread calls do for the numbers 0 to count − 1, in parallel if possible, and returns the errors. If do is
// not called in parallel, a fatal error ends the calls.
func (s *Spec) spread(count int, fatal func(error) bool, do func(k int) error) []error {
	errs := make([]error, count)
	threads, ended := s.parallelFits(), false
	rows.Spread(threads, count, func(k int) {
		if ended {
			return
		}
		if errs[k] = do(k); threads == 1 {
			ended = fatal(errs[k])
		}
	})
	return errs
}

// countFitted returns a function that calls do to fit a problem, and then calls Spec.ClassFitted with the
// number of finished problems. It returns do if ClassFitted is nil, or if there is only one problem.
func (p *problems) countFitted(do func(k int) error) func(k int) error {
	if p.spec.ClassFitted == nil || p.empty.Classes.IsZero() {
		return do
	}
	var lock sync.Mutex
	fittedProblems := 0
	return func(k int) error {
		err := do(k)
		lock.Lock()
		defer lock.Unlock()
		fittedProblems++
		p.spec.ClassFitted(fittedProblems, p.count())
		return err
	}
}

// fit solves all problems and returns one model for all of them.
func (p *problems) fit(ctx context.Context) (*Model, error) {
	ctx, cancel := ending.WithTimeLimit(ctx, p.spec.TimeLimit)
	defer cancel()
	spec := *p.problemSpec
	store, err := newClassStore(p)
	if err != nil {
		return nil, err
	}
	if store != nil {
		spec.Checkpoint = store
	}
	columns := make([]*Column, p.count())
	err = p.eachProblem(p.countFitted(func(k int) (err error) {
		columns[k], err = store.fit(p.spec, k, func() (*Column, error) {
			d, err := p.design(k, &spec)
			if err != nil {
				return nil, err
			}
			d.start = p.start(k, d)
			return d.fit(ctx)
		})
		return err
	}))
	if !p.empty.Classes.IsZero() && isFatal(err) || slices.Contains(columns, nil) {
		return nil, err
	}
	m := *p.empty
	m.Summary.Lambda = p.spec.Lambda
	for _, c := range columns {
		m.Columns = append(m.Columns, *c)
	}
	return &m, err
}

// lambdaMax returns the largest LambdaMax of all problems. A problem in which no feature matters has none;
// this is an error only if no problem has one. lambdaMax ignores the time limit.
func (p *problems) lambdaMax(ctx context.Context) (float64, error) {
	lambdaMaxes := make([]float64, p.count())
	err := p.eachProblem(func(k int) error {
		d, err := p.preparedDesign(k)
		if err == nil {
			lambdaMaxes[k], err = d.lambdaMax(ctx)
		}
		if !p.empty.Classes.IsZero() && errors.Is(err, errNoFeature) {
			return nil
		}
		return err
	})
	if err != nil {
		return 0, err
	}
	if largest := slices.Max(lambdaMaxes); largest > 0 {
		return largest, nil
	}
	return 0, errNoFeature
}

func (p *problems) lambdas(ctx context.Context, set *PathSettings) (_ []float64, err error) {
	defer rows.Rescue(&err)
	_, features := p.x.Dims()
	return set.lambdas(ctx, p.lambdaMax, p.empty.Summary.Rows, features)
}

// path yields the steps of Path. It ignores the time limit. With more than two classes it yields the
// first step only after it has fitted all classes.
func (p *problems) path(ctx context.Context, set *PathSettings) iter.Seq2[*Step, error] {
	return func(yield func(*Step, error) bool) {
		if set == nil {
			set = &PathSettings{}
		}
		patience, err := newPatience(set.Validation, classifies(p.spec.loss()))
		err = cmp.Or(set.check(), err)
		if err == nil && !p.team.Alone() && set.Validation != nil {
			err = errorf("PathSettings.Validation is for one process; leave it nil with Spec.Comm")
		}
		err = cmp.Or(err, p.checkValidation(set.Validation))
		if err != nil {
			yield(nil, err)
			return
		}
		steps := p.problemPath(ctx, 0, set)
		if !p.empty.Classes.IsZero() {
			steps = p.classPaths(ctx, set)
		}
		for step, err := range steps {
			if err == nil || step != nil && errors.Is(err, solver.ErrNotConverged) {
				if judgeErr := patience.judge(step); judgeErr != nil {
					yield(step, judgeErr)
					return
				}
			}
			if !yield(step, err) || step == nil || step.endedEarly() || patience.ended() {
				return
			}
		}
	}
}

// checkValidation returns an error if the rows and labels of v cannot be scored by the models of the path. It
// accepts every v with a metric of the caller.
func (p *problems) checkValidation(v *Validation) error {
	if v == nil || v.Metric != nil {
		return nil
	}
	if _, err := p.empty.checkScored(v.X, v.Y, cmp.Or(v.Score, &ScoreSettings{})); err != nil {
		return errorf("PathSettings.Validation: %s", pkgerr.Text(err))
	}
	return nil
}

// classPaths yields the steps of a path of more than two classes. It ignores set.Validation.
func (p *problems) classPaths(ctx context.Context, set *PathSettings) iter.Seq2[*Step, error] {
	return func(yield func(*Step, error) bool) {
		lambdas, err := p.lambdas(ctx, set)
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

// collect returns all steps of a path, and the first error. After an error without a step, it
// returns only this error.
func collect(path iter.Seq2[*Step, error]) ([]*Step, error) {
	var steps []*Step
	var firstErr error
	for step, err := range path {
		if step == nil {
			return nil, err
		}
		steps = append(steps, step)
		if err != nil && firstErr == nil {
			firstErr = fmt.Errorf("lambda %d, %.4g: %w", step.Index, step.Lambda, err)
		}
	}
	return steps, firstErr
}
