package peers

import (
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/scas-admm/scas/sparse"
)

// Most functions in this file make synthetic data sets, for problems that need no files. Their seed is fixed.

func newRNG() *rand.Rand { return rand.New(rand.NewPCG(27, 0)) }

// makeDense returns n rows of p normal features. Neighbouring features have the correlation 0.5. The labels
// are a linear function f of at most 20 features, plus noise with half the standard deviation of f.
func makeDense(n, p int) (*sparse.Dataset, error) {
	r := newRNG()
	weight := make([]float64, p)
	for k := range 20 {
		weight[(k*p/20+k)%p] = r.NormFloat64()
	}
	x, y := make([]float64, 0, n*p), make([]float64, n)
	var signal float64
	for i := range n {
		z := r.NormFloat64()
		for j := range p {
			if j > 0 {
				z = 0.5*z + math.Sqrt(0.75)*r.NormFloat64()
			}
			x = append(x, z)
			y[i] += z * weight[j]
		}
		signal += y[i] * y[i] / float64(n)
	}
	for i := range y {
		y[i] += 0.5 * math.Sqrt(signal) * r.NormFloat64()
	}
	m, err := sparse.FromDense(n, p, x)
	return &sparse.Dataset{X: m, Labels: y}, err
}

func denseSpec(n, p int) Spec {
	return Spec{
		Name: fmt.Sprintf("dense %d x %d", n, p), Data: "synthetic, neighbours correlated 0.5",
		Loss: "squared",
		Read: func(string) (*sparse.Dataset, error) { return makeDense(n, p) },
	}
}

// classes returns a copy of s with the signs of the labels as classes, and with logistic loss.
func (s Spec) classes() Spec {
	readNumbers := s.Read
	s.Name, s.Loss = s.Name+", classes", "logistic"
	s.Read = func(dir string) (*sparse.Dataset, error) {
		d, err := readNumbers(dir)
		if err != nil {
			return nil, err
		}
		for i, v := range d.Labels {
			d.Labels[i] = math.Copysign(1, v)
		}
		return d, nil
	}
	return s
}

// A columnModel describes a feature of a synthetic table. The feature is computed from a standard normal
// variable z.
type columnModel struct {
	skew   float64 // the feature is exp(skew z) before it is normalised, or z if skew is 0
	corr1  float64 // correlation of z with the first hidden factor
	corr2  float64 // correlation of z with the second hidden factor; corr1² + corr2² ≤ 1
	effect float64 // coefficient of z in the label, before the labels are normalised
}

// makeTable returns a table of n rows with the given columns. Each column and the labels have mean 0 and
// standard deviation 1.
func makeTable(n int, columns []columnModel) (*sparse.Dataset, error) {
	r, p := newRNG(), len(columns)
	x, y := make([]float64, n*p), make([]float64, n)
	for i := range n {
		f, g := r.NormFloat64(), r.NormFloat64()
		y[i] = 2 * r.NormFloat64()
		for j, c := range columns {
			z := c.corr1*f + c.corr2*g + math.Sqrt(max(0, 1-c.corr1*c.corr1-c.corr2*c.corr2))*r.NormFloat64()
			y[i] += c.effect * z
			x[i*p+j] = z
			if c.skew > 0 {
				x[i*p+j] = math.Exp(c.skew * z)
			}
		}
	}
	for j := range p {
		normalise(x[j:], p)
	}
	normalise(y, 1)
	m, err := sparse.FromDense(n, p, x)
	return &sparse.Dataset{X: m, Labels: y}, err
}

// normalise shifts and scales the entries v[0], v[stride], v[2 stride], ... to mean 0 and standard
// deviation 1.
func normalise(v []float64, stride int) {
	var count, mean, square float64
	for i := 0; i < len(v); i += stride {
		count, mean, square = count+1, mean+v[i], square+v[i]*v[i]
	}
	mean /= count
	sd := math.Sqrt(square/count - mean*mean)
	for i := 0; i < len(v); i += stride {
		v[i] = (v[i] - mean) / sd
	}
}

// proteins has the columns of a table like one of protein structures: areas, counts and distances.
var proteins = []columnModel{
	{0.4, 0.98, 0.15, 0.5}, {0.46, 0.93, 0.3, 1}, {0, 0.1, 0.8, 0.7}, {0.5, 0.95, 0.2, -0.5},
	{0.4, 0.98, 0.15, -0.6}, {0.46, 0.96, 0, -0.3}, {0.47, 0.6, -0.4, 0.2}, {0.7, 0.85, -0.2, 0},
	{0, -0.7, 0.3, 0.1},
}

// houses has the columns of a table like one of houses by district: incomes, ages, rooms, people and
// coordinates.
var houses = []columnModel{
	{0.46, 0.4, 0.1, 1.5}, {0, -0.3, 0.1, 0.2}, {0.44, 0.9, 0, -0.3}, {0.41, 0.85, 0, 0.3},
	{0.7, -0.1, 0, 0}, {1.5, 0, 0, -0.2}, {0, 0.1, 0.95, -0.8}, {0, 0, -0.96, -0.8},
}

// tableSpec returns a problem with n rows of the given columns. model says what the table is like.
func tableSpec(n int, columns []columnModel, model string) Spec {
	return Spec{
		Name: fmt.Sprintf("table of %d columns", len(columns)), Data: "synthetic, like a table of " + model,
		Loss: "squared",
		Read: func(string) (*sparse.Dataset, error) { return makeTable(n, columns) },
	}
}

func madeTextSpec(n, p, perRow int) Spec {
	return Spec{
		Name: "made text", Data: "synthetic: word frequencies as of text",
		Read: func(string) (*sparse.Dataset, error) { return makeText(n, p, perRow) },
	}
}

// makeText returns n rows of norm 1 that imitate documents with p different words. A row comes from about
// perRow random words. The probability of the k-th most frequent word is roughly proportional to 1/k. Each
// row has one of 20 topics, which makes some words more likely. The labels are −1 and 1.
func makeText(n, p, perRow int) (*sparse.Dataset, error) {
	r := newRNG()
	const topics = 20
	harmonic := math.Log(float64(p) + 1)
	word := func() int { return min(p-1, int(math.Exp(r.Float64()*harmonic))-1) }
	weight, count := make([]float64, p), make([]float64, p)
	for j := range weight {
		if r.IntN(5) == 0 {
			weight[j] = r.NormFloat64()
		}
	}
	rows := make([]map[int]float64, n)
	for i := range rows {
		topic := r.IntN(topics)
		rows[i] = map[int]float64{}
		for range 1 + int(float64(perRow)*(0.3+1.4*r.Float64())) {
			j := word()
			if r.IntN(2) == 0 { // replace the word by a word of the topic with about the same frequency
				j = min(p-1, j/topics*topics+topic)
			}
			rows[i][j]++
		}
		for j := range rows[i] {
			count[j]++
		}
	}
	var entries []sparse.Triplet
	y := make([]float64, n)
	for i, row := range rows {
		words := slices.Sorted(maps.Keys(row))
		var square, margin float64
		for _, j := range words {
			row[j] = (1 + math.Log(row[j])) * math.Log(float64(n+1)/count[j])
			square += row[j] * row[j]
		}
		for _, j := range words {
			v := row[j] / math.Sqrt(square)
			margin += 4 * v * weight[j]
			entries = append(entries, sparse.Triplet{Row: i, Col: j, Value: v})
		}
		y[i] = math.Copysign(1, margin+r.NormFloat64()/2)
	}
	m, err := sparse.FromTriplets(n, p, entries)
	return &sparse.Dataset{X: m, Labels: y}, err
}

// makeWeb returns n rows of p features with the values 0 and 1. About 7 % of the values are 1, and about
// 3 % of the labels are positive. The features depend on ten hidden properties of the row, and the labels on
// three of these properties.
func makeWeb(n, p int) (*sparse.Dataset, error) {
	r := newRNG()
	const hiddenFactors = 10
	effect := make([]float64, hiddenFactors*p)
	for k := range effect {
		effect[k] = 0.5 * r.NormFloat64()
	}
	var entries []sparse.Triplet
	y := make([]float64, n)
	for i := range n {
		var f [hiddenFactors]float64
		for k := range f {
			f[k] = r.NormFloat64()
		}
		for j := range p {
			z := -2.6 - 2*float64(j)/float64(p)
			for k, v := range f {
				z += v * effect[j*hiddenFactors+k]
			}
			if r.Float64() < 1/(1+math.Exp(-z)) {
				entries = append(entries, sparse.Triplet{Row: i, Col: j, Value: 1})
			}
		}
		y[i] = -1
		if f[0]+f[1]+f[2]+0.5*r.NormFloat64() > 3.4 {
			y[i] = 1
		}
	}
	m, err := sparse.FromTriplets(n, p, entries)
	return &sparse.Dataset{X: m, Labels: y}, err
}

// firstRows returns the first n rows of d. It keeps only the columns that have at least minEntries entries in
// these rows.
func firstRows(d *sparse.Dataset, n, minEntries int) (*sparse.Dataset, error) {
	rows := make([]int, n)
	for i := range rows {
		rows[i] = i
	}
	subset, err := d.SelectRows(rows)
	if err != nil {
		return nil, err
	}
	columns := subset.X.Transpose()
	var keep []int
	_, p := d.X.Dims()
	for j := range p {
		if idx, _ := columns.Row(j); len(idx) >= minEntries {
			keep = append(keep, j)
		}
	}
	columns, err = columns.SelectRows(keep)
	if err != nil {
		return nil, err
	}
	return &sparse.Dataset{X: columns.Transpose(), Labels: subset.Labels}, nil
}
