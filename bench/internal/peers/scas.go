package peers

import (
	"context"
	"errors"
	"fmt"
	"math"
	"runtime"
	"time"

	"github.com/scas-admm/scas/bench/internal/machine"
	"github.com/scas-admm/scas/solver"
)

// SCAS is scas itself, with all its defaults. Its tolerance is the absolute gap to be
// proved, and its time that of all of solver.Minimize.
type SCAS struct{}

// Name implements Peer.
func (SCAS) Name() string { return "scas" }

// Open implements Peer.
func (SCAS) Open(_ context.Context, h *Handover) (Session, error) {
	p := &solver.Problem{Data: h.X, Labels: h.Labels, L2: h.L2, Penalty: solver.L1{Lambda: h.Lambda}}
	if h.A != nil {
		p.Constraint = h.A
	}
	return &own{p: p, atZero: h.AtZero()}, nil
}

type own struct {
	p      *solver.Problem
	atZero float64
}

func (*own) Version() string            { return "this tree" }
func (*own) Ladder() (from, to float64) { return 1e-3, 1e-9 }
func (*own) Close()                     {}

// Fit implements Session, on one thread.
func (o *own) Fit(ctx context.Context, tol float64, limit time.Duration) (*Fit, error) {
	ctx, cancel := context.WithTimeout(ctx, patience*limit)
	defer cancel()
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	runtime.GC() // what others left is not for this fit to collect
	// The factor keeps a proof of RelTol·P(0) from being above tol by rounding.
	settings := &solver.Settings{Threads: 1, RelTol: tol / o.atZero * (1 - 1e-12)}
	start, cpu := time.Now(), machine.CPUSeconds()
	res, err := solver.Minimize(ctx, o.p, settings)
	f := &Fit{CPU: machine.CPUSeconds() - cpu, Wall: time.Since(start).Seconds(), Bound: math.NaN()}
	if res == nil || err != nil && !errors.Is(err, solver.ErrNotConverged) {
		return nil, err
	}
	f.X, f.Bound = res.X, res.DualityGap
	return f, nil
}

// A Reference is what gaps are to.
type Reference struct {
	Value float64
	// Proved is how far below Value the optimum can be at most, or above it: NaN if
	// nothing is known.
	Proved float64
	How    string
}

// refer finds the reference of a problem: the optimum that came with the data, else the
// greatest lower bound that scas proves, its objective minus its gap.
func refer(ctx context.Context, h *Handover) (*Reference, error) {
	s, err := SCAS{}.Open(ctx, h)
	if err != nil {
		return nil, err
	}
	r := &Reference{Value: math.Inf(-1), How: "scas: objective minus proved gap"}
	best := math.Inf(1)
	for _, tol := range []float64{1e-10, 1e-11, 1e-12} {
		f, err := s.Fit(ctx, tol, time.Hour)
		if err != nil {
			return nil, fmt.Errorf("peers: the reference of %s: %w", h.Name, err)
		}
		objective := h.Objective(f.X)
		best, r.Value = min(best, objective), max(r.Value, objective-f.Bound)
		if f.Bound > tol {
			break // no more is to be had
		}
	}
	r.Proved = best - r.Value
	if math.IsNaN(h.Known) {
		if !(r.Proved <= Targets[len(Targets)-1]) {
			return nil, fmt.Errorf("%w: scas, the only one to prove any, proves no more than %.1g", ErrNoReference, r.Proved)
		}
		return r, nil
	}
	if h.Known > best+knownAccuracy || h.Known < r.Value-knownAccuracy {
		return nil, fmt.Errorf("peers: the known optimum of %s, %.15g, is not between the bounds that scas proves, %.15g and %.15g", h.Name, h.Known, r.Value, best)
	}
	return &Reference{h.Known, r.Proved, "known optimum of the data; scas proves the same"}, nil
}

// ErrNoReference says that the optimum is not known well enough to tell gaps.
var ErrNoReference = errors.New("peers: no reference for gaps")

// knownAccuracy is that of optima that come with data.
const knownAccuracy = 1e-10
