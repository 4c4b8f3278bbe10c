package admm

import (
	"math"

	"github.com/scas-admm/scas/solver/internal/linalg"
	"github.com/scas-admm/scas/solver/internal/rows"
)

// An OuterLoop is the state of SCAS-ADMM. Its first four fields are functions, because they depend on
// whether the data are in memory or in a file.
type OuterLoop struct {
	// TakeSnapshot sets Gradient to the gradient of the mean loss at Point.X. It may first restore an earlier
	// iterate.
	TakeSnapshot func() error
	// NextEta returns the step size of the outer iteration whose snapshot was just taken. affordable is false
	// if the budget does not allow the iteration.
	NextEta func() (eta float64, affordable bool, err error)
	// EachRowSet calls inner for one RowSet after the other. Data in memory are one RowSet.
	EachRowSet func(inner func(*RowSet) error) error
	// SnapshotCurvature returns the curvature that limits the step size at the snapshot; see
	// RowCurvature.AtMargins.
	SnapshotCurvature func() float64

	Point
	Scales
	Keeper   *Keeper
	Gradient []float64 // the gradient of the mean loss at the snapshot; length p

	A             *linalg.Product
	DualStep      *DualStep
	Project       func(x []float64) // projects onto the domain
	Interrupt     func() error      // if not nil, called during inner loops; its error ends Next
	Anchor        Anchor
	Metric        *Metric // the step size of each column, see Metric; nil for equal step sizes
	Kappa         float64 // κ if the augmented penalty is linearised (see Linearise), else 0
	ManyUpdates   bool    // the method has several dual updates per snapshot
	BatchSize     int     // number of samples in a step
	UseAlgorithm2 bool    // use Algorithm 2 of the paper, not Algorithm 1
	NuL           float64 // Lipschitz constant of the augmented Lagrangian's gradient in x, for Algorithm 2
	// MeanCurvature is the largest result of the function MeanCurvature over all processes, for steps with
	// several samples.
	MeanCurvature float64

	residual      []float64 // scratch memory of setAugmentedGradient
	d             []float64 // constant part of a round's gradient; with a metric, times Metric.D
	sum, endpoint []float64 // sum of the iterates of a round, and its final iterate
	u             []float64 // D⁻¹x at the start of a round (see Metric); nil without a metric
	rows          []int32   // numbers of the drawn rows
}

// A RowSet is the set of rows from which an inner loop draws.
type RowSet struct {
	Plan    Plan
	Draw    func(rows []int32) // draws rows with replacement
	Samples int                // about how many samples the inner loop draws
	Updates int                // number of dual updates in the inner loop
}

// Next runs an outer iteration. It returns false if the budget does not allow it.
func (s *OuterLoop) Next() (bool, error) {
	if err := s.TakeSnapshot(); err != nil {
		return false, err
	}
	eta, affordable, err := s.NextEta()
	if err != nil || !affordable {
		return false, err
	}
	return true, s.EachRowSet(func(rowSet *RowSet) error {
		iterates := max(2*rowSet.Updates, rowSet.Samples/rowSet.Plan.BatchSize())
		if s.UseAlgorithm2 {
			return s.runAlgorithm2(rowSet, eta, iterates)
		}
		return s.runRounds(rowSet, eta, iterates)
	})
}

// Average replaces x and beta by their weighted means over all processes, projects x onto X, and then does a
// dual step. weight is the weight of this process in the means: the sum of its sample weights.
func (s *OuterLoop) Average(t *rows.Team, weight float64) {
	t.Average(weight, s.X, s.Dual)
	s.Project(s.X)
	s.DualStep.Update(s.A.Image(s.X), s.Y, s.Dual)
}

// NaturalEta returns the automatic step size at the snapshot, after all halvings by the Keeper. iterations
// is the number of outer iterations so far.
func (s *OuterLoop) NaturalEta(iterations int) float64 {
	step := StepSize{
		Curvature: s.SnapshotCurvature(), MeanCurvature: s.MeanCurvature, BatchSize: s.BatchSize,
		Stiffness: s.stiffness(),
		Factor:    StepFactor(s.Samples, s.Features, iterations, s.ManyUpdates),
		Lazy:      s.Kappa > 0 || s.Lambda1 == s.LambdaP || s.Metric != nil,
	}
	if s.Metric == nil {
		step.Mu = s.Mu
	}
	return math.Ldexp(step.Eta(), -s.Keeper.Halvings)
}

// stiffness returns the largest eigenvalue of the matrix K of the plans (see Plan), which limits the step
// size.
func (s *OuterLoop) stiffness() float64 {
	if s.Metric != nil {
		return s.Metric.A.LargestEigenvalue()
	}
	return float64(s.DualStep.rho*s.Lambda1) + s.Mu + s.Anchor.Weight
}

// Linearise sets Kappa to a κ for which (κ/2)|w − x|² is an upper bound of (ρ/2)|A(w − x)|². With a Metric,
// it is a κ for which (κ/2)|v|² is an upper bound of ½|M v|², for the matrix M = Metric.A and every
// difference v of two points u. This bound includes the ridge.
func (s *OuterLoop) Linearise() {
	s.Kappa = float64(s.DualStep.rho * s.Lambda1)
	if s.Metric != nil {
		s.Kappa = s.stiffness()
	}
}
