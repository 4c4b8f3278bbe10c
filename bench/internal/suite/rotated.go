package suite

import (
	"fmt"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/scas-admm/scas/bench/internal/measure"
	"github.com/scas-admm/scas/bench/internal/naive"
	"github.com/scas-admm/scas/kernels"
	"github.com/scas-admm/scas/sparse"
	"github.com/scas-admm/scas/sparse/graph"
)

// RandomGraph returns a graph of n nodes with the given number of edges.
func RandomGraph(n, edges int, seed uint64) *graph.Graph {
	rng := rand.New(rand.NewPCG(seed, 7))
	seen := make(map[[2]int32]bool)
	pairs := make([][2]int32, 0, edges)
	for len(pairs) < edges {
		i, j := int32(rng.IntN(n)), int32(rng.IntN(n))
		if e := [2]int32{min(i, j), max(i, j)}; i != j && !seen[e] {
			seen[e] = true
			pairs = append(pairs, e)
		}
	}
	g, err := graph.FromPairs(n, pairs)
	if err != nil {
		panic(err) // pairs are distinct and in range
	}
	return g
}

// GraphEdges is the number of edges of the graph over the columns of a9a that
// the graph-guided cases use.
const GraphEdges = 291

// rotated is the inner loop in the eigenbasis of A'A. Its naive loop solves the
// same problem in the original basis with the sparse product, so both must arrive
// at the same point.
func (in *innerData) rotated(f form) measure.Case {
	gram := RandomGraph(in.p, GraphEdges, 8).FusedLasso().Gram()
	values, v := eigen(gram)
	stride := (in.p + 7) / 8 * 8
	c, e, x := make([]float64, stride), make([]float64, stride), make([]float64, in.n*stride)
	mat.NewDense(in.n, stride, x).Slice(0, in.n, 0, in.p).(*mat.Dense).Mul(dense(in.data.CSR()), v)
	times := func(v mat.Matrix, w []float64) []float64 { // v w, padded
		out := make([]float64, stride)
		mat.NewVecDense(in.p, out[:in.p]).MulVec(v, mat.NewVecDense(in.p, w[:in.p]))
		return out
	}
	for k, d := range times(v.T(), in.d) {
		e[k] = -eta * d
	}
	for k, lambda := range values {
		c[k] = 1 - eta*kappa*lambda
	}
	wr, sumr := times(v.T(), in.w0), make([]float64, stride)
	w, sum, q := slices.Clone(in.w0), make([]float64, in.p), make([]float64, in.p)
	k, err := gram.ScaleColumns(slices.Repeat([]float64{kappa}, in.p))
	if err != nil {
		panic(err) // kappa is finite
	}
	m, p := float64(len(in.sampled)), float64(stride)
	return measure.Case{
		Kernel: "InnerRotated", Shape: f.name, Unit: "step", Units: len(in.sampled),
		Flops: m * (slopeFlops + 9*p),
		Traffic: []measure.Traffic{
			{Bytes: m * (8*p + 20), Size: 8 * len(x)},
			{Bytes: m * 6 * p * 8, Size: 8 * stride * 6}, // row, next row, w, sum, c, e
		},
		Work: measure.Work{
			Kernel: func() { kernels.InnerRotated(wr, sumr, c, e, x, 0, in.plain, in.sampled) },
			Naive:  func() { naive.InnerGraph(w, sum, in.d, q, k, in.plain, in.sampled) },
			State:  [][]float64{wr, sumr, w, sum},
			Answer: func(byNaive bool) []float64 {
				if byNaive {
					return slices.Concat(w, sum)
				}
				return slices.Concat(times(v, wr)[:in.p], times(v, sumr)[:in.p])
			},
			Tolerance: 1e-10,
		},
	}
}

// dense returns a matrix with its zeros.
func dense(a *sparse.CSR) *mat.Dense {
	n, p := a.Dims()
	d := mat.NewDense(n, p, nil)
	for i := range n {
		idx, val := a.Row(i)
		for t, j := range idx {
			d.Set(i, int(j), val[t])
		}
	}
	return d
}

// eigen returns the eigenvalues of a symmetric matrix and its eigenvectors as
// columns.
func eigen(a *sparse.CSR) ([]float64, *mat.Dense) {
	n, _ := a.Dims()
	var es mat.EigenSym
	if !es.Factorize(mat.NewSymDense(n, dense(a).RawMatrix().Data), true) {
		panic(fmt.Sprintf("suite: no eigenvalues of a %d x %d matrix", n, n))
	}
	var v mat.Dense
	es.VectorsTo(&v)
	return es.Values(nil), &v
}
