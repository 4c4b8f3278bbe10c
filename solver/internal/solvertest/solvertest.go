// Package solvertest has helpers for the tests of several packages: test problems, a naive SCAS-ADMM
// (Naive), and measurements of memory.
package solvertest

import (
	"context"
	"math"
	"slices"
	"testing"

	"github.com/scas-admm/scas/solver"
	"github.com/scas-admm/scas/sparse"
	"github.com/scas-admm/scas/sparse/graph"
	"github.com/scas-admm/scas/sparse/sparsetest"
)

// LoadProblem returns a problem without a penalty, with the samples of a LIBSVM file of the test data.
func LoadProblem(t testing.TB, name string, features int) *solver.Problem {
	t.Helper()
	ds, err := sparse.ReadFile(sparsetest.DataFile(t, name), &sparse.ReadOptions{Features: features})
	if err != nil {
		t.Fatal(err)
	}
	return &solver.Problem{Data: ds.X, Labels: ds.Labels}
}

// PlantedProblem returns a synthetic problem with the fused-lasso penalty of a graph, and the data that it is
// made from. The true coefficients are equal within each connected group of features.
func PlantedProblem(t testing.TB, opt sparse.SyntheticOptions, lambda float64) (*solver.Problem, *sparse.Synthetic) {
	t.Helper()
	s, err := sparse.NewSynthetic(opt)
	if err != nil {
		t.Fatal(err)
	}
	_, p := s.X.Dims()
	g, err := graph.FromPairs(p, s.Edges)
	if err != nil {
		t.Fatal(err)
	}
	prob := &solver.Problem{
		Data: s.X, Labels: s.Labels, Penalty: solver.L1{Lambda: lambda}, Constraint: g.FusedLasso(),
	}
	if opt.Regression {
		prob.Loss = solver.Squared{}
	}
	return prob, s
}

// Minimize calls solver.Minimize, and ends the test if it returns an error.
func Minimize(t testing.TB, p *solver.Problem, s *solver.Settings) *solver.Result {
	t.Helper()
	res, err := solver.Minimize(context.Background(), p, s)
	if err != nil {
		t.Fatal(err)
	}
	return res
}

// Dot returns the inner product of x and one row of a.
func Dot(a *sparse.CSR, row int, x []float64) float64 {
	var sum float64
	idx, val := a.Row(row)
	for k, j := range idx {
		sum += val[k] * x[j]
	}
	return sum
}

// Distance returns |u − v|₂.
func Distance(u, v []float64) float64 {
	var sum float64
	for j := range u {
		sum += (u[j] - v[j]) * (u[j] - v[j])
	}
	return math.Sqrt(sum)
}

// RelativeDistance returns |u − v|₂ / |v|₂, or |u|₂ if v is 0.
func RelativeDistance(u, v []float64) float64 {
	norm := Distance(v, make([]float64, len(v)))
	if norm == 0 {
		norm = 1
	}
	return Distance(u, v) / norm
}

// LastIterate runs solver.Minimize and returns the last iterate before zeros and ties are made exact.
func LastIterate(t *testing.T, p *solver.Problem, s *solver.Settings) []float64 {
	var x []float64
	c := *s
	c.Recorder = solver.RecorderFunc(func(pt *solver.Point) error { x = slices.Clone(pt.X); return nil })
	Minimize(t, p, &c)
	return x
}

// ChainProblem returns a small PlantedProblem with the ridge mu. Its graph has a path through each group of
// features.
func ChainProblem(t testing.TB, mu float64) *solver.Problem {
	p, _ := PlantedProblem(t, sparse.SyntheticOptions{Rows: 200, Features: 15, Noise: 1, Seed: 7}, 1e-2)
	p.L2 = mu
	return p
}

// JustAnOperator hides that an operator is a matrix.
type JustAnOperator struct{ solver.Operator }
