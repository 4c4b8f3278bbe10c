package model

import (
	"context"
	"errors"
	"math"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/scas-admm/scas/solver"
	"github.com/scas-admm/scas/solver/dist"
	"github.com/scas-admm/scas/solver/internal/rows"
	"github.com/scas-admm/scas/solver/internal/solvertest"
	"github.com/scas-admm/scas/sparse"
)

// streamedRanks calls the function do on ranks that each have a shard of a mapped file, and returns the
// results and errors of all ranks. prepare, unless nil, is called first on each rank, and returns the context
// for do.
func streamedRanks[M any](
	t *testing.T, ranks int, spec *Spec, path string, do call[M],
	prepare func(rank int, c *dist.Goroutine) context.Context,
) ([]M, []error) {
	t.Helper()
	models, errs := make([]M, ranks), make([]error, ranks)
	solvertest.OnShards(t, ranks, path, 1<<16, func(comm *dist.Goroutine, shardData *sparse.Dataset, firstRow int) {
		rankSpec, ctx, r := *spec, t.Context(), comm.Rank()
		rankSpec.Comm = comm
		shardOf := func(v []float64) []float64 {
			if v == nil {
				return nil
			}
			return v[firstRow : firstRow+len(shardData.Labels)]
		}
		rankSpec.SampleWeights, rankSpec.Offsets = shardOf(spec.SampleWeights), shardOf(spec.Offsets)
		if prepare != nil {
			ctx = prepare(r, comm)
		}
		models[r], errs[r] = do(ctx, &rankSpec, shardData.X, shardData.Labels)
		if errs[r] != nil {
			comm.Close() // as if the process had ended
		}
	})
	return models, errs
}

// TestStreamedRanksEnd checks that a fit ends on all ranks if the context of one rank ends, if the process of
// one rank dies, or at the time limit.
func TestStreamedRanksEnd(t *testing.T) {
	data := synthetic(t, sparse.SyntheticOptions{Rows: 10000, Features: 24, NonzerosPerRow: 9, Noise: 1, Seed: 1})
	path := writeFile(t, data)
	spec := &Spec{Lambda: 2e-3, Memory: 1 << 19}
	want := mustFit(t, &Spec{Lambda: 2e-3}, data.X, data.Labels).Columns[0].Certificate
	for step := range 12 {
		models, errs := streamedRanks(t, 2, spec, path, Fit, func(r int, c *dist.Goroutine) context.Context {
			ctx, cancel := context.WithCancel(t.Context())
			t.Cleanup(cancel)
			if r == 1 {
				c.Before = func(call, _ int) error {
					if call == 2*step {
						cancel()
					}
					return nil
				}
			}
			return ctx
		})
		if diff := cmp.Diff(models[0], models[1]); diff != "" {
			t.Errorf("cancelled at call %d: %s", 2*step, diff)
		}
		for r, m := range models {
			ended := errors.Is(errs[r], context.Canceled)
			if !ended && errs[r] != nil || m == nil && !ended ||
				m != nil && ended != (m.Columns[0].Certificate.Status == solver.Stopped) {
				t.Errorf("cancelled at call %d, rank %d: %+v, %v", 2*step, r, m, errs[r])
			}
			if m != nil && m.Columns[0].Certificate.Objective-m.Columns[0].Certificate.Gap > want.Objective {
				t.Errorf("cancelled at call %d, rank %d: %+v, the optimum is %v",
					2*step, r, m.Columns[0].Certificate, want.Objective)
			}
		}
		models, errs = streamedRanks(t, 2, spec, path, Fit, func(r int, c *dist.Goroutine) context.Context {
			if r == 1 {
				c.Before = func(call, _ int) error {
					if call == 2*step {
						return errors.Join(dist.ErrDead, c.Close())
					}
					return nil
				}
			}
			return t.Context()
		})
		if models[0] != nil || models[1] != nil || errs[0] == nil || errs[1] == nil {
			t.Errorf("dead at call %d: %v, %v", 2*step, models, errs)
		}
	}
	lateSpec := *spec
	lateSpec.TimeLimit = 1
	models, errs := streamedRanks(t, 2, &lateSpec, path, Fit, nil)
	for r, err := range errs {
		if models[r] != nil || !errors.Is(err, solver.ErrNotConverged) || !strings.Contains(err.Error(), "time") {
			t.Errorf("rank %d: %+v, %v", r, models[r], err)
		}
	}
	for name, badSpec := range map[string]*Spec{
		"Method":                     {Memory: 1 << 19, Settings: solver.Settings{Method: solver.SCASK{}}},
		"Settings.Checkpoint to nil": {Settings: solver.Settings{Checkpoint: &stateStore{}}, Memory: 1 << 19},
	} {
		models, errs := streamedRanks(t, 2, badSpec, path, Fit, nil)
		for r, err := range errs {
			if models[r] != nil || !errors.Is(err, rows.ErrNotStreamed) || !strings.Contains(err.Error(), name) {
				t.Errorf("%s, rank %d: %v", name, r, err)
			}
		}
	}
}

// TestStreamedRanksSorted checks that a fit of rows that are sorted by class finds the optimum, and that a
// damaged row of one rank ends the fit on all ranks.
func TestStreamedRanksSorted(t *testing.T) {
	// Two windows of package exact on each of two ranks.
	data := synthetic(t, sparse.SyntheticOptions{Rows: 30000, Features: 24, Noise: 1, Seed: 1})
	var order []int
	for _, class := range []float64{-1, 1} {
		for i, b := range data.Labels {
			if b == class {
				order = append(order, i)
			}
		}
	}
	x, err := data.X.SelectRows(order)
	if err != nil {
		t.Fatal(err)
	}
	sortedData := &sparse.Dataset{X: x, Labels: pick(data.Labels, order)}
	path := writeFile(t, sortedData)
	want := mustFit(t, &Spec{Lambda: 2e-3, Settings: solver.Settings{RelTol: 1e-10}}, sortedData.X,
		sortedData.Labels).Columns[0].Certificate
	spec := &Spec{Lambda: 2e-3, Memory: 1 << 20}
	for _, ranks := range []int{2, 4} {
		models, errs := streamedRanks(t, ranks, spec, path, Fit, nil)
		for r, m := range models {
			if errs[r] != nil {
				t.Fatalf("rank %d of %d: %v", r, ranks, errs[r])
			}
			c := m.Columns[0].Certificate
			if c.Status != solver.Converged || math.Abs(c.Objective-want.Objective) > c.Gap+want.Gap {
				t.Errorf("rank %d of %d: %+v, want %+v", r, ranks, c, want)
			}
		}
	}
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	b[len(b)*4/5] ^= 1 // damages a value in the second half of the rows
	if err := os.WriteFile(path, b, 0o666); err != nil {
		t.Fatal(err)
	}
	models, errs := streamedRanks(t, 2, spec, path, Fit, nil)
	var parseErr *sparse.ParseError
	if models[0] != nil || models[1] != nil || !errors.Is(errs[0], rows.ErrElsewhere) || !errors.As(errs[1], &parseErr) {
		t.Errorf("%v", errs)
	}
}

// TestStreamedRanksUnattained checks that NoOptimum depends on the rows of all ranks.
func TestStreamedRanksUnattained(t *testing.T) {
	for _, noOptimum := range []bool{true, false} {
		x, y := make([]float64, 3000), make([]float64, 3000)
		for i := range x {
			y[i] = float64(2*(i%2) - 1)
			x[i] = y[i] * float64(1+i%5)
		}
		if !noOptimum {
			x[17] *= -1
			x[18] *= -1
		}
		data := denseMatrix(t, len(x), 1, x)
		path := writeFile(t, &sparse.Dataset{X: data, Labels: y})
		spec := &Spec{NoIntercept: true, Memory: 1 << 20, Settings: solver.Settings{RelTol: 1e-2}}
		models, errs := streamedRanks(t, 3, spec, path, Fit, nil)
		for r, m := range models {
			if m == nil || m.Columns[0].Certificate.NoOptimum != noOptimum || errs[r] != nil && !noOptimum {
				t.Errorf("no optimum %v, rank %d: %+v, %v", noOptimum, r, m, errs[r])
			}
		}
	}
}

// TestStreamedRanksClasses checks that models of several classes that are fitted out of core on ranks agree
// with models of one process, although no rank has rows of all classes.
func TestStreamedRanksClasses(t *testing.T) {
	const n = 8000
	data := synthetic(t, sparse.SyntheticOptions{Rows: n, Features: 24, NonzerosPerRow: 9, Noise: 1, Seed: 1})
	for i, b := range data.Labels {
		data.Labels[i] = float64(i / (n / 4))
		if b > 0 {
			data.Labels[i] = 7
		}
	}
	spec := &Spec{Lambda: 2e-3, ClassWeights: map[float64]float64{7: 2}}
	want := mustFit(t, spec, data.X, data.Labels)
	streamedSpec := *spec
	streamedSpec.Memory = 1 << 19
	models, errs := streamedRanks(t, 3, &streamedSpec, writeFile(t, data), Fit, nil)
	m := equalResult(t, models, errs)
	if diff := cmp.Diff(want.Classes, m.Classes); diff != "" || m.Summary.Rows != n {
		t.Fatalf("%d rows, %s", m.Summary.Rows, diff)
	}
	for k, column := range m.Columns {
		reference := want.Columns[k].Certificate
		if c := column.Certificate; c.Status != solver.Converged ||
			math.Abs(c.Objective-reference.Objective) > c.Gap+reference.Gap {
			t.Errorf("class %v: %+v, want %+v", want.Classes.Values[k], c, reference)
		}
	}
}
