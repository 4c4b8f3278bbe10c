package model

import (
	"context"
	"errors"
	"fmt"
	"math"
	"sync"

	"golang.org/x/sync/errgroup"

	"github.com/scas-admm/scas/solver"
	"github.com/scas-admm/scas/sparse"
)

// CVSettings tune CV; nil means the defaults.
type CVSettings struct {
	// Path has the lambdas; those of all data serve every fold.
	Path PathSettings
	// Folds is the number of folds; zero means 10, or the number of rows if that is
	// smaller. Two classes need two rows of each.
	Folds int
	// Assignment has the fold of each row, from 0; nil draws them with Settings.Seed,
	// so that each has its share of each class.
	Assignment []int
	// Metric judges the models of a fold on its rows, with their sample weights and
	// offsets; nil means MeanLoss. With Settings.Memory it is to be a mean over rows: it is
	// asked about some of the rows of a fold at a time, by one goroutine.
	Metric Metric
	// AUC judges by OneMinusAUC, or MultiOneMinusAUC, in the place of Metric. With
	// Settings.Memory scores are kept for it, 8 bytes of a row of a fold and a class of
	// several, 16 with SampleWeights.
	AUC bool
	// Judged, unless nil, is told how many of so many models have been, by one goroutine at
	// a time.
	Judged func(done, total int)
}

// A CVResult is what cross-validation found. Its slices have an entry for each lambda.
type CVResult struct {
	Lambdas []float64
	// Mean is the mean of the metric over the folds, weighted by their rows, or the
	// weights of these, and SE its standard error, as in cv.glmnet.
	Mean, SE []float64
	// Values[k] are those of fold k.
	Values [][]float64
	// Best is the lambda of the least mean, and OneSE the largest whose mean is no more
	// than one standard error of Best above that.
	Best, OneSE int
	// Assignment has the fold of each row. With Settings.Memory it is that of CVSettings.
	Assignment []int
	// Path is that of all data.
	Path []*Step
}

// BestModel returns the model, of all data, of lambda Best.
func (r *CVResult) BestModel() *Model { return r.Path[r.Best].Model() }

// OneSEModel returns the model, of all data, of lambda OneSE: the simplest that is as
// good as far as can be told (Breiman, Friedman, Olshen and Stone 1984).
func (r *CVResult) OneSEModel() *Model { return r.Path[r.OneSE].Model() }

// CV fits the path of spec to all data and to all but each fold, and judges each model on
// the rows that it has not seen. Folds are fitted in parallel, by Settings.Threads
// goroutines; what comes out does not depend on their number. A lambda that does not
// converge is judged as it is; the error is then that of the path of all data. Settings.
// TimeLimit ends all of it.
func CV(ctx context.Context, spec *Spec, x *sparse.CSR, y []float64, set *CVSettings) (*CVResult, error) {
	d, err := aloneDesign(spec, x, y)
	if err != nil {
		return nil, err
	}
	if set == nil {
		set = &CVSettings{}
	}
	metric, err := set.metric(d.loss)
	if err != nil {
		return nil, err
	}
	c := &crossing{spec: d.spec, data: x, labels: y, tell: set.Judged}
	if d.spec.streams() {
		return c.streamed(ctx, set, metric)
	}
	if classifies(d.loss) {
		part := *d.spec
		part.Positive = &d.mapping.Positive
		c.spec, c.classes = &part, make([]int, d.n)
		for i, sign := range d.y {
			c.classes[i] = classOf(sign)
		}
	}
	if err := c.configure(set); err != nil {
		return nil, err
	}
	c.judge = func(ctx context.Context, spec *Spec, fitted, held table) ([]float64, error) {
		return c.judgePath(ctx, spec, fitted, held, metric)
	}
	ctx, cancel := d.spec.limit(ctx)
	defer cancel()
	c.result.Path, err = FitPath(ctx, d.spec, x, y, &c.path)
	if err != nil && !errors.Is(err, solver.ErrNotConverged) || ctx.Err() != nil {
		return nil, withEnd(ctx, err)
	}
	for _, s := range c.result.Path {
		c.result.Lambdas = append(c.result.Lambdas, s.Lambda)
	}
	if bad := c.run(ctx); bad != nil {
		return nil, bad
	}
	return &c.result, err
}

// withEnd is err with that of ctx, where it does not say so itself.
func withEnd(ctx context.Context, err error) error {
	if ctx.Err() == nil || errors.Is(err, ctx.Err()) {
		return err
	}
	return errors.Join(err, ctx.Err())
}

// metric is what judges models of two classes or of numbers.
func (s *CVSettings) metric(loss solver.Loss) (Metric, error) {
	switch {
	case s.AUC && s.Metric != nil:
		return nil, errTwoMetrics
	case s.AUC && !classifies(loss):
		return nil, fmt.Errorf("model: CVSettings.AUC is for classification; the %s loss is for numbers", loss)
	case s.AUC:
		return OneMinusAUC, nil
	case s.Metric == nil:
		return MeanLoss, nil
	}
	return s.Metric, nil
}

var errTwoMetrics = errors.New("model: CVSettings.AUC is a metric: give no other one")

// judgePath fits a path to some rows and returns the metric of its models on others.
func (c *crossing) judgePath(ctx context.Context, spec *Spec, fitted, held table, metric Metric) ([]float64, error) {
	lambdas := c.result.Lambdas
	values := make([]float64, 0, len(lambdas))
	for step, err := range Path(ctx, spec, fitted.x, fitted.y, &PathSettings{Lambdas: lambdas}) {
		if err != nil && (step == nil || step.cut()) {
			return nil, err
		}
		v, err := metric(step.Model(), held.x, held.y, held.set)
		if err != nil {
			return nil, err
		}
		values = append(values, v)
		c.told(1)
	}
	return values, nil
}

var errNoMetric = errors.New("model: the metric is no number in any fold, as the AUC of rows of one class; take fewer folds, or another metric")

// A crossing is a call of CV or CVMulti.
type crossing struct {
	spec    *Spec
	data    *sparse.CSR
	labels  []float64
	classes []int // numbers of those of the rows, nil for numbers
	// judge fits models of all lambdas to some rows and returns their values on others.
	judge  func(ctx context.Context, spec *Spec, fitted, held table) ([]float64, error)
	path   PathSettings
	count  int
	result CVResult
	weight []float64 // of the folds

	lock   sync.Mutex
	judged int // models
	tell   func(done, total int)
}

// told is told of more models that have been judged.
func (c *crossing) told(more int) {
	if c.tell == nil {
		return
	}
	c.lock.Lock()
	defer c.lock.Unlock()
	c.judged += more
	c.tell(c.judged, c.count*len(c.result.Lambdas))
}

var errOwnRows = errors.New("model: CVSettings.Path.Validation: cross-validation has its own rows to judge by; leave it nil")

func (c *crossing) configure(set *CVSettings) (err error) {
	if c.path = set.Path; c.path.Validation != nil {
		return errOwnRows
	}
	n, _ := c.data.Dims()
	if set.Assignment != nil {
		c.result.Assignment = set.Assignment
		if c.count, err = checkFolds(set.Assignment, n); err != nil {
			return err
		}
		return checkRest(set.Assignment, c.labels, c.classes)
	}
	if c.count = set.Folds; c.count == 0 {
		c.count = min(defaultFolds, n)
	}
	switch {
	case n < 2:
		return errors.New("model: CV of one row: it is to be held out and something left to fit; give two rows or more")
	case c.count < 2 || c.count > n:
		return fmt.Errorf("model: CVSettings.Folds = %d; it must be between 2 and the %d rows, or 0 for %d", set.Folds, n, min(defaultFolds, n))
	}
	c.result.Assignment = folds(c.count, n, c.classes, c.spec.Seed)
	return checkRest(c.result.Assignment, c.labels, c.classes)
}

// defaultFolds is the number of folds if there are as many rows.
const defaultFolds = 10

// run fits and judges all folds, and sums up.
func (c *crossing) run(ctx context.Context) error {
	c.result.Values, c.weight = make([][]float64, c.count), make([]float64, c.count)
	var group errgroup.Group
	group.SetLimit(c.spec.threads())
	for k := range c.count {
		group.Go(func() error {
			if err := c.fold(ctx, k); err != nil {
				return fmt.Errorf("fold %d: %w", k, err)
			}
			return nil
		})
	}
	if err := group.Wait(); err != nil {
		return err
	}
	if c.summarise(); math.IsNaN(c.result.Mean[c.result.Best]) {
		return errNoMetric
	}
	return nil
}

func (c *crossing) fold(ctx context.Context, k int) error {
	in, out := split(c.result.Assignment, k)
	held, err := newTable(c.data, c.labels, c.spec, in)
	if err != nil {
		return err
	}
	fitted, err := newTable(c.data, c.labels, c.spec, out)
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
	c.result.Values[k], err = c.judge(ctx, c.spec.rows(out), fitted, held)
	return err
}

// summarise fills in what follows from the values of the folds. A value that is no
// number, such as the AUC of one class, leaves its fold out of that lambda.
func (c *crossing) summarise() {
	r := &c.result
	for i := range r.Lambdas {
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
	for i, v := range r.Mean {
		if v < r.Mean[r.Best] || math.IsNaN(r.Mean[r.Best]) {
			r.Best = i
		}
	}
	for r.OneSE = 0; r.OneSE < r.Best && !(r.Mean[r.OneSE] <= r.Mean[r.Best]+r.SE[r.Best]); {
		r.OneSE++
	}
}
