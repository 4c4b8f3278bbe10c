package exact

import (
	"errors"
	"math"
	"slices"

	"github.com/scas-admm/scas/sparse"
)

// setLambda sets the limits and ridges for lambda. The caller must call model.begin before the next step.
// setLambda returns the share for the next call of chooseSet, which requires the columns whose correlation
// exceeds share times their limit. After a solution for another lambda, share comes from the strong rule
// (Tibshirani and others 2012).
func (s *Solver) setLambda(lambda float64) (share float64) {
	share = 0.9
	if s.work.started && s.lambda > 0 && lambda > 0 {
		share = math.Max(0.5, math.Min(2-s.lambda/lambda, 1))
	}
	s.lambda = lambda
	for k, l := range s.Limit {
		s.limit[k] = lambda * l
	}
	for j, l := range s.Ridge {
		s.ridge[j] = lambda * l
		if s.FixedRidge != nil {
			s.ridge[j] += s.FixedRidge[j]
		}
	}
	if s.free == nil || (lambda == 0) != s.zeroLambda {
		s.zeroLambda = lambda == 0
		s.poseBounds()
	}
	s.bounds.Penalty.SetLimit(s.limit)
	s.z = make([]float64, s.bounds.Penalty.Len())
	s.set.noRoom = false
	return share
}

// allowsZero reports whether x = 0 is in the domain.
func (s *Solver) allowsZero() bool {
	zero := make([]float64, s.p)
	if s.Set != nil {
		s.Set.Project(zero)
	}
	return !slices.ContainsFunc(zero, func(v float64) bool { return v != 0 })
}

// unboundedSides reports whether coordinate j of a point in the domain can increase without end (above), and
// whether it can decrease without end (below).
func (s *Solver) unboundedSides(j int) (above, below bool) {
	switch {
	case s.Set == nil:
		return true, true
	case s.box == nil:
		return false, false
	}
	return math.IsInf(s.box.Upper[j], 1), math.IsInf(s.box.Lower[j], -1)
}

// fallsForever reports whether the loss keeps falling when the coefficients of free features in s.x are
// multiplied by larger and larger numbers. The coefficients of other features, and those that the domain
// stops, do not change.
func (s *Solver) fallsForever() bool {
	if len(s.free) == 0 {
		return false
	}
	d := make([]float64, s.p)
	for _, j := range s.free {
		if above, below := s.unboundedSides(int(j)); s.x[j] > 0 && above || s.x[j] < 0 && below {
			d[j] = s.x[j]
		}
	}
	return s.rows.lossFallsForever(d)
}

// errNoRoom is the error of LambdaMax if there are more coefficients without an L1 penalty than a working set may
// have columns.
var errNoRoom = &sparse.RemedyError{
	Err: errors.New("exact: the largest lambda is not known: the working set has no room for all coefficients without an L1 penalty"),
	Remedies: []sparse.Remedy{
		{Field: "PathSettings.Lambdas", To: "lambdas of your own"},
	},
}

// LambdaMax returns the smallest lambda for which all coefficients with a limit are zero, and moves the
// point to the solution for this lambda. The result is 0 if all correlations are 0 up to rounding. A must be I, and
// there must be no groups. If some coefficient has a ridge but no limit, LambdaMax returns +Inf and does not move
// the point. A non-nil interrupt is called before each step; its error ends the run and is returned. LambdaMax
// returns errNoRoom if there are more coefficients without a limit than a working set may have columns.
func (s *Solver) LambdaMax(interrupt func() error) (float64, error) {
	for j, l2 := range s.Ridge {
		if l2 > 0 && s.Limit[j] == 0 {
			return math.Inf(1), nil
		}
	}
	s.Start(make([]float64, s.p))
	s.work.keepsStart = false
	const lastFall = 1e-18
	huge := min(1e100, 1e300/max(slices.Max(s.Limit), slices.Max(s.Ridge)))
	tol := 1e-14
	if s.Loss.Traits().Accuracy > 0 {
		tol = 1e-12 // the loss is not computed accurately enough to prove a smaller gap
	}
	r := s.Solve(huge, &Settings{Tol: tol * s.scale, Interrupt: interrupt})
	if r.Err != nil {
		return 0, r.Err
	}
	if len(s.set.cols) == 0 { // after a dual coordinate ascent there is no working set
		s.chooseSet(1)
	}
	if s.set.noRoom {
		return 0, errNoRoom
	}
	for range 4 { // more steps until all digits of x are right, and not only the digits of P(x)
		if fall, _ := s.step(leastTol*s.scale, false); !(fall > lastFall*s.scale) {
			break
		}
	}
	s.rows.useSlopes(s.x, s.e, false)
	var lambdaMax float64
	// The rounding error of a correlation is at most noise times the norm of the column.
	noise := 0x1p-51 * float64(s.sampleCount) * math.Sqrt(s.rows.tally().Square)
	for j, l := range s.Limit {
		if l > 0 && !(s.columns.Norm != nil && s.correlation(j) <= noise*s.columns.Norm[j]) {
			lambdaMax = math.Max(lambdaMax, s.correlation(j)/l)
		}
	}
	s.lambda = lambdaMax
	return lambdaMax, nil
}

// Gradient returns X'Cα for the last dual point α, where C is the diagonal matrix of the sample weights,
// divided by their sum. After LambdaMax, this is the gradient of the loss. After Solve, some entries may be
// estimates (see gap.DataProblem.Screen). The slice is valid until the next call of a method.
func (s *Solver) Gradient() []float64 { return s.e }
