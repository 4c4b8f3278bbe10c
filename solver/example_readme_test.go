package solver_test

import (
	"context"
	"fmt"
	"log"

	"github.com/scas-admm/scas/solver"
	"github.com/scas-admm/scas/sparse"
	"github.com/scas-admm/scas/sparse/graph"
)

// Eight features in a chain. Only the first four matter, and their coefficients are
// equal: the fused lasso finds both.
func Example() {
	data, err := sparse.NewSynthetic(sparse.SyntheticOptions{Rows: 400, Features: 8, Groups: 1, GroupSize: 4, Noise: 1, Seed: 1})
	if err != nil {
		log.Fatal(err)
	}
	res, err := solver.Minimize(context.Background(), &solver.Problem{
		Data: data.X, Labels: data.Labels,
		Constraint: graph.Chain(8).FusedLasso(), Penalty: solver.L1{Lambda: 0.04},
	}, nil)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%.3f\n", res.X)
	fmt.Printf("%s: at most %.0e above the optimum %.4f\n", res.Status, res.DualityGap, res.At.Objective)
	// Output:
	// [0.709 0.709 0.709 0.709 0.000 0.000 0.000 0.000]
	// converged: at most 7e-13 above the optimum 0.5425
}
