package ending

import "context"

// The causes: each says why a run must stop. Causes are numbers, so that ranks can agree on
// the largest one.
const (
	Running  float64 = iota // no reason: the run goes on
	TimeUp                  // the time limit has passed
	Canceled                // the context has ended
)

// CauseOf returns why a run with the context ctx must stop. It returns TimeUp if ctx ended
// with the cause late.
func CauseOf(ctx context.Context, late error) float64 {
	switch {
	case ctx.Err() == nil:
		return Running
	case context.Cause(ctx) == late:
		return TimeUp
	}
	return Canceled
}

// CauseError returns the error of a run that must stop for a cause. It returns nil for
// Running, even if the context has ended since the cause was computed.
func CauseError(ctx context.Context, cause float64) error {
	switch err := ctx.Err(); {
	case cause == Running:
		return nil
	case err == nil: // the context of another rank has ended
		return context.Canceled
	default:
		return err
	}
}
