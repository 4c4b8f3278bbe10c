package stream

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/scas-admm/scas/solver"
	"github.com/scas-admm/scas/solver/internal/solvertest"
	"github.com/scas-admm/scas/sparse"
)

// TestRecords checks that the Recorder gets a point for each step or outer iteration, and the
// result as the last point.
func TestRecords(t *testing.T) {
	d := mapped(t, synthetic(t, sparse.SyntheticOptions{Rows: 60000, Features: 30, Noise: 1, Seed: 1}))
	p := &solver.Problem{Data: d.X, Labels: d.Labels, Penalty: solver.L1{Lambda: 1e-3}, L2: 1e-3}
	best := solvertest.Minimize(t, p, &solver.Settings{RelTol: 1e-10}).At.Objective
	for name, set := range map[string]solver.Settings{"auto": {Name: "mine", RelTol: 1e-9}, "scas-k": {Method: solver.SCASK{}, Passes: 6}} {
		var seen []solver.Point
		var residuals []float64
		record := solver.RecorderFunc(func(pt *solver.Point) error {
			at := p.Evaluate(pt.X)
			if off := math.Abs(pt.Last.Objective-at.Objective) + math.Abs(pt.Last.Loss-at.Loss) + math.Abs(pt.Last.Penalty-at.Penalty); off > 1e-12 || pt.Average != pt.Last {
				t.Errorf("%s: %+v at a point of %+v", name, pt.Last, at)
			}
			if pt.Outer > 0 && (pt.Passes <= seen[pt.Outer-1].Passes || pt.Seconds < seen[pt.Outer-1].Seconds) || pt.Outer != len(seen) {
				t.Errorf("%s: %+v after %d points", name, pt, len(seen))
			}
			if pt.DualityGap < pt.Last.Objective-best {
				t.Errorf("%s: %d: gap %v, %v above the optimum", name, pt.Outer, pt.DualityGap, pt.Last.Objective-best)
			}
			residuals = append(residuals, pt.DualResidual())
			one := *pt
			one.X = slices.Clone(pt.X)
			seen = append(seen, one)
			return nil
		})
		set.Recorder = record
		res, err := Minimize(context.Background(), p, &set, Options{Memory: 4 << 20})
		if err != nil || len(seen) < 3 {
			t.Fatalf("%s: %d points, %v", name, len(seen), err)
		}
		last := seen[len(seen)-1]
		steps := map[string]int{"auto": res.Stats.NewtonSteps, "scas-k": res.Stats.OuterIterations}[name]
		if last.Last != res.At || !slices.Equal(last.X, res.X) || last.Outer != steps || last.Name != res.Stats.Name || last.Passes > res.Stats.Passes {
			t.Errorf("%s: the last point is %+v of %+v", name, last, res)
		}
		if name == "auto" && (last.Name != "mine" || last.DualityGap != res.DualityGap || last.Passes != res.Stats.Passes) {
			t.Errorf("the last point is %+v of %+v", last, res)
		}
		if start := p.Evaluate(make([]float64, 30)).Objective; name == "scas-k" && math.Abs(seen[0].Last.Objective-start) > 1e-12 {
			t.Errorf("the start is %+v", seen[0])
		}
		if n := len(residuals); !(residuals[n-1] < residuals[0]) || residuals[n-1] != res.DualResidual {
			t.Errorf("%s: dual residuals %v, of the result %v", name, residuals, res.DualResidual)
		}
		thin := 0
		set.RecordEvery, set.Recorder = 2, solver.RecorderFunc(func(pt *solver.Point) error { thin++; return nil })
		if _, err := Minimize(context.Background(), p, &set, Options{Memory: 4 << 20}); err != nil || thin != (len(seen)+1)/2 {
			t.Errorf("%s: %d points of every second of %d, %v", name, thin, len(seen), err)
		}
	}
}

// TestRecorderStops checks that an error of the Recorder ends the run. Minimize must return the
// result so far, and the error unless it is ErrStop.
func TestRecorderStops(t *testing.T) {
	d := mapped(t, synthetic(t, sparse.SyntheticOptions{Rows: 60000, Features: 30, Noise: 1, Seed: 1}))
	p := &solver.Problem{Data: d.X, Labels: d.Labels, Penalty: solver.L1{Lambda: 1e-3}}
	enough := errors.New("enough")
	for _, m := range []solver.Method{nil, solver.SCASK{}} {
		for _, stop := range []error{enough, fmt.Errorf("enough: %w", solver.ErrStop)} {
			var x []float64
			set := &solver.Settings{Method: m, Passes: 20, Recorder: solver.RecorderFunc(func(pt *solver.Point) error {
				x = slices.Clone(pt.X)
				if pt.Outer == 1 {
					return stop
				}
				return nil
			})}
			res, err := Minimize(context.Background(), p, set, Options{Memory: 4 << 20})
			if errors.Is(stop, solver.ErrStop) && err != nil || errors.Is(stop, enough) && err != enough {
				t.Errorf("%v: %v of %v", m, err, stop)
			}
			if res == nil || res.Status != solver.Stopped || !slices.Equal(res.X, x) || !(math.Abs(res.At.Objective-p.Evaluate(x).Objective) < 1e-12) {
				t.Errorf("%v: %+v", m, res)
			}
		}
	}
}
