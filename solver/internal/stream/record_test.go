package stream

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"testing"
	"time"

	"github.com/scas-admm/scas/solver"
	"github.com/scas-admm/scas/solver/internal/solvertest"
	"github.com/scas-admm/scas/sparse"
	"github.com/scas-admm/scas/sparse/graph"
)

// TestRecords checks that the Recorder gets a point with correct numbers at the start and for each outer
// iteration, or for every second one with RecordEvery = 2, and that the last point is the result. The seconds of
// the result leave out the Recorder.
func TestRecords(t *testing.T) {
	d := mappedCopy(t, synthetic(t, sparse.SyntheticOptions{Rows: 60000, Features: 30, Noise: 1, Seed: 1}))
	p := &solver.Problem{Data: d.X, Labels: d.Labels, Penalty: solver.L1{Lambda: 1e-3}, L2: 1e-3}
	best := solvertest.Minimize(t, p, &solver.Settings{RelTol: 1e-10}).At.Objective
	set := solver.Settings{Method: solver.SCASK{}, Name: "mine", Passes: 6}
	var points []solver.Point
	var residuals []float64
	var recorderTime time.Duration
	set.Recorder = solver.RecorderFunc(func(pt *solver.Point) error {
		began := time.Now()
		defer func() { recorderTime += time.Since(began) }()
		want, got := p.Evaluate(pt.X), pt.Last
		off := math.Abs(got.Objective-want.Objective) + math.Abs(got.Loss-want.Loss) + math.Abs(got.Penalty-want.Penalty)
		if off > 1e-12 || pt.Average != got {
			t.Errorf("%+v at a point of %+v", got, want)
		}
		if pt.Outer != len(points) || pt.Outer > 0 && (pt.Passes <= points[pt.Outer-1].Passes || pt.Seconds < points[pt.Outer-1].Seconds) {
			t.Errorf("%+v after %d points", pt, len(points))
		}
		if pt.DualityGap < got.Objective-best {
			t.Errorf("%d: gap %v, %v above the optimum", pt.Outer, pt.DualityGap, got.Objective-best)
		}
		residuals = append(residuals, pt.DualResidual())
		point := *pt
		point.X = slices.Clone(pt.X)
		points = append(points, point)
		return nil
	})
	began := time.Now()
	res, err := Minimize(t.Context(), p, &set, 4<<20)
	elapsed := time.Since(began)
	if err != nil || len(points) < 3 {
		t.Fatalf("%d points, %v", len(points), err)
	}
	if seconds := res.Stats.Seconds; !(seconds > 0 && seconds+recorderTime.Seconds() <= elapsed.Seconds()) {
		t.Errorf("%v s of %v, with a Recorder of %v", seconds, elapsed, recorderTime)
	}
	lastPoint := points[len(points)-1]
	if lastPoint.Last != res.At || !slices.Equal(lastPoint.X, res.X) || lastPoint.Outer != res.Stats.OuterIterations || lastPoint.Name != "mine" || res.Stats.Name != "mine" || lastPoint.Passes > res.Stats.Passes {
		t.Errorf("the last point is %+v of %+v", lastPoint, res)
	}
	if objectiveAtStart := p.Evaluate(make([]float64, 30)).Objective; math.Abs(points[0].Last.Objective-objectiveAtStart) > 1e-12 {
		t.Errorf("the start is %+v", points[0])
	}
	if n := len(residuals); !(residuals[n-1] < residuals[0]) || residuals[n-1] != res.DualResidual {
		t.Errorf("dual residuals %v, of the result %v", residuals, res.DualResidual)
	}
	recordCount := 0
	set.RecordEvery, set.Recorder = 2, solver.RecorderFunc(func(pt *solver.Point) error { recordCount++; return nil })
	if _, err := Minimize(t.Context(), p, &set, 4<<20); err != nil || recordCount != (len(points)+1)/2 {
		t.Errorf("%d points of every second of %d, %v", recordCount, len(points), err)
	}
}

// TestRecorderStops checks that an error of the Recorder ends the run. Minimize must return the result so
// far, and the error unless it is ErrStop.
func TestRecorderStops(t *testing.T) {
	d := mappedCopy(t, synthetic(t, sparse.SyntheticOptions{Rows: 60000, Features: 30, Noise: 1, Seed: 1}))
	p := &solver.Problem{Data: d.X, Labels: d.Labels, Penalty: solver.L1{Lambda: 1e-3}}
	errEnough := errors.New("enough")
	for _, stop := range []error{errEnough, fmt.Errorf("enough: %w", solver.ErrStop)} {
		var x []float64
		set := &solver.Settings{Method: solver.SCASK{}, Passes: 20, Recorder: solver.RecorderFunc(func(pt *solver.Point) error {
			x = slices.Clone(pt.X)
			if pt.Outer == 1 {
				return stop
			}
			return nil
		})}
		res, err := Minimize(t.Context(), p, set, 4<<20)
		if errors.Is(stop, solver.ErrStop) && err != nil || errors.Is(stop, errEnough) && err != errEnough {
			t.Errorf("%v of %v", err, stop)
		}
		if res == nil || res.Status != solver.Stopped || !slices.Equal(res.X, x) || !(math.Abs(res.At.Objective-p.Evaluate(x).Objective) < 1e-12) {
			t.Errorf("%+v", res)
		}
	}
}

// TestOperator checks the result and the last recorded point for an A that is not a matrix.
func TestOperator(t *testing.T) {
	d := mappedCopy(t, synthetic(t, sparse.SyntheticOptions{Rows: 2000, Features: 30, Noise: 1, Seed: 1}))
	a := graph.Chain(30).FusedLasso()
	p := &solver.Problem{
		Data: d.X, Labels: d.Labels, Penalty: solver.L1{Lambda: 1e-3}, Constraint: solvertest.JustAnOperator{Operator: a},
	}
	var lastPoint solver.Point
	var residual float64
	set := &solver.Settings{Method: solver.SCASL{}, Passes: 6, Recorder: solver.RecorderFunc(func(pt *solver.Point) error {
		lastPoint, residual = *pt, pt.DualResidual()
		return nil
	})}
	res, err := Minimize(t.Context(), p, set, 4<<20)
	if err != nil {
		t.Fatal(err)
	}
	y := make([]float64, len(res.Dual))
	a.MulVec(y, res.X)
	if want := p.Evaluate(res.X); math.Abs(want.Loss-res.At.Loss)+math.Abs(want.Penalty-res.At.Penalty) > 1e-12 || lastPoint.Last != res.At {
		t.Errorf("%+v in the result, %+v in the last point, want %+v", res.At, lastPoint.Last, want)
	}
	if solvertest.Distance(res.Y, y) > 1e-12 || len(res.Y) != len(y) || res.DualResidual != residual {
		t.Errorf("A x is %v, want %v; dual residual %v, in the last point %v", res.Y, y, res.DualResidual, residual)
	}
}
