package newton

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/scas-admm/scas/solver/internal/quad"
	"github.com/scas-admm/scas/solver/internal/term"
	"github.com/scas-admm/scas/sparse"
	"github.com/scas-admm/scas/sparse/graph"
	"github.com/scas-admm/scas/sparse/sparsetest"
)

// newProblem has equal limits and labels −1 and +1 made of two values.
func newProblem(x *sparse.CSR, labels []float64, loss term.Loss, a *sparse.CSR, lambda, mu float64) *Problem {
	_, features := x.Dims()
	p := &Problem{Data: x, Rows: x.Compact(nil), Labels: labels, Loss: loss, Ridge: mu, Threads: 1}
	l := features
	if a == nil {
		p.A = quad.New(nil, features)
	} else {
		p.A = quad.New(a, features)
		l, _ = a.Dims()
	}
	p.Limit = make([]float64, l)
	for j := range p.Limit {
		p.Limit[j] = lambda
	}
	return p
}

// load reads a LIBSVM file; two values of labels become −1 and +1.
func load(t testing.TB, name string, features int) (*sparse.CSR, []float64) {
	t.Helper()
	ds, err := sparse.ReadLIBSVMFile(sparsetest.DataFile(t, name), &sparse.ReadOptions{Features: features})
	if err != nil {
		t.Fatal(err)
	}
	lo, hi := math.Inf(1), math.Inf(-1)
	for _, b := range ds.Labels {
		lo, hi = math.Min(lo, b), math.Max(hi, b)
	}
	labels := make([]float64, len(ds.Labels))
	for i, b := range ds.Labels {
		labels[i] = -1
		if b == hi {
			labels[i] = 1
		}
	}
	return ds.X, labels
}

// readEdges returns [G; I] of an edge list.
func readEdges(t testing.TB, name string, p int) *sparse.CSR {
	t.Helper()
	g, err := graph.ReadEdgesFile(sparsetest.DataFile(t, name), p)
	if err != nil {
		t.Fatal(err)
	}
	return g.FusedLasso()
}

// lambdaMax is the least lambda at which x = 0 is optimal for A = I.
func lambdaMax(t testing.TB, x *sparse.CSR, labels []float64, loss term.Loss) float64 {
	f := mustNew(t, newProblem(x, labels, loss, nil, 1, 0))
	pt := f.newPoint()
	f.visit(pt)
	most := 0.0
	for _, g := range pt.grad {
		most = math.Max(most, math.Abs(g))
	}
	return most
}

func mustNew(t testing.TB, p *Problem) *Finisher {
	t.Helper()
	f, err := New(p)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// rescaled multiplies columns at random by 10^u, |u| ≤ 3.
func rescaled(t testing.TB, x *sparse.CSR) *sparse.CSR {
	t.Helper()
	_, p := x.Dims()
	rng := rand.New(rand.NewPCG(17, uint64(p)))
	d := make([]float64, p)
	for j := range d {
		d[j] = math.Pow(10, 6*rng.Float64()-3)
	}
	out, err := x.ScaleColumns(d)
	if err != nil {
		t.Fatal(err)
	}
	return out
}
