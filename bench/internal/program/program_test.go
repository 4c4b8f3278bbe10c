package program

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"
)

// TestRunEnds checks the errors of a run that is ended by its context or by its time limit.
func TestRunEnds(t *testing.T) {
	sleep, err := exec.LookPath("sleep")
	if err != nil {
		t.Skip("no command sleep")
	}
	ctx, stop := context.WithCancel(t.Context())
	interruptedCall := Call{Program: sleep, Args: []string{"60"}, OnStart: func(*os.Process) { stop() }}
	if e, err := interruptedCall.Run(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("interrupted: %+v, error %v", e, err)
	}
	slowCall := Call{Program: sleep, Args: []string{"60"}, Limit: 300 * time.Millisecond}
	e, err := slowCall.Run(t.Context())
	if err == nil || !strings.Contains(err.Error(), "not ended after 300ms") {
		t.Errorf("limited: %+v, error %v", e, err)
	}
}
