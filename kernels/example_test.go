package kernels_test

import (
	"fmt"

	"github.com/scas-admm/scas/kernels"
)

// Three calls compute the sum of the logistic losses and its gradient: the first computes the margins, the
// second the slopes, and the third the sum of the rows, each multiplied by its slope.
func Example() {
	// The rows (1, 0, 2) and (0, 3, 0).
	a := kernels.Rows{
		Ptr:  []int64{0, 2, 3},
		Idx:  []int32{0, 2, 1},
		Val:  []float64{1, 2, 3},
		Cols: 3,
	}
	label := []float64{+1, -1}
	w := []float64{0.5, 0, -0.25}

	t := make([]float64, a.Len())
	kernels.Margins(t, a, w)
	loss := kernels.LogisticSlopes(t, t, label) // the slopes overwrite the margins
	z := make([]float64, len(w))
	kernels.Gradient(z, a, t)
	fmt.Printf("loss %.4f, gradient %.2f\n", loss, z)
	// Output: loss 1.3863, gradient [-0.50 1.50 -1.00]
}

func ExampleProxDual() {
	beta, y := []float64{0, 0}, []float64{0, 0}
	kernels.ProxDual(beta, y, []float64{3, 0.25}, []float64{1, 1}, 2)
	fmt.Println(beta, y)
	// Output: [1 0.5] [2.5 0]
}

func ExampleUse() {
	level := kernels.Active()
	if err := kernels.Use(kernels.Generic); err != nil {
		fmt.Println(err)
	}
	fmt.Println(kernels.Active())
	_ = kernels.Use(level) // this level was in use, so it is available
	// Output: generic
}
