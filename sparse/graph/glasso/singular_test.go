package glasso

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/scas-admm/scas/sparse"
	"github.com/scas-admm/scas/sparse/graph"
	"github.com/scas-admm/scas/sparse/sparsetest"
)

// fewSamples returns the correlation matrix of n random samples of p features. If copied is true, the last
// feature is a copy of the first.
func fewSamples(t *testing.T, n, p int, seed uint64, copied bool) *graph.Covariance {
	t.Helper()
	rng := rand.New(rand.NewPCG(seed, 17))
	var entries []sparse.Triplet
	for i := range n {
		firstValue := rng.NormFloat64()
		for j := range p {
			v := firstValue
			if j > 0 && !(copied && j == p-1) {
				v = rng.NormFloat64()
			}
			entries = append(entries, sparse.Triplet{Row: i, Col: j, Value: v})
		}
	}
	x, err := sparse.FromTriplets(n, p, entries)
	sparsetest.Must(t, err)
	c, err := graph.CorrelationOf(x)
	sparsetest.Must(t, err)
	return c
}

// TestSingular checks that Estimate reaches the default gap for singular and nearly singular matrices.
func TestSingular(t *testing.T) {
	values := make([]float64, 30*30)
	for k := range values {
		values[k] = 0.999
		if k%31 == 0 {
			values[k] = 1
		}
	}
	constant, err := graph.NewCovariance(30, values)
	sparsetest.Must(t, err)
	for name, tt := range map[string]struct {
		c       *graph.Covariance
		penalty float64
	}{
		"3 samples of 10":  {fewSamples(t, 3, 10, 1, false), 0.01},
		"3 samples of 12":  {fewSamples(t, 3, 12, 2, true), 0.003},
		"12 samples of 20": {fewSamples(t, 12, 20, 3, false), 0.003},
		"a copy":           {fewSamples(t, 1000, 10, 4, true), 0.001},
		"a copy, 1e-4":     {fewSamples(t, 1000, 10, 5, true), 1e-4},
		"all .999":         {constant, 0.1},
		"all .999, 0.001":  {constant, 0.001},
	} {
		t.Run(name, func(t *testing.T) {
			res, err := Estimate(tt.c, Options{Penalty: tt.penalty})
			sparsetest.Must(t, err)
			if n := tt.c.Features(); !(res.Gap <= 1e-12*float64(n)) || math.IsNaN(res.Objective) {
				t.Errorf("objective %v, gap %v", res.Objective, res.Gap)
			}
		})
	}
}

// TestEdgesOfFewSamples checks that the error for too many edges states a smaller number, and that a graph
// with this number of edges is found.
func TestEdgesOfFewSamples(t *testing.T) {
	c := fewSamples(t, 3, 10, 6, false)
	_, err := EstimateEdges(c, 40, Options{})
	if !errors.Is(err, ErrNotConverged) {
		t.Fatalf("%v, want an error that matches ErrNotConverged", err)
	}
	sparsetest.CheckError(t, err, "40 edges", "ask for at most as many")
	var penalty string
	maxEdges := 0
	if _, scanErr := fmt.Sscanf(err.Error(), "glasso: 40 edges: penalty %s leaves %d,",
		&penalty, &maxEdges); scanErr != nil || maxEdges < 20 || maxEdges >= 40 {
		t.Fatalf("%v: %d, %v", err, maxEdges, scanErr)
	}
	for _, k := range []int{maxEdges, 10} {
		if res, err := EstimateEdges(c, k, Options{}); err != nil || res.countEdges() != k {
			t.Errorf("%d edges: %+v, %v", k, res, err)
		}
	}
}
