package main

import (
	"bytes"
	"cmp"
	"compress/gzip"
	"context"
	_ "embed" // for the table
	"encoding/csv"
	"math"
	"slices"
	"strconv"

	"github.com/scas-admm/scas/solver"
	"github.com/scas-admm/scas/sparse"
	"github.com/scas-admm/scas/sparse/graph"
)

// The settings of the demonstration.
const (
	demoThreshold = 0.9 // smallest correlation of two features that are joined by an edge
	demoThirds    = 3   // number of parts of the table; each part is held out once
	demoFolds     = 5   // folds of the cross-validation, which uses the rows not held out
	demoPasses    = 200 // passes of each fit
)

// The Wisconsin diagnostic breast cancer table; source and licence (CC BY 4.0)
// are in wdbc.txt.
//
//go:embed wdbc.csv.gz
var wdbcFile []byte

// A table is a small dense data set with named features.
type table struct {
	names  []string
	x      *sparse.CSR // the features, and as the last column ones for the intercept
	labels []float64   // +1 malignant, -1 benign
}

// must returns v, or panics if err is not nil. The table is part of the program, so that an error is a fault
// of the program.
func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

func readWDBC() *table {
	records := must(csv.NewReader(must(gzip.NewReader(bytes.NewReader(wdbcFile)))).ReadAll())
	t := &table{names: records[0][1:]}
	var values []float64
	for _, r := range records[1:] {
		t.labels = append(t.labels, map[string]float64{"M": 1, "B": -1}[r[0]])
		for _, field := range r[1:] {
			values = append(values, must(strconv.ParseFloat(field, 64)))
		}
		values = append(values, 1)
	}
	t.x = must(sparse.FromDense(len(t.labels), len(t.names)+1, values))
	return t
}

// everyKth divides rows into train and held. It counts the rows of each class from 0. The rows with the
// numbers first, first + k, first + 2k, ... of their class go to held, the others to train.
func (t *table) everyKth(rows []int, k, first int) (train, held []int) {
	seen := make(map[float64]int)
	for _, i := range rows {
		b := t.labels[i]
		if seen[b]%k == first {
			held = append(held, i)
		} else {
			train = append(train, i)
		}
		seen[b]++
	}
	return train, held
}

// standardized returns the rows train and held with standardised features. Their means and standard
// deviations are measured on train. The constant column stays 1.
func (t *table) standardized(train, held []int) (tr, he *sparse.Dataset) {
	stats := must(t.x.SelectRows(train)).ColumnStats()
	p := len(t.names)
	stats.StoredMean[p] = 0 // so that the constant column is not centred
	all := must(stats.Standardize(t.x, true))
	part := func(rows []int) *sparse.Dataset {
		d := &sparse.Dataset{X: must(all.SelectRows(rows))}
		for _, i := range rows {
			d.Labels = append(d.Labels, t.labels[i])
		}
		return d
	}
	return part(train), part(held)
}

// A study compares the fused lasso with the plain lasso on one table.
type study struct {
	ctx         context.Context
	table       *table
	rows        []int           // the rows of the table to train on
	train, held *sparse.Dataset // standardised
	graph       *graph.Graph    // its nodes are the features and the constant column
}

// newStudy holds out one third of the table, 0 to 2, and computes the graph from the other rows.
func newStudy(ctx context.Context, t *table, third int) *study {
	all := make([]int, len(t.labels))
	for i := range all {
		all[i] = i
	}
	rows, held := t.everyKth(all, demoThirds, third)
	s := &study{ctx: ctx, table: t, rows: rows}
	s.train, s.held = t.standardized(rows, held)
	// The constant column correlates with nothing, so it stays without edges.
	s.graph = must(graph.FromCorrelation(s.train.X, demoThreshold, nil))
	return s
}

// minimize solves the fused lasso on the graph if fused is true, and the plain lasso otherwise. The intercept
// has no penalty.
func (s *study) minimize(d *sparse.Dataset, lambda float64, fused bool, set *solver.Settings) (*solver.Result, error) {
	_, rows := d.X.Dims()
	prob := &solver.Problem{Data: d.X, Labels: d.Labels}
	if fused {
		prob.Constraint = s.graph.FusedLasso()
		rows, _ = prob.Constraint.Dims()
	}
	weights := slices.Repeat([]float64{1}, rows)
	weights[rows-1] = 0
	prob.Penalty = solver.L1{Lambda: lambda, Weights: weights}
	return solver.Minimize(s.ctx, prob, set)
}

// A fit is a model with its score on the held-out rows.
type fit struct {
	*solver.Result
	lambda float64
	held   score
	losses []float64 // loss of each held-out row
	curve  []solver.Point
}

// A score has the total loss and the number of correct predictions of a model on some rows.
type score struct {
	rows, correct int
	loss          float64 // sum over the rows
}

func (s score) plus(t score) score {
	return score{s.rows + t.rows, s.correct + t.correct, s.loss + t.loss}
}

func (s score) mean() float64     { return s.loss / float64(s.rows) }
func (s score) accuracy() float64 { return float64(s.correct) / float64(s.rows) }

// scoreOf returns the score of the coefficients x on d, and the loss of each row.
func scoreOf(d *sparse.Dataset, x []float64) (s score, losses []float64) {
	margin := make([]float64, len(d.Labels))
	d.X.MulVec(margin, x)
	for i, b := range d.Labels {
		loss := solver.Logistic{}.Value(margin[i], b)
		losses = append(losses, loss)
		if s.loss += loss; (margin[i] > 0) == (b > 0) {
			s.correct++
		}
	}
	s.rows = len(losses)
	return s, losses
}

// choose picks lambda from 0.1 to 1e-4 by cross-validation on the training rows. It then fits a model with
// this lambda to all training rows, and scores the model on the held-out rows.
func (s *study) choose(fused bool) (*fit, error) {
	f, least := new(fit), math.Inf(1)
	for _, lambda := range []float64{1e-1, 4.6e-2, 2.2e-2, 1e-2, 4.6e-3, 2.2e-3, 1e-3, 4.6e-4, 2.2e-4, 1e-4} {
		loss, err := s.crossValidate(lambda, fused)
		if err != nil {
			return nil, err
		}
		if loss < least {
			f.lambda, least = lambda, loss
		}
	}
	set := &solver.Settings{Method: solver.SCASK{}, Passes: demoPasses, Recorder: solver.RecorderFunc(func(p *solver.Point) error {
		f.curve = append(f.curve, *p)
		return nil
	})}
	var err error
	if f.Result, err = s.minimize(s.train, f.lambda, fused, set); err != nil {
		return nil, err
	}
	f.held, f.losses = scoreOf(s.held, f.X)
	return f, nil
}

// crossValidate returns the mean loss of all training rows, each predicted when its fold is held out.
func (s *study) crossValidate(lambda float64, fused bool) (float64, error) {
	var sum score
	for k := range demoFolds {
		train, fold := s.table.standardized(s.table.everyKth(s.rows, demoFolds, k))
		res, err := s.minimize(train, lambda, fused, &solver.Settings{Method: solver.SCASK{}, Passes: demoPasses})
		if err != nil {
			return 0, err
		}
		one, _ := scoreOf(fold, res.X)
		sum = sum.plus(one)
	}
	return sum.mean(), nil
}

// groups returns the groups of features that are connected by edges between exactly equal coefficients. The
// largest group comes first.
func (s *study) groups(x []float64) [][]int {
	ties := slices.DeleteFunc(s.graph.Edges(), func(e graph.Edge) bool { return x[e.I] != x[e.J] })
	of, count := must(graph.New(s.graph.Nodes(), ties)).Components()
	groups := make([][]int, count)
	for j := range s.table.names {
		groups[of[j]] = append(groups[of[j]], j)
	}
	groups = slices.DeleteFunc(groups, func(g []int) bool { return g == nil }) // the group of the constant column is empty
	slices.SortStableFunc(groups, func(a, b []int) int {
		return cmp.Or(cmp.Compare(len(b), len(a)), cmp.Compare(math.Abs(x[b[0]]), math.Abs(x[a[0]])))
	})
	return groups
}
