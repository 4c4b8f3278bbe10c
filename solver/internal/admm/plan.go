package admm

import (
	"fmt"
	"math"

	"github.com/scas-admm/scas/kernels"
	"github.com/scas-admm/scas/solver/internal/linalg"
	"github.com/scas-admm/scas/solver/internal/term"
	"github.com/scas-admm/scas/sparse"
)

// A Plan runs rounds of stochastic steps
//
//	w ← π_X( w − η [ (φ'(aᵢ'w) − φ'(aᵢ'x_t)) aᵢ + d + K w ] ),  K = ρ A'A + mu I
//
// from a point x with a constant d, where π_X is the projection onto X and x_t is the snapshot.
// This is the inner loop of Algorithm 1, with the exact gradient of the ridge. Plans differ in
// how they represent w, and so in the cost of a step. For the same number of samples in a step,
// their iterates are equal up to rounding.
type Plan interface {
	// Name returns a short unique name of the plan. It may change with the step size.
	Name() string
	// Reason returns one line that says why this plan was chosen.
	Reason() string
	// BatchSize returns the number of samples in a step.
	BatchSize() int
	// Begin starts a round at x with step size eta. d is the constant part of the gradient. x and d have
	// length p, are only read, and must not change before End. InnerLoop.Slope0 must hold the slopes at
	// the snapshot.
	Begin(x, d []float64, eta float64)
	// Advance makes steps. sampled has the numbers of the rows of InnerLoop.Rows to use: the first step uses
	// the first BatchSize of them, the second step the next ones, and so on.
	Advance(sampled []int32)
	// End sets sum to the sum of the iterates after the steps of the round, without the start x.
	// If endpoint is not nil, it sets endpoint to the final iterate.
	End(sum, endpoint []float64)
}

// An InnerLoop describes the inner loop to its plan. Plans only read its slices.
type InnerLoop struct {
	Data   *sparse.CSR  // the whole data set; sampled row numbers refer to Rows, not to Data
	Rows   kernels.Rows // the rows that steps draw from: Data, or a batch of its rows
	Labels []float64    // the label of each row of Rows
	Slope0 []float64    // the slope φ'(aᵢ'x_t) of each row of Rows, computed at every snapshot x_t
	Loss   term.Loss
	A      *linalg.Algebra
	Set    term.Set // X; nil for R^p

	// NewPlan sets these two fields.
	bounds  term.Bounds      // describes a Set that is a box or a ball; otherwise it is empty
	scratch *kernels.Scratch // scratch memory for kernels that read Rows

	Rho   float64 // the penalty parameter ρ
	Ridge float64 // mu plus the proximal weight (see Anchor); 0 if A is Metric.A, which contains mu
	// If Kappa is positive, the term (ρ/2)|A x − y|² is linearised: the matrix K of Plan is then
	// (Kappa + Ridge) I. Otherwise K is ρ A'A + Ridge I.
	Kappa float64

	Samples      int  // number of samples that the inner loop draws
	RoundSamples int  // approximate number of samples in a round
	BatchSize    int  // number of samples in a step; 0 means 1, or more if that is faster
	NoRotation   bool // the plan must not copy the data into the eigenbasis of A'A

	Interrupt func() error // if not nil, called while a plan is prepared; its error ends the preparation
}

// NewPlan returns the plan for the loop.
func NewPlan(l *InnerLoop) (Plan, error) {
	l.scratch = kernels.NewScratch(l.Rows)
	if l.Set != nil {
		if region := l.Set.Region(l.features()); region != nil {
			l.bounds = region.Bounds(l.features())
		}
		if l.bounds.Total > 0 { // Set is a simplex
			l.bounds = term.Bounds{}
		}
	}
	if l.BatchSize > 1 {
		return newDense(l, fmt.Sprintf("%d samples share a step for every coordinate", l.BatchSize)), nil
	}
	if k := l.diagonalOfK(); k != nil {
		return newDiagonalPlan(l, k), nil
	}
	if l.NoRotation {
		return newDense(l, "a step for every coordinate: rotating the data is forbidden"), nil
	}
	if l.Set == nil || l.bounds.Radius > 0 {
		return newCoupledPlan(l)
	}
	return newDense(l, "a step for every coordinate: the domain does not commute with a rotation"), nil
}

// kernelSteps returns the inner loop with step size eta in the form that the kernels need.
func (l *InnerLoop) kernelSteps(eta float64) kernels.Steps {
	kind, known := l.Loss.LossKind()
	s := kernels.Steps{
		Rows: l.Rows, Label: l.Labels, Slope0: l.Slope0, Loss: kind, Eta: eta, Scratch: l.scratch,
	}
	if !known {
		s.Slope = l.Loss.Slope
	}
	return s
}

func (l *InnerLoop) features() int {
	_, p := l.Data.Dims()
	return p
}

// nonzerosPerRow returns the mean number of nonzeros of a row.
func (l *InnerLoop) nonzerosPerRow() float64 {
	n, _ := l.Data.Dims()
	return float64(l.Data.NNZ()) / float64(n)
}

// guardedPlan runs a plan that is accurate and fast only for some step sizes, and a densePlan for all others.
type guardedPlan struct {
	Plan  // the plan for the step size eta: fast or dense
	fast  Plan
	fits  func(eta float64) bool // reports whether fast is accurate and fast for a step size
	loop  *InnerLoop
	dense *densePlan // nil until the first step size that does not fit
	eta   float64    // the step size of the last round; NaN before the first round
}

func guardPlan(l *InnerLoop, fast Plan, fits func(eta float64) bool) Plan {
	return &guardedPlan{Plan: fast, fast: fast, fits: fits, loop: l, eta: math.NaN()}
}

func (g *guardedPlan) Begin(x, d []float64, eta float64) {
	if eta != g.eta {
		g.eta, g.Plan = eta, g.fast
		if !g.fits(eta) {
			g.Plan = g.densePlan()
		}
	}
	g.Plan.Begin(x, d, eta)
}

func (g *guardedPlan) densePlan() *densePlan {
	if g.dense == nil {
		singleLoop := *g.loop
		singleLoop.BatchSize = 1 // because g.BatchSize returns 1
		g.dense = newDense(&singleLoop, fmt.Sprintf(
			"a step for every coordinate: the step size is too short or too long for the %s plan",
			g.fast.Name()))
	}
	return g.dense
}

// telescope sets sum to Σ_{m=1}^{M} w_m for M steps w_{m+1} = c∘w_m + e + h_m, m = 0..M−1. Here M is the
// argument steps, ∘ multiplies element by element, h_m is a multiple of the row of the step, and h = Σ h_m.
// The sum of the M equations gives
//
//	Σ_{m=0}^{M−1} w_m = (w_0 − w_M + M e + h)/(1 − c)
func telescope(sum, w0, w, c, e, h []float64, steps int) {
	m := float64(steps)
	for j := range sum {
		total := (w0[j] - w[j]) + math.FMA(m, e[j], h[j])
		sum[j] = total/(1-c[j]) - w0[j] + w[j]
	}
}

// canTelescope reports whether telescope has a relative error of at most about 1e-11. telescope
// divides the rounding errors of the steps by 1 − c = η k, where k is the diagonal of K (see Plan).
func (l *InnerLoop) canTelescope(eta float64, k []float64) bool {
	minEtaK := 1e-5 / math.Sqrt(float64(l.RoundSamples))
	for _, kj := range k {
		if eta*kj < minEtaK {
			return false
		}
	}
	return true
}

// The plans lazyPlan, ballPlan and decayPlan run a round only if 1 − η k is at least minFactor for every
// entry k of the diagonal of K (see Plan). Otherwise lazyPlan and ballPlan would have to recompute the vector
// u (see lazyPlan) every few steps.
const minFactor = 0.5
