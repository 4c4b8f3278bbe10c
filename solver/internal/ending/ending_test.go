package ending

import (
	"errors"
	"math"
	"strings"
	"testing"
)

// TestStatus checks the status and the remedy of runs; the first case that applies
// decides.
func TestStatus(t *testing.T) {
	stop := errors.New("stop")
	for _, c := range []struct {
		name   string
		run    Run
		status string
		remedy string // a part of the remedy
	}{
		{"proved", Run{Gap: 1, Goal: 2, Late: true, Final: true}, Converged, ""},
		{"no goal", Run{Gap: 1}, PassesDone, "more passes"},
		{"a budget", Run{Gap: 3, Goal: 2, Why: Room}, PassesDone, "more passes"},
		{"late", Run{Gap: 3, Goal: 2, Late: true, Final: true}, TimeDone, "more time"},
		{"an error", Run{Gap: 1, Goal: 2, Err: stop, Late: true}, Stopped, ""},
		{"diverged", Run{Gap: 3, Goal: 2, Err: stop, Diverged: true}, Diverged, ""},
		{"rounding", Run{Gap: 3, Goal: 2, Final: true, Why: Rounding}, Stalled, "rounding decides"},
		{"nothing proved", Run{Gap: math.Inf(1), Goal: 2, Final: true}, Stalled, "rounding decides"},
		{"a loss with advice", Run{Gap: 3, Goal: 2, Final: true, Why: Rounding, Advice: "widen it"}, Stalled, "widen it"},
		{"steps", Run{Gap: 3, Goal: 2, Final: true, Why: Iterations, Advice: "widen it"}, Stalled, "Newton steps"},
		{"no room", Run{Gap: 3, Goal: 2, Final: true, Why: Room}, Stalled, "raise lambda"},
		{"no optimum", Run{Gap: 3, Goal: 2, Final: true, Why: Separable, Dependent: true}, Stalled, "falls for ever"},
		{"dependent", Run{Gap: 3, Goal: 2, Final: true, Why: Rounding, Dependent: true, Unit: 10}, Stalled, "depend on each other"},
		{"dependent, but near", Run{Gap: 3, Goal: 2, Final: true, Why: Rounding, Dependent: true, Unit: 1e5}, Stalled, "rounding decides"},
	} {
		status, remedy := c.run.Status()
		if status != c.status || !strings.Contains(remedy, c.remedy) || (remedy == "") != (c.remedy == "") {
			t.Errorf("%s: %s, %q; want %s, %q", c.name, status, remedy, c.status, c.remedy)
		}
	}
}
