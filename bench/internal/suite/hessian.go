package suite

import (
	"math/rand/v2"

	"github.com/scas-admm/scas/bench/internal/measure"
	"github.com/scas-admm/scas/bench/internal/naive"
	"github.com/scas-admm/scas/bench/internal/shape"
	"github.com/scas-admm/scas/kernels"
)

// hessianShapes returns the matrices whose Hessian is formed, of the rows of the
// scale: two with few columns, and a working set of many nonzeros a row.
func hessianShapes(s Scale) []shape.Shape {
	all := shapes(s)
	set := shape.SIDO.Resize(4000)
	if s != Full {
		set = shape.SIDO.Resize(all[len(all)-1].Rows / 2)
	}
	set.Name, set.Cols, set.NNZ = "sido-1200", 1200, 263
	return []shape.Shape{all[0], all[1], set}
}

// hessianCase adds the Hessian of all rows to h. Its unit is a multiply-add of
// two nonzeros of a row; each touches one number of the upper triangle.
func hessianCase(d shape.Data, f form) measure.Case {
	p := d.Shape.Cols
	rng := rand.New(rand.NewPCG(9, 1))
	c, h, scratch := make([]float64, d.Shape.Rows), make([]float64, p*p), kernels.NewHessianScratch()
	adds := 0
	for i := range c {
		c[i] = rng.Float64() / 4
		n := int(d.Rows.Ptr[i+1] - d.Rows.Ptr[i])
		adds += n * (n + 1) / 2
	}
	return measure.Case{
		Kernel: "Hessian", Shape: f.name, Unit: "add", Units: adds, Flops: 2 * float64(adds),
		Traffic: []measure.Traffic{
			{Bytes: float64(rowBytes(f.rows) + 8*len(c)), Size: rowBytes(f.rows) + 8*len(c)},
			{Bytes: 8 * float64(adds), Size: 4 * p * (p + 1)},
		},
		Work: measure.Work{
			Kernel:    func() { kernels.Hessian(h, p, p, f.rows, c, scratch) },
			Naive:     func() { naive.Hessian(h, p, d.Rows, c) },
			State:     [][]float64{h},
			Tolerance: 1e-10,
		},
	}
}
