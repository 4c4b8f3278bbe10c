// Package suite lists the kernels to measure, with their data and a plain Go loop for each kernel. Read Cases
// and Shape first.
package suite

import (
	"fmt"
	"iter"
	"math/rand/v2"
	"strings"

	"github.com/scas-admm/scas/bench/internal/measure"
	"github.com/scas-admm/scas/kernels"
)

// A vectorKernel is a kernel that works on vectors of equal length.
type vectorKernel struct {
	name    string
	vectors int     // number of vectors that the kernel reads or writes
	flops   float64 // floating-point operations per element
	// make returns the case on the vectors v, which have random numbers. make may change v.
	make func(v [][]float64) measure.Case
}

var onVectors = []vectorKernel{
	{"Dot", 2, 2, dot},
	{"LogisticSlopes", 3, measure.SlopeFlops + measure.LossFlops, logisticSlopes},
	{"SquaredSlopes", 3, 4, squaredSlopes},
	{"PoissonSlopes", 3, measure.SlopeFlops + measure.EntropyFlops/2, poissonSlopes},
	{"LogisticFenchel", 4, measure.SlopeFlops + measure.EntropyFlops, logisticFenchel},
	{"PoissonFenchel", 4, measure.SlopeFlops + measure.EntropyFlops/2, poissonFenchel},
	{"Clip", 3, 2, clip},
	{"ProxDual", 4, 6, proxDual},
}

// onRows lists the kernels that work on the rows of a matrix, and for each kernel the shapes on which it is
// measured. The ending -compact means the storage form of sparse.CSR.Compact.
var onRows = []struct {
	kernel, shapes string
	make           func(*data, kernels.Rows) measure.Case
}{
	{"Margins", "a9a a9a-compact covtype covtype-compact rcv1 sido-1200 criteo", (*data).margins},
	{"Gradient", "a9a a9a-compact covtype covtype-compact rcv1 sido-1200 criteo", (*data).gradient},
	{"MarginsGradient", "a9a a9a-compact covtype covtype-compact rcv1 criteo", (*data).marginsGradient},
	{"InnerDense", "a9a covtype", (*data).innerDense},
	{"InnerBox", "a9a", (*data).innerBox},
	{"InnerRotated", "a9a", (*data).innerRotated},
	{"InnerLazy", "a9a a9a-compact covtype rcv1 rcv1-compact criteo criteo-compact", (*data).innerLazy},
	{"InnerLazyBall", "a9a", (*data).innerLazyBall},
	{"InnerDecay", "a9a rcv1", (*data).innerDecay},
	{"Hessian", "a9a a9a-compact covtype covtype-compact sido-1200 sido-1200-compact", (*data).hessian},
}

// A Scale chooses the size of the data.
type Scale int

// The sizes of the data.
const (
	Full  Scale = iota // all shapes with all rows
	Quick              // fewer rows, and no criteo
	Tiny               // for tests; too small for meaningful times
)

func (s Scale) shapes() []Shape {
	shapes := allShapes()
	switch s {
	case Quick:
		shapes = shapes[:4]
		for i, rows := range []int{8000, 20000, 1000, 500} {
			shapes[i].Rows = rows
		}
	case Tiny:
		for i, rows := range []int{60, 60, 20, 10, 20} {
			shapes[i].Rows, shapes[i].Cols = rows, min(shapes[i].Cols, 3000)
		}
	}
	return shapes
}

// Cases returns the cases for whose names the function match returns true. A name is kernel/shape, such as
// Dot/n=123.
func Cases(s Scale, match func(name string) bool) iter.Seq[measure.Case] {
	return func(yield func(measure.Case) bool) {
		for _, n := range []int{123, 10000} {
			for _, k := range onVectors {
				if c := k.newCase(n); match(c.Kernel+"/"+c.Shape) && !yield(c) {
					return
				}
			}
		}
		for _, sh := range s.shapes() {
			var d *data
			for _, k := range onRows {
				for _, name := range strings.Fields(k.shapes) {
					shapeName, compact := strings.CutSuffix(name, "-compact")
					if shapeName != sh.Name || !match(k.kernel+"/"+name) {
						continue
					}
					if d == nil {
						d = newData(sh, s)
					}
					rows := d.rows
					if compact {
						rows = d.x.Compact(false)
					}
					c := k.make(d, rows)
					c.Kernel, c.Shape = k.kernel, name
					if !yield(c) {
						return
					}
				}
			}
		}
	}
}

func (k vectorKernel) newCase(n int) measure.Case {
	rng := rand.New(rand.NewPCG(17, uint64(n)))
	v := make([][]float64, k.vectors)
	for i := range v {
		v[i] = normal(rng, n, 1)
	}
	c := k.make(v)
	c.Kernel, c.Shape, c.Unit, c.Units = k.name, fmt.Sprintf("n=%d", n), "elem", n
	c.Flops = k.flops * float64(n)
	c.Traffic = []measure.Traffic{{Bytes: float64(8 * n * k.vectors), Size: 8 * n * k.vectors}}
	return c
}

func normal(rng *rand.Rand, n int, deviation float64) []float64 {
	v := make([]float64, n)
	for i := range v {
		v[i] = deviation * rng.NormFloat64()
	}
	return v
}
