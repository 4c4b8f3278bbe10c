package ending

import "context"

// A Cause says why a run is to stop. It is a number, so that ranks can agree on the largest.
const (
	Running  float64 = iota // no reason: the run goes on
	TimeUp                  // the time limit has passed
	Canceled                // the context has ended
)

// CauseOf returns why the run of a context is to stop. It is TimeUp if the context ended with
// the cause late.
func CauseOf(ctx context.Context, late error) float64 {
	switch {
	case ctx.Err() == nil:
		return Running
	case context.Cause(ctx) == late:
		return TimeUp
	}
	return Canceled
}

// CauseError returns the error of a run that is to stop for a cause, and nil for Running, even
// if the context has ended since the cause was asked for.
func CauseError(ctx context.Context, cause float64) error {
	switch err := ctx.Err(); {
	case cause == Running:
		return nil
	case err == nil: // the context of another rank ended
		return context.Canceled
	default:
		return err
	}
}
