package model

import (
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

// CVSettings tune CV; nil means the defaults.
type CVSettings struct {
	// Path has the lambdas. Lambdas that it leaves to be chosen are chosen from all data,
	// and every fold has the same.
	Path PathSettings
	// Folds is the number of folds; zero means 10, or the number of rows if that is
	// smaller. Each class needs at least two rows.
	Folds int
	// Assignment has the fold of each row, from 0. nil draws the folds at random with
	// Settings.Seed, such that each fold has its share of each class.
	Assignment []int
	// By is the measure that chooses Best and OneSE; empty means ByLoss. It is computed on
	// the held-out rows of each fold, with their sample weights and offsets. The other
	// measures are computed as well: see CVResult.Measures.
	By Measure
	// Metric, unless nil, is a measure of the caller's own that takes the place of By. With
	// Spec.Memory it must be a mean over rows, because one goroutine calls it with a
	// part of a fold's rows at a time.
	Metric Metric
	// Judged, unless nil, is called when models have been scored: done of total so far. The
	// calls do not overlap.
	Judged func(done, total int)
}

// A Curve is a measure against lambda. Its slices have an entry for each lambda.
type Curve struct {
	// Mean is the mean over the folds, and SE its standard error, as in cv.glmnet. A fold's
	// weight is its number of rows, or the sum of their sample weights. A fold without a
	// value is left out, such as for AUC a fold with rows of one class only.
	Mean, SE []float64
	// Values[k] are the values on fold k.
	Values [][]float64
}

// A CVResult is what cross-validation found. Its slices have an entry for each lambda.
type CVResult struct {
	Lambdas []float64
	// Curve is the curve of the measure that chooses.
	Curve
	// Measures has the curve of every measure that applies to the models. With
	// Spec.Memory it has ByAUC only if that measure chooses, or if there is memory for
	// the scores of all lambdas at once: 8 bytes (16 with SampleWeights) for each lambda,
	// row of a fold and, with more than two classes, class.
	Measures map[Measure]Curve
	// Best is the index of the lambda with the best mean. OneSE is the index of the largest
	// lambda whose mean is worse than that of Best by at most one standard error of Best.
	Best, OneSE int
	// Assignment has the fold of each row. With Spec.Memory it is CVSettings.Assignment.
	Assignment []int
	// Path is the path fitted to all data.
	Path []*Step
}

// BestModel returns the model with lambda Best, fitted to all data.
func (r *CVResult) BestModel() *Model { return r.Path[r.Best].Model() }

// OneSEModel returns the model with lambda OneSE, fitted to all data: the simplest model
// that is not measurably worse than the best (Breiman, Friedman, Olshen and Stone 1984).
func (r *CVResult) OneSEModel() *Model { return r.Path[r.OneSE].Model() }

// CV chooses lambda by cross-validation. Classes are as for Fit; more than two have one lambda
// in common, and folds have their share of each. CV fits the path of spec to all data; then, for
// each fold, to all rows outside it, and scores these models on the rows of the fold. A model of a
// fold is fitted until its objective is estimated to be within RelTol of the optimum: with rows in
// memory that is not proved, as for the path fitted to all data.
// Settings.Threads goroutines fit folds in parallel; their number does not change the
// result. A model that has not converged is scored all the same. The error of CV is that of
// the path fitted to all data; with an error that wraps solver.ErrNotConverged there is a
// result. Settings.TimeLimit is for all fits together.
func CV(ctx context.Context, spec *Spec, x *sparse.CSR, y []float64, set *CVSettings) (*CVResult, error) {
	if err := spec.alone(); err != nil {
		return nil, err
	}
	if spec != nil && spec.streams() && spec.minimizes() {
		return nil, fmt.Errorf("model: %w: CV has no method there; leave Method nil, and what only methods have", ErrNotStreamed)
	}
	p, err := newProblems(spec, x, y)
	if err != nil {
		return nil, err
	}
	if set == nil {
		set = &CVSettings{}
	}
	c := &crossing{problems: p, own: set.Metric, tell: set.Judged}
	if c.by, err = set.By.check(classifies(p.spec.loss()), set.Metric != nil, "CVSettings.By"); err != nil {
		return nil, err
	}
	var f folding = c
	if p.spec.streams() {
		f = newHeldOut(c)
	}
	if err := f.configure(set); err != nil {
		return nil, err
	}
	ctx, cancel := p.spec.limit(ctx)
	defer cancel()
	c.result.Path, err = collect(p.path(ctx, &c.path))
	if err != nil && !errors.Is(err, solver.ErrNotConverged) || c.result.Path == nil || ctx.Err() != nil {
		return nil, withEnd(ctx, err)
	}
	for _, s := range c.result.Path {
		c.result.Lambdas = append(c.result.Lambdas, s.Lambda)
	}
	if bad := c.cross(ctx, f); bad != nil {
		return nil, bad
	}
	return &c.result, err
}

// A folding is what rows in memory and rows in a file have of their own in a cross-validation.
type folding interface {
	// configure takes or draws the folds, and checks them.
	configure(set *CVSettings) error
	// fold sets the scores and the weight of fold k.
	fold(ctx context.Context, k int) error
}

// cross fits and scores all folds, and fills in the result.
func (c *crossing) cross(ctx context.Context, f folding) error {
	c.scores, c.weight = make([][]scores, c.folds), make([]float64, c.folds)
	ended, threads, failed := make([]error, c.folds), c.spec.threads(), false
	if c.spec.streams() { // where each fold takes all of the memory
		threads = 1
	}
	rows.Spread(threads, c.folds, func(k int) {
		if threads > 1 {
			ended[k] = f.fold(ctx, k)
		} else if !failed {
			ended[k] = f.fold(ctx, k)
			failed = ended[k] != nil
		}
	})
	for k, err := range ended {
		if err != nil {
			return fmt.Errorf("fold %d: %w", k, err)
		}
	}
	if c.summarise(); math.IsNaN(c.result.Mean[c.result.Best]) {
		return errNoMetric
	}
	return nil
}

// number sets the numbers of the classes of the rows, and the specification of the folds: two
// classes keep their signs, whatever rows they have.
func (c *crossing) number() error {
	part := *c.spec
	c.part = &part
	if c.problems.classes != nil {
		c.numbers = make([]int, len(c.y))
		for i, v := range c.y {
			c.numbers[i], _ = slices.BinarySearch(c.problems.classes, v)
		}
		return nil
	}
	d, err := newDesign(c.spec, c.x, c.y)
	if err != nil || !classifies(d.loss) {
		return err
	}
	part.Positive = &d.mapping.Positive
	c.numbers = make([]int, d.n)
	for i, sign := range d.y {
		c.numbers[i] = classOf(sign)
	}
	return nil
}

// withEnd joins ctx.Err() to err unless err already wraps it.
func withEnd(ctx context.Context, err error) error {
	if ctx.Err() == nil || errors.Is(err, ctx.Err()) {
		return err
	}
	return errors.Join(err, ctx.Err())
}

// judge fits a path to the rows of fitted and returns the scores of its models on the rows of
// held.
func (c *crossing) judge(ctx context.Context, spec *Spec, fitted, held table) ([]scores, error) {
	p, err := newProblems(spec, fitted.x, fitted.y)
	if err != nil {
		return nil, err
	}
	all := make([]scores, 0, len(c.result.Lambdas))
	for step, err := range p.path(ctx, &PathSettings{Lambdas: c.result.Lambdas}) {
		if err != nil && (step == nil || step.cut()) {
			return nil, err
		}
		m := step.Model()
		found, err := m.Score(held.x, held.y, held.set)
		if err != nil {
			return nil, err
		}
		s := found.scores()
		if c.own != nil {
			if s[byOwn], err = c.own(m, held.x, held.y, held.set); err != nil {
				return nil, err
			}
		}
		all = append(all, s)
		c.told(1)
	}
	return all, nil
}

var errNoMetric = &sparse.RemedyError{
	Err: errors.New("model: the metric is no number in any fold, as the AUC of rows of one class"),
	Remedies: []sparse.Remedy{
		{Field: "CVSettings.Folds", To: "a smaller number"},
		{Field: "CVSettings.By", To: "another measure"},
	},
}

// A crossing is a call of CV.
type crossing struct {
	*problems
	part    *Spec // of the folds
	numbers []int // of the classes of the rows, as Confusion counts; nil for numbers
	by      Measure
	own     Metric // nil unless by is byOwn
	path    PathSettings
	folds   int
	result  CVResult
	scores  [][]scores // of each fold and lambda
	weight  []float64  // of the folds

	lock   sync.Mutex
	judged int // the number of models scored so far
	tell   func(done, total int)
}

// told reports more scored models to the caller.
func (c *crossing) told(more int) {
	if c.tell == nil {
		return
	}
	c.lock.Lock()
	defer c.lock.Unlock()
	c.judged += more
	c.tell(c.judged, c.folds*len(c.result.Lambdas))
}

// begin takes the path settings and the number of folds of n rows, at most so many.
func (c *crossing) begin(set *CVSettings, n, most int) (err error) {
	c.path, c.result.Assignment = set.Path, set.Assignment
	switch {
	case set.Path.Validation != nil:
		return errors.New("model: CVSettings.Path.Validation: cross-validation has its own rows to judge by; leave it nil")
	case n < 2:
		return errors.New("model: CV of one row: it is to be held out and something left to fit; give two rows or more")
	case set.Assignment != nil:
		c.folds, err = checkFolds(set.Assignment, n)
	case set.Folds == 0:
		c.folds = min(defaultFolds, n)
	default:
		c.folds = set.Folds
	}
	if err == nil && (c.folds < 2 || c.folds > most) {
		err = fmt.Errorf("model: CVSettings.Folds = %d; it must be between 2 and %d, for %d rows, or 0 for %d", c.folds, most, n, min(defaultFolds, n))
	}
	return err
}

// configure implements folding.
func (c *crossing) configure(set *CVSettings) error {
	n, _ := c.x.Dims()
	if err := c.begin(set, n, n); err != nil {
		return err
	}
	if err := c.number(); err != nil {
		return err
	}
	if set.Assignment == nil {
		c.result.Assignment = drawFolds(c.folds, n, c.numbers, c.spec.Seed)
	}
	return checkRest(c.result.Assignment, c.y, c.numbers)
}

// defaultFolds is the number of folds if there are as many rows.
const defaultFolds = 10

// fold implements folding: it copies the rows of the fold, and the others.
func (c *crossing) fold(ctx context.Context, k int) error {
	in, out := split(c.result.Assignment, k)
	held, err := newTable(c.x, c.y, c.spec, in)
	if err != nil {
		return err
	}
	fitted, err := newTable(c.x, c.y, c.spec, out)
	if err != nil {
		return err
	}
	for _, i := range in {
		if c.spec.SampleWeights == nil {
			c.weight[k]++
		} else {
			c.weight[k] += c.spec.SampleWeights[i]
		}
	}
	if c.weight[k] == 0 {
		return errors.New("model: its rows have no weight")
	}
	c.scores[k], err = c.judge(ctx, c.part.rows(out), fitted, held)
	return err
}

// summarise computes the curves, Best and OneSE from the scores of the folds.
func (c *crossing) summarise() {
	r := &c.result
	r.Measures = map[Measure]Curve{}
	for m := range c.scores[0][0] {
		r.Measures[m] = c.curve(m)
	}
	if mse, ok := r.Measures[ByMSE]; ok {
		r.Measures[ByR2] = mse.determination(c.variance())
	}
	r.Curve = r.Measures[c.by]
	delete(r.Measures, byOwn)
	sign := c.by.sign()
	for i, v := range r.Mean {
		if sign*v < sign*r.Mean[r.Best] || math.IsNaN(r.Mean[r.Best]) {
			r.Best = i
		}
	}
	for r.OneSE = 0; r.OneSE < r.Best && !(sign*r.Mean[r.OneSE] <= float64(sign*r.Mean[r.Best])+r.SE[r.Best]); {
		r.OneSE++
	}
}

// curve returns the curve of a measure over the folds.
func (c *crossing) curve(of Measure) (r Curve) {
	for _, fold := range c.scores {
		values := make([]float64, len(fold))
		for i, s := range fold {
			values[i] = s[of]
		}
		r.Values = append(r.Values, values)
	}
	for i := range c.result.Lambdas {
		var sum, total, square, folds float64
		for k, v := range r.Values {
			if !math.IsNaN(v[i]) {
				sum += float64(c.weight[k] * v[i])
				total += c.weight[k]
				folds++
			}
		}
		center := sum / total
		for k, v := range r.Values {
			if !math.IsNaN(v[i]) {
				off := v[i] - center
				square += float64(c.weight[k] * float64(off*off))
			}
		}
		r.Mean = append(r.Mean, center)
		r.SE = append(r.SE, math.Sqrt(square/total/(folds-1)))
	}
	return r
}

// determination returns the curve of R2 for a curve of mean squared errors, where variance
// is the variance of the labels.
func (r Curve) determination(variance float64) Curve {
	each := func(from []float64, f func(v float64) float64) []float64 {
		to := make([]float64, len(from))
		for i, v := range from {
			to[i] = f(v)
		}
		return to
	}
	r2 := func(v float64) float64 { return explained(v, variance) }
	out := Curve{Mean: each(r.Mean, r2), SE: each(r.SE, func(v float64) float64 { return v / variance })}
	for _, fold := range r.Values {
		out.Values = append(out.Values, each(fold, r2))
	}
	return out
}

// variance returns the weighted variance of the labels of all rows.
func (c *crossing) variance() float64 {
	var all moment
	for lo := 0; lo < len(c.y); lo += pieceRows {
		hi := min(lo+pieceRows, len(c.y))
		set := &ScoreSettings{}
		if c.spec.SampleWeights != nil {
			set.Weights = c.spec.SampleWeights[lo:hi]
		}
		if set.total(hi-lo) > 0 {
			all.add(c.y[lo:hi], set, square)
		}
		c.x.Release(lo, hi)
	}
	return all.left / all.weight
}
