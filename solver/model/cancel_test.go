package model

import (
	"context"
	"errors"
	"math"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/scas-admm/scas/solver"
	"github.com/scas-admm/scas/solver/internal/ending"
	"github.com/scas-admm/scas/sparse"
	"github.com/scas-admm/scas/sparse/graph"
)

// TestEndedBeforeWithOffsets fits with a context that has already ended. The objective must be the
// loss at the offsets, because all coefficients are zero.
func TestEndedBeforeWithOffsets(t *testing.T) {
	x := denseMatrix(t, 2, 1, []float64{1, 2})
	endedCtx, cancel := context.WithCancel(t.Context())
	cancel()
	spec := &Spec{Loss: solver.Squared{}, Offsets: []float64{1, 2}, Settings: solver.Settings{RelTol: 1e-6}}
	m, err := Fit(endedCtx, spec, x, []float64{2, 5})
	if m == nil || !errors.Is(err, context.Canceled) || m.Columns[0].Certificate.Objective != 5 { // (1² + 3²)/2
		t.Errorf("%+v, %v: want an objective of 5", m, err)
	}
}

// TestEndedBeforeOutsideZero fits with a context that has already ended, and a domain that does not contain
// 0. There is no model, because coefficients of 0 are not allowed.
func TestEndedBeforeOutsideZero(t *testing.T) {
	x, y := randomData(t, 20, 3, 1, true)
	endedCtx, cancel := context.WithCancel(t.Context())
	cancel()
	for _, set := range []solver.Settings{{}, {Passes: 50}} {
		m, err := Fit(endedCtx, &Spec{Lambda: 0.1, Domain: solver.NewBox(3, 1, 2), Settings: set}, x, y)
		if m != nil || !errors.Is(err, context.Canceled) {
			t.Errorf("%+v, %v", m, err)
		}
		set.TimeLimit = time.Nanosecond
		m, err = Fit(t.Context(), &Spec{Lambda: 0.1, Domain: solver.NewBox(3, 1, 2), Settings: set}, x, y)
		if m != nil || !errors.Is(err, solver.ErrNotConverged) {
			t.Errorf("time limit: %+v, %v", m, err)
		}
	}
}

// TestGraphLambdaMaxTimeLimit checks that graphLambdaMax returns an error, not a smaller number, if the time
// limit passes during its runs of solver.Minimize.
func TestGraphLambdaMaxTimeLimit(t *testing.T) {
	x, y := randomData(t, 40, 6, 1, true)
	p, err := newProblems(&Spec{Graph: graph.Chain(6)}, x, y)
	if err != nil {
		t.Fatal(err)
	}
	d, err := p.preparedDesign(0)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := ending.WithTimeLimit(t.Context(), time.Nanosecond)
	defer cancel()
	<-ctx.Done()
	if lambda, err := d.graphLambdaMax(ctx, []float64{1, -2, 3, 1, 5, 2}); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("%v, %v", lambda, err)
	}
}

// TestEndedBefore fits with a context or a time limit that has already ended. The fit must not copy
// the data, but must return a model.
func TestEndedBefore(t *testing.T) {
	d, err := sparse.NewSynthetic(sparse.SyntheticOptions{Rows: 5000, Features: 100, NonzerosPerRow: 100, Seed: 3})
	if err != nil {
		t.Fatal(err)
	}
	x, y := d.X, d.Labels
	endedCtx, cancel := context.WithCancel(t.Context())
	cancel()
	for _, c := range []struct {
		name   string
		ctx    context.Context
		spec   Spec
		status solver.Status
		err    error
	}{
		{"cancelled", endedCtx, Spec{Lambda: 1e-3}, solver.Stopped, context.Canceled},
		{
			"cancelled, with a method", endedCtx,
			Spec{Lambda: 1e-3, Settings: solver.Settings{OuterIterations: minimizeIterations}},
			solver.Stopped, context.Canceled,
		},
		{
			"out of time", t.Context(),
			Spec{Lambda: 1e-3, Settings: solver.Settings{TimeLimit: time.Nanosecond}}, solver.TimeDone,
			solver.ErrNotConverged,
		},
		{
			"out of time, by Auto", t.Context(),
			Spec{Lambda: 1e-3, Settings: solver.Settings{Method: solver.Auto{}, TimeLimit: time.Nanosecond}},
			solver.TimeDone, solver.ErrNotConverged,
		},
	} {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		m, err := Fit(c.ctx, &c.spec, x, y)
		runtime.ReadMemStats(&after)
		if m == nil || !errors.Is(err, c.err) || m.Columns[0].Certificate.Status != c.status ||
			m.NonZeros() > 0 || !math.IsInf(m.Columns[0].Certificate.Gap, 1) {
			t.Fatalf("%s: %+v, %v", c.name, m, err)
		}
		if c.status == solver.TimeDone && !strings.Contains(err.Error(), "Settings.TimeLimit") {
			t.Errorf("%s: %v", c.name, err)
		}
		if allocated := int64(after.TotalAlloc - before.TotalAlloc); allocated > 2*x.NNZ() {
			t.Errorf("%s: %d bytes for %d entries", c.name, allocated, x.NNZ())
		}
	}
}

// TestLateGoal checks the goal in the error of a fit that the time limit ended.
func TestLateGoal(t *testing.T) {
	x := denseMatrix(t, 2, 1, []float64{1, 2})
	ctx, cancel := ending.WithTimeLimit(t.Context(), time.Nanosecond)
	defer cancel()
	<-ctx.Done()
	for name, c := range map[string]struct {
		spec Spec
		y    []float64
		fit  func(d *design) (*Column, error)
		unit float64 // the goal divided by RelTol
	}{
		"counts, before the first step": {
			Spec{Loss: solver.Poisson{}}, []float64{100, 300},
			func(d *design) (*Column, error) { return d.columnWithoutSteps(ctx) },
			50*math.Log(0.5) + 150*math.Log(1.5),
		},
		"offsets, without a known conjugate": {
			Spec{Loss: struct{ solver.Logistic }{}, Offsets: []float64{-2, 2}}, []float64{0, 1},
			func(d *design) (*Column, error) {
				l, err := d.newLambdaFitter(ctx)
				if err != nil {
					return nil, err
				}
				return l.solve(ctx, 0)
			}, math.Log1p(math.Exp(-2)),
		},
	} {
		c.spec.RelTol, c.spec.NoIntercept, c.spec.Standardize = 1e-3, true, StandardizeOff
		p, err := newProblems(&c.spec, x, c.y)
		if err != nil {
			t.Fatal(err)
		}
		d, err := p.preparedDesign(0)
		if err != nil {
			t.Fatal(err)
		}
		_, err = c.fit(d)
		lateErr, ok := errors.AsType[*solver.NotConvergedError](err)
		if !ok || math.Abs(lateErr.Goal-1e-3*c.unit) > 1e-12*c.unit {
			t.Errorf("%s: %v: want a goal of %v", name, err, 1e-3*c.unit)
		}
	}
}
