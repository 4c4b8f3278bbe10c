package solver

import (
	"context"
	"errors"
	"iter"
)

// A Point is one record of a run.
type Point struct {
	Name           string  // of the run, Settings.Name
	Outer          int     // outer iterations done; 0 is the start
	Passes         float64 // effective passes done
	PaperPasses    float64 // the same as the paper counts: an exact x-step of batch ADMM is one
	Seconds        float64 // time used, evaluation excluded
	Last           Evaluation
	Average        Evaluation // at the mean of the outer iterates, y replaced by A x
	PrimalResidual float64    // |A x − y|₂
	X              []float64  // the iterate; valid only during the call
}

// A Recorder is shown the progress of a run.
type Recorder interface {
	// Record is called after setup with the starting point and then after outer
	// iterations. An error ends the run; Minimize returns it.
	Record(*Point) error
}

// RecorderFunc makes a function a Recorder.
type RecorderFunc func(*Point) error

// Record calls f.
func (f RecorderFunc) Record(p *Point) error { return f(p) }

var errBreak = errors.New("solver: loop ended")

// Progress runs Minimize and yields its records; breaking the loop ends the
// run. A run that fails yields a nil point and the error at last. It replaces
// s.Recorder.
func Progress(ctx context.Context, p *Problem, s *Settings) iter.Seq2[*Point, error] {
	return func(yield func(*Point, error) bool) {
		var c Settings
		if s != nil {
			c = *s
		}
		c.Recorder = RecorderFunc(func(pt *Point) error {
			if !yield(pt, nil) {
				return errBreak
			}
			return nil
		})
		if _, err := Minimize(ctx, p, &c); err != nil && !errors.Is(err, errBreak) {
			yield(nil, err)
		}
	}
}
