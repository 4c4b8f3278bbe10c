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

	"github.com/scas-admm/scas/sparse"
)

// A Shape describes a matrix.
type Shape struct {
	Name string
	Rows int
	Cols int
	NNZ  int // nonzeros of a typical row

	fill func(g *generator, row int)
}

// The shapes, with the number of rows of the set they are named after but for
// criteo, whose 45 million rows are cut to what streams from memory.
var (
	A9A     = Shape{"a9a", 32561, 123, 14, (*generator).oneHot}
	Covtype = Shape{"covtype", 581012, 54, 12, (*generator).mixed}
	RCV1    = Shape{"rcv1", 20242, 47236, 75, (*generator).text}
	SIDO    = Shape{"sido", 12678, 4932, 430, (*generator).oneHot}
	Criteo  = Shape{"criteo", 200000, 1000000, 39, (*generator).hashed}
)

// Resize returns s with another number of rows.
func (s Shape) Resize(rows int) Shape {
	s.Rows = rows
	return s
}

// Build returns a matrix of the shape with one label -1 or +1 per row. Equal
// seeds give equal matrices.
func (s Shape) Build(seed uint64) (*sparse.CSR, []float64) {
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
	x, err := sparse.New(s.Rows, s.Cols, g.ptr, g.idx, g.val)
	if err != nil {
		panic(fmt.Sprintf("shape: %s: %v", s.Name, err)) // the generator is wrong
	}
	return x, labels
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
	s := g.shape
	for f := range s.NNZ {
		lo, hi := f*s.Cols/s.NNZ, (f+1)*s.Cols/s.NNZ
		u := g.rng.Float64()
		g.add(lo+int(u*u*float64(hi-lo)), 1)
	}
}

// hashed is oneHot with a power law inside each field, its columns strewn over
// the field as a hash would.
func (g *generator) hashed(int) {
	s := g.shape
	for f := range s.NNZ {
		lo, hi := f*s.Cols/s.NNZ, (f+1)*s.Cols/s.NNZ
		u := g.rng.Float64()
		rank := uint64(u * u * u * float64(hi-lo))
		g.add(lo+int(rank*2654435761%uint64(hi-lo)), 1)
	}
}

// mixed has ten dense columns in [0, 1] and two one-hot fields.
func (g *generator) mixed(int) {
	const dense, first = 10, 4
	for j := range dense {
		g.add(j, 1-g.rng.Float64())
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
