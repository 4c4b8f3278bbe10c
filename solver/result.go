package solver

import (
	"fmt"
	"math"

	"github.com/scas-admm/scas/kernels/pkgerr"
	"github.com/scas-admm/scas/solver/internal/ending"
	"github.com/scas-admm/scas/solver/theory"
	"github.com/scas-admm/scas/sparse"
)

// Status says how a run ended.
type Status string

// The statuses.
const (
	// Converged means that the gap is proved to be within RelTol.
	Converged Status = ending.Converged // "converged"
	// PassesDone means that the budget of passes, or of outer iterations, was used up.
	PassesDone Status = ending.PassesDone // "passes_done"
	// Stalled means that the run ended before its budget, for example because rounding ended the Newton
	// steps, with a gap larger than RelTol allows. NotConvergedError says why.
	Stalled Status = ending.Stalled // "stalled"
	// TimeDone means that TimeLimit was reached.
	TimeDone Status = ending.TimeDone // "time_done"
	// Stopped means that the context, the recorder or an error ended the run early.
	Stopped Status = ending.Stopped // "stopped"
	// Diverged means that the error is a *DivergenceError.
	Diverged Status = ending.Diverged // "diverged"
)

// A Result is the result of Minimize.
type Result struct {
	// Iterate is the last outer iterate. If an earlier iterate or the X of the start is better, Iterate is
	// this point instead. If Stats.Rounded is true, zeros of X are exact, and usually ties too: tied
	// coefficients are equal up to a fixed factor. Zeros and ties are made exact only if this raises the
	// objective by no more than rounding. The Iterate may be the Start of another run.
	Iterate
	// XAverage and YAverage are the output of the paper's algorithms: the means of x_1..x_T and
	// y_1..y_T, or the averages for which a method's rate is proved. If the run continues from an
	// earlier iterate, the means begin again.
	XAverage, YAverage []float64
	// At is the objective at X, and AtAverage the objective at XAverage. If the field B of Coupling is
	// set, or g is infinite at A x, the penalty in At is g(Y), and in AtAverage g(YAverage).
	At, AtAverage Evaluation
	// Unrounded is the objective of the Iterate before zeros and ties were made exact.
	Unrounded float64
	// PrimalResidual is |A x + B y − c|₂ (see Coupling), by default |A x − y|₂. It is 0 if there were only
	// Newton steps. Both residuals may belong to the Iterate before zeros and ties were made exact.
	PrimalResidual float64
	// DualResidual is |x − π_X(x − ∇f(x) − A'beta)|₂, where f is the mean loss plus (L2/2)|x|², and π_X the
	// projection onto X. For X = R^p this is |∇f(x) + A'beta|₂. x is optimal if both residuals are zero
	// and −B'beta is a subgradient of g at y.
	DualResidual float64
	// DualityGap is an upper bound of the objective at X minus the optimum, or +Inf if nothing is proved.
	// It includes the rounding errors of its computation, but not the rounding error of At.Objective. A gap
	// can be proved for problems that the Newton steps of Auto solve (see Auto). For other problems a gap
	// can be proved only if all of these hold: L2 > 0 or the domain is bounded; the penalty is a
	// ConjugatePenalty; the Domain is nil or a SupportDomain; and the field B of Coupling is not set.
	DualityGap float64
	// Groups lists the groups of features whose coefficients are not zero and are tied by rows of A with
	// two entries. For rows (1, −1) the coefficients of a group are equal. Groups is nil if there is no
	// group, if the ties of X are not exact, or if the run made no Newton steps.
	Groups [][]int
	// Status says how the run ended.
	Status Status
	// Stats describes the run.
	Stats Stats
}

// Stats says what a run did: its parameters, its costs, and how it was carried out. With several processes,
// Plan, PlanReason and Storage are those of the first one.
type Stats struct {
	Method     string `json:"method"`                // name of the method
	Plan       string `json:"plan,omitempty"`        // how the inner loop ran; empty without inner loop
	PlanReason string `json:"plan_reason,omitempty"` // the reason for the plan, in one line
	Storage    string `json:"storage,omitempty"`     // types of the stored column numbers and values
	// DualUpdates is the number of dual updates for each full gradient, not their total number.
	DualUpdates int `json:"dual_updates,omitempty"`
	// Samples drawn in the last inner loop; 0 for methods without inner loops.
	InnerSteps int     `json:"inner_steps,omitempty"`
	BatchSize  int     `json:"batch_size,omitempty"` // samples per inner step
	Eta        float64 `json:"eta,omitempty"`        // the last step size; 0 for methods without step sizes
	Rho        float64 `json:"rho,omitempty"`        // penalty parameter ρ of ADMM
	// StepHalvings says how often an automatic η was halved.
	StepHalvings    int     `json:"step_halvings,omitempty"`
	OuterIterations int     `json:"outer_iterations,omitempty"` // all Newton steps count as one
	Passes          float64 `json:"passes,omitempty"`           // effective passes, see Settings.Passes
	// NewtonSteps is the number of Newton steps. If there is only an L2 term and no penalty, passes of
	// dual coordinate ascent may replace them; each pass counts as a step.
	NewtonSteps int     `json:"newton_steps,omitempty"`
	PaperPasses float64 `json:"paper_passes,omitempty"` // see Point.PaperPasses
	// Seconds is the time used, in seconds, except for the Recorder and the last proof.
	Seconds float64 `json:"seconds,omitempty"`
	// SetupSeconds are the seconds before the first iteration. Seconds includes them.
	SetupSeconds float64 `json:"setup_seconds,omitempty"`
	// GradientNorm is the norm of the gradient in x of the augmented Lagrangian, at the snapshot of the
	// last outer iteration: G_t in the paper.
	GradientNorm float64 `json:"gradient_norm,omitempty"`
	Rounded      bool    `json:"rounded,omitempty"` // zeros of X are exact, and usually ties too
	// Constants are the constants of the theorems. If there were only Newton steps, Constants and Rho
	// are zero.
	Constants theory.Constants `json:"constants,omitzero"`
}

// A DivergenceError reports that the objective rose far above the objective at the start, that a number is
// not finite, or that a run without Settings.Start ended clearly above the objective at x = 0. The Result
// returned with it holds an earlier iterate that had not diverged, or the start.
type DivergenceError struct {
	Outer     int     // outer iteration at which the divergence was noticed
	Objective float64 // objective in this iteration
	Start     float64 // objective at the start
	Eta       float64 // step size of the run; 0 if the method has none
	Rho       float64 // penalty parameter of the run
	Try       float64 // step size to try; 0 if the method has none
}

// Error says where the run diverged, and what to change.
func (e *DivergenceError) Error() string { return "solver: " + e.Reword(nil) }

// Reword returns the text of Error without the name of the package. The argument is not used, because
// the text has no remedies.
func (e *DivergenceError) Reword(func(sparse.Remedy) string) string {
	if math.IsInf(e.Start, 0) || math.IsNaN(e.Start) {
		return fmt.Sprintf("the objective is %v at the start already: numbers of the data, labels, weights or penalty are too large; scale them", e.Start)
	}
	if e.Eta == 0 {
		return fmt.Sprintf("diverged at outer iteration %d: objective %.6g after %.6g at the start with rho = %.4g; try another rho, or leave it to be chosen",
			e.Outer, e.Objective, e.Start, e.Rho)
	}
	return fmt.Sprintf("diverged at outer iteration %d: objective %.6g after %.6g at the start with step size eta = %.4g; try eta = %.4g, or leave it to be chosen",
		e.Outer, e.Objective, e.Start, e.Eta, e.Try)
}

// ErrNotConverged is matched by the error of a run with status PassesDone, TimeDone or Stalled, if
// RelTol asks for a gap and gaps of the problem can be proved. Otherwise such a run returns a nil error.
// Result.Status says whether a run has converged.
var ErrNotConverged = errorf("not converged")

// A NotConvergedError says how far the run came, and what to do.
type NotConvergedError struct {
	Status    Status
	Objective float64
	Gap, Goal float64 // the proved gap, and the gap that RelTol asks for
	Why       string  // why the gap is above Goal; empty if Remedies say it
	Remedies  []sparse.Remedy
}

// Is reports whether the target is ErrNotConverged.
func (e *NotConvergedError) Is(target error) bool { return target == ErrNotConverged }

// Error says how far from the optimum the run may have ended, and what to do.
func (e *NotConvergedError) Error() string { return e.remedyError().Error() }

// Reword returns the text of Error without the name of the package, and with the text that words returns for
// each remedy; see sparse.RemedyError.Reword.
func (e *NotConvergedError) Reword(words func(sparse.Remedy) string) string {
	return e.remedyError().Reword(words)
}

func (e *NotConvergedError) remedyError() *sparse.RemedyError {
	text := fmt.Sprintf("the objective %.6g is proved to be within %.2g of the optimum, not %.2g",
		e.Objective, e.Gap, e.Goal)
	if math.IsInf(e.Gap, 1) {
		text = fmt.Sprintf("how far the objective %.6g is from the optimum could not be proved", e.Objective)
	}
	if e.Why != "" {
		text += "; " + e.Why
	}
	return &sparse.RemedyError{
		Err: errorf("%s: %s", pkgerr.Text(ErrNotConverged), text), Remedies: e.Remedies,
	}
}
