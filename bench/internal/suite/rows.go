package suite

import (
	"math/rand/v2"

	"github.com/scas-admm/scas/bench/internal/measure"
	"github.com/scas-admm/scas/bench/internal/naive"
	"github.com/scas-admm/scas/bench/internal/shape"
	"github.com/scas-admm/scas/kernels"
)

// rowsGroup has the kernels that pass over all rows of a matrix.
func rowsGroup(sh shape.Shape) Group {
	return newGroup(sh, []maker[*passData]{
		{"Margins", false, (*passData).margins}, {"Gradient", false, (*passData).gradient}, {"MarginsGradient", false, (*passData).marginsGradient},
	}, newPassData, 1)
}

// passData is what the passes over one matrix share.
type passData struct {
	data          shape.Data
	nnz           int
	w, z          []float64
	margin, slope []float64
}

func newPassData(d shape.Data) *passData {
	n, p := d.Shape.Rows, d.Shape.Cols
	in := &passData{data: d, nnz: len(d.Rows.Idx), w: make([]float64, p), z: make([]float64, p), margin: make([]float64, n), slope: make([]float64, n)}
	rng := rand.New(rand.NewPCG(2, 3))
	for j := range in.w {
		in.w[j] = 0.3 * rng.NormFloat64()
	}
	for i := range in.slope {
		in.slope[i] = rng.Float64() - 0.5
	}
	return in
}

// pass fills in what the passes have in common. vectors is the number of vectors
// of one entry per row that are brought in, dense that of gathers or scatters per
// nonzero; these count as the bytes they use, at the level where the dense vector
// lives, though whole lines are brought in for them.
func (in *passData) pass(kernel string, f form, flops float64, vectors, dense int, w measure.Work) measure.Case {
	n, p := in.data.Shape.Rows, in.data.Shape.Cols
	stream := rowBytes(f.rows) + vectors*8*n
	return measure.Case{
		Kernel: kernel, Shape: f.name, Unit: "nnz", Units: in.nnz, Flops: flops,
		Traffic: []measure.Traffic{
			{Bytes: float64(stream), Size: stream + dense*8*p},
			{Bytes: float64(dense * 8 * in.nnz), Size: 8 * p},
		},
		Work: w,
	}
}

func (in *passData) margins(f form) measure.Case {
	return in.pass("Margins", f, 2*float64(in.nnz), 1, 1, measure.Work{
		Kernel: func() { kernels.Margins(in.margin, f.rows, in.w) },
		Naive:  func() { naive.Margins(in.margin, in.data.Rows, in.w) },
		State:  [][]float64{in.margin},
	})
}

func (in *passData) gradient(f form) measure.Case {
	return in.pass("Gradient", f, 2*float64(in.nnz), 1, 1, measure.Work{
		Kernel: func() { kernels.Gradient(in.z, f.rows, in.slope) },
		Naive:  func() { naive.Gradient(in.z, in.data.Rows, in.slope) },
		State:  [][]float64{in.z},
	})
}

func (in *passData) marginsGradient(f form) measure.Case {
	slope, label, sum := make([]float64, len(in.slope)), in.data.Labels, make([]float64, 1)
	flops := 4*float64(in.nnz) + (slopeFlops+lossFlops)*float64(len(label))
	return in.pass("MarginsGradient", f, flops, 3, 2, measure.Work{
		Kernel: func() {
			clear(in.z)
			sum[0] = kernels.MarginsGradient(in.z, in.margin, slope, label, f.rows, in.w, kernels.LogisticLossKind)
		},
		Naive: func() {
			clear(in.z)
			sum[0] = naive.MarginsGradient(in.z, in.margin, slope, label, in.data.Rows, in.w)
		},
		State: [][]float64{in.z, in.margin, slope, sum},
	})
}
