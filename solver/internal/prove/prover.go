// Package prove chooses among the Newton methods of packages newton and exact for a problem: to prove
// how far a point is from the optimum, and to finish runs there.
package prove

import (
	"math"

	"github.com/scas-admm/scas/kernels"
	"github.com/scas-admm/scas/solver/internal/exact"
	"github.com/scas-admm/scas/solver/internal/newton"
)

// A Prover proves gaps of a problem and finishes it, by the dense Finisher of package
// newton, with few nonzeros of many features by its Wide, or for A = I by package exact
// before both. None of them is made before it is needed. It is not for concurrent use.
type Prover struct {
	problem  *newton.Problem // nil where nothing is known of its parts
	made     bool            // dense and wide are what there is
	dense    *newton.Finisher
	wide     *newton.Wide
	first    *exact.Finisher // from TakeDirect to Finish
	assembly float64         // of a Hessian, in passes
}

// New returns the prover of q, with its rows; of nil, it is one that proves nothing.
func New(q *newton.Problem) *Prover { return &Prover{problem: q} }

// make prepares what serves the problem.
func (p *Prover) make() {
	if p.made || p.problem == nil {
		return
	}
	p.made = true
	q := *p.problem
	p.assembly = q.Assembly()
	var err error
	if p.dense, err = newton.New(&q); err == nil {
		return
	}
	p.dense = nil
	if q.Absolute() {
		if p.wide, err = newton.NewWide(&q); err == nil {
			p.assembly = 0 // a small part of the columns, known only later
			return
		}
		p.wide = nil
	}
	if _, features := q.Data.Dims(); features <= newton.MostFeatures {
		q.MaxFeatures = newton.MostFeatures
		if p.dense, err = newton.New(&q); err != nil {
			p.dense = nil
		}
	}
}

// Proves reports whether Newton's method has a bound.
func (p *Prover) Proves() bool {
	p.make()
	return p.dense != nil || p.wide != nil
}

// Cheap reports whether proofs can be tried on the way, as those of a Wide cannot.
func (p *Prover) Cheap() bool {
	p.make()
	return p.wide == nil
}

// Finishes reports whether Newton's method is the way to the optimum.
func (p *Prover) Finishes() bool { return p.Proves() && !p.Refused() }

// Refused reports whether the finisher left the problem, as the Hessian of a working set
// would take too long to form.
func (p *Prover) Refused() bool { return p.wide != nil && p.wide.Refused() }

// Dependent reports whether columns without a penalty were found to depend on each other,
// by what was proved so far.
func (p *Prover) Dependent() bool { return p.dense != nil && p.dense.Dependent() }

// TakeDirect makes package exact's finisher, if that takes the problem, for the next call
// of Finish to begin with, and reports whether it did. It asks for no start.
func (p *Prover) TakeDirect() bool {
	if q := p.problem; q != nil && p.first == nil {
		p.first = exact.NewFinisher(q, q.Rows, q.Threads)
	}
	return p.first != nil
}

// Banded reports whether the matrices of Newton's steps have a band: a step then takes
// not much more than a pass.
func (p *Prover) Banded() bool { return p.Finishes() && p.dense != nil && p.dense.Banded() }

// Sampled reports whether the finisher starts on a part of the samples, which is cheaper
// than any other start.
func (p *Prover) Sampled() bool { return p.Finishes() && p.dense != nil && p.dense.Sampled() }

const (
	// enough is more iterations than the finisher takes as a rule: on the way its points
	// are often worse than what passes reach for the same price, those of a barrier's path
	// always.
	enough = 30
	// warm is how many passes of another method save the finisher a third of its
	// iterations; more do not save it as many more.
	warm = 4
)

// Affords reports whether a budget of so many passes is none that ends the finisher.
func (p *Prover) Affords(passes float64) bool { return passes >= enough*p.Cost() }

// Warm is after how many passes of another method the finisher, which serves the problem,
// takes over, of a budget of so many: at once where it starts on a part of the samples,
// and never where only its end is of use and does not fit. Where the budget may end it,
// it begins no sooner than an iteration is paid for: what is returned is the better of
// its start and its end, and with a start that is the same in all such budgets a larger
// one does not return less.
func (p *Prover) Warm(passes float64) float64 {
	switch {
	case p.Affords(passes) && p.Sampled():
		return 0
	case p.Affords(passes):
		return warm
	case p.dense != nil && !p.dense.Absolute():
		return math.Inf(1)
	}
	return warm + p.Cost()
}

// Cost is that of an iteration in passes: the Hessian, where it is of all columns, a
// gradient and margins along two directions.
func (p *Prover) Cost() float64 { return p.assembly + 3 }

// Certify bounds the excess of the objective at x, which is feasible, over the optimum,
// +Inf where nothing is proved; beta are multipliers to begin with.
func (p *Prover) Certify(x, beta []float64) float64 {
	switch p.make(); {
	case p.dense != nil:
		return p.dense.Certify(x, beta).Gap
	case p.wide != nil:
		return p.wide.Certify(x, beta)
	}
	return math.Inf(1)
}

// Finish solves the problem, which Finishes or TakeDirect took, from x, y = A x and beta, as
// far as it gets. Multipliers of the result are those of the whole penalty.
func (p *Prover) Finish(x, y, beta []float64, set *newton.Settings) *newton.Result {
	res := p.finish(x, y, beta, set)
	if q := p.problem; q.Joined > 0 {
		kernels.Axpy(q.Joined, res.X, res.Z)
	}
	return res
}

func (p *Prover) finish(x, y, beta []float64, set *newton.Settings) *newton.Result {
	first := &newton.Result{Gap: math.Inf(1)}
	if p.first != nil {
		first, p.first = p.first.Finish(x, set), nil
		x, y, beta = first.X, first.X, first.Z // A = I there
	}
	res := first
	switch {
	case first.Err != nil || first.Gap <= set.Tol:
		return first
	case !p.Proves():
	case p.dense != nil:
		res = p.dense.Finish(x, set)
	default:
		res = p.wide.Finish(x, y, beta, set)
	}
	if first.X != nil && !(res.Gap < first.Gap) {
		return first
	}
	return res
}

// Memory estimates what proving q takes at its peak, and finishing it if it is finished,
// in bytes, for data cut into so many runs.
func Memory(q *newton.Problem, runs int, finish bool) int64 {
	if q == nil {
		return 0
	}
	if !finish {
		return q.Memory(runs, false)
	}
	if first := exact.Memory(q, runs); first > 0 {
		return first
	}
	return q.Memory(runs, true)
}
