package peers

import (
	"context"
	"time"
)

// A Peer is a solver.
type Peer interface {
	Name() string
	// Default is the tolerance that the solver has if its user names none; 0 if unknown.
	Default() float64
	// Open loads a problem. The error is an Unable if the peer does not solve problems
	// of this kind.
	Open(ctx context.Context, h *Handover) (Session, error)
}

// A Session is a peer with a problem in memory.
type Session interface {
	Version() string
	// Ladder returns the loosest and the tightest tolerance to ask for.
	Ladder() (from, to float64)
	// Solve does the task of the problem, from the origin, to a tolerance of the peer's own.
	// It ends with context.DeadlineExceeded when its processor time exceeds limit, where
	// the system reports the processor time, or else when the time that passes does.
	Solve(ctx context.Context, tol float64, limit time.Duration) (*Answer, error)
	Close()
}

// An Answer is what a peer found. Its times exclude loading.
type Answer struct {
	X         [][]float64 // a solution for each lambda
	Curve     []float64   // for the task CV, the mean loss on rows held out for each lambda
	CPU, Wall float64     // seconds
	// Bound is the gap that the peer proved, for all lambdas, relative to P(0). It is NaN
	// if the peer proves none.
	Bound float64
}

// Unable is the reason why a peer does not solve a problem.
type Unable string

// Error returns the reason.
func (u Unable) Error() string { return string(u) }
