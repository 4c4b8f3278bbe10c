package graph_test

import (
	"fmt"
	"os"
	"strings"

	"github.com/scas-admm/scas/sparse"
	"github.com/scas-admm/scas/sparse/graph"
)

func ExampleGraph_FusedLasso() {
	g, err := graph.New(3, []graph.Edge{{I: 0, J: 1, Weight: 1}, {I: 1, J: 2, Weight: -0.5}})
	if err != nil {
		fmt.Println(err)
		return
	}
	if err := g.FusedLasso().Write(os.Stdout); err != nil {
		fmt.Println(err)
	}
	// Output:
	// 5 3 7
	// 1 1 1
	// 1 2 -1
	// 2 2 0.5
	// 2 3 0.5
	// 3 1 1
	// 4 2 1
	// 5 3 1
}

func ExampleReadEdges() {
	_, err := graph.ReadEdges(strings.NewReader("1 2\n2 9 0.5\n"), "genes.edges", 4)
	fmt.Println(err)
	// Output:
	// genes.edges:2:3: "9": expected a feature number in 1..4; set p to a larger number if the data has more features
}

func ExampleThreshold() {
	x, err := sparse.FromDense(4, 3, []float64{
		1, 2, 5,
		2, 4, 1,
		3, 6, 2,
		4, 8.5, 4,
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	c, err := graph.CorrelationOf(x)
	if err != nil {
		fmt.Println(err)
		return
	}
	g, err := graph.Threshold(c, 0.9, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(g.Edges())
	// Output:
	// [{0 1 1}]
}
