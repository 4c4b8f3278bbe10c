package sparse

import (
	"cmp"
	"fmt"
	"math/bits"
	"math/rand/v2"
	"slices"
)

// A generator draws numbers that depend only on the seed. It uses rand.PCG, whose numbers are fixed by its
// definition, and not the methods of rand.Rand, which may change.
type generator struct{ pcg *rand.PCG }

func newGenerator(seed uint64) *generator { return &generator{rand.NewPCG(seed, 0x5ca5ad4d)} }

// integer returns a uniform random number in 0..n-1, where n > 0, by Lemire's multiplication method.
func (r *generator) integer(n int) int {
	bound := uint64(n)
	hi, lo := bits.Mul64(r.pcg.Uint64(), bound)
	if lo < bound {
		for threshold := -bound % bound; lo < threshold; {
			hi, lo = bits.Mul64(r.pcg.Uint64(), bound)
		}
	}
	return int(hi)
}

// uniform returns a uniform multiple of 2^-53 in [0, 1).
func (r *generator) uniform() float64 { return float64(r.pcg.Uint64()>>11) * 0x1p-53 }

// normal returns a nearly normal number of mean 0 and variance 1: the sum of twelve uniform numbers minus 6
// (Irwin-Hall). It needs no logarithm or cosine, whose last bits differ between machines.
func (r *generator) normal() float64 {
	s := -6.0
	for range 12 {
		s += r.uniform()
	}
	return s
}

// Split draws k of the numbers 0..n-1 without replacement. It returns them and the numbers that were not
// drawn, both in increasing order. Equal arguments give equal numbers on every machine and with every Go
// version. It panics unless 0 <= k <= n.
func Split(n, k int, seed uint64) (chosen, others []int) {
	if k < 0 || k > n {
		panic(fmt.Sprintf("sparse: Split of %d out of %d elements", k, n))
	}
	r, numbers := newGenerator(seed), make([]int, n)
	for i := range numbers {
		numbers[i] = i
	}
	for i := range k {
		j := i + r.integer(n-i)
		numbers[i], numbers[j] = numbers[j], numbers[i]
	}
	slices.Sort(numbers[:k])
	slices.Sort(numbers[k:])
	return numbers[:k:k], numbers[k:]
}

// SyntheticOptions describes a random data set with known coefficients. A zero field means its default.
type SyntheticOptions struct {
	Rows           int     // samples; default 500
	Features       int     // default 40
	NonzerosPerRow int     // entries in each row, in random columns; default all features
	Groups         int     // groups of features whose coefficients are not 0; default 3
	GroupSize      int     // features in a group; default 5
	Cliques        bool    // edges join all pairs of features in a group, instead of neighbours only
	Noise          float64 // standard deviation of the normally distributed noise in the margins; default 0
	Regression     bool    // labels are the margins with noise, instead of their signs
	Seed           uint64
}

// Synthetic is a data set whose labels are made from known coefficients.
type Synthetic struct {
	*Dataset
	// Coefficients has the known coefficients, one number per feature: constant on
	// each group of Groups, different between neighbouring groups, 0 for all other features.
	Coefficients []float64
	// Groups lists, for each group with coefficients that are not 0, its features.
	Groups [][]int
	// Edges has pairs of features of the same group, with the smaller feature first. Features are numbered
	// from 0. There are also edges between features with coefficient 0.
	Edges [][2]int32
}

// NewSynthetic returns a random problem that depends only on the options, to the last bit, on every
// machine. Entries are nearly normal (mean 0, variance 1). Group g holds the features g*GroupSize to
// (g+1)*GroupSize-1. The coefficients of the first Groups groups are 1, -1.5, 2, -1, 1.5, -2 and so on; all
// others are 0. If Regression is false, labels are -1 and +1.
func NewSynthetic(opt SyntheticOptions) (*Synthetic, error) {
	opt = opt.withDefaults()
	if err := opt.check(); err != nil {
		return nil, err
	}
	s := &Synthetic{Coefficients: make([]float64, opt.Features)}
	for g := range opt.Features / opt.GroupSize {
		firstFeature := g * opt.GroupSize
		s.Edges = append(s.Edges, opt.groupEdges(firstFeature)...)
		if g >= opt.Groups {
			continue
		}
		coefficient := 1 + float64(float64(g%3)/2)
		if g%2 == 1 {
			coefficient = -coefficient
		}
		var group []int
		for j := firstFeature; j < firstFeature+opt.GroupSize; j++ {
			s.Coefficients[j] = coefficient
			group = append(group, j)
		}
		s.Groups = append(s.Groups, group)
	}
	var err error
	s.Dataset, err = opt.draw(s.Coefficients)
	return s, err
}

func (o SyntheticOptions) withDefaults() SyntheticOptions {
	o.Rows, o.Features = cmp.Or(o.Rows, 500), cmp.Or(o.Features, 40)
	o.Groups, o.GroupSize = cmp.Or(o.Groups, 3), cmp.Or(o.GroupSize, 5)
	o.NonzerosPerRow = cmp.Or(o.NonzerosPerRow, o.Features)
	return o
}

func (o SyntheticOptions) check() error {
	switch {
	case o.Rows < 0 || o.Features < 0 || o.Groups < 0 || o.GroupSize < 0 || o.Features > MaxCols:
		return errorf("SyntheticOptions: %d rows, %d features, %d groups of %d: want positive numbers",
			o.Rows, o.Features, o.Groups, o.GroupSize)
	case o.NonzerosPerRow < 0 || o.NonzerosPerRow > o.Features:
		return errorf("SyntheticOptions.NonzerosPerRow is %d: want 0 (all) to the %d features",
			o.NonzerosPerRow, o.Features)
	case o.Groups > o.Features/o.GroupSize:
		return errorf("SyntheticOptions: %d groups of %d do not fit in %d features",
			o.Groups, o.GroupSize, o.Features)
	case !(o.Noise >= 0 && o.Noise <= 1e6):
		return errorf("SyntheticOptions.Noise is %v: want 0 to 1e6", o.Noise)
	}
	return nil
}

// groupEdges returns the edges of the group that begins with firstFeature.
func (o SyntheticOptions) groupEdges(firstFeature int) [][2]int32 {
	var edges [][2]int32
	for i := firstFeature; i < firstFeature+o.GroupSize; i++ {
		lastFeature := min(i+1, firstFeature+o.GroupSize-1)
		if o.Cliques {
			lastFeature = firstFeature + o.GroupSize - 1
		}
		for j := i + 1; j <= lastFeature; j++ {
			edges = append(edges, [2]int32{int32(i), int32(j)})
		}
	}
	return edges
}

// draw draws the samples and computes their labels from the coefficients x.
func (o SyntheticOptions) draw(x []float64) (*Dataset, error) {
	r := newGenerator(o.Seed)
	d := &Dataset{Labels: make([]float64, o.Rows)}
	ptr, idx, val := make([]int64, o.Rows+1), []int32(nil), []float64(nil)
	for i := range o.Rows {
		cols := o.rowColumns(r)
		margin := 0.0
		for _, j := range cols {
			v := r.normal()
			margin += float64(v * x[j])
			val = append(val, v)
		}
		idx = append(idx, cols...)
		ptr[i+1] = int64(len(idx))
		d.Labels[i] = margin + float64(o.Noise*r.normal())
	}
	if !o.Regression {
		d.Classes, d.Signs = Classes{Values: []float64{-1, 1}}, true
		for i, y := range d.Labels {
			d.Labels[i] = 1
			if y < 0 {
				d.Labels[i] = -1
			}
		}
		if slices.Min(d.Labels) == slices.Max(d.Labels) {
			return nil, errorf("all %d synthetic labels came out equal: want more rows or another seed",
				o.Rows)
		}
	}
	var err error
	d.X, err = New(o.Rows, o.Features, ptr, idx, val)
	d.Stats = ReadStats{Rows: o.Rows, NNZ: int64(len(idx))}
	return d, err
}

// rowColumns draws NonzerosPerRow different features, in increasing order, by Floyd's algorithm.
func (o SyntheticOptions) rowColumns(r *generator) []int32 {
	cols := make([]int32, 0, o.NonzerosPerRow)
	for top := o.Features - o.NonzerosPerRow; top < o.Features; top++ {
		j := int32(r.integer(top + 1))
		index, taken := slices.BinarySearch(cols, j)
		if taken { // top is larger than all elements of cols
			index, j = len(cols), int32(top)
		}
		cols = slices.Insert(cols, index, j)
	}
	return cols
}
