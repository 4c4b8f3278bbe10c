package peers

import (
	"context"
	"fmt"
	"math"
	"time"
)

// A Peer is a solver.
type Peer interface {
	Name() string
	// Open loads a problem. The error is an Unable if the peer does not solve such.
	Open(ctx context.Context, h *Handover) (Session, error)
}

// A Session is a peer with a problem in memory.
type Session interface {
	Version() string
	// Ladder has the loosest and the tightest tolerance to ask for.
	Ladder() (from, to float64)
	// Fit solves the problem from the origin to a tolerance of the peer's own. It ends
	// with context.DeadlineExceeded after about so much time, of the processor where
	// that is known.
	Fit(ctx context.Context, tol float64, limit time.Duration) (*Fit, error)
	Close()
}

// A Fit is what a peer found. Its times exclude loading.
type Fit struct {
	X         []float64
	CPU, Wall float64 // seconds
	// Bound is the gap that the peer proved, NaN if it proves none.
	Bound float64
}

// Unable is the reason why a peer does not solve a problem.
type Unable string

// Error returns the reason.
func (u Unable) Error() string { return string(u) }

// check refuses what is no point of the problem.
func (f *Fit) check(p *Problem) error {
	if _, features := p.X.Dims(); len(f.X) != features {
		return fmt.Errorf("%d coefficients for %d features", len(f.X), features)
	}
	for j, v := range f.X {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return fmt.Errorf("coefficient %d is %v", j+1, v)
		}
	}
	if !(f.CPU >= 0) || !(f.Wall >= 0) {
		return fmt.Errorf("a time of %v s (CPU), %v s", f.CPU, f.Wall)
	}
	return nil
}
