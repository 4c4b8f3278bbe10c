// Package suite is the list of kernels and shapes that are measured, with the
// plain Go loops they are measured against.
//
// The naive series is what a Go programmer would write: one loop, one
// accumulator, math.Exp and math.Log1p, no FMA, no lanes. It runs the algorithm
// of the kernel with two exceptions, which the whole package exists for:
//
//   - InnerRotated is measured against the step it replaces, with the sparse
//     product A'A w of a 291-edge graph;
//   - InnerLazy and InnerDecay are measured against plain loops of the same
//     O(nnz) algorithms; the series naive-dense is the step over the whole vector
//     that they avoid.
//
// Where a matrix is exact in fewer bytes than int32 and float64 take, kernels
// that read other storage are measured on it too, against the naive loop on the
// plain matrix; the name of the shape then ends in the storage, as in
// a9a-u16-ones.
package suite

import (
	"math/rand/v2"

	"github.com/scas-admm/scas/bench/internal/measure"
	"github.com/scas-admm/scas/bench/internal/shape"
)

// A Scale chooses the size of the data.
type Scale int

// The scales.
const (
	Full  Scale = iota // as many rows as the sets imitated
	Quick              // fewer rows of the wide shapes
	Tiny               // for tests: nothing is large enough to be timed
)

// A Group is a number of cases on one set of data, which exists only while the
// group runs.
type Group struct {
	Names []string // Kernel/Shape of each case
	Build func() []measure.Case
}

// Groups returns the whole suite.
func Groups(s Scale) []Group {
	groups := denseGroups(s)
	for _, sh := range shapes(s) {
		groups = append(groups, rowsGroup(sh), innerGroup(s, sh))
	}
	return append(groups, inner(s, shapes(s)[0], maker[*innerData]{"InnerRotated", false, (*innerData).rotated}))
}

// shapes returns the matrices of a scale, a9a first.
func shapes(s Scale) []shape.Shape {
	all := []shape.Shape{shape.A9A, shape.Covtype, shape.RCV1, shape.SIDO, shape.Criteo}
	rows := map[Scale][]int{Quick: {32561, 581012, 6000, 1500, 30000}, Tiny: {60, 60, 20, 10, 20}}[s]
	for i := range rows {
		all[i] = all[i].Resize(rows[i])
	}
	if s == Tiny {
		all[2].Cols, all[4].Cols = 3000, 2000
	}
	return all
}

// vectors returns count random vectors of length n.
func vectors(n, count int) [][]float64 {
	rng := rand.New(rand.NewPCG(17, uint64(n)))
	v := make([][]float64, count)
	for i := range v {
		v[i] = make([]float64, n)
		for j := range v[i] {
			v[i][j] = rng.NormFloat64()
		}
	}
	return v
}

// Operations of the scalar functions, an FMA counted as two, a division as one.
const (
	slopeFlops = 35 // exp and the quotient
	lossFlops  = 31 // log1p beside it
)
