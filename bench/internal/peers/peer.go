package peers

import (
	"context"
	"time"
)

// A Peer is a solver that takes part in a comparison.
type Peer struct {
	Name       string
	DefaultTol float64 // the tolerance that the solver uses if its user sets none; 0 if unknown
	// Open loads a problem. The error is an Unable if the peer does not solve problems of this kind.
	Open func(ctx context.Context, h *Handover) (*Session, error)
}

// A Session is a peer that has loaded a problem.
type Session struct {
	Version           string
	Loosest, Tightest float64 // the loosest and the tightest tolerance that the peer accepts
	// Solve does the task of the problem, beginning at x = 0. The peer defines the meaning of tol. limit is
	// for the processor time; if the task takes longer, Solve may return context.DeadlineExceeded.
	Solve func(ctx context.Context, tol float64, limit time.Duration) (*Answer, error)
	Close func()
}

// An Answer is the result of a task, with the time that the task took. This time does not include the loading
// of the problem.
type Answer struct {
	X         [][]float64 // a solution for each lambda
	CVLosses  []float64   // for the task CV, the mean loss on the rows held out, for each lambda
	CPU, Wall float64     // processor time and elapsed time, in seconds
	// ProvedGap is the largest of the gaps that the peer proved for the lambdas, divided by
	// Problem.ObjectiveAtZero. It is NaN if the peer proves no gaps.
	ProvedGap float64
}

// Unable is the reason why a peer does not solve a problem.
type Unable string

// Error returns the reason.
func (u Unable) Error() string { return string(u) }
