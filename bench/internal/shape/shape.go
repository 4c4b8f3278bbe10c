// Package shape makes matrices that imitate the size, sparsity and skew of
// well-known data sets, from a seed. Benchmarks on them need no files and can
// be repeated anywhere; what matters to a kernel is the length of the rows, how
// often a column recurs, and whether the whole fits a cache.
package shape

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/scas-admm/scas/kernels"
	"github.com/scas-admm/scas/sparse"
)

// A Shape describes a matrix.
type Shape struct {
	Name string
	Rows int
	Cols int
	NNZ  int // nonzeros of a typical row

	// What is exact in fewer bytes than a float64: all values are 1, or all
	// values are float32.
	Ones, Single bool

	fill func(g *generator, row int)
}

// The shapes, with the number of rows of the set they are named after but for
// criteo, whose 45 million rows are cut to what streams from memory.
var (
	A9A     = Shape{Name: "a9a", Rows: 32561, Cols: 123, NNZ: 14, Ones: true, fill: (*generator).oneHot}
	Covtype = Shape{Name: "covtype", Rows: 581012, Cols: 54, NNZ: 12, Single: true, fill: (*generator).mixed}
	RCV1    = Shape{Name: "rcv1", Rows: 20242, Cols: 47236, NNZ: 75, fill: (*generator).text}
	SIDO    = Shape{Name: "sido", Rows: 12678, Cols: 4932, NNZ: 430, Ones: true, fill: (*generator).oneHot}
	Criteo  = Shape{Name: "criteo", Rows: 200000, Cols: 1000000, NNZ: 39, Ones: true, fill: (*generator).hashed}
)

// Resize returns s with another number of rows.
func (s Shape) Resize(rows int) Shape {
	s.Rows = rows
	return s
}

// Data is a matrix with one label -1 or +1 per row.
type Data struct {
	Shape  Shape
	Rows   kernels.Rows // columns as int32, values as float64
	Labels []float64
}

// Build makes data of the shape. Equal seeds give equal data.
func (s Shape) Build(seed uint64) Data {
	g := &generator{
		shape: s, rng: rand.New(rand.NewPCG(seed, 0xbe7c)),
		ptr: make([]int64, 1, s.Rows+1),
		idx: make([]int32, 0, s.Rows*s.NNZ+s.Rows), val: make([]float64, 0, s.Rows*s.NNZ+s.Rows),
	}
	labels := make([]float64, s.Rows)
	for i := range labels {
		s.fill(g, i)
		g.ptr = append(g.ptr, int64(len(g.idx)))
		labels[i] = 1
		if g.rng.Uint64()&3 != 0 {
			labels[i] = -1
		}
	}
	return Data{s, kernels.Rows{Ptr: g.ptr, Idx: g.idx, Val: g.val, Cols: s.Cols}, labels}
}

// CSR returns a validated copy of the matrix.
func (d Data) CSR() *sparse.CSR {
	x, err := sparse.New(d.Shape.Rows, d.Shape.Cols, slices.Clone(d.Rows.Ptr), slices.Clone(d.Rows.Idx), slices.Clone(d.Rows.Val))
	if err != nil {
		panic(fmt.Sprintf("shape: %s: %v", d.Shape.Name, err)) // the generator is wrong
	}
	return x
}

type generator struct {
	shape Shape
	rng   *rand.Rand
	ptr   []int64
	idx   []int32
	val   []float64
	order []int32 // of the columns by frequency, for text
}

func (g *generator) add(col int, val float64) {
	g.idx = append(g.idx, int32(col))
	g.val = append(g.val, val)
}

// oneHot sets one column to 1 in each of NNZ fields of equal width, low columns
// of a field more often, as in binarised tables.
func (g *generator) oneHot(int) {
	g.fields(func(u float64, width int) int { return int(u * u * float64(width)) })
}

// hashed is oneHot with a power law inside each field, its columns strewn over
// the field as a hash would.
func (g *generator) hashed(int) {
	g.fields(func(u float64, width int) int {
		return int(uint64(u*u*u*float64(width)) * 2654435761 % uint64(width))
	})
}

// fields sets one column in each field, at a place chosen by a uniform number.
func (g *generator) fields(place func(u float64, width int) int) {
	s := g.shape
	for f := range s.NNZ {
		lo, hi := f*s.Cols/s.NNZ, (f+1)*s.Cols/s.NNZ
		g.add(lo+place(g.rng.Float64(), hi-lo), 1)
	}
}

// mixed has ten dense columns in [0, 1], rounded to float32, and two one-hot
// fields.
func (g *generator) mixed(int) {
	const dense, first = 10, 4
	for j := range dense {
		g.add(j, float64(1-g.rng.Float32()))
	}
	g.add(dense+g.rng.IntN(first), 1)
	g.add(dense+first+g.rng.IntN(g.shape.Cols-dense-first), 1)
}

// text has rows of varying length over columns of power-law frequency, scaled
// to norm 1.
func (g *generator) text(int) {
	s := g.shape
	if g.order == nil {
		g.order = make([]int32, s.Cols)
		for j := range g.order {
			g.order[j] = int32(j)
		}
		g.rng.Shuffle(s.Cols, func(i, j int) { g.order[i], g.order[j] = g.order[j], g.order[i] })
	}
	want := max(1, int(float64(s.NNZ)*math.Exp(0.5*g.rng.NormFloat64()-0.125)))
	from := len(g.idx)
	for range want {
		// A density of 1/rank between 1 and Cols: Zipf's law.
		rank := int(math.Pow(float64(s.Cols), g.rng.Float64())) - 1
		g.idx = append(g.idx, g.order[min(rank+g.rng.IntN(16), s.Cols-1)])
	}
	row := g.idx[from:]
	slices.Sort(row)
	g.idx = g.idx[:from+len(slices.Compact(row))]
	var norm float64
	for range g.idx[from:] {
		v := 0.1 + g.rng.Float64()
		norm += v * v
		g.val = append(g.val, v)
	}
	for k := from; k < len(g.val); k++ {
		g.val[k] /= math.Sqrt(norm)
	}
}

// CompactName names the smallest storage that keeps the matrix exactly, such as
// u16-ones; it is empty if that is the one of Data.Rows.
func (s Shape) CompactName() string {
	idx, val := "i32", "f64"
	if s.Cols <= 1<<16 {
		idx = "u16"
	}
	switch {
	case s.Ones:
		val = "ones"
	case s.Single:
		val = "f32"
	}
	if idx+val == "i32f64" {
		return ""
	}
	return idx + "-" + val
}

// Compact returns the matrix in the storage that CompactName names.
func (d Data) Compact() kernels.Rows {
	a := d.Rows
	if d.Shape.Cols <= 1<<16 {
		a.Idx, a.Idx16 = nil, make([]uint16, len(d.Rows.Idx))
		for k, j := range d.Rows.Idx {
			a.Idx16[k] = uint16(j)
		}
	}
	switch {
	case d.Shape.Ones:
		a.Val = nil
	case d.Shape.Single:
		a.Val, a.Val32 = nil, make([]float32, len(d.Rows.Val))
		for k, v := range d.Rows.Val {
			a.Val32[k] = float32(v)
		}
	}
	return a
}
