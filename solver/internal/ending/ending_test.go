package ending

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/scas-admm/scas/sparse"
)

func TestStatus(t *testing.T) {
	errStop := errors.New("stop")
	lossAdvice := &Advice{Why: "few are near", Remedies: []sparse.Remedy{{To: "widen it"}}}
	for _, c := range []struct {
		name     string
		evidence Evidence
		status   string
		remedy   string // text in the advice; empty if there must be no advice
	}{
		{"proved", Evidence{Gap: 1, Goal: 2, Late: true}, Converged, ""},
		{"no goal", Evidence{Gap: 1}, PassesDone, "Settings.Passes"},
		{"an optimum of 0", Evidence{Why: Reached}, Converged, ""},
		{"a budget", Evidence{Gap: 3, Goal: 2, Why: Interrupted}, PassesDone, "Settings.Passes"},
		{"late", Evidence{Gap: 3, Goal: 2, Late: true}, TimeDone, "Settings.TimeLimit"},
		{"an error", Evidence{Gap: 1, Goal: 2, Err: errStop, Late: true}, Stopped, ""},
		{"diverged", Evidence{Gap: 3, Goal: 2, Err: errStop, Diverged: true}, Diverged, ""},
		{"rounding", Evidence{Gap: 3, Goal: 2, Why: Rounding}, Stalled, "rounding decides"},
		{"nothing proved", Evidence{Gap: math.Inf(1), Goal: 2, Why: Rounding}, Stalled, "rounding decides"},
		{"a loss with advice", Evidence{Gap: 3, Goal: 2, Why: Rounding, Advice: lossAdvice}, Stalled, "widen it"},
		{"steps", Evidence{Gap: 3, Goal: 2, Why: Iterations, Advice: lossAdvice}, Stalled, "Newton steps"},
		{"no room", Evidence{Gap: 3, Goal: 2, Why: Room}, Stalled, "Problem.Penalty"},
		{"no optimum", Evidence{Gap: 3, Goal: 2, Why: Separated, Dependent: true}, Stalled, "falls for ever"},
		{
			"dependent", Evidence{Gap: 3, Goal: 2, Why: Rounding, Dependent: true, Unit: 10},
			Stalled, "depend on each other",
		},
		{
			"dependent, but near",
			Evidence{Gap: 3, Goal: 2, Why: Rounding, Dependent: true, Unit: 1e5}, Stalled,
			"rounding decides",
		},
	} {
		status, advice := c.evidence.Status()
		remedy := ""
		if advice != nil {
			remedy = fmt.Sprint(advice.Why, advice.Remedies)
		}
		if status != c.status || !strings.Contains(remedy, c.remedy) || (remedy == "") != (c.remedy == "") {
			t.Errorf("%s: %s, %q; want %s, %q", c.name, status, remedy, c.status, c.remedy)
		}
	}
}

// TestCauseError checks the errors of ranks that agreed on a cause, although only the context of one of
// them may have ended.
func TestCauseError(t *testing.T) {
	running := context.Background()
	late, cancelLate := WithTimeLimit(running, time.Nanosecond)
	defer cancelLate()
	canceled, cancel := context.WithCancel(running)
	cancel()
	deadline, cancelDeadline := context.WithTimeout(running, time.Nanosecond) // the caller's own
	defer cancelDeadline()
	<-late.Done()
	<-deadline.Done()
	for k, c := range []struct {
		ctx      context.Context
		ownCause float64
		agreed   float64
		want     error
	}{
		{running, Running, Running, nil},
		{running, Running, TimeUp, context.DeadlineExceeded},
		{running, Running, Canceled, context.Canceled},
		{late, TimeUp, TimeUp, context.DeadlineExceeded},
		{late, TimeUp, Canceled, context.Canceled},
		{canceled, Canceled, Canceled, context.Canceled},
		{deadline, Canceled, Canceled, context.DeadlineExceeded},
	} {
		if got := CauseOf(c.ctx); got != c.ownCause {
			t.Errorf("case %d: cause %v, want %v", k, got, c.ownCause)
		}
		if got := CauseError(c.ctx, c.agreed); got != c.want {
			t.Errorf("case %d: %v, want %v", k, got, c.want)
		}
	}
}
