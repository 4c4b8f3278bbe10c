package exact

import "github.com/scas-admm/scas/solver/internal/quadratic"

// A model is a quadratic model of the objective P near the point x: the quadratic model of the loss, plus the
// penalty and the ridges. Its variables are the coefficients of the working set. A Solver has one of three
// models, see the package comment. A coupled model may replace a grouped one (useCoupledModel).
type model interface {
	// begin prepares for steps with new limits and ridges. If sample is not nil, this Solver has solved the
	// problem for some of the samples, and x is the solution that it found. excess is an estimate of P(x)
	// minus the optimum, or an upper bound of this difference. Without an estimate, excess is +Inf.
	begin(sample *Solver, excess float64)
	// columnsChanged is called when the working set has new columns.
	columnsChanged()
	// setHessian sets the Hessian: the Hessian of the loss, plus the ridges and the squared terms of the
	// penalty. If fresh is true, it computes the Hessian of the loss at x. Otherwise it keeps the Hessian of
	// the loss at an earlier point.
	setHessian(fresh bool)
	// minimise approximately minimises the model. The caller must set workingSet.x and workingSet.gradient.
	// tol is the gap to reach.
	minimise(tol float64) newtonStep
	// value returns the objective P at x. loss is the mean loss there.
	value(loss float64) float64
	// multipliers returns feasible multipliers of the rows of A that are near those of the last dual point.
	// They do not include the derivatives of PenaltyRidge.
	multipliers() []float64
	// isExact reports whether the last model's solution has exact zeros and ties.
	isExact() bool
	// structure returns the zeros and ties of x; ok is false if they are not exact.
	structure() (structure quadratic.Partition, ok bool)
}

// A newtonStep is a full step from the point x to u, the solution of a model. The slices have one number for
// each column of the working set.
type newtonStep struct {
	u []float64
	// The step before some numbers of u were set to exact zeros, ties or bounds. The dual point α belongs to
	// x + move. The slice is valid until the next call of minimise, and so is u.
	move    []float64
	snapped bool    // u differs from x + move
	fall    float64 // by how much the value of the model falls
	// The change of the objective to first order: the gradient times u − x, plus the change of the penalty.
	rise float64
}
