package main

import (
	"context"
	"math"

	"github.com/scas-admm/scas/solver"
	"github.com/scas-admm/scas/sparse/graph"
)

// The settings of the demonstration.
const (
	demoThreshold = 0.9 // correlation that makes an edge
	demoThirds    = 3   // each is held out once
	demoFolds     = 5   // of the cross-validation inside the rest
	demoPasses    = 200
)

// demoLambdas is the grid for lambda, 0.1 to 1e-4.
func demoLambdas() (grid []float64) {
	for k := range 10 {
		grid = append(grid, math.Pow(10, -1-float64(k)/3))
	}
	return grid
}

// A study compares penalties on one table.
type study struct {
	ctx         context.Context
	table       *table
	train, held []int
	graph       *graph.Graph // over the features and the constant
}

// newStudy holds out a third of the table and finds the graph on the rest.
func newStudy(ctx context.Context, t *table, third int) (*study, error) {
	all := make([]int, len(t.labels))
	for i := range all {
		all[i] = i
	}
	s := &study{ctx: ctx, table: t}
	s.train, s.held = t.everyKth(all, demoThirds, third)
	tr, _, err := t.standardized(s.train, s.held)
	if err != nil {
		return nil, err
	}
	// The constant column correlates with nothing, so it stays without edges.
	s.graph, err = graph.FromCorrelation(tr.x, demoThreshold, nil)
	return s, err
}

// problem is that of the lasso, or of the fused lasso on the graph, with the
// intercept in no penalty.
func (s *study) problem(d *design, lambda float64, fused bool) *solver.Problem {
	_, p := d.x.Dims()
	prob := &solver.Problem{Data: d.x, Labels: d.labels}
	rows := p
	if fused {
		prob.Constraint = s.graph.FusedLasso()
		rows, _ = prob.Constraint.Dims()
	}
	weights := make([]float64, rows)
	for j := range rows - 1 {
		weights[j] = 1
	}
	prob.Penalty = solver.L1{Lambda: lambda, Weights: weights}
	return prob
}

// A fit is a model and what it is worth on rows it has not seen.
type fit struct {
	lambda float64
	cvLoss float64 // that chose lambda
	x      []float64
	held   score
	curve  []solver.Point
	stats  solver.Stats
}

// A score is what a model is worth on some rows.
type score struct {
	rows, correct int
	loss          float64 // sum over the rows
}

func (s score) plus(t score) score {
	return score{s.rows + t.rows, s.correct + t.correct, s.loss + t.loss}
}

func (s score) mean() float64     { return s.loss / float64(s.rows) }
func (s score) accuracy() float64 { return float64(s.correct) / float64(s.rows) }

// choose picks lambda by cross-validation inside the training part, fits the
// whole part with it, and measures the model on the part held out.
func (s *study) choose(fused bool) (*fit, error) {
	best := fit{cvLoss: math.Inf(1)}
	for _, lambda := range demoLambdas() {
		loss, err := s.crossValidate(lambda, fused)
		if err != nil {
			return nil, err
		}
		if loss < best.cvLoss {
			best.lambda, best.cvLoss = lambda, loss
		}
	}
	tr, he, err := s.table.standardized(s.train, s.held)
	if err != nil {
		return nil, err
	}
	set := &solver.Settings{Passes: demoPasses, Recorder: solver.RecorderFunc(func(p *solver.Point) error {
		best.curve = append(best.curve, *p)
		return nil
	})}
	res, err := solver.Minimize(s.ctx, s.problem(tr, best.lambda, fused), set)
	if err != nil {
		return nil, err
	}
	best.x, best.stats, best.held = res.X, res.Stats, measure(he, res.X)
	return &best, nil
}

// crossValidate returns the mean loss on the folds of the training part.
func (s *study) crossValidate(lambda float64, fused bool) (float64, error) {
	var sum score
	for k := range demoFolds {
		inner, fold := s.table.everyKth(s.train, demoFolds, k)
		tr, he, err := s.table.standardized(inner, fold)
		if err != nil {
			return 0, err
		}
		res, err := solver.Minimize(s.ctx, s.problem(tr, lambda, fused), &solver.Settings{Passes: demoPasses})
		if err != nil {
			return 0, err
		}
		sum = sum.plus(measure(he, res.X))
	}
	return sum.mean(), nil
}

// measure applies x to the rows of d.
func measure(d *design, x []float64) score {
	margin := make([]float64, len(d.labels))
	d.x.MulVec(margin, x)
	s := score{rows: len(margin), loss: solver.Logistic{}.Slopes(nil, margin, d.labels)}
	for i, b := range d.labels {
		if (margin[i] > 0) == (b > 0) {
			s.correct++
		}
	}
	return s
}
