package ending

import (
	"context"
	"errors"
	"time"
)

// ErrTime is the cause of a context that a time limit has ended.
var ErrTime = errors.New("time limit reached")

// Within returns a context that ends with ctx, or after the time limit with the cause ErrTime. A limit of 0
// is no limit.
func Within(ctx context.Context, limit time.Duration) (context.Context, context.CancelFunc) {
	if limit == 0 {
		return context.WithCancel(ctx)
	}
	return context.WithTimeoutCause(ctx, limit, ErrTime)
}

// Late reports whether a time limit has ended the context.
func Late(ctx context.Context) bool { return context.Cause(ctx) == ErrTime }

// OfContext reports whether err is the error of a context that has ended, or wraps such an error.
func OfContext(err error) bool {
	return errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded)
}

// The causes: each says why a run must stop. Causes are numbers, so that ranks can agree on
// the largest one.
const (
	Running  float64 = iota // no reason: the run goes on
	TimeUp                  // the time limit has passed
	Canceled                // the context has ended for another reason
)

// CauseOf returns why a run with the context ctx must stop. It returns TimeUp if a time limit has ended
// ctx.
func CauseOf(ctx context.Context) float64 {
	switch {
	case ctx.Err() == nil:
		return Running
	case Late(ctx):
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
