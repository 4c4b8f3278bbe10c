package exact

import "math"

// A Prover proves gaps of a problem and solves it: by a Solver, or by a setSolver. This solver is made at the
// first call that needs it. A Prover is not safe for concurrent use.
type Prover struct {
	problem  *Problem   // nil if no gap can be proved
	finish   bool       // see NewProver
	prepared bool       // the method prepare has set the fields below
	solver   *Solver    // solves the whole problem; nil if New returns an error
	sets     *setSolver // solves by working sets; nil if solver is not nil
	assembly float64    // cost of forming a Hessian of all columns, in passes; 0 if not known or not needed
}

// NewProver returns a prover of q. finish says that the caller intends to call Finish. The prover proves nothing if q
// is nil. Without finish, it also proves nothing for a group lasso with more than mostFeatures features, because
// the working set would be too large for nearly every point.
func NewProver(q *Problem, finish bool) *Prover { return &Prover{problem: q, finish: finish} }

func (p *Prover) prepare() {
	if p.prepared || p.problem == nil {
		return
	}
	p.prepared = true
	q := *p.problem
	if !p.finish && q.hasLargeGroups() {
		return
	}
	var err error
	p.solver, err = New(&q)
	if err != nil {
		if q.allowsSets() {
			p.sets, err = newSetSolver(&q)
			if err == nil {
				return // assembly stays 0, because the size of the Hessians is not known
			}
		}
		if _, features := q.Data.Dims(); features <= mostFeatures {
			q.MaxWorking = mostFeatures
			p.solver, _ = New(&q)
		}
	}
	if p.solver != nil && !p.solver.isSeparable() && p.solver.set.needsAll && !p.solver.hasImplicitHessian() {
		p.assembly = p.solver.Assembly()
	}
}

// Proves reports whether gaps can be proved.
func (p *Prover) Proves() bool {
	p.prepare()
	return p.solver != nil || p.sets != nil
}

// HasCheapProofs reports whether proofs, if there are any, are cheap enough to be tried while another method
// runs.
func (p *Prover) HasCheapProofs() bool {
	p.prepare()
	return p.sets == nil || p.sets.problem.mu() > 0
}

// WellConditioned reports whether SCAS-ADMM is usually faster than Finish, because the problem has many
// coefficients and a strong ridge.
func (p *Prover) WellConditioned() bool {
	p.prepare()
	return p.sets != nil && p.sets.problem.wellConditioned
}

// Finishes reports whether to solve the problem by Finish.
func (p *Prover) Finishes() bool { return p.Proves() && !p.Refused() }

// Refused reports whether Finish gave up because forming the Hessian of a working set would take
// too long.
func (p *Prover) Refused() bool { return p.sets != nil && p.sets.refused }

// Dependent reports whether the last proof by a Solver found the columns of free features linearly dependent,
// or nearly so.
func (p *Prover) Dependent() bool { return p.solver != nil && p.solver.Dependent() }

const (
	usualIterations   = 30 // Finish usually takes fewer iterations than this
	warmPasses        = 4  // smallest result of WarmPasses if WellConditioned is false
	conditionedPasses = 96 // largest result of WarmPasses if WellConditioned is true
)

// Affords reports whether Finish usually ends within the given number of passes.
func (p *Prover) Affords(passes float64) bool { return passes >= usualIterations*p.Cost() }

// WarmPasses returns how many passes another method should make before Finish, in a run with the given budget
// of passes.
func (p *Prover) WarmPasses(passes float64) float64 {
	if p.WellConditioned() {
		return min(conditionedPasses, passes/2)
	}
	if p.Affords(passes) {
		return warmPasses
	}
	return warmPasses + p.Cost()
}

// Cost returns the cost of an iteration in passes over the data. A gradient costs one pass, and margins at
// two points cost two. The cost of the Hessian is added if it is known.
func (p *Prover) Cost() float64 { return p.assembly + 3 }

// Certify returns an upper bound of P(x) − P* at a point x of the domain, or +Inf if nothing can be proved.
// beta are multipliers of the rows of A, used only if p.solver is nil.
func (p *Prover) Certify(x, beta []float64, set *Settings) float64 {
	p.prepare()
	switch {
	case p.solver != nil:
		return p.solver.Certify(x, set)
	case p.sets != nil:
		return p.sets.certify(x, beta)
	}
	return math.Inf(1)
}

// Finish solves the problem, beginning with x. beta are multipliers of the rows of A, and y is close to A x
// and has exact zeros; both are used only if p.solver is nil. Finish may be called only if Finishes returns
// true.
func (p *Prover) Finish(x, y, beta []float64, set *Settings) *Solution {
	p.prepare()
	if p.solver != nil {
		return p.solver.Finish(x, set)
	}
	return p.sets.finish(x, y, beta, set)
}

// ProverMemory estimates the bytes that a Prover of q needs: for proofs of gaps and, if finish is set, for
// solving q. It returns 0 if q is nil or has too many features for a proof.
func ProverMemory(q *Problem, finish bool) int64 {
	if q == nil || !finish && q.hasLargeGroups() {
		return 0
	}
	systems := q.linearSystems()
	isRefused := q.refusal(systems) != nil
	if isRefused && q.allowsSets() {
		return setSolverMemory(q, systems, finish)
	}
	if _, features := q.dims(); isRefused && features > mostFeatures {
		return 0
	}
	if q.isSeparable() || q.hasFeatureGroups() {
		return q.Memory()
	}
	return q.memoryCoupled(systems)
}
