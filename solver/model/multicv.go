package model

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/scas-admm/scas/solver"
	"github.com/scas-admm/scas/sparse"
)

// A MultiMetric is a measure of the caller's of models of several classes on some rows;
// smaller values are better. set has weights and offsets for Score, and may be nil.
type MultiMetric func(m *Multi, x *sparse.CSR, y []float64, set *ScoreSettings) (float64, error)

// A MultiCVResult is what cross-validation of several classes found.
type MultiCVResult struct {
	// CVResult is of the models of all classes, which have one lambda in common; its Path
	// is nil.
	CVResult
	Classes []float64
	// Paths has that of each class against the rest, of all data.
	Paths [][]*Step
}

// Model returns the models, of all data, of lambda number i.
func (r *MultiCVResult) Model(i int) *Multi { return multiOf(r.Classes, r.Paths, i) }

// multiOf returns the models of lambda number i.
func multiOf(classes []float64, paths [][]*Step, i int) *Multi {
	m := &Multi{Classes: classes, Models: make([]*Model, len(paths))}
	for k, path := range paths {
		m.Models[k] = path[i].Model()
	}
	return m
}

// CVMulti is CV for several classes, each fitted against the rest: the classes have one
// lambda in common, from the largest of their LambdaMax on, folds have their share of each
// class, and models of all classes are judged together: by metric, unless nil, or set.By.
// set.Metric must be nil.
func CVMulti(ctx context.Context, spec *Spec, x *sparse.CSR, y []float64, set *CVSettings, metric MultiMetric) (*MultiCVResult, error) {
	if spec == nil {
		spec = &Spec{}
	}
	if err := spec.alone(); err != nil {
		return nil, err
	}
	if set == nil {
		set = &CVSettings{}
	}
	one, classes, err := forClasses(spec, x, y)
	if err != nil {
		return nil, err
	}
	if set.Metric != nil {
		return nil, errors.New("model: CVSettings.Metric is for two classes; give CVMulti its own")
	}
	c := &crossing{spec: spec, data: x, labels: y, tell: set.Judged}
	if c.by, err = set.by(true, metric != nil); err != nil {
		return nil, err
	}
	if spec.streams() {
		return c.streamedMulti(ctx, one, classes, set, metric)
	}
	c.classes = make([]int, len(y))
	for i, v := range y {
		c.classes[i], _ = slices.BinarySearch(classes, v)
	}
	if err := c.configure(set); err != nil {
		return nil, err
	}
	c.judge = func(ctx context.Context, part *Spec, fitted, held table) ([]scores, error) {
		one, classes, err := forClasses(part, fitted.x, fitted.y) // all of them: see checkRest
		if err != nil {
			return nil, err
		}
		return c.judgeMulti(ctx, one, fitted, held, classes, metric)
	}
	ctx, cancel := spec.limit(ctx)
	defer cancel()
	c.result.Lambdas, err = c.commonLambdas(ctx, len(classes), func(most []float64) error {
		return eachClass(spec, classes, func(k int) (err error) {
			most[k], err = LambdaMax(ctx, one, x, against(y, classes[k]))
			return err
		})
	})
	if err != nil {
		return nil, err
	}
	paths := make([][]*Step, len(classes))
	err = eachClass(spec, classes, spec.countFitted(len(classes), func(k int) (err error) {
		paths[k], err = barePath(ctx, one, x, against(y, classes[k]), c.result.Lambdas)
		return err
	}))
	if err != nil && !errors.Is(err, solver.ErrNotConverged) || ctx.Err() != nil {
		return nil, withEnd(ctx, err)
	}
	if bad := c.run(ctx); bad != nil {
		return nil, bad
	}
	return &MultiCVResult{CVResult: c.result, Classes: classes, Paths: paths}, err
}

// streamedMulti is CVMulti for data that are gone through in pieces.
func (c *crossing) streamedMulti(ctx context.Context, one *Spec, classes []float64, set *CVSettings, metric MultiMetric) (*MultiCVResult, error) {
	h := &heldOut{crossing: c, one: one, values: classes, sides: len(classes)}
	h.scoreMany(metric)
	if err := h.configure(set); err != nil {
		return nil, err
	}
	paths, err := h.cross(ctx)
	if paths == nil {
		return nil, err
	}
	return &MultiCVResult{CVResult: c.result, Classes: classes, Paths: paths}, err
}

// commonLambdas are those of the path or, without, from the largest on that a class has, which
// maxima sets.
func (c *crossing) commonLambdas(ctx context.Context, classes int, maxima func(most []float64) error) ([]float64, error) {
	set := &c.path
	if err := set.check(); err != nil || set.Lambdas != nil {
		return set.Lambdas, err
	}
	most := make([]float64, classes)
	err := maxima(most)
	switch {
	case err != nil && context.Cause(ctx) == errTime:
		return nil, errEarly
	case err != nil:
		return nil, err
	}
	n, p := c.data.Dims()
	return set.sequence(slices.Max(most), n, p), nil
}

// judgeMulti fits a path of each class to some rows, and returns the scores of the models
// of each lambda on others.
func (c *crossing) judgeMulti(ctx context.Context, spec *Spec, fitted, held table, classes []float64, own MultiMetric) ([]scores, error) {
	lambdas, paths := c.result.Lambdas, make([][]*Step, len(classes))
	for k, class := range classes {
		var err error
		paths[k], err = barePath(ctx, spec, fitted.x, against(fitted.y, class), lambdas)
		if err != nil && !errors.Is(err, solver.ErrNotConverged) || len(paths[k]) < len(lambdas) {
			return nil, fmt.Errorf("class %v: %w", class, err)
		}
	}
	all := make([]scores, len(lambdas))
	for i := range lambdas {
		m := multiOf(classes, paths, i)
		found, err := m.Score(held.x, held.y, held.set)
		if err != nil {
			return nil, err
		}
		all[i] = found.scores()
		if own != nil {
			if all[i][byOwn], err = own(m, held.x, held.y, held.set); err != nil {
				return nil, err
			}
		}
		c.told(1)
	}
	return all, nil
}

// barePath is FitPath whose steps do not keep the data.
func barePath(ctx context.Context, spec *Spec, x *sparse.CSR, y, lambdas []float64) ([]*Step, error) {
	return bare(FitPath(ctx, spec, x, y, &PathSettings{Lambdas: lambdas}))
}

// bare takes the data from the steps of a path.
func bare(steps []*Step, err error) ([]*Step, error) {
	if len(steps) > 0 {
		d := *steps[0].design
		d.x, d.y, d.weights = nil, nil, nil
		for _, s := range steps {
			s.design = &d
		}
	}
	return steps, err
}
