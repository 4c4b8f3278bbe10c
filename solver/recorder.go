package solver

import (
	"context"
	"iter"
)

// A Point is a record of a run.
type Point struct {
	Outer          int        // number of outer iterations so far; 0 at the start
	Passes         float64    // effective passes so far
	PaperPasses    float64    // outer iterations if MethodInfo.PaperPass is set, else Passes
	Seconds        float64    // seconds used, without evaluations
	Last           Evaluation // the objective at X, as At in Result
	Average        Evaluation // the objective at XAverage, as AtAverage in Result
	PrimalResidual float64    // |A x + B y − c|₂ (see Coupling), by default |A x − y|₂
	DualityGap     float64    // proved gap of the iterate; +Inf if nothing was proved at this point
	X              []float64  // the iterate; valid only during the call of Record
	XAverage       []float64  // average of iterates, as in Result; valid only during the call of Record
	Result         *Result    // the result of the run, in the last point that Progress yields; else nil
	// DualResidual returns the dual residual of the iterate, as in Result. It may make a pass over the data,
	// and may be called only as long as X is valid. All processes must call it, or none.
	DualResidual func() float64
}

// A Recorder receives the progress of a run.
type Recorder interface {
	// Record is called with the start, and then after outer iterations. An error ends
	// the run; Minimize returns this error, unless it is ErrStop.
	Record(*Point) error
}

// ErrStop ends a run without an error: if a Recorder returns ErrStop, or an error that wraps ErrStop,
// Minimize returns the Result, with status Stopped.
var ErrStop = errorf("stopped by the recorder")

// RecorderFunc lets a function serve as a Recorder.
type RecorderFunc func(*Point) error

// Record calls f.
func (f RecorderFunc) Record(p *Point) error { return f(p) }

// Progress runs Minimize and yields its records. A break of the loop ends the run. After the last
// record Progress yields the error of Minimize, with a point that holds the Result, or with nil if
// there is no Result. Progress does not call s.Recorder. If one process calls Progress, all must call it.
func Progress(ctx context.Context, p *Problem, s *Settings) iter.Seq2[*Point, error] {
	return func(yield func(*Point, error) bool) {
		var c Settings
		if s != nil {
			c = *s
		}
		broken := false // the caller has left its loop
		c.Recorder = RecorderFunc(func(pt *Point) error {
			broken = !yield(pt, nil)
			if broken {
				return ErrStop
			}
			return nil
		})
		if res, err := Minimize(ctx, p, &c); !broken {
			yield(res.point(), err)
		}
	}
}

func (res *Result) point() *Point {
	if res == nil {
		return nil
	}
	st := &res.Stats
	return &Point{
		Outer: st.OuterIterations, Passes: st.Passes, PaperPasses: st.PaperPasses,
		Seconds: st.Seconds,
		Last:    res.At, Average: res.AtAverage, PrimalResidual: res.PrimalResidual,
		DualityGap: res.DualityGap, X: res.X, XAverage: res.XAverage, Result: res,
		DualResidual: func() float64 { return res.DualResidual },
	}
}
