package admm

import (
	"math"

	"github.com/scas-admm/scas/solver/internal/linalg"
	"github.com/scas-admm/scas/solver/internal/rows"
)

// An OuterLoop is SCAS-ADMM at work. It is the same for data in memory and for data in a file:
// the functions say where the gradient at a snapshot comes from, and from which rows the inner
// loops draw.
type OuterLoop struct {
	// Snapshot sets Gradient to that of the mean loss at X, after it has compared the objective
	// there with the best so far: it may move X back to the best iterate.
	Snapshot func() error
	// Schedule returns the step size of the iteration that begins with this snapshot, and
	// whether there is a budget for it.
	Schedule func() (eta float64, more bool, err error)
	// Windows calls inner for one window after the other. Data in memory are one window.
	Windows func(inner func(*Window) error) error
	// Met returns the curvature that stochastic steps meet at the snapshot, see RowCurvature.
	Met func() float64

	Point
	Scales
	Keeper   *Keeper
	Gradient []float64 // z, of length p

	A         *linalg.Product
	Step      *DualStep
	Project   func(x []float64) // onto X
	Interrupt func() error      // asked every thousand samples or so, unless nil; its error ends an iteration
	Anchor    Anchor
	Metric    *Metric // that of the plans; nil for the problem's
	Kappa     float64 // κ where the penalty is linearised, else 0
	Many      bool    // the method has several dual updates to a snapshot
	Batch     int     // samples of a step
	Strong    bool    // Algorithm 2, else 1
	NuL       float64 // ν_L, for Algorithm 2
	// MeanCurvature is the smoothness of the mean loss, where steps are of several samples.
	MeanCurvature float64

	plan      Plan // of the window
	draw      func(rows []int32)
	residual  []float64 // A x + B y − c
	d         []float64 // constant of the inner loop, in the metric
	sum, last []float64 // of the iterates of a block; its final one, once needed
	u         []float64 // where a block starts, in the metric
	rows      []int32   // drawn
}

// A Window is rows that an inner loop draws from.
type Window struct {
	Plan    Plan               // for these rows
	Draw    func(rows []int32) // draws from them with replacement
	Samples int                // to be drawn
	Updates int                // of y and beta meanwhile
}

// Next is an outer iteration. It returns false where there is no budget for it.
func (s *OuterLoop) Next() (bool, error) {
	if err := s.Snapshot(); err != nil {
		return false, err
	}
	eta, more, err := s.Schedule()
	if err != nil || !more {
		return false, err
	}
	return true, s.Windows(func(w *Window) error {
		s.plan, s.draw = w.Plan, w.Draw
		iterates := max(2*w.Updates, w.Samples/w.Plan.BatchSize())
		if s.Strong {
			return s.strong(eta, s.NuL, iterates)
		}
		return s.blocks(eta, iterates, w.Updates)
	})
}

// Average makes the iterate the mean of those of all processes, the weight of each being
// that of its samples, and ends as a block does. Weighted by samples, the mean of what
// steps on shards do is that of steps on all samples to first order.
func (s *OuterLoop) Average(t *rows.Team, weight float64) {
	t.Average(weight, s.X, s.Dual)
	s.Project(s.X)
	s.Step.Update(s.A.Image(s.X), s.Y, s.Dual)
}

// NaturalEta returns the automatic step size at the snapshot, after so many outer iterations.
func (s *OuterLoop) NaturalEta(done int) float64 {
	step := StepSize{
		Met: s.Met(), Mean: s.MeanCurvature, Batch: s.Batch, Stiffness: s.stiffness(),
		Factor: StepFactor(s.Samples, s.Features, done, s.Many),
		Lazy:   s.Lambda1 == s.LambdaP || s.Metric != nil,
	}
	if s.Metric == nil {
		step.Mu = s.Mu
	}
	return math.Ldexp(step.Eta(), -s.Keeper.Halvings)
}

// stiffness is the largest eigenvalue of K.
func (s *OuterLoop) stiffness() float64 {
	if s.Metric != nil {
		return s.Metric.A.Largest()
	}
	return float64(s.Step.rho*s.Lambda1) + s.Mu + s.Anchor.Pull
}

// Linearise puts (κ/2)|w − x|² in the place of (ρ/2)|A(w − x)|², with the least κ for which
// it is not smaller.
func (s *OuterLoop) Linearise() {
	if s.Kappa = float64(s.Step.rho * s.Lambda1); s.Metric != nil {
		s.Kappa = s.stiffness()
	}
}
