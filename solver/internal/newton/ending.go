package newton

import (
	"math"

	"github.com/scas-admm/scas/solver/internal/pass"
	"github.com/scas-admm/scas/solver/internal/term"
)

// An Ending says why a method ended; its zero value, that it has not.
type Ending int

// The endings.
const (
	_           Ending = iota
	Reached            // the gap is at most Settings.Tol
	Rounding           // nothing moves, or lowers or proves anything: rounding decides
	Iterations         // all of Settings.MaxIterations were done
	Interrupted        // see Result.Err
	Room               // working sets have no room for what is not zero, or Hessians take too long
	Separable          // the losses fall without end along features that nothing holds
)

// Remedy says what to do where that is not what was asked for.
func (e Ending) Remedy() string {
	switch e {
	case Iterations:
		return "it would take more Newton steps than are allowed: scale the features, or ask for less"
	case Room:
		return "the model has more coefficients than there is room for: raise lambda, or ask for less"
	case Separable:
		return "features that are not penalised tell the classes apart, or the counts of 0, so that the loss falls for ever: penalise them, or ask for less"
	}
	return "rounding decides here: scale the features, or ask for less"
}

// String names the ending.
func (e Ending) String() string {
	return [...]string{"not ended", "reached", "rounding", "iterations", "interrupted", "room", "separable"}[e]
}

// conclude fills in why the method ended that was to go to a gap of tol in so many
// iterations at most. The rest of the result is there.
func (f *Finisher) conclude(r *Result, tol float64, most int) {
	switch r.Why = Rounding; {
	case r.Err != nil:
		r.Why = Interrupted
	case r.Gap <= tol:
		r.Why = Reached
	case f.separable(r.X):
		r.Why = Separable
	case r.Iterations >= most:
		r.Why = Iterations
	}
}

// separable reports whether the losses fall without end along the part of x that neither
// penalty nor domain holds.
func (f *Finisher) separable(x []float64) bool {
	box, ok := f.domain().Box()
	if f.Ridge > 0 || f.rows.AllOwn() || !ok {
		return false
	}
	d, along := make([]float64, f.p), make([]float64, f.n)
	for j, v := range x {
		end := box.Upper[j]
		if v < 0 {
			end = box.Lower[j]
		}
		if math.IsInf(end, 0) && !f.rows.Touches(j) {
			d[j] = v
		}
	}
	f.margins(along, d)
	return Falls(f.Team, f.Loss, along, f.Labels, f.Coef)
}

// Falls reports whether along a direction, in which margins change by along, the loss of
// no sample with a coefficient rises, however far, and that of one never stops falling.
func Falls(t *pass.Team, l term.Loss, along, labels, coef []float64) bool {
	return l.Traits().NeverZero && t.Separates(l, along, labels, coef)
}
