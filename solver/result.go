package solver

import (
	"fmt"
	"math"

	"github.com/scas-admm/scas/solver/internal/ending"
	"github.com/scas-admm/scas/solver/theory"
)

// Status says how a run ended.
type Status string

// The statuses.
const (
	// Converged means that the gap is proved to be within RelTol.
	Converged Status = ending.Converged // "converged"
	// PassesDone means the budget of passes, or of outer iterations, was used up.
	PassesDone Status = ending.PassesDone // "passes_done"
	// Stalled means that Newton's method went as far as rounding, or the room for its
	// working sets, allowed, and the gap proved is larger than RelTol asks for.
	Stalled Status = ending.Stalled // "stalled"
	// TimeDone means that TimeLimit was reached.
	TimeDone Status = ending.TimeDone // "time_done"
	// Stopped means the context or the recorder ended the run early.
	Stopped Status = ending.Stopped // "stopped"
	// Diverged means the iterates left every reasonable bound.
	Diverged Status = ending.Diverged // "diverged"
)

// A Result is what Minimize found.
type Result struct {
	// Iterate is the last outer iterate. Where y shows coordinates of x that are
	// zero, or edges along which x is constant, X has them exactly so, provided that
	// does not raise the objective (Stats.Rounded). |Dual| ≤ Lambda·Weights holds
	// exactly for L1 penalties. It may be the Start of another run.
	Iterate
	// XAverage and YAverage are the paper's output, the means of x_1..x_T and
	// y_1..y_T, or what the method's theory has in their place. After an automatic
	// restart they begin anew.
	XAverage, YAverage []float64
	// At is the objective at X, AtAverage at XAverage.
	At, AtAverage Evaluation
	// Unrounded is the objective of the last iterate before zeros and ties were made exact, as the
	// last record has it.
	Unrounded float64
	// PrimalResidual is |A x − y|₂. It and the next two are of the last iterate, before
	// zeros and ties were made exact.
	PrimalResidual float64
	// DualResidual is |x − π_X(x − ∇f(x) − A'beta)|₂, which for X = R^p is
	// |∇f(x) + A'beta|₂: together with beta ∈ ∂g(y) and a zero primal residual
	// it certifies an optimum.
	DualResidual float64
	// DualityGap bounds the excess of At.Objective over the optimum, rounding included,
	// or is +Inf where nothing is proved. Newton's method proves problems without a
	// Coupling of the losses, penalties and domains of this package (NonnegativeY and
	// Within with A = I) and any ConjugateLoss, where A is a matrix or the identity and
	// there is room: see Auto. Elsewhere L2 > 0 or a bounded domain makes it finite,
	// where penalty and domain are a ConjugatePenalty and SupportDomain and x implies y.
	DualityGap float64
	// Groups lists features that rows of A with two entries tie, and that are not zero: their
	// coefficients are equal up to sign where the entries are. It is nil where there is none, or where
	// the ties of X are not exact.
	Groups [][]int
	// Status says how the run ended.
	Status Status
	// Stats has what the run used.
	Stats Stats
}

// Stats are facts about a run.
type Stats struct {
	Name            string           `json:"name"`             // of the run: Settings.Name, or else that of the method
	Method          string           `json:"method"`           // its name
	Plan            string           `json:"plan"`             // how the inner loop of SCAS-ADMM was run; empty for other methods
	PlanReason      string           `json:"plan_reason"`      // why, in one line
	Storage         string           `json:"storage"`          // how the kernels hold the data: bytes of an index and of a value
	DualUpdates     int              `json:"dual_updates"`     // K
	InnerSteps      int              `json:"inner_steps"`      // M of the last outer iteration; 0 for methods without stages
	BatchSize       int              `json:"batch_size"`       // samples per inner step
	Eta             float64          `json:"eta"`              // step size of the last outer iteration; 0 for methods without one
	Rho             float64          `json:"rho"`              // ρ
	StepHalvings    int              `json:"step_halvings"`    // how often an automatic η was halved
	OuterIterations int              `json:"outer_iterations"` // done
	Passes          float64          `json:"passes"`           // effective passes
	NewtonSteps     int              `json:"newton_steps"`     // of the finisher
	PaperPasses     float64          `json:"paper_passes"`     // the same as the paper counts: an exact x-step of batch ADMM is one
	Seconds         float64          `json:"seconds"`          // time, evaluation excluded
	SetupSeconds    float64          `json:"setup_seconds"`    // of which preparation
	GradientNorm    float64          `json:"gradient_norm"`    // G_t of the last outer iteration (paper, Theorem 1)
	Rounded         bool             `json:"rounded"`          // X has zeros and ties made exact
	Constants       theory.Constants `json:"constants"`        // zero, as is Rho, where there were Newton steps alone
}

// A DivergenceError reports iterates that left every reasonable bound. The
// Result returned with it holds the best iterate seen, or where objectives are not
// known on the way an earlier one that is not lost, at the latest the start.
type DivergenceError struct {
	Outer     int     // outer iteration at which it was noticed
	Objective float64 // there
	Start     float64 // objective at the start
	Eta       float64 // step size used; 0 if the method has none
	Rho       float64 // penalty parameter used
	Try       float64 // step size to try; 0 if the method has none
}

// Error says where the run diverged and which step size to try, or to change rho
// if the method has no step size.
func (e *DivergenceError) Error() string {
	if math.IsInf(e.Start, 0) || math.IsNaN(e.Start) {
		return fmt.Sprintf("solver: the objective is %v at the start already: numbers of the data, labels, weights or penalty are too large; scale them", e.Start)
	}
	if e.Eta == 0 {
		return fmt.Sprintf("solver: diverged at outer iteration %d: objective %.6g after %.6g at the start with rho = %.4g; try another rho, or leave it to be chosen",
			e.Outer, e.Objective, e.Start, e.Rho)
	}
	return fmt.Sprintf("solver: diverged at outer iteration %d: objective %.6g after %.6g at the start with step size eta = %.4g; try eta = %.4g, or leave it to be chosen",
		e.Outer, e.Objective, e.Start, e.Eta, e.Try)
}
