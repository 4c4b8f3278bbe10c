package suite

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/scas-admm/scas/sparse"
)

// A Shape describes a random matrix that is like a well-known data set in what matters for the speed of a
// kernel: how long rows are, how often each column occurs, and whether the data fit into a cache.
type Shape struct {
	Name string
	Rows int
	Cols int
	NNZ  int // number of nonzeros in each row; for rcv1 about the mean

	appendRow func(g *generator) // appends the nonzeros of a row to the generator
}

// allShapes returns the shapes. They have as many rows and columns as the data sets of the same name, except
// that criteo has fewer rows, and sido-1200 fewer rows and columns.
func allShapes() []Shape {
	return []Shape{
		A9A,
		{Name: "covtype", Rows: 581012, Cols: 54, NNZ: 12, appendRow: (*generator).mixed},
		{Name: "rcv1", Rows: 20242, Cols: 47236, NNZ: 75, appendRow: (*generator).text},
		{Name: "sido-1200", Rows: 4000, Cols: 1200, NNZ: 263, appendRow: (*generator).oneHot},
		{Name: "criteo", Rows: 200000, Cols: 1000000, NNZ: 39, appendRow: (*generator).hashed},
	}
}

// A9A is the shape of the data set a9a.
var A9A = Shape{Name: "a9a", Rows: 32561, Cols: 123, NNZ: 14, appendRow: (*generator).oneHot}

// Build makes a random matrix of the shape, and a label −1 or +1 for each row. Equal seeds give
// equal data.
func (s Shape) Build(seed uint64) (x *sparse.CSR, labels []float64) {
	g := &generator{Shape: s, rng: rand.New(rand.NewPCG(seed, 0xbe7c))}
	ptr := make([]int64, 1, s.Rows+1)
	labels = make([]float64, s.Rows)
	for i := range labels {
		s.appendRow(g)
		ptr = append(ptr, int64(len(g.idx)))
		labels[i] = 1
		if g.rng.Uint64()&3 != 0 {
			labels[i] = -1
		}
	}
	x, err := sparse.New(s.Rows, s.Cols, ptr, g.idx, g.val)
	if err != nil {
		// Cannot happen: the generator makes valid matrices.
		panic(fmt.Sprintf("suite: %s: %v", s.Name, err))
	}
	return x, labels
}

// A generator appends rows of random nonzeros to idx and val.
type generator struct {
	Shape
	rng   *rand.Rand
	idx   []int32
	val   []float64
	order []int32 // for the method text: the columns, with the most frequent column first
}

func (g *generator) add(col int, val float64) {
	g.idx = append(g.idx, int32(col))
	g.val = append(g.val, val)
}

// oneHot makes a row like a row of a binarised table. In each field (see fields), columns with a low number
// are more frequent.
func (g *generator) oneHot() {
	g.fields(func(u float64, width int) int { return int(u * u * float64(width)) })
}

// hashed makes a row like a row of hashed categories. It is like oneHot, but a few columns of each field are
// even more frequent, and they are scattered over the field.
func (g *generator) hashed() {
	g.fields(func(u float64, width int) int {
		return int(uint64(u*u*u*float64(width)) * 2654435761 % uint64(width))
	})
}

// fields divides the columns into NNZ fields of about equal width, and makes a row with a 1 in one column of
// each field. place turns a uniform random number into the column's position within the field.
func (g *generator) fields(place func(u float64, width int) int) {
	for f := range g.NNZ {
		lo, hi := f*g.Cols/g.NNZ, (f+1)*g.Cols/g.NNZ
		g.add(lo+place(g.rng.Float64(), hi-lo), 1)
	}
}

// mixed makes a row with ten values in (0, 1], rounded to float32, and two fields with a single 1 each.
func (g *generator) mixed() {
	const dense, firstWidth = 10, 4 // number of columns with values; number of columns in the first field
	for j := range dense {
		g.add(j, float64(1-g.rng.Float32()))
	}
	g.add(dense+g.rng.IntN(firstWidth), 1)
	g.add(dense+firstWidth+g.rng.IntN(g.Cols-dense-firstWidth), 1)
}

// text makes a row that imitates a document. Rows have norm 1 and different numbers of nonzeros. The
// frequencies of the columns follow a power law.
func (g *generator) text() {
	if g.order == nil {
		g.order = make([]int32, g.Cols)
		for j := range g.order {
			g.order[j] = int32(j)
		}
		g.rng.Shuffle(g.Cols, func(i, j int) { g.order[i], g.order[j] = g.order[j], g.order[i] })
	}
	want := max(1, int(float64(g.NNZ)*math.Exp(0.5*g.rng.NormFloat64()-0.125)))
	start := len(g.idx)
	for range want {
		// Position k of g.order is drawn with a probability roughly proportional to 1/(k+1) (Zipf's law). The
		// column is at one of the 16 positions from k on.
		k := int(math.Pow(float64(g.Cols), g.rng.Float64())) - 1
		g.idx = append(g.idx, g.order[min(k+g.rng.IntN(16), g.Cols-1)])
	}
	row := g.idx[start:]
	slices.Sort(row)
	g.idx = g.idx[:start+len(slices.Compact(row))]
	var norm float64
	for range g.idx[start:] {
		v := 0.1 + g.rng.Float64()
		norm += v * v
		g.val = append(g.val, v)
	}
	for k := start; k < len(g.val); k++ {
		g.val[k] /= math.Sqrt(norm)
	}
}
