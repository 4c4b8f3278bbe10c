package suite

import (
	"math/rand/v2"

	"github.com/scas-admm/scas/bench/internal/measure"
	"github.com/scas-admm/scas/bench/internal/naive"
	"github.com/scas-admm/scas/kernels"
	"github.com/scas-admm/scas/sparse"
)

// data has a matrix and vectors that several cases share. The cases do not change them.
type data struct {
	x     *sparse.CSR
	rows  kernels.Rows // the rows of x, with 32-bit columns and float64 values
	n, p  int
	label []float64
	slope []float64 // slopes of the logistic loss, one per row
	w, d  []float64 // a point; the part of the gradient that is constant in an inner loop

	sampled []int32 // row numbers of the inner steps
	nnz     float64 // mean number of nonzeros of a sampled row
}

func newData(sh Shape, s Scale) *data {
	rng := rand.New(rand.NewPCG(5, 6))
	x, label := sh.Build(4)
	d := &data{
		x: x, rows: x.Rows(0, sh.Rows), n: sh.Rows, p: sh.Cols, label: label,
		slope: normal(rng, sh.Rows, 0.1),
		w:     normal(rng, sh.Cols, 0.1), d: normal(rng, sh.Cols, 1e-4),
		sampled: make([]int32, map[Scale]int{Full: 4096, Quick: 2048, Tiny: 50}[s]),
	}
	for i, margin := range d.slope {
		d.slope[i] = kernels.LogisticSlope(margin, label[i])
	}
	for k := range d.sampled {
		i := rng.IntN(d.n)
		d.sampled[k] = int32(i)
		d.nnz += float64(d.rows.Ptr[i+1]-d.rows.Ptr[i]) / float64(len(d.sampled))
	}
	return d
}

// rowBytes returns the number of bytes of the nonzeros and row pointers of a.
func rowBytes(a kernels.Rows) int {
	return int(a.Ptr[a.Len()])*entryBytes(a) + len(a.Ptr)*8
}

// entryBytes returns the number of bytes that a stores for one nonzero.
func entryBytes(a kernels.Rows) int {
	bytes := 4
	if a.Idx16 != nil {
		bytes = 2
	}
	switch {
	case a.Val != nil:
		return bytes + 8
	case a.Val32 != nil:
		return bytes + 4
	}
	return bytes
}

// withPassCosts returns c with the costs of a pass over all rows. flops is the number of operations of the
// pass. rowVectors is the number of vectors with one entry per row that the pass reads or writes.
// columnVectors is the number of vectors with one entry per column; for each nonzero the pass reads or
// changes an entry of each of them.
func (d *data) withPassCosts(
	a kernels.Rows, flops float64, rowVectors, columnVectors int, c measure.Case,
) measure.Case {
	nnz := int(d.x.NNZ())
	sequentialBytes := rowBytes(a) + rowVectors*8*d.n
	c.Unit, c.Units, c.Flops = "nnz", nnz, flops
	c.Traffic = []measure.Traffic{
		{Bytes: float64(sequentialBytes), Size: sequentialBytes + columnVectors*8*d.p},
		{Bytes: float64(columnVectors * 8 * nnz), Size: columnVectors * 8 * d.p},
	}
	return c
}

func (d *data) margins(a kernels.Rows) measure.Case {
	margin := make([]float64, d.n)
	return d.withPassCosts(a, 2*float64(d.x.NNZ()), 1, 1, measure.Case{
		Run:   func() { kernels.Margins(margin, a, d.w) },
		Naive: func() { naive.Margins(margin, d.rows, d.w) },
		State: [][]float64{margin},
	})
}

func (d *data) gradient(a kernels.Rows) measure.Case {
	z := make([]float64, d.p)
	return d.withPassCosts(a, 2*float64(d.x.NNZ()), 1, 1, measure.Case{
		Run:   func() { kernels.Gradient(z, a, d.slope) },
		Naive: func() { naive.Gradient(z, d.rows, d.slope) },
		State: [][]float64{z},
	})
}

func (d *data) marginsGradient(a kernels.Rows) measure.Case {
	z, margin, slope, sum := make([]float64, d.p), make([]float64, d.n), make([]float64, d.n),
		make([]float64, 1)
	flops := 4*float64(d.x.NNZ()) + (measure.SlopeFlops+measure.LossFlops)*float64(d.n)
	return d.withPassCosts(a, flops, 3, 2, measure.Case{
		Run: func() {
			clear(z)
			sum[0] = kernels.MarginsGradient(z, margin, slope, d.label, a, d.w, kernels.LogisticLossKind)
		},
		Naive: func() {
			clear(z)
			sum[0] = naive.MarginsGradient(z, margin, slope, d.label, d.rows, d.w)
		},
		State: [][]float64{z, margin, slope, sum},
	})
}

// hessian returns the case of the kernel that adds the Hessian of all rows to the upper triangle of a matrix.
// The unit of work is one multiply-add: the product of two nonzeros of a row, added to an entry of the
// matrix.
func (d *data) hessian(a kernels.Rows) measure.Case {
	p := d.p
	c, h, scratch := make([]float64, d.n), make([]float64, p*p), new(kernels.HessianScratch)
	additions := 0
	for i := range c {
		c[i] = d.slope[i] * d.slope[i]
		n := int(a.Ptr[i+1] - a.Ptr[i])
		additions += n * (n + 1) / 2
	}
	sequentialBytes := rowBytes(a) + 8*d.n
	return measure.Case{
		Unit: "add", Units: additions, Flops: 2 * float64(additions),
		Traffic: []measure.Traffic{
			{Bytes: float64(sequentialBytes), Size: sequentialBytes},
			{Bytes: 8 * float64(additions), Size: 4 * p * (p + 1)},
		},
		Run:       func() { kernels.Hessian(h, p, p, 0, p, a, c, scratch) },
		Naive:     func() { naive.Hessian(h, p, d.rows, c) },
		State:     [][]float64{h},
		Tolerance: 1e-10,
	}
}
