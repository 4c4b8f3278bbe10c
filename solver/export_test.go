package solver

import (
	"testing"
	"time"

	"github.com/scas-admm/scas/solver/internal/admm"
	"github.com/scas-admm/scas/solver/internal/rows"
)

const (
	CurvatureSample = admm.CurvatureRows // approximate number of rows that determine the automatic step size
	StepsPerCall    = 1024               // inner steps in a call of the function that InnerStepper returns
)

// Chunks returns the number of chunks into which the rows of p are divided.
func Chunks(p *Problem) int { return rows.NewChunks(p.Data, 0).Count() }

// InnerStepper returns a function that makes StepsPerCall inner steps of SCAS on p.
func InnerStepper(t testing.TB, p *Problem) func() {
	set, err := (&Settings{Method: SCAS{}}).withDefaults(p)
	if err != nil {
		t.Fatal(err)
	}
	r := newRun(t.Context(), p, set, time.Now())
	r.prepare()
	s, err := newSCAS(r)
	if err != nil {
		t.Fatal(err)
	}
	s.takeSnapshot()
	gradient, rows := make([]float64, len(s.X)), make([]int32, StepsPerCall)
	copy(gradient, s.Snapshot.Gradient)
	s.rowSet.Plan.Begin(s.X, gradient, s.outer.NaturalEta(0))
	return func() {
		s.Samples.Draw(rows)
		s.rowSet.Plan.Advance(rows)
	}
}
