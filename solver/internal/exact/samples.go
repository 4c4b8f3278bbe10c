package exact

import (
	"github.com/scas-admm/scas/solver/internal/gap"
	"github.com/scas-admm/scas/solver/internal/quadratic"
	"github.com/scas-admm/scas/solver/internal/term"
)

// samples are the rows of the data, of all processes: what a Solver asks of them, but for the Hessians of
// working sets, which memory alone has. They are at a
// point x and have a dual point α. In memory each answer is computed when it is asked for. From a file,
// one visit of a point finds all that may be asked for there.
type samples interface {
	count() int           // n
	columns() gap.Columns // what is known of the columns of X
	Scale() float64       // what tolerances are parts of, see term.Labels.Unit
	lossAtZero() float64  // Σ cᵢ φ at x = 0, once Scale was asked for
	// subsample gives p a subsample of the samples, and reports whether there are enough for that.
	subsample(p *Problem) bool

	// separate finds the samples that features separate whose coefficients may rise or fall without
	// end, as open says, nil if there are none. Their α is 0.
	separate(open func(j int) (above, below bool)) *gap.Separated
	// setBounds says for which problem bounds are.
	setBounds(q *gap.Problem)

	// moveTo moves to x and returns the loss there; e is set to X'Cφ'. A Hessian there will be dampened
	// so.
	moveTo(x, e []float64, then term.Damping) float64
	// gradient sets dst to X'Cφ' at the point, over the columns of the working set.
	gradient(dst []float64)
	// hasHessian reports whether the Hessian at the point is there, or takes no visit of its own.
	hasHessian() bool
	// hessian sets the upper triangle h to X' diag(Cφ″) X at the point, over the columns of the
	// working set. The next α are with these curvatures.
	hessian(h []float64, shape quadratic.Triangle, d term.Damping)

	// lossAt returns the loss at a step's end.
	lossAt(t *trial) float64
	// accept moves to the step's end tried last, if its length is not 0, and makes α that of the model:
	// φ' + φ″ X move.
	accept(t *trial)
	// useSlopes makes α the slopes φ' at the point x, and sets e = X'Cα.
	useSlopes(x, e []float64)
	// dual returns α at the point x; nil where it is not kept.
	dual(x []float64) []float64

	tally() *gap.Tally // of α at the point
	// prove returns what α and multipliers z prove of the point, and sets e = X'Cα.
	prove(x, z, e []float64, goal float64) gap.Bound
	// trivial returns what the dual point 0 proves of the point with objective value.
	trivial(x []float64, value float64) float64
	// falls reports whether the loss falls without end along d.
	falls(d []float64) bool

	// Err is the first error, which ends a run.
	Err() error
}

// A trial is the end of a step that a line search cuts.
type trial struct {
	at      []float64 // its end, over the columns of the working set
	length  float64   // part of the step
	move    []float64 // of the model, see Separable and Coupled, over the columns of the working set
	snapped bool      // the step is not quite the move
	// Whether the Hessian there will be asked for, if the step is taken, and how it is dampened.
	hessian bool
	then    term.Damping
}
