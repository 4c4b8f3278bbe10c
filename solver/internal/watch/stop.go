package watch

import "context"

// Why a run is to stop: numbers of which the largest counts, where processes have several.
const (
	Goes float64 = iota
	Late
	Ended
)

// Why returns why the run of a context is to stop, Late where it ended because of that
// error.
func Why(ctx context.Context, late error) float64 {
	switch {
	case ctx.Err() == nil:
		return Goes
	case context.Cause(ctx) == late:
		return Late
	}
	return Ended
}

// Reason returns the error of a run that is to stop, nil for one that goes on though its
// context may have ended since it was asked.
func Reason(ctx context.Context, why float64) error {
	switch err := ctx.Err(); {
	case why == Goes:
		return nil
	case err == nil: // that of another process ended
		return context.Canceled
	default:
		return err
	}
}
