package solver

import (
	"fmt"
	"math"
	"slices"

	"github.com/scas-admm/scas/kernels"
	"github.com/scas-admm/scas/solver/dist"
	"github.com/scas-admm/scas/solver/internal/linalg"
	"github.com/scas-admm/scas/solver/internal/rows"
	"github.com/scas-admm/scas/solver/internal/term"
	"github.com/scas-admm/scas/sparse"
)

// A Problem is
//
//	minimise  (1/n) Σᵢ φ(aᵢ'x; bᵢ) + (L2/2)|x|² + g(y)   over x in X and y
//	subject to  A x + B y = c
//
// (paper, problem (1)). By default B = −I and c = 0, so that y = A x. Minimize only reads
// a Problem, so concurrent calls may share one, unless Comm is set.
type Problem struct {
	// Data holds the samples aᵢ' as its n rows of p features.
	Data *sparse.CSR
	// Labels holds bᵢ, one per row of Data: −1 or +1 for Logistic and SquaredHinge,
	// any finite number for Squared and Huber, a finite number that is not negative for
	// Poisson.
	Labels []float64
	// SampleWeights has one weight ωᵢ ≥ 0 for each sample, at least one of them positive.
	// The mean loss is Σ ωᵢ φ(aᵢ'x; bᵢ) / Σ ωᵢ, and stochastic steps draw sample i with a
	// probability in proportion to ωᵢ. nil means equal weights.
	SampleWeights []float64
	// Loss is φ; nil means Logistic.
	Loss Loss
	// L2 is the coefficient mu ≥ 0 of (mu/2)|x|²; zero leaves the term out.
	L2 float64
	// Penalty is g, a function of y; nil means zero.
	Penalty Penalty
	// Constraint is A with p columns and any number l ≥ 1 of rows. nil means the identity. For the
	// graph-guided fused lasso A = [G; I] see graph.Graph.FusedLasso. A matrix, *sparse.CSR, is
	// faster than other operators, and Newton steps accept only a matrix or the identity.
	// NewConstraint saves work if several problems have the same A.
	Constraint Operator
	// Coupling holds B and c of A x + B y = c; nil means B = −I and c = 0.
	Coupling *Coupling
	// Domain is X; nil means all of R^p.
	Domain Domain
	// Comm connects several processes, called ranks. Each has a shard of the rows, with at least one row.
	// Data, Labels and SampleWeights are the shard of this rank; everything else must be the same on all
	// ranks. All ranks must call Minimize, and the methods of the Problem, together. nil means that this
	// process has all rows.
	Comm dist.Comm

	// Set by join; zero before.
	joinedTeam *rows.Team // the processes of Comm; nil for a single process
	threads    int        // Settings.Threads
}

// Evaluation is the objective at a point, with the loss and the penalty there.
type Evaluation struct {
	Objective float64 // Loss + L2 term + Penalty
	Loss      float64 // mean loss over the samples, with SampleWeights the weighted mean
	Penalty   float64 // g(y)
}

// Evaluate returns the objective at the point (x, y) that satisfies the constraint. By default this is
// (x, A x). If the field B of Coupling is set, y does not follow from x, and penalty and objective are
// NaN. p must be a problem that Validate accepts. Evaluate panics if len(x) is not the
// number of features.
func (p *Problem) Evaluate(x []float64) Evaluation {
	y, ok := p.coupling().Y(p.applyA(x))
	if !ok {
		return p.evaluate(x, math.NaN())
	}
	return p.evaluate(x, p.penalty().Value(y))
}

func (p *Problem) evaluate(x []float64, penalty float64) Evaluation {
	_, cols := p.Data.Dims()
	if len(x) != cols {
		panic(fmt.Sprintf("solver: point of length %d for %d features", len(x), cols))
	}
	ev := Evaluation{Penalty: penalty}
	if slices.ContainsFunc(x, func(v float64) bool { return v != 0 }) {
		ev.Loss = p.meanLoss(x)
	} else {
		ev.Loss = p.lossAtZero() // needs no pass over the data
	}
	ev.Objective = ev.Loss + ev.Penalty + p.ridge(x)
	return ev
}

// applyA returns A x. If Constraint is nil, it returns x itself, not a copy.
func (p *Problem) applyA(x []float64) []float64 {
	if p.Constraint == nil {
		return x
	}
	l, _ := p.Constraint.Dims()
	ax := make([]float64, l)
	p.Constraint.MulVec(ax, x)
	return ax
}

// samples returns the samples of p in the form of package rows. data holds the rows of p.Data, perhaps in a
// compact form; it may be empty if only the labels and weights are needed.
func (p *Problem) samples(data kernels.Rows) rows.Data {
	return rows.Data{Team: p.team(), Rows: data, Labels: p.Labels, Weights: p.SampleWeights, Loss: p.loss()}
}

// meanLoss returns the weighted mean loss at x.
func (p *Problem) meanLoss(x []float64) float64 {
	n, _ := p.Data.Dims()
	return rows.MeanLoss(rows.NewChunks(p.Data, p.threads), p.samples(p.Data.Rows(0, n)), x)
}

func (p *Problem) lossAtZero() float64 {
	return rows.MeanLossAtZero(p.samples(kernels.Rows{}))
}

// unit returns the number to which tolerances are relative: the mean loss at margin zero, or for counts the
// mean loss of the best model with an intercept alone.
func (p *Problem) unit() float64 {
	l := p.loss()
	if l.Traits().Labels != term.Counts {
		return p.lossAtZero()
	}
	label, slope := p.samples(kernels.Rows{}).MeanLabelAndSlope(nil)
	return l.Traits().Labels.ToleranceUnit(p.lossAtZero(), label, slope)
}

// isRegression reports whether labels are numbers that margins approximate, and not classes or counts.
func (p *Problem) isRegression() bool { return p.loss().Traits().Labels == term.Numbers }

// unboundedCurvature reports whether the curvature of the loss has no bound. Then only Newton steps are
// possible.
func (p *Problem) unboundedCurvature() bool { return math.IsInf(p.loss().Curvature(), 1) }

// ridge returns (mu/2)|x|². The conversion to float64 keeps compilers from fusing the product with the
// caller's sum.
func (p *Problem) ridge(x []float64) float64 {
	return float64(0.5 * p.L2 * linalg.SumSquares(x))
}

// loss, penalty and domain return the parts of p as types of package term. A nil Domain stays nil.
func (p *Problem) loss() term.Loss       { return term.LossOf(p.Loss) }
func (p *Problem) penalty() term.Penalty { return term.PenaltyOf(p.Penalty) }
func (p *Problem) domain() term.Set      { return term.SetOf(p.Domain) }

// project moves x to the nearest point of the domain. Without a domain, x does not change.
func (p *Problem) project(x []float64) {
	if p.Domain != nil {
		p.Domain.Project(x)
	}
}

// checkLabels returns an error if the loss does not accept the labels. See validate for outOfCore.
func (p *Problem) checkLabels(outOfCore bool) error {
	accepted := outOfCore
	if outOfCore {
		for lo, hi := range rows.Parts(p.Data, rows.PartRows) {
			accepted = accepted && p.loss().Validate(p.Labels[lo:hi]) == nil
		}
	}
	if accepted {
		return nil
	}
	return p.loss().Validate(p.Labels) // all labels, for the row number in the error
}

// checkWeights returns an error unless the sample weights are nil, or n numbers ≥ 0 with a positive and finite
// sum that is not extremely small.
func (p *Problem) checkWeights(n int) error {
	if err := term.CheckWeights("Problem.SampleWeights", p.SampleWeights, n); err != nil {
		return err
	}
	sum := rows.Mass(p.SampleWeights, n)
	if sum == 0 || math.IsInf(sum, 0) {
		return errorf("Problem.SampleWeights sum to %v; at least one must be positive and the sum finite", sum)
	}
	if math.IsInf(float64(n)/sum, 0) {
		return errorf("Problem.SampleWeights sum to %v, which is too small; multiply all by the same large number", sum)
	}
	return nil
}

// Validate returns an error for the first mistake in p, or nil.
func (p *Problem) Validate() error { return p.validate(false) }

// validate is Validate. If outOfCore is true, it reads the labels part by part, and releases the memory of
// each part.
func (p *Problem) validate(outOfCore bool) error {
	if p == nil || p.Data == nil {
		return errorf("Problem.Data is nil; it must hold the samples")
	}
	n, cols := p.Data.Dims()
	switch {
	case n == 0 || cols == 0:
		return errorf("Problem.Data is %d x %d; it needs at least one sample and one feature", n, cols)
	case n > math.MaxInt32:
		return errorf("Problem.Data has %d rows; at most %d are supported", n, math.MaxInt32)
	case len(p.Labels) != n:
		return errorf("Problem.Labels has length %d; Data has %d rows", len(p.Labels), n)
	case !(p.L2 >= 0) || math.IsInf(p.L2, 0):
		return errorf("Problem.L2 = %v; it must be finite and not negative", p.L2)
	}
	if err := p.checkLabels(outOfCore); err != nil {
		return err
	}
	if err := term.CheckInfimum(p.loss(), p.Labels); err != nil {
		return err
	}
	if err := p.checkWeights(n); err != nil {
		return err
	}
	l := cols
	if p.Constraint != nil {
		a := p.Constraint
		if c, ok := a.(*Constraint); ok && c != nil {
			if c.algebra == nil {
				return errorf("Problem.Constraint is a Constraint that NewConstraint did not make; use NewConstraint")
			}
			a = c.Operator
		}
		if err := linalg.Check("Problem.Constraint", a); err != nil {
			return err
		}
		var c int
		l, c = p.Constraint.Dims()
		if c != cols || l == 0 {
			return errorf("Problem.Constraint is %d x %d; it must have at least one row and the %d columns of Data", l, c, cols)
		}
	}
	if b := p.coupling().B; b != nil {
		if err := linalg.Check("Coupling.B", b); err != nil {
			return err
		}
	}
	q := p.Coupling.columnCount(l)
	if q == 0 {
		return errorf("Coupling.B has no columns; y needs at least one coordinate")
	}
	if err := p.penalty().Validate(q); err != nil {
		return err
	}
	if err := p.coupling().Validate(l, p.penalty()); err != nil {
		return err
	}
	if p.Domain != nil {
		return p.Domain.Validate(cols)
	}
	return nil
}
