package solver_test

import (
	"context"
	"fmt"
	"log"

	"github.com/scas-admm/scas/solver"
	"github.com/scas-admm/scas/sparse"
)

// Stochastic is a method of your own: ADMM with n steps of x, one for each of n drawn samples,
//
//	x ← x − η [ φ'(aᵢ'x; bᵢ) aᵢ + mu x + A'(beta + ρ(A x − y)) ],
//
// and then an update of y and beta. mu x and the last term are computed once, before the n steps.
type Stochastic struct{}

func (Stochastic) Info() solver.MethodInfo {
	return solver.MethodInfo{Name: "stochastic", Summary: "ADMM with stochastic steps", TakesEta: true}
}

func (Stochastic) Begin(r *solver.Run) (solver.Iteration, error) {
	eta := r.StepSize(0.5 / r.Stats.Constants.NuF)
	drawnRows := make([]int32, len(r.Problem.Labels))
	multipliers, fixedGradient := make([]float64, len(r.Dual)), make([]float64, len(r.X))
	return func() (more bool, err error) {
		if !r.Affords(1) {
			return false, nil
		}
		r.A.MulVec(multipliers, r.X)
		for k, v := range multipliers {
			multipliers[k] = r.Dual[k] + r.Stats.Rho*(v-r.Y[k])
		}
		r.A.MulVecTrans(fixedGradient, multipliers)
		for j, v := range r.X {
			fixedGradient[j] += r.Problem.L2 * v
		}
		r.Samples.Draw(drawnRows)
		for _, i := range drawnRows {
			slope := r.Samples.Slope(int(i), r.Samples.Margin(int(i), r.X))
			for j, v := range fixedGradient {
				r.X[j] -= eta * v
			}
			r.Samples.Scatter(r.X, int(i), -eta*slope)
		}
		r.Spend(1)
		r.DualStep()
		r.Average()
		return true, nil
	}, nil
}

// The step size of a stochastic method should be measured in units of 1/ν_f, where ν_f is the curvature of
// the loss times the largest |aᵢ|², plus mu. A step size in units of one over the curvature alone is too
// large: the run diverges.
func ExampleSamples_Curvature() {
	data, err := sparse.NewSynthetic(sparse.SyntheticOptions{
		Rows: 400, Features: 30, Groups: 1, GroupSize: 4, Noise: 0.5, Regression: true, Seed: 1,
	})
	if err != nil {
		log.Fatal(err)
	}
	p := &solver.Problem{Data: data.X, Labels: data.Labels, Loss: solver.Squared{}, Penalty: solver.L1{Lambda: 0.01}}
	constants, err := p.Constants(0)
	if err != nil {
		log.Fatal(err)
	}
	curvature := solver.Squared{}.Curvature()
	fmt.Printf("curvature %g, nu_f %.1f\n", curvature, constants.NuF)
	for _, eta := range []float64{0.5 / constants.NuF, 0.5 / curvature} {
		res, err := solver.Minimize(context.Background(), p, &solver.Settings{Method: Stochastic{}, Eta: eta, Passes: 20})
		if err != nil && res.Status != solver.Diverged {
			log.Fatal(err)
		}
		fmt.Printf("eta %.4f: %s\n", eta, res.Status)
	}
	// Output:
	// curvature 2, nu_f 125.9
	// eta 0.0040: passes_done
	// eta 0.2500: diverged
}
