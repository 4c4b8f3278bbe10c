package main

import (
	"bytes"
	"cmp"
	"context"
	_ "embed" // for the table
	"math"
	"slices"

	"github.com/scas-admm/scas/solver"
	"github.com/scas-admm/scas/solver/model"
	"github.com/scas-admm/scas/sparse"
	"github.com/scas-admm/scas/sparse/graph"
)

const (
	demoThreshold = 0.9 // an edge joins two features with at least this absolute correlation
	demoThirds    = 3   // number of parts of the table; each part is held out once
	demoFolds     = 5   // folds of the cross-validation, which uses the rows not held out
	demoPasses    = 200 // passes of the SCAS-ADMM run whose iterations are drawn
)

// The Wisconsin diagnostic breast cancer table; source and licence (CC BY 4.0)
// are in wdbc.txt.
//
//go:embed wdbc.csv.gz
var wdbcFile []byte

// must returns v. An error would mean that the embedded table is wrong.
func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

// readWDBC returns the breast cancer table. The positive class is M, malignant.
func readWDBC() *sparse.Dataset {
	opt := &sparse.ReadOptions{Format: sparse.CSV, Table: sparse.TableOptions{Label: "diagnosis"}}
	return must(sparse.Read(bytes.NewReader(wdbcFile), "wdbc.csv.gz", opt))
}

// everyThird divides the rows of d into train and test. Every third row of each class is in test. third is
// the index of the first of these rows among the rows of the class: 0, 1 or 2.
func everyThird(d *sparse.Dataset, third int) (train, test *sparse.Dataset) {
	counts := make(map[float64]int)
	var parts [2][]int
	for i, b := range d.Labels {
		part := 0
		if counts[b]%demoThirds == third {
			part = 1
		}
		parts[part] = append(parts[part], i)
		counts[b]++
	}
	return must(d.SelectRows(parts[0])), must(d.SelectRows(parts[1]))
}

// A study fits models to the rows of train and scores them on the rows of test. The features of both are
// standardised by their means and standard deviations in train.
type study struct {
	ctx         context.Context
	train, test *sparse.Dataset
	graph       *graph.Graph // joins features that are correlated in train
}

// newStudy returns a study that holds out a third of the table. third is 0, 1 or 2.
func newStudy(ctx context.Context, third int) *study {
	s := &study{ctx: ctx}
	s.train, s.test = everyThird(readWDBC(), third)
	s.graph = must(graph.Threshold(must(graph.CorrelationOf(s.train.X)), demoThreshold, nil))
	stats := s.train.X.ColumnStats()
	for _, d := range []*sparse.Dataset{s.train, s.test} {
		d.X = must(stats.Standardize(d.X, true))
	}
	return s
}

func (s *study) spec(fused bool) *model.Spec {
	spec := &model.Spec{Standardize: model.StandardizeOff} // the data are standardised
	if fused {
		spec.Graph = s.graph
	}
	return spec
}

// A scoredModel is a model with its loss on each held-out row. correct has an entry for each of these rows: 1
// if the model predicts the class of the row, and 0 otherwise.
type scoredModel struct {
	*model.Model
	losses, correct []float64
}

// choose picks lambda by cross-validation on the training rows. It scores the model with this lambda on the
// held-out rows.
func (s *study) choose(fused bool) (*scoredModel, error) {
	spec := s.spec(fused)
	spec.RelTol = 1e-11 // so that the printed digits of the coefficients are right
	result, err := model.CVData(s.ctx, spec, s.train, &model.CVSettings{Folds: demoFolds})
	if err != nil {
		return nil, err
	}
	m := &scoredModel{Model: result.BestModel()}
	margins, err := m.Margins(nil, s.test.X)
	for i, t := range margins {
		b, correct := s.test.Labels[i], 0.0
		if (t > 0) == (b > 0) {
			correct = 1
		}
		m.losses, m.correct = append(m.losses, solver.Logistic{}.Value(t, b)), append(m.correct, correct)
	}
	return m, err
}

// fit fits the fused lasso.
func (s *study) fit(lambda float64, set solver.Settings) (*model.Column, error) {
	spec := s.spec(true)
	spec.Lambda, spec.Settings = lambda, set
	m, err := model.FitData(s.ctx, spec, s.train)
	if err != nil {
		return nil, err
	}
	return &m.Columns[0], nil
}

// groupsOf returns the groups of tied features, the group with the most features first. Each feature that is
// not tied is a group of its own.
func groupsOf(c *model.Column) [][]int {
	x, groups := c.Coefficients, slices.Clone(c.Groups)
	tied := make([]bool, len(x))
	for _, j := range slices.Concat(groups...) {
		tied[j] = true
	}
	for j := range x {
		if !tied[j] {
			groups = append(groups, []int{j})
		}
	}
	slices.SortStableFunc(groups, func(a, b []int) int {
		return cmp.Or(cmp.Compare(len(b), len(a)), cmp.Compare(math.Abs(x[b[0]]), math.Abs(x[a[0]])))
	})
	return groups
}
