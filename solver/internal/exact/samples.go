package exact

import (
	"github.com/scas-admm/scas/solver/internal/gap"
	"github.com/scas-admm/scas/solver/internal/term"
)

// samples computes everything that depends on the rows of the data. The results are for the rows of all
// processes. An implementation has a point x, and one number αᵢ of a dual point for each sample i. C is the
// diagonal matrix of the weights cᵢ of the samples.
type samples interface {
	// summary describes the samples. summary and meanLoss, which returns the mean loss at x, may change the
	// point and α, so they must be called before all other methods.
	summary() dataSummary
	meanLoss(x []float64) float64
	// subsample replaces the samples of p by a part of them. If it returns false, p must not be used.
	subsample(p *Problem) bool

	// separate finds the samples that free features separate, and makes their α 0. The function
	// open reports whether penalty and domain let coefficient j increase without end (above) and decrease
	// without end (below).
	separate(open func(j int) (above, below bool))
	setBounds(q *gap.Problem) // sets the problem for which gaps are proved

	// moveTo moves to x, returns the loss at x, and sets e to the gradient of the loss, X'Cφ'. If moveTo also
	// computes the Hessian, damping is its damping.
	moveTo(x, e []float64, damping float64) float64
	// gradient sets dst to the gradient of the loss at the point, for the columns of the working set.
	gradient(dst []float64)
	// hasHessian reports whether the Hessian at the point is available without reading a file.
	hasHessian() bool
	// hessian sets h to the upper triangle of the Hessian of the loss at the point, for the columns of the
	// working set. The curvatures φ″ have the damping d. If h is nil, the Hessian is not formed, and hessian only
	// prepares products with it.
	hessian(h []float64, d float64)

	// lossAt returns the loss at t.end, where the step ends.
	lossAt(t *trial) float64
	// accept moves to t.end, for which lossAt was called last. If t.length is 0, it does not move. It sets
	// α = φ' + φ″ X t.move, with φ' at the start of the step and the φ″ of the last call of hessian.
	accept(t *trial)
	// useSlopes sets α to the slopes φ' at the point x, and e to the gradient of the loss, X'Cα. If estimates
	// is true, useSlopes may store estimates in e instead, in the same places as prove.
	useSlopes(x, e []float64, estimates bool)
	// alphaAt returns α at the point x. If e has estimates, from prove or useSlopes, it replaces them by
	// entries of X'Cα. For samples in a file it returns nil, and e has no estimates.
	alphaAt(x, e []float64) []float64

	tally() *gap.Tally // tally of α at the point
	// prove returns the bound that α and multipliers z prove at the point x, and sets e = X'Cα, where C is
	// the diagonal matrix of the weights of samples. At features with |eⱼ| certainly below the limit, e may
	// have estimates. If the bound exceeds goal because of rounding, prove may compute it again, more
	// accurately.
	prove(x, z, e []float64, goal float64) gap.Bound
	// trivialGap returns the gap that the dual point 0 proves at x; value is the objective at x.
	trivialGap(x []float64, value float64) float64
	// lossFallsForever reports whether the loss decreases without end along the direction d, see
	// Solver.LossFallsForever.
	lossFallsForever(d []float64) bool

	// Err returns the error that ended a visit early (see File), or nil. After an error the run ends.
	Err() error
}

// A dataSummary describes the samples of all processes.
type dataSummary struct {
	// The largest absolute value of each column of X and, if they are known, a bound of its norm and the
	// number of its entries.
	columns     gap.Columns
	sampleCount int
	scale       float64 // the number to which tolerances are relative, see term.LabelKind.ToleranceUnit
	zeroLoss    float64 // the mean loss at x = 0
}

// slopeRange returns the range of α for a sample: the domain of φ* or, for a sample of weight 0, only 0. A
// sample of weight 0 then adds 0 to the gap, and not 0·∞.
func slopeRange(l term.Loss, label, weight float64) (lo, hi float64) {
	if weight == 0 {
		return 0, 0
	}
	return l.SlopeRange(label)
}

// A trial is a step that the line search tries.
type trial struct {
	end          []float64 // the point where the step ends, for the columns of the working set
	length       float64   // length of the step, as a fraction of the full Newton step
	move         []float64 // see newtonStep.move
	snapped      bool      // see newtonStep.snapped
	needsHessian bool      // if the step is accepted, the Hessian at its end will be needed
	damping      float64   // the damping of the Hessian at the end of the step
}
