package model

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"sync"

	"github.com/scas-admm/scas/solver"
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
	features    int
	data        *fitData
	y           []float64
	empty       *Model // the fitted model without Columns and Lambda
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
	_, features := x.Dims()
	p = &problems{spec: spec, team: team, problemSpec: spec, features: features, data: &fitData{x: x}, y: y}
	p.empty = p.emptyModel(x.NNZ())
	if !classifies(spec.loss()) {
		return p, nil
	}
	labels := p.differentLabels(x)
	if err := team.CommonError(spec.checkSigns(labels)); err != nil {
		return nil, err
	}
	switch {
	case len(labels) < 3 || spec.Positive != nil:
		p.empty.Classes, err = p.twoClasses(labels)
		return p, p.agree(err)
	case slices.ContainsFunc(labels, isFraction):
		return nil, errorf("label %v is not a whole number, as labels of three or more classes must be; are the labels numbers, for the loss %s?",
			labels[slices.IndexFunc(labels, isFraction)], lossesForNumbers())
	case len(labels) > rows.MaxClasses:
		return nil, errorf("more than %d classes: are the labels numbers, for the loss %s?",
			rows.MaxClasses, lossesForNumbers())
	case spec.streams():
		if err := spec.refuseMinimize("out of core this is for two classes or for numbers"); err != nil {
			return nil, err
		}
	}
	p.empty.Classes = sparse.Classes{Values: labels, Names: spec.words(labels)}
	p.problemSpec, err = p.classSpec()
	return p, err
}

func isFraction(v float64) bool { return v != math.Trunc(v) }

// emptyModel returns a Model without columns, labels and Lambda, for the specification and data of which this
// process has nnz entries.
func (p *problems) emptyModel(nnz int64) *Model {
	sizes := []float64{float64(len(p.y)), float64(nnz)}
	p.team.Sum(sizes)
	spec := p.spec
	m := &Model{
		Loss:         cmp.Or[solver.Loss](spec.Loss, solver.Logistic{}),
		HasIntercept: !spec.NoIntercept, Features: spec.Features,
		IndexBase: spec.IndexBase, LabelColumn: spec.data.LabelName,
	}
	if t := spec.data.Table; t != nil {
		m.OffsetColumn, m.Fill = t.Offset, t.Fill
	}
	m.Summary = FitSummary{
		Rows: int(sizes[0]), NNZ: int64(sizes[1]), Penalty: "lasso", Mu: spec.Mu, MuA: spec.MuA,
		Domain:       domainName(spec.Domain),
		Standardized: spec.standardizes(), Weighted: spec.weighs(), Balanced: spec.Balanced,
		Offsets: spec.Offsets != nil, ClassWeights: spec.ClassWeights,
	}
	s := &m.Summary
	if spec.Penalty != nil {
		s.Penalty = spec.Penalty.name()
		if e, ok := spec.Penalty.(ElasticNet); ok {
			s.L1Ratio = e.L1Ratio
		}
	}
	if spec.Graph != nil {
		s.GraphEdges, s.Fusion = len(spec.Graph.Edges()), spec.fusion()
	}
	if spec.A != nil {
		s.ARows, _ = spec.A.Dims()
	}
	return m
}

func domainName(d solver.Domain) string {
	switch x := d.(type) {
	case nil:
		return ""
	case solver.Nonnegative:
		return "nonnegative"
	case solver.Ball:
		return fmt.Sprintf("ball:%v", x.Radius)
	case solver.Simplex:
		return fmt.Sprintf("simplex:%v", cmp.Or(x.Total, 1))
	case solver.Box:
		allEqual := func(v []float64) bool { return slices.Min(v) == slices.Max(v) }
		if allEqual(x.Lower) && allEqual(x.Upper) {
			return fmt.Sprintf("box:%v,%v", x.Lower[0], x.Upper[0])
		}
		return "box"
	}
	return fmt.Sprintf("%T", d)
}

// differentLabels returns the labels that occur in any process, each once, in increasing order. If there are
// more than rows.MaxClasses + 1, it returns only the smallest rows.MaxClasses + 1. x is the data of this
// process; the labels are read together with its rows.
func (p *problems) differentLabels(x *sparse.CSR) (labels []float64) {
	for lo, hi := range rows.Parts(x, rows.PartRows) {
		labels = rows.InsertDistinct(labels, p.y[lo:hi], rows.MaxClasses+1)
	}
	return p.team.Distinct(labels, rows.MaxClasses+1)
}

// classSpec returns the specification for the fits of each class against the rest. It is a copy of p.spec in
// which SampleWeights include the ClassWeights. The copy has no TimeLimit, because p.spec.TimeLimit is for
// all classes together.
func (p *problems) classSpec() (_ *Spec, err error) {
	spec := *p.spec
	spec.TimeLimit = 0
	if spec.parallel() {
		spec.Threads, spec.Report = 1, nil
	}
	if spec.ClassWeights != nil {
		spec.SampleWeights, err = p.spec.weigh(p.team, p.y, nil, [2]string{})
		spec.ClassWeights = nil
	}
	return &spec, err
}

func (p *problems) count() int {
	if n := len(p.empty.Classes.Values); n > 2 {
		return n
	}
	return 1
}

// design returns the design of problem k. The caller must then call prepare.
func (p *problems) design(k int, spec *Spec) (d *design, err error) {
	d = &design{
		spec: spec, team: p.team, n: len(p.y), p: p.features, data: p.data, y: p.y, loss: spec.loss(),
		factors: spec.factors(p.features),
		scale:   slices.Repeat([]float64{1}, p.features),
	}
	if !classifies(d.loss) {
		d.weights, err = spec.weigh(p.team, p.y, nil, [2]string{})
		return d, err
	}
	classes := p.empty.Classes
	classNames := [2]string{"the other classes", "this class"} // classError says which class
	if p.count() == 1 {
		k, classNames = 1, [2]string{"class " + classes.Name(0), "class " + classes.Name(1)}
	}
	positive := spec.rowLabel(classes.Values[k])
	if spec.streams() {
		d.classLabel = &positive
	} else {
		d.y = signs(p.y, positive)
	}
	d.weights, err = spec.weigh(p.team, p.y, &positive, classNames)
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
	column, sign, known := 0, 1.0, true
	switch many := p.count() > 1; {
	case many != (len(m.Columns) > 1):
		known = false
	case many:
		column, known = p.columnOf(m, k)
	default:
		classes, names := p.empty.Classes, m.Classes.All()
		if !slices.Equal(names, classes.All()) {
			sign, known = -1, slices.Equal(names, classes.Reversed().All())
		}
	}
	if !known {
		return nil
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
	d, err = p.design(k, p.problemSpec)
	if err == nil {
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
	if p.count() == 1 {
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
		k = slices.IndexFunc(errs, failed)
		if k < 0 {
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
	return fmt.Errorf("class %s%s: %w", p.empty.Classes.Name(k), others, errs[k])
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
		errs[k] = do(k)
		if threads == 1 {
			ended = fatal(errs[k])
		}
	})
	return errs
}

// countFitted returns a function that calls do to fit a problem, and then calls Spec.ClassFitted with the
// number of finished problems. It returns do if ClassFitted is nil, or if there is only one problem.
func (p *problems) countFitted(do func(k int) error) func(k int) error {
	if p.spec.ClassFitted == nil || p.count() == 1 {
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
