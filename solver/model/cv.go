package model

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"iter"
	"math"
	"slices"
	"sync"

	"github.com/scas-admm/scas/solver"
	"github.com/scas-admm/scas/solver/internal/ending"
	"github.com/scas-admm/scas/solver/internal/rows"
	"github.com/scas-admm/scas/sparse"
)

// CVSettings are the settings of CV; nil means the defaults.
type CVSettings struct {
	// Path specifies the lambdas, which are the same for every fold. If Path.Lambdas is nil, they are
	// computed from all data. Path.Validation must be nil.
	Path PathSettings
	// Folds is the number of folds. Zero means 10, or the number of rows if it is less than 10. Each class
	// needs at least two rows, and outside each fold a row of positive weight.
	Folds int
	// Assignment has the number of the fold, from 0, of each row of this process. If it is nil, the folds are
	// drawn at random with Settings.Seed. The numbers of rows of these folds differ by at most one, in each
	// class and in total. If Assignment is set, Folds is ignored.
	Assignment []int
	// Measure chooses Best and OneSE; empty means ByLoss. It is computed on the held-out rows of each fold,
	// with their sample weights and offsets.
	Measure Measure
	// Metric, unless nil, is a measure that the caller provides, instead of Measure. With Spec.Memory or
	// Spec.Comm it must be a mean over rows, because each call gets only some rows of a fold. Several
	// goroutines may call it at the same time.
	Metric Metric
	// ModelScored, unless nil, is called after models have been scored. done is the number of models
	// scored so far, and total the number of models that CV scores. Calls do not overlap.
	ModelScored func(done, total int)
}

// A Curve has the value of a measure for each lambda.
type Curve struct {
	// Mean has, for each lambda, the weighted mean over the folds, and SE its standard error, as in
	// cv.glmnet. The weight of a fold is its number of rows, or the sum of their sample weights. Folds on
	// which the measure is not defined are left out.
	Mean, SE []float64
	// Values[k] has, for each lambda, the value on fold k.
	Values [][]float64
}

// A CVResult is the result of CV. Lambdas, Mean, SE and Path have an entry for each lambda.
type CVResult struct {
	Lambdas []float64
	// Curve is the curve of the measure that chooses Best and OneSE.
	Curve
	// Measures has the curve of every measure that applies to the models. With Spec.Memory it has ByAUC only
	// if CVSettings.Measure is ByAUC, or if there is memory for the scores of all lambdas at once.
	Measures map[Measure]Curve
	// Best is the index of the lambda with the best mean. OneSE is the index of the largest lambda
	// whose mean is worse than the mean of Best by at most one standard error of Best.
	Best, OneSE int
	// Assignment has the fold of each row of this process. With Spec.Memory it is
	// CVSettings.Assignment, and so nil if the folds were drawn.
	Assignment []int
	// Path is the path fitted to all data.
	Path []*Step
}

// BestModel returns the model for the lambda with index Best, fitted to all data.
func (r *CVResult) BestModel() *Model { return r.Path[r.Best].Model() }

// OneSEModel returns the model for the lambda with index OneSE, fitted to all data: the simplest
// model whose mean is within one standard error of the best mean (Breiman, Friedman, Olshen and Stone
// 1984).
func (r *CVResult) OneSEModel() *Model { return r.Path[r.OneSE].Model() }

// CV chooses lambda by cross-validation. It fits the path of spec to all data. Then, for each fold, it fits
// the path to the rows outside the fold, and scores these models on the rows of the fold. If there are more
// than two classes, one lambda is chosen for all of them.
//
// For the path fitted to all data, CV proves gaps as Path does. For the models of the folds, an estimate that
// their objective is within RelTol of the optimum is enough. Models that have not converged are scored, too.
// Settings.TimeLimit is for all fits together.
//
// If models of the path fitted to all data have not converged, CV returns a result together with an error
// that wraps solver.ErrNotConverged. After any other error, and if ctx or Settings.TimeLimit ends CV, the
// result is nil. With Spec.Comm every process returns the same result, except for CVResult.Assignment.
func CV(ctx context.Context, spec *Spec, x *sparse.CSR, y []float64, set *CVSettings) (_ *CVResult, err error) {
	defer rows.Rescue(&err)
	if err := spec.checkNoCheckpoint(); err != nil {
		return nil, err
	}
	if spec != nil && spec.streams() {
		if err := spec.refuseMinimize("out of core this is not for cross-validation"); err != nil {
			return nil, err
		}
	}
	c, err := newCrossValidation(spec, x, y, set)
	if err != nil {
		return nil, err
	}
	ctx, cancel := ending.WithTimeLimit(ctx, c.spec.TimeLimit)
	defer cancel()
	c.result.Path, err = collect(c.path(ctx, &c.set.Path))
	endErr := c.team.CommonError(ctx.Err())
	failed := err != nil && !errors.Is(err, solver.ErrNotConverged)
	if endErr != nil || failed || c.result.Path == nil {
		return nil, withContextErr(ctx, cmp.Or(err, endErr))
	}
	for _, s := range c.result.Path {
		c.result.Lambdas = append(c.result.Lambdas, s.Lambda)
	}
	if foldErr := c.crossValidate(ctx); foldErr != nil {
		return nil, foldErr
	}
	return &c.result, err
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

// A crossValidation has the state of a call of CV.
type crossValidation struct {
	*problems
	x          *sparse.CSR // the data of this process
	set        *CVSettings
	measure    Measure // the measure that chooses Best and OneSE
	rowsBefore int     // number of rows in the processes of lower rank
	folds      int
	foldOf     []int32 // the fold of each row of this process
	mostRows   int     // the largest number of rows of a fold in a process
	// scoresPerRow is the number of scores of one row by one model that are kept for the AUC. It is 0
	// if there is no AUC.
	scoresPerRow int
	result       CVResult
	scores       [][]scores // scores[k][i] are the measures on fold k for the lambda with index i
	foldWeights  []float64  // the total weight of the rows of each fold

	lock         sync.Mutex
	scoredModels int
}

// strata returns the number of groups whose rows are divided evenly among the folds: the number of
// classes, or 1 if the model predicts numbers.
func (c *crossValidation) strata() int { return max(1, len(c.empty.Classes.Values)) }

// newCrossValidation checks the data, the specification and the settings, and assigns the rows to folds. spec
// and set may be nil.
func newCrossValidation(
	spec *Spec, x *sparse.CSR, y []float64, set *CVSettings,
) (c *crossValidation, err error) {
	defer rows.Rescue(&err)
	p, err := newProblems(spec, x, y)
	if err != nil {
		return nil, err
	}
	if set == nil {
		set = &CVSettings{}
	}
	if set.Path.Validation != nil {
		return nil, errorf("CVSettings.Path.Validation: cross-validation has its own rows to judge by; " +
			"leave it nil")
	}
	c = &crossValidation{problems: p, x: x, set: set}
	c.measure, err = set.Measure.check(classifies(c.spec.loss()), set.Metric != nil, "CVSettings.Measure")
	if err != nil {
		return nil, err
	}
	if err := c.assignFolds(); err != nil {
		return nil, err
	}
	if c.empty.Classifies() {
		c.scoresPerRow = c.count()
	}
	if c.measure == ByAUC && c.modelsPerPass() < 1 {
		return nil, &sparse.RemedyError{
			Err: errorf("%w: the AUC of a fold needs the scores of all its rows, for which there is no "+
				"room", rows.ErrNotStreamed),
			Remedies: []sparse.Remedy{{Field: "CVSettings.Folds", To: "a larger number"}},
		}
	}
	return c, nil
}

// classOfRow returns the number of the class of row i, or 0 if the labels are numbers.
func (c *crossValidation) classOfRow(i int) int {
	if !c.empty.Classifies() {
		return 0
	}
	k, _ := c.empty.Classes.Find(c.spec.data.Original(c.y[i]))
	return k
}

func (c *crossValidation) crossValidate(ctx context.Context) error {
	c.data.dropRows() // each fold makes its own
	if c.measure != ByAUC && c.modelsPerPass() < len(c.result.Lambdas) {
		c.scoresPerRow = 0 // no AUC, because it would need more passes over the rows
	}
	c.scores, c.foldWeights = make([][]scores, c.folds), make([]float64, c.folds)
	errs := c.spec.spread(c.folds, func(err error) bool { return err != nil }, func(k int) error {
		if err := c.scoreFold(ctx, k); err != nil {
			return fmt.Errorf("fold %d: %w", k, err)
		}
		return nil
	})
	if err := cmp.Or(errs...); err != nil {
		return err
	}
	c.summarise()
	if math.IsNaN(c.result.Mean[c.result.Best]) {
		return errNoMetric
	}
	return nil
}

// scoreFold fits the path to the rows outside fold k, and scores its models on the rows of fold k.
func (c *crossValidation) scoreFold(ctx context.Context, k int) error {
	h, err := c.newFoldScorer(k)
	if err != nil {
		return err
	}
	p, err := c.trainingProblems(k)
	if err != nil {
		return err
	}
	c.foldWeights[k] = h.weight
	score := func(steps []*Step) error {
		models := make([]*Model, len(steps))
		for i, s := range steps {
			models[i] = s.Model()
		}
		measures, err := h.score(ctx, models)
		c.scores[k] = append(c.scores[k], measures...)
		return err
	}
	var steps []*Step
	for step, err := range p.path(ctx, &PathSettings{Lambdas: c.result.Lambdas}) {
		if step == nil || step.endedEarly() {
			return err
		}
		steps = append(steps, step)
		if c.spec.streams() { // models are scored after the path, which uses all of Spec.Memory
			continue
		}
		if err := score(steps); err != nil {
			return err
		}
		steps = steps[:0]
	}
	for passSteps := range slices.Chunk(steps, c.modelsPerPass()) {
		if err := score(passSteps); err != nil {
			return err
		}
	}
	return nil
}

// trainingProblems returns the problems for the rows outside fold k.
func (c *crossValidation) trainingProblems(k int) (*problems, error) {
	p, spec := *c.problems, *c.spec
	p.spec = &spec
	spec.unproved, spec.ClassFitted = true, nil
	if spec.parallel() {
		spec.Threads, spec.Report = 1, nil
	}
	if spec.streams() {
		problemSpec := *c.problemSpec
		p.problemSpec = &problemSpec
		problemSpec.outFold = exclusion{c.foldOf, int32(k)}
		// Weight 0 keeps the rows of the fold out of the class weights.
		if problemSpec.weighs() {
			problemSpec.SampleWeights = make([]float64, len(c.y))
			for i := range problemSpec.SampleWeights {
				if int(c.foldOf[i]) != k {
					problemSpec.SampleWeights[i] = weightOf(c.problemSpec.SampleWeights, i)
				}
			}
		}
		return &p, nil
	}
	var trainingRows []int
	for i := range c.y {
		if int(c.foldOf[i]) != k {
			trainingRows = append(trainingRows, i)
		}
	}
	spec.SampleWeights = pick(c.spec.SampleWeights, trainingRows)
	if c.team.Any(trainingRows == nil) {
		// Every process needs a row: a process without rows gets a row of weight 0.
		if spec.SampleWeights == nil {
			spec.SampleWeights = slices.Repeat([]float64{1}, len(trainingRows))
		}
		if trainingRows == nil {
			trainingRows, spec.SampleWeights = []int{0}, []float64{0}
		}
	}
	spec.Offsets, p.y = pick(c.spec.Offsets, trainingRows), pick(c.y, trainingRows)
	x, err := c.data.x.SelectRows(trainingRows)
	err = c.team.CommonError(err)
	if err != nil {
		return nil, err
	}
	p.data, p.problemSpec = &fitData{x: x, hasOnes: c.data.hasOnes}, &spec
	nnz := x.NNZ()
	if c.data.hasOnes {
		nnz -= int64(len(trainingRows))
	}
	p.empty = p.emptyModel(nnz)
	p.empty.Classes = c.empty.Classes
	if p.count() > 1 {
		p.problemSpec, err = p.classSpec()
	}
	return &p, err
}

// withContextErr joins ctx.Err() to err, unless err already wraps ctx.Err().
func withContextErr(ctx context.Context, err error) error {
	if ctx.Err() == nil || errors.Is(err, ctx.Err()) {
		return err
	}
	return errors.Join(err, ctx.Err())
}

var errNoMetric = &sparse.RemedyError{
	Err: errorf("the metric is no number in any fold, as the AUC of rows of one class"),
	Remedies: []sparse.Remedy{
		{Field: "CVSettings.Folds", To: "a smaller number"},
		{Field: "CVSettings.Measure", To: "another measure"},
	},
}

func (c *crossValidation) reportScored(n int) {
	if c.set.ModelScored == nil {
		return
	}
	c.lock.Lock()
	defer c.lock.Unlock()
	c.scoredModels += n
	c.set.ModelScored(c.scoredModels, c.folds*len(c.result.Lambdas))
}

func (c *crossValidation) summarise() {
	r := &c.result
	if _, ofNumbers := c.scores[0][0][ByMSE]; ofNumbers {
		variance := c.labelVariance()
		for _, s := range slices.Concat(c.scores...) {
			s[ByR2] = explainedShare(s[ByMSE], variance)
		}
	}
	r.Measures = map[Measure]Curve{}
	for m := range c.scores[0][0] {
		r.Measures[m] = c.curve(m)
	}
	r.Curve = r.Measures[c.measure]
	delete(r.Measures, byMetric)
	sign := c.measure.sign()
	for i, v := range r.Mean {
		if sign*v < sign*r.Mean[r.Best] || math.IsNaN(r.Mean[r.Best]) {
			r.Best = i
		}
	}
	for r.OneSE = 0; r.OneSE < r.Best &&
		!(sign*r.Mean[r.OneSE] <= float64(sign*r.Mean[r.Best])+r.SE[r.Best]); {
		r.OneSE++
	}
}

func (c *crossValidation) curve(measure Measure) (r Curve) {
	for _, fold := range c.scores {
		values := make([]float64, len(fold))
		for i, s := range fold {
			values[i] = s[measure]
		}
		r.Values = append(r.Values, values)
	}
	for i := range c.result.Lambdas {
		var sum, totalWeight, squareSum, folds float64
		for k, v := range r.Values {
			if !math.IsNaN(v[i]) {
				sum += float64(c.foldWeights[k] * v[i])
				totalWeight += c.foldWeights[k]
				folds++
			}
		}
		center := sum / totalWeight
		for k, v := range r.Values {
			if !math.IsNaN(v[i]) {
				deviation := v[i] - center
				squareSum += float64(c.foldWeights[k] * float64(deviation*deviation))
			}
		}
		r.Mean = append(r.Mean, center)
		r.SE = append(r.SE, math.Sqrt(squareSum/totalWeight/(folds-1)))
	}
	return r
}

func (c *crossValidation) labelVariance() float64 {
	var labels moment
	for lo, hi := range rows.Parts(c.x, rows.PartRows) {
		var weights []float64
		if c.spec.SampleWeights != nil {
			weights = c.spec.SampleWeights[lo:hi]
		}
		if rows.Mass(weights, hi-lo) > 0 {
			labels.add(c.y[lo:hi], weights, square)
		}
	}
	labels.join(c.team, square)
	return labels.deviation / labels.weight
}
