package solver_test

import (
	"math"
	"strings"
	"testing"

	"github.com/scas-admm/scas/solver"
	"github.com/scas-admm/scas/solver/internal/solvertest"
)

type wrongSlope struct{ solver.Logistic }

func (wrongSlope) Slope(margin, label float64) float64 {
	return 1.001 * solver.Logistic{}.Slope(margin, label)
}

type wrongCurvature struct{ solver.Squared }

func (wrongCurvature) Curvature() float64 { return 1.9 }

type wrongSecondDerivative struct{ solver.Logistic }

func (wrongSecondDerivative) SecondDerivative(_, slope, _ float64) float64 {
	return 0.2 * math.Abs(slope)
}

type wrongConjugate struct{ ownLoss }

func (wrongConjugate) Conjugate(alpha, label float64) float64 {
	return ownLoss{}.Conjugate(alpha, label) + 1e-6
}

// fallingLoss is t²/2 − bt, a squared loss whose infimum is −b²/2 and not 0.
type fallingLoss struct{ solver.Squared }

func (fallingLoss) Value(margin, label float64) float64      { return margin*margin/2 - label*margin }
func (fallingLoss) Slope(margin, label float64) float64      { return margin - label }
func (fallingLoss) SecondDerivative(_, _, _ float64) float64 { return 1 }
func (fallingLoss) Curvature() float64                       { return 1 }
func (fallingLoss) Conjugate(alpha, label float64) float64 {
	return (alpha + label) * (alpha + label) / 2
}
func (fallingLoss) ConjugateDomain(_ float64) (lo, hi float64) { return math.Inf(-1), math.Inf(1) }

// negativeLoss is a squared loss minus 3.
type negativeLoss struct{ solver.Squared }

func (negativeLoss) Value(margin, label float64) float64 {
	return solver.Squared{}.Value(margin, label) - 3
}

// shiftedLoss is a loss whose infimum is 1.
type shiftedLoss struct{ ownLoss }

func (shiftedLoss) Value(margin, label float64) float64 { return 1 + ownLoss{}.Value(margin, label) }
func (shiftedLoss) Conjugate(alpha, label float64) float64 {
	return ownLoss{}.Conjugate(alpha, label) - 1
}

type wrongProx struct{ solver.L1 }

func (g wrongProx) Prox(dst, v, step []float64) {
	for j := range dst {
		dst[j] = v[j] / (1 + step[j])
	}
}

type wrongPenaltyConjugate struct{ solver.L1 }

func (g wrongPenaltyConjugate) Conjugate([]float64) float64 { return 1e-3 }

// TestChecks checks that correct losses and penalties pass, and that the errors of incorrect ones name the
// mistake.
func TestChecks(t *testing.T) {
	for _, l := range append(solvertest.Losses(0, -1, 1), solver.Huber{Delta: 0.3}, ownLoss{}) {
		if err := solver.CheckLoss(l, []float64{-1, 1}); err != nil {
			t.Error(err)
		}
	}
	for want, l := range map[string]solver.Loss{
		"slope is": wrongSlope{}, "Curvature is": wrongCurvature{},
		"SecondDerivative is": wrongSecondDerivative{}, "φ*": wrongConjugate{},
		"the infimum of φ must be 0": negativeLoss{}, "φ*(0) is 0.5": fallingLoss{}, "like the infimum of φ": shiftedLoss{},
	} {
		if err := solver.CheckLoss(l, []float64{-1, 1}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%T: %v, want it to say %q", l, err, want)
		}
	}
	if err := solver.CheckLoss(ownLoss{}, nil); err == nil {
		t.Error("CheckLoss checks nothing without labels, and returns no error")
	}
	for _, g := range []solver.Penalty{
		solver.L1{Lambda: 0.3}, solver.L1{Lambda: 0.3, Weights: []float64{1, 0, 2, 0.5, 3}},
		solver.ElasticNet{L1: 0.2, L2: 0.7}, solver.SquaredL2{Lambda: 2},
		solver.GroupL2{Lambda: 0.4, Groups: [][]int{{0, 3}, {1, 4}}},
		solver.GroupL2{Lambda: 9, Groups: [][]int{{0, 1}}, Weights: []float64{1}},
		solver.Within{Upper: math.Inf(1)}, solver.Within{Lower: -1, Upper: 0.5},
	} {
		if err := solver.CheckPenalty(g, 5); err != nil {
			t.Error(err)
		}
	}
	for want, g := range map[string]solver.Penalty{
		"is better": wrongProx{solver.L1{Lambda: 1}}, "g*": wrongPenaltyConjugate{solver.L1{Lambda: 1}},
	} {
		if err := solver.CheckPenalty(g, 5); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%T: %v, want it to say %q", g, err, want)
		}
	}
	if v := (solver.SquaredL2{}).Conjugate([]float64{1e-170}); !math.IsInf(v, 1) {
		t.Errorf("the conjugate of 0 is %v at 1e-170", v)
	}
	if err := solver.CheckPenalty(solver.L1{Lambda: -1}, 3); err == nil {
		t.Error("a negative lambda is right")
	}
}
