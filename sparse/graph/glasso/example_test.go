package glasso_test

import (
	"fmt"
	"strings"

	"github.com/scas-admm/scas/sparse/graph"
	"github.com/scas-admm/scas/sparse/graph/glasso"
)

func ExampleEstimate() {
	c, err := graph.ReadCovariance(strings.NewReader("1 0.6 0.3\n0.6 1 0.6\n0.3 0.6 1\n"), "chain")
	if err != nil {
		fmt.Println(err)
		return
	}
	res, err := glasso.Estimate(c, glasso.Options{Penalty: 0.05})
	if err != nil {
		fmt.Println(err)
		return
	}
	// Features 0 and 2 are correlated, but only through feature 1.
	fmt.Println(res.Graph(nil).Edges())
	// Output:
	// [{0 1 1} {1 2 1}]
}
