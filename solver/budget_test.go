package solver_test

import (
	"context"
	"errors"
	"math"
	"testing"
	"time"

	"github.com/scas-admm/scas/solver"
	"github.com/scas-admm/scas/solver/internal/solvertest"
	"github.com/scas-admm/scas/sparse"
	"github.com/scas-admm/scas/sparse/graph"
)

type budgetProblem struct {
	name string
	p    *solver.Problem
	// fewSamples is true if there are fewer samples than features. A larger budget may then give a larger
	// gap, unless Newton steps are made.
	fewSamples bool
}

func budgetProblems(t *testing.T) []budgetProblem {
	problem := func(rows, features, perRow int, lambda float64) *solver.Problem {
		p, _ := solvertest.PlantedProblem(t,
			sparse.SyntheticOptions{
				Rows: rows, Features: features, NonzerosPerRow: perRow, Noise: 1, Seed: 3, Groups: 1,
				GroupSize: 3,
			},
			lambda)
		return p
	}
	fused := problem(300, 6, 6, 1e-2)
	fused.Constraint = graph.Chain(6).FusedLasso()
	wide := problem(900, 60, 20, 1e-3)
	wide.Constraint = graph.Chain(60).FusedLasso()
	elastic := problem(1000, 60, 20, 1e-3)
	elastic.L2 = 1e-3
	box := problem(500, 10, 10, 1e-3)
	box.Domain = solver.Nonnegative{}
	return []budgetProblem{
		{"fused, few features", fused, false},
		{"fused", wide, false},
		{"lasso", problem(1000, 60, 20, 1e-3), false},
		{"elastic net", elastic, false},
		{"features beside rows", problem(300, 100, 20, 1e-3), false},
		{"many features", problem(200, 300, 20, 1e-3), true},
		{"box", box, false},
	}
}

// TestLargerBudgets checks that a larger budget of passes gives no larger objective and no larger gap, until
// the goal is reached. All gaps must be valid.
func TestLargerBudgets(t *testing.T) {
	budgets := []float64{2, 4, 6, 7, 9, 12, 14, 16, 18, 20, 25, 30, 33, 46, 64, 91, 128, 200, 410, 900}
	if testing.Short() {
		budgets = []float64{2, 6, 9, 14, 18, 25, 46, 128, 900}
	}
	for _, c := range budgetProblems(t) {
		goal := 1e-6 * math.Ln2
		lowestObjective, gap, hasConverged := math.Inf(1), math.Inf(1), false
		for _, passes := range budgets {
			res, err := solver.Minimize(t.Context(), c.p, &solver.Settings{Passes: passes})
			if err != nil && !errors.Is(err, solver.ErrNotConverged) {
				t.Fatal(err)
			}
			value, steps := res.At.Objective, res.Stats.NewtonSteps
			t.Logf("%s, %g: %s, %.4g passes, %d steps, objective %.9g, gap %.2g",
				c.name, passes, res.Status, res.Stats.Passes, steps, value, res.DualityGap)
			gapGrew := res.DualityGap > math.Max(gap*(1+1e-6), goal) && (steps > 0 || !c.fewSamples)
			if converged := res.Status == solver.Converged; hasConverged && !converged ||
				!converged && (value > lowestObjective*(1+1e-12) || gapGrew) {
				t.Errorf("%s, %g passes: %s, objective %.9g, gap %.3g; fewer had %.9g, %.3g",
					c.name, passes, res.Status, value, res.DualityGap, lowestObjective, gap)
			}
			lowestObjective, gap, hasConverged = math.Min(lowestObjective, value),
				math.Min(gap, res.DualityGap), hasConverged || res.Status == solver.Converged
			if value-res.DualityGap > lowestObjective {
				t.Errorf("%s, %g passes: the bound %.9g is above an objective, %.9g",
					c.name, passes, value-res.DualityGap, lowestObjective)
			}
		}
	}
}

// A countdown is a context that ends after a number of calls of Err.
type countdown struct {
	context.Context
	callsLeft int
}

func (c *countdown) Err() error {
	c.callsLeft--
	if c.callsLeft < 0 {
		return context.Canceled
	}
	return nil
}

// TestLaterEnds checks that a run that made Newton steps never returns a larger objective than runs that were
// interrupted earlier.
func TestLaterEnds(t *testing.T) {
	for _, c := range budgetProblems(t) {
		lowestObjective := math.Inf(1)
		for calls, ended := 0, false; !ended; calls += 1 + calls/4 {
			res, err := solver.Minimize(&countdown{t.Context(), calls}, c.p, nil)
			ended = err == nil
			if !ended && !errors.Is(err, context.Canceled) {
				t.Fatal(err)
			}
			t.Logf("%s, asked %d times: %d Newton steps, objective %.9g, gap %.2g",
				c.name, calls, res.Stats.NewtonSteps, res.At.Objective, res.DualityGap)
			if value := res.At.Objective; res.Stats.NewtonSteps > 0 && value > lowestObjective*(1+1e-12) {
				t.Errorf("%s, asked %d times: objective %.9g after %.9g", c.name, calls, value, lowestObjective)
			}
			lowestObjective = math.Min(lowestObjective, res.At.Objective)
		}
	}
}

// TestBudgetOfNewtonSteps checks that a run without a goal ends when the budget allows no more Newton steps,
// and that it makes none if the budget allows none. The Poisson loss allows only Newton steps.
func TestBudgetOfNewtonSteps(t *testing.T) {
	x, err := sparse.FromDense(4, 2, []float64{1, 0, 0, 1, 1, 1, 2, -1})
	if err != nil {
		t.Fatal(err)
	}
	p := &solver.Problem{Data: x, Labels: []float64{0, 2, 1, 5}, Loss: solver.Poisson{}, Penalty: solver.L1{Lambda: 0.01}}
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	for _, passes := range []float64{2, 20} {
		res, err := solver.Minimize(ctx, p, &solver.Settings{RelTol: -1, Passes: passes})
		if err != nil {
			t.Fatal(err)
		}
		if res.Status != solver.PassesDone || (res.Stats.NewtonSteps > 0) != (passes == 20) {
			t.Errorf("%v passes: %v, %d Newton steps", passes, res.Status, res.Stats.NewtonSteps)
		}
	}
}
