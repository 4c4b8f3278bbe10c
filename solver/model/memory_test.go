package model_test

import (
	"cmp"
	"context"
	"errors"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/scas-admm/scas/solver"
	"github.com/scas-admm/scas/solver/internal/solvertest"
	"github.com/scas-admm/scas/solver/model"
	"github.com/scas-admm/scas/sparse"
	"github.com/scas-admm/scas/sparse/graph"
	"github.com/scas-admm/scas/sparse/sparsetest"
)

// TestEstimateMemory checks that estimates are from 0.9 to 2.5 times the measured peak memory of fits.
func TestEstimateMemory(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(2)) // the estimates are for two threads
	type dataShape struct{ rows, features, entriesPerRow, classes int }
	groupsOf := func(p int) model.Penalty {
		var g model.GroupLasso
		for j := 0; j+5 <= p; j += 5 {
			g.Groups = append(g.Groups, []int{j, j + 1, j + 2, j + 3, j + 4})
		}
		return g
	}
	roughSettings := solver.Settings{RelTol: 0.3} // the first steps need as much memory as the whole fit
	coupledShape := dataShape{rows: 200, features: 1000, entriesPerRow: 100}
	plainShape, wideShape, textShape := dataShape{rows: 8000, features: 40},
		dataShape{rows: 2000, features: 1000, entriesPerRow: 100},
		dataShape{rows: 4000, features: 8000, entriesPerRow: 40}
	for _, c := range []struct {
		name   string
		shape  dataShape
		mapped bool
		short  bool // the values are float32 numbers
		spec   model.Spec
		fits   model.Fits
		long   bool
	}{
		{name: "plain", shape: plainShape, spec: model.Spec{NoIntercept: true, Standardize: model.StandardizeOff}},
		{name: "intercept", shape: plainShape},
		{name: "intercept, mapped", shape: plainShape, mapped: true},
		{name: "weights", shape: plainShape, mapped: true, spec: model.Spec{Balanced: true}, long: true},
		{name: "squared", shape: plainShape, spec: model.Spec{Loss: solver.Squared{}}, long: true},
		{
			name: "squared, more columns than rows", shape: dataShape{rows: 300, features: 1500},
			spec: model.Spec{Loss: solver.Squared{}}, fits: model.Fits{Lambdas: 40},
		},
		// many columns in the working set
		{
			name: "elastic net", shape: dataShape{rows: 4000, features: 600, entriesPerRow: 100},
			spec: model.Spec{Lambda: 1e-5, Penalty: model.ElasticNet{L1Ratio: 0.1}},
		},
		{name: "box", shape: wideShape, spec: model.Spec{Domain: solver.Nonnegative{}}},
		{name: "sparse", shape: textShape, mapped: true},
		{name: "groups", shape: coupledShape, spec: model.Spec{Penalty: groupsOf(1000)}},
		{
			name: "path of groups", shape: dataShape{rows: 100, features: 2000, entriesPerRow: 200},
			spec: model.Spec{Penalty: groupsOf(2000)}, fits: model.Fits{Lambdas: 20},
		},
		{name: "graph", shape: coupledShape, spec: model.Spec{Graph: graph.Chain(1000), Settings: roughSettings}},
		{ // too many features for a matrix
			name: "graph of many features", shape: dataShape{rows: 1500, features: 5000, entriesPerRow: 30},
			spec: model.Spec{Graph: graph.Chain(5000), Domain: solver.Nonnegative{}}, long: true,
		},
		{name: "classes", shape: dataShape{rows: 8000, features: 40, classes: 4}},
		{name: "path", shape: plainShape, fits: model.Fits{Lambdas: 5}},
		{name: "path of text", shape: textShape, fits: model.Fits{Lambdas: 20}, long: true},
		{name: "cross-validation", shape: plainShape, mapped: true, fits: model.Fits{Lambdas: 2, Folds: 3}},
		{
			name: "cross-validation without an intercept", shape: plainShape,
			spec: model.Spec{NoIntercept: true, Standardize: model.StandardizeOff},
			fits: model.Fits{Lambdas: 2, Folds: 3},
		},
		{
			name: "cross-validation, wide", shape: dataShape{rows: 1000, features: 500, entriesPerRow: 50},
			fits: model.Fits{Lambdas: 5, Folds: 5},
		},
		{
			name: "cross-validation of classes", shape: dataShape{rows: 6000, features: 40, classes: 3},
			fits: model.Fits{Lambdas: 3, Folds: 3},
		},
		{
			name: "method scas-k", shape: plainShape,
			spec: model.Spec{Settings: solver.Settings{Method: solver.SCASK{}, Passes: 5}},
		},
		{
			name: "method scas-k, classes", shape: dataShape{rows: 3000, features: 9000, entriesPerRow: 300, classes: 4},
			short: true, spec: model.Spec{
				NoIntercept: true, Standardize: model.StandardizeOff, Penalty: groupsOf(9000),
				Settings: solver.Settings{Method: solver.SCASK{}, Passes: 5},
			},
		},
		{
			name: "many groups", shape: dataShape{rows: 3000, features: 9000, entriesPerRow: 300},
			short: true, spec: model.Spec{
				NoIntercept: true, Standardize: model.StandardizeOff, Penalty: groupsOf(9000),
				Settings: roughSettings,
			},
		},
		{
			name: "float32", shape: plainShape, mapped: true,
			spec: model.Spec{Settings: solver.Settings{Passes: 5, Float32: true}}, long: true,
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			if c.long {
				sparsetest.Long(t)
			}
			s, err := sparse.NewSynthetic(sparse.SyntheticOptions{
				Rows: c.shape.rows, Features: c.shape.features, NonzerosPerRow: c.shape.entriesPerRow,
				Noise: 1, Seed: 1,
			})
			if err != nil {
				t.Fatal(err)
			}
			d := &sparse.Dataset{X: s.X, Labels: s.Labels}
			if c.short {
				d.X = roundedToFloat32(t, d.X)
			}
			for i := range d.Labels {
				if c.shape.classes > 2 {
					d.Labels[i] = float64(i % c.shape.classes)
				}
			}
			c.fits.Classes = c.shape.classes
			if c.mapped {
				path := filepath.Join(t.TempDir(), "d.scas")
				if err := sparse.WriteFile(path, d); err != nil {
					t.Fatal(err)
				}
				d, err = sparse.ReadFile(path, nil)
				if err != nil {
					t.Fatal(err)
				}
			}
			spec := c.spec
			spec.Lambda, spec.Threads = cmp.Or(spec.Lambda, 1e-4), 2 // a small lambda gives large working sets
			x, y := d.X, d.Labels
			fit := func() any {
				pathSettings := model.PathSettings{Count: c.fits.Lambdas}
				var result any
				var err error
				switch {
				case c.fits.Folds > 0:
					result, err = model.CV(context.Background(), &spec, x, y,
						&model.CVSettings{Path: pathSettings, Folds: c.fits.Folds})
				case c.fits.Lambdas > 0:
					var steps []*model.Step
					for step, stepErr := range model.Path(context.Background(), &spec, x, y, &pathSettings) {
						steps, err = append(steps, step), cmp.Or(err, stepErr)
					}
					result = steps
				default:
					result, err = model.Fit(context.Background(), &spec, x, y)
				}
				if err != nil && !errors.Is(err, solver.ErrNotConverged) {
					t.Fatal(err)
				}
				return result
			}
			estimate := spec.EstimateMemory(x, c.fits)
			ratio := 0.0
			// Garbage can make a measured peak too large: take the smallest of up to three peaks.
			for range 3 {
				heapBefore := solvertest.HeapAfterGC()
				result, peak := solvertest.PeakHeap(fit)
				runtime.KeepAlive(result)
				ratio = max(ratio, float64(estimate)/float64(peak-heapBefore))
				if ratio > 0.95 {
					break
				}
			}
			t.Logf("%d KiB estimated, %.2f times the measured peak", estimate>>10, ratio)
			if ratio < 0.9 || ratio > 2.5 {
				t.Errorf("the estimate is %.3g times the measured peak", ratio)
			}
			runtime.KeepAlive(d)
		})
	}
}

// roundedToFloat32 returns a copy of x in which all values are float32 numbers.
func roundedToFloat32(t *testing.T, x *sparse.CSR) *sparse.CSR {
	rows, cols := x.Dims()
	var entries []sparse.Triplet
	for i := range rows {
		idx, val := x.Row(i)
		for k, j := range idx {
			entries = append(entries, sparse.Triplet{Row: i, Col: int(j), Value: float64(float32(val[k]))})
		}
	}
	rounded, err := sparse.FromTriplets(rows, cols, entries)
	if err != nil {
		t.Fatal(err)
	}
	return rounded
}
