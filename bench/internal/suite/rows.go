package suite

import (
	"math/rand/v2"

	"github.com/scas-admm/scas/bench/internal/measure"
	"github.com/scas-admm/scas/bench/internal/shape"
	"github.com/scas-admm/scas/kernels"
)

// rowsGroup has the kernels that pass over all rows of a matrix.
func rowsGroup(s Scale, sh shape.Shape) Group {
	names := []string{"Margins", "Gradient", "MarginsGradient"}
	g := Group{}
	for _, n := range names {
		g.Names = append(g.Names, n+"/"+sh.Name)
	}
	g.Build = func() []measure.Case {
		x, label := sh.Build(1)
		n, p := x.Dims()
		a := x.Rows(0, n)
		nnz := int(x.NNZ())
		rng := rand.New(rand.NewPCG(2, 3))
		w, z := make([]float64, p), make([]float64, p)
		for j := range w {
			w[j] = 0.3 * rng.NormFloat64()
		}
		margin, slope := make([]float64, n), make([]float64, n)
		for i := range slope {
			slope[i] = rng.Float64() - 0.5
		}
		sum := make([]float64, 1)

		// Gathers and scatters count as the bytes they use, at the level where
		// the dense vector lives, though whole lines are brought in for them.
		traffic := func(vectors, dense int) []measure.Traffic {
			stream := rowBytes(a) + vectors*8*n
			return []measure.Traffic{
				{Bytes: float64(stream), Size: stream + dense*8*p},
				{Bytes: float64(dense * 8 * nnz), Size: 8 * p},
			}
		}
		return []measure.Case{{
			Kernel: "Margins", Shape: sh.Name, Unit: "nnz", Units: nnz,
			Flops: 2 * float64(nnz), Traffic: traffic(1, 1),
			Work: measure.Work{
				Kernel: func() { kernels.Margins(margin, a, w) },
				Naive:  func() { naiveMargins(margin, a, w) },
				State:  [][]float64{margin},
			},
		}, {
			Kernel: "Gradient", Shape: sh.Name, Unit: "nnz", Units: nnz,
			Flops: 2 * float64(nnz), Traffic: traffic(1, 1),
			Work: measure.Work{
				Kernel: func() { kernels.Gradient(z, a, slope) },
				Naive:  func() { naiveGradient(z, a, slope) },
				State:  [][]float64{z},
			},
		}, {
			Kernel: "MarginsGradient", Shape: sh.Name, Unit: "nnz", Units: nnz,
			Flops:   4*float64(nnz) + (slopeFlops+lossFlops)*float64(n),
			Traffic: traffic(3, 2),
			Work: measure.Work{
				Kernel: func() {
					clear(z)
					sum[0] = kernels.MarginsGradient(z, margin, slope, label, a, w, kernels.LogisticLossKind)
				},
				Naive: func() {
					clear(z)
					sum[0] = naiveMarginsGradient(z, margin, slope, label, a, w)
				},
				State: [][]float64{z, margin, slope, sum},
			},
		}}
	}
	return g
}
