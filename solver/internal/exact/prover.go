package exact

import "math"

// A Prover proves gaps of a problem and solves the problem: by a Solver, or by a setSolver if there
// is a graph with many features. It prepares the solver at the first call that needs it. A Prover is
// not safe for concurrent use.
type Prover struct {
	problem  *Problem   // nil if no gap can be proved
	prepared bool       // make was called
	whole    *Solver    // nil if New refuses the problem
	sets     *setSolver // nil unless whole is nil and the package accepts the problem
	assembly float64    // cost of forming a Hessian, in passes over the data; 0 if it is not known
}

// NewProver returns a prover of q. If q is nil, it proves nothing.
func NewProver(q *Problem) *Prover { return &Prover{problem: q} }

// make prepares the solver that accepts the problem.
func (p *Prover) make() {
	if p.prepared || p.problem == nil {
		return
	}
	p.prepared = true
	q := *p.problem
	var err error
	if p.whole, err = New(&q); err == nil {
		p.assembly = p.whole.Cost()
		return
	}
	p.whole = nil
	if q.Absolute() {
		if p.sets, err = newSetSolver(&q); err == nil {
			return // assembly stays 0: the columns of a working set are known only later
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

// Cheap reports whether proofs, if there are any, cost so little that they can be tried from time to
// time during another method's run.
func (p *Prover) Cheap() bool {
	p.make()
	return p.sets == nil
}

// Finishes reports whether the problem should be solved by Newton's method.
func (p *Prover) Finishes() bool { return p.Proves() && !p.Refused() }

// Refused reports whether Finish gave up because forming the Hessian of a working set would take
// too long.
func (p *Prover) Refused() bool { return p.sets != nil && p.sets.refused }

// Dependent returns Solver.Dependent, or false with a setSolver.
func (p *Prover) Dependent() bool { return p.whole != nil && p.whole.Dependent() }

const (
	enough = 30 // Finish usually takes fewer iterations than this
	warm   = 4  // passes of another method before Finish
)

// Affords reports whether the budget of passes is usually large enough for Finish to end by itself.
func (p *Prover) Affords(passes float64) bool { return passes >= enough*p.Cost() }

// Warm returns the number of passes that another method makes before Finish, for a run of at most the given
// number of passes. If these may be too few for Finish to end by itself, Warm adds the cost of one iteration
// of Finish. All such runs get the same number: Finish then has the same start, so that more passes never
// give a worse point.
func (p *Prover) Warm(passes float64) float64 {
	if p.Affords(passes) {
		return warm
	}
	return warm + p.Cost()
}

// Cost returns the cost of an iteration in passes over the data: of the Hessian if it has all
// columns, of a gradient, and of margins at two points.
func (p *Prover) Cost() float64 { return p.assembly + 3 }

// Certify returns an upper bound of P(x) − P* at a point x in X, or +Inf if nothing can be proved.
// A setSolver begins with the multipliers beta of the rows of A; a Solver does not use beta.
func (p *Prover) Certify(x, beta []float64, set *Settings) float64 {
	switch p.make(); {
	case p.whole != nil:
		return p.whole.Certify(x, set)
	case p.sets != nil:
		return p.sets.certify(x, beta)
	}
	return math.Inf(1)
}

// Finish solves the problem, beginning with x. A setSolver also uses y, which is close to A x and says which
// coefficients start at zero, and the multipliers beta. Finish may be called only if Finishes returns true.
func (p *Prover) Finish(x, y, beta []float64, set *Settings) *Solution {
	if p.make(); p.whole != nil {
		return p.whole.Finish(x, set)
	}
	return p.sets.finish(x, y, beta, set)
}

// ProverMemory estimates the bytes that a Prover of q needs at most: for proofs of gaps and, if
// finish is set, for solving q. runs is the number of chunks of rows with their own sums.
func ProverMemory(q *Problem, runs int, finish bool) int64 {
	switch {
	case q == nil:
		return 0
	case q.Refusal() == nil:
		return q.Memory(runs)
	case q.Absolute():
		return setMemory(q, runs, finish)
	}
	if _, features := q.dims(); features <= MostFeatures {
		return q.Memory(runs)
	}
	return 0
}
