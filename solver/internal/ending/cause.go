package ending

import (
	"context"
	"errors"
	"time"
)

// errTime is the cause of a context that ended at the time limit of WithTimeLimit.
var errTime = errors.New("time limit reached")

// WithTimeLimit returns a context that ends with ctx, or after the limit with the cause errTime. A limit of 0
// means no limit.
func WithTimeLimit(ctx context.Context, limit time.Duration) (context.Context, context.CancelFunc) {
	if limit == 0 {
		return context.WithCancel(ctx)
	}
	return context.WithTimeoutCause(ctx, limit, errTime)
}

// Late reports whether the context ended at the time limit of WithTimeLimit.
func Late(ctx context.Context) bool { return context.Cause(ctx) == errTime }

// IsContextError reports whether err is or wraps the error of a context that has ended.
func IsContextError(err error) bool {
	return errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded)
}

// Whether and why a run must stop. The values are numbers, so that ranks can agree on the largest one.
const (
	Running  float64 = iota // the run goes on
	TimeUp                  // the time limit has passed
	Canceled                // the context ended for another reason than the time limit
)

// CauseOf returns the cause why a run with the context ctx must stop, or Running if it need not stop.
func CauseOf(ctx context.Context) float64 {
	switch {
	case ctx.Err() == nil:
		return Running
	case Late(ctx):
		return TimeUp
	}
	return Canceled
}

// CauseError returns the error of a run with the context ctx that must stop for the given cause, or nil for
// Running. If several ranks have agreed on the cause, all of them return the same error, unless the context
// of one has a deadline of the caller's own.
func CauseError(ctx context.Context, cause float64) error {
	switch {
	case cause == Running:
		return nil
	case cause == TimeUp:
		return context.DeadlineExceeded
	case ctx.Err() == nil || Late(ctx): // the context of another rank was canceled
		return context.Canceled
	}
	return ctx.Err()
}
