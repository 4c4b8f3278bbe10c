package exact

import "math"

// A Prover proves gaps of a problem and finishes it, by a Solver, or with many features and a graph
// by a Wide. What it needs is made when it is first asked for.
// It is not for concurrent use.
type Prover struct {
	problem  *Problem // nil where nothing is known of its parts
	made     bool     // whole or wide is what there is
	whole    *Solver
	sets     *setSolver
	assembly float64 // of a Hessian, in passes
}

// NewProver returns the prover of q, with its rows; of nil, it is one that proves nothing.
func NewProver(q *Problem) *Prover { return &Prover{problem: q} }

// make prepares what serves the problem.
func (p *Prover) make() {
	if p.made || p.problem == nil {
		return
	}
	p.made = true
	q := *p.problem
	var err error
	if p.whole, err = New(&q); err == nil {
		p.assembly = p.whole.Cost()
		return
	}
	p.whole = nil
	if q.Absolute() {
		if p.sets, err = newSetSolver(&q); err == nil {
			return // a Hessian is of a small part of the columns, known only later
		}
		p.sets = nil
	}
	if _, features := q.Data.Dims(); features <= MostFeatures {
		q.MaxWorking = MostFeatures
		if p.whole, err = New(&q); err != nil {
			p.whole = nil
			return
		}
		p.assembly = p.whole.Cost()
	}
}

// Proves reports whether gaps can be proved.
func (p *Prover) Proves() bool {
	p.make()
	return p.whole != nil || p.sets != nil
}

// Cheap reports whether proofs can be tried on the way, as those of a Wide cannot.
func (p *Prover) Cheap() bool {
	p.make()
	return p.sets == nil
}

// Finishes reports whether Newton's method is the way to the optimum.
func (p *Prover) Finishes() bool { return p.Proves() && !p.Refused() }

// Refused reports whether the finisher left the problem, as the Hessian of a working set
// would take too long to form.
func (p *Prover) Refused() bool { return p.sets != nil && p.sets.refused }

// Dependent reports whether columns without a penalty were found to depend on each other,
// by what was proved so far.
func (p *Prover) Dependent() bool { return p.whole != nil && p.whole.Dependent() }

const (
	// enough is more iterations than the finisher takes as a rule.
	enough = 30
	// warm is how many passes of another method are made where a setting asks for such passes.
	warm = 4
)

// Affords reports whether a budget of so many passes is none that ends the finisher.
func (p *Prover) Affords(passes float64) bool { return passes >= enough*p.Cost() }

// Warm is after how many passes of another method the finisher takes over, of a budget of so many.
// Where the budget may end it, it begins no sooner than an iteration is paid for: what is returned is
// the better of its start and its end, and with a start that is the same in all such budgets a larger
// one does not return less.
func (p *Prover) Warm(passes float64) float64 {
	if p.Affords(passes) {
		return warm
	}
	return warm + p.Cost()
}

// Cost is that of an iteration in passes: the Hessian, where it is of all columns, a
// gradient and margins along two directions.
func (p *Prover) Cost() float64 { return p.assembly + 3 }

// Certify bounds the excess of the objective at x, which is feasible, over the optimum,
// +Inf where nothing is proved; beta are multipliers to begin with.
func (p *Prover) Certify(x, beta []float64, set *Settings) float64 {
	switch p.make(); {
	case p.whole != nil:
		return p.whole.Certify(x, set)
	case p.sets != nil:
		return p.sets.certify(x, beta)
	}
	return math.Inf(1)
}

// Finish solves the problem, which Finishes, from x, y = A x and beta, as far as it gets.
func (p *Prover) Finish(x, y, beta []float64, set *Settings) *Solution {
	if p.make(); p.whole != nil {
		return p.whole.Finish(x, set)
	}
	return p.sets.finish(x, y, beta, set)
}

// ProverMemory estimates what proving q takes at its peak, and finishing it if it is finished,
// in bytes, for data cut into so many runs.
func ProverMemory(q *Problem, runs int, finish bool) int64 {
	switch {
	case q == nil:
		return 0
	case q.Refusal() == nil:
		return q.Memory(runs)
	case q.Absolute():
		return setMemory(q, runs, finish)
	}
	if _, features := q.Data.Dims(); features <= MostFeatures {
		return q.Memory(runs)
	}
	return 0
}
