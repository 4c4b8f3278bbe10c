package suite

import (
	"math/rand/v2"
	"slices"

	"github.com/scas-admm/scas/bench/internal/measure"
	"github.com/scas-admm/scas/bench/internal/naive"
	"github.com/scas-admm/scas/bench/internal/shape"
	"github.com/scas-admm/scas/kernels"
)

// The constants of the inner loops: a step and a penalty parameter of the size
// that solves these problems, small enough that nothing runs away when a
// benchmark takes millions of steps.
const (
	eta   = 0.05
	kappa = 1e-3
)

// innerData is what the inner loops of one shape share.
type innerData struct {
	data    shape.Data
	n, p    int
	nnz     float64        // of the sampled rows, per step
	plain   *kernels.Steps // on the plain matrix
	sampled []int32
	d, w0   []float64
}

func newInnerData(d shape.Data, samples int) *innerData {
	rng := rand.New(rand.NewPCG(5, 6))
	n, p := d.Shape.Rows, d.Shape.Cols
	in := &innerData{data: d, n: n, p: p, d: make([]float64, p), w0: make([]float64, p), sampled: make([]int32, samples)}
	slope0 := make([]float64, in.n)
	for i := range slope0 {
		slope0[i] = kernels.LogisticSlope(0.1*rng.NormFloat64(), in.data.Labels[i])
	}
	for j := range in.d {
		in.d[j], in.w0[j] = 1e-4*rng.NormFloat64(), 0.1*rng.NormFloat64()
	}
	in.plain = in.steps(in.data.Rows, slope0)
	for k := range in.sampled {
		i := rng.IntN(in.n)
		in.sampled[k] = int32(i)
		in.nnz += float64(in.data.Rows.Ptr[i+1]-in.data.Rows.Ptr[i]) / float64(len(in.sampled))
	}
	return in
}

func (in *innerData) steps(a kernels.Rows, slope0 []float64) *kernels.Steps {
	return &kernels.Steps{Rows: a, Label: in.data.Labels, Slope0: slope0, Eta: eta, Scratch: kernels.NewScratch(a)}
}

// stepsOn returns the steps on a form of the matrix.
func (in *innerData) stepsOn(f form) *kernels.Steps { return in.steps(f.rows, in.plain.Slope0) }

// innerCase fills in what all inner loops have in common. flops are per step
// beside the slope, vectorBytes what is loaded beside the row.
func (in *innerData) innerCase(kernel string, f form, flops, vectorBytes float64, vectorSize int, w measure.Work) measure.Case {
	m := float64(len(in.sampled))
	return measure.Case{
		Kernel: kernel, Shape: f.name, Unit: "step", Units: len(in.sampled),
		Flops: m * (slopeFlops + flops),
		Traffic: []measure.Traffic{
			{Bytes: m * (in.nnz*float64(entryBytes(f.rows)) + 36), Size: rowBytes(f.rows)},
			{Bytes: m * vectorBytes, Size: vectorSize},
		},
		Work: w,
	}
}

// inner returns the cases of inner loops on a shape.
func inner(s Scale, sh shape.Shape, makers ...maker[*innerData]) Group {
	samples := map[Scale]int{Full: 4096, Quick: 2048, Tiny: 50}[s]
	return newGroup(sh, makers, func(d shape.Data) *innerData { return newInnerData(d, samples) }, 4)
}

// innerGroup has the inner loops for diagonal A'A. Those over whole vectors
// make sense where p is small, the projected ones are measured where they
// differ from the others.
func innerGroup(s Scale, sh shape.Shape) Group {
	dense := maker[*innerData]{"InnerDense", false, (*innerData).dense}
	lazy := maker[*innerData]{"InnerLazy", true, (*innerData).lazy}
	decay := maker[*innerData]{"InnerDecay", false, (*innerData).decay}
	makers := []maker[*innerData]{lazy}
	switch sh.Name {
	case shape.A9A.Name:
		makers = []maker[*innerData]{dense, {"InnerBox", false, (*innerData).box}, lazy, {"InnerLazyBall", true, (*innerData).lazyBall}, decay}
	case shape.Covtype.Name:
		makers = []maker[*innerData]{dense, lazy}
	case shape.RCV1.Name:
		makers = []maker[*innerData]{lazy, decay}
	}
	return inner(s, sh, makers...)
}

// affine returns c = 1 - eta*kappa and e = -eta*d of the dense kernels.
func (in *innerData) affine() (c, e []float64) {
	c, e = slices.Repeat([]float64{1 - eta*kappa}, in.p), make([]float64, in.p)
	for j, d := range in.d {
		e[j] = -eta * d
	}
	return c, e
}

func (in *innerData) dense(f form) measure.Case {
	steps := in.stepsOn(f)
	w, h, sum := slices.Clone(in.w0), make([]float64, in.p), make([]float64, in.p)
	c, e := in.affine()
	return in.innerCase("InnerDense", f, 6*in.nnz+2*float64(in.p), 8*(3*float64(in.p)+3*in.nnz), 32*in.p, measure.Work{
		Kernel: func() { kernels.InnerDense(w, h, c, e, steps, in.sampled) },
		Naive:  func() { naive.Inner(w, sum, in.d, kappa, in.plain, in.sampled) },
		State:  [][]float64{w, h, sum},
		Answer: func(bool) []float64 { return w }, Tolerance: 1e-10,
	})
}

func (in *innerData) box(f form) measure.Case {
	steps := in.stepsOn(f)
	w, sum := slices.Clone(in.w0), make([]float64, in.p)
	c, e := in.affine()
	lo, hi := slices.Repeat([]float64{-0.2}, in.p), slices.Repeat([]float64{0.2}, in.p)
	return in.innerCase("InnerBox", f, 4*in.nnz+5*float64(in.p), 8*(6*float64(in.p)+3*in.nnz), 56*in.p, measure.Work{
		Kernel: func() { kernels.InnerBox(w, sum, c, e, lo, hi, steps, in.sampled) },
		Naive:  func() { naive.InnerBox(w, sum, in.d, lo, hi, kappa, in.plain, in.sampled) },
		State:  [][]float64{w, sum},
		Answer: func(bool) []float64 { return slices.Concat(w, sum) }, Tolerance: 1e-10,
	})
}
