package solver_test

import (
	"context"
	"fmt"
	"log"

	"github.com/scas-admm/scas/solver"
	"github.com/scas-admm/scas/sparse"
)

// Gradient is a method of your own: ADMM with a gradient step for x,
//
//	x ← x − η [ ∇f(x) + A'(beta + ρ(A x − y)) ],
//
// and then an update of y and beta. f is the mean loss plus (mu/2)|x|².
type Gradient struct{}

func (Gradient) Info() solver.MethodInfo {
	return solver.MethodInfo{Name: "gradient", Summary: "ADMM with a gradient step", TakesEta: true, AllSamples: true}
}

func (Gradient) Begin(r *solver.Run) (solver.Iteration, error) {
	eta := r.StepSize(1 / r.Stats.Constants.NuL)
	penaltyGradient, multipliers := make([]float64, len(r.X)), make([]float64, len(r.Dual))
	return func() (more bool, err error) {
		if !r.Affords(1) {
			return false, nil
		}
		r.Samples.Gradient(&r.Snapshot, r.X)
		r.Spend(1)
		r.A.MulVec(multipliers, r.X)
		for i, v := range multipliers {
			multipliers[i] = r.Dual[i] + r.Stats.Rho*(v-r.Y[i])
		}
		r.A.MulVecTrans(penaltyGradient, multipliers)
		for j, z := range r.Snapshot.Gradient {
			r.X[j] -= eta * (z + r.Problem.L2*r.X[j] + penaltyGradient[j])
		}
		r.DualStep()
		r.Average()
		return true, nil
	}, nil
}

// Minimize runs a method of your own like the methods of the module: with the same budget and
// recorder, and the same checks of the objective.
func ExampleMethod() {
	data, err := sparse.NewSynthetic(sparse.SyntheticOptions{Rows: 400, Features: 8, Groups: 1, GroupSize: 4, Noise: 1, Seed: 1})
	if err != nil {
		log.Fatal(err)
	}
	p := &solver.Problem{Data: data.X, Labels: data.Labels, Penalty: solver.L1{Lambda: 0.04}}
	for _, m := range []solver.Method{Gradient{}, solver.SCASK{}} {
		res, err := solver.Minimize(context.Background(), p, &solver.Settings{Method: m, Passes: 30})
		if err != nil {
			log.Fatal(err)
		}
		fmt.Printf("%-8s objective %.4f after %g passes\n", res.Stats.Method, res.At.Objective, res.Stats.Passes)
	}
	_, err = solver.Minimize(context.Background(), p, &solver.Settings{Method: Gradient{}, Eta: 1e6})
	fmt.Println(err)
	// Output:
	// gradient objective 0.5421 after 30 passes
	// scas-k   objective 0.5084 after 30 passes
	// solver: diverged at outer iteration 0: objective 47380.1 after 0.693147 at the start with step size eta = 1e+06; try eta = 0.169, or leave it to be chosen
}
