// Package suite is the list of kernels and shapes that are measured, with the
// plain Go loops they are measured against.
// README.md says what the naive series is, and where it runs another algorithm than
// the kernel.
package suite

import (
	"math/rand/v2"

	"github.com/scas-admm/scas/bench/internal/measure"
	"github.com/scas-admm/scas/bench/internal/shape"
	"github.com/scas-admm/scas/kernels"
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
	for _, sh := range hessianShapes(s) {
		groups = append(groups, newGroup(sh, []maker[shape.Data]{{"Hessian", true, hessianCase}}, func(d shape.Data) shape.Data { return d }, 1))
	}
	return append(groups, inner(s, shapes(s)[0], maker[*innerData]{"InnerRotated", false, (*innerData).rotated}))
}

// Series names all implementations that a case may have.
func Series() []string {
	var all []string
	for _, l := range kernels.Available() {
		all = append(all, l.String())
	}
	if HasSIMD() {
		all = append(all, measure.ArchSIMD)
	}
	return append(all, measure.Naive, measure.NaiveDense)
}

// shapes returns the matrices of a scale, a9a first.
func shapes(s Scale) []shape.Shape {
	all := []shape.Shape{shape.A9A, shape.Covtype, shape.RCV1, shape.SIDO, shape.Criteo}
	rows := map[Scale][]int{Quick: {8000, 20000, 1000}, Tiny: {60, 60, 20, 10, 20}}[s]
	if s == Quick {
		all = all[:len(rows)]
	}
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

// A form is a matrix in one storage.
type form struct {
	name string // of the shape, with the storage if it is not the plain one
	rows kernels.Rows
}

// A maker makes the cases of one kernel from what the cases of a shape share.
type maker[D any] struct {
	kernel string
	// compact says that the kernel reads storage other than int32 columns with
	// float64 values, and is measured on that too where the matrix is exact in it.
	compact bool
	make    func(D, form) measure.Case
}

// newGroup returns the cases of some kernels on one shape; load makes what they
// share.
func newGroup[D any](sh shape.Shape, makers []maker[D], load func(shape.Data) D, seed uint64) Group {
	compact := sh.CompactName()
	var g Group
	for _, m := range makers {
		g.Names = append(g.Names, m.kernel+"/"+sh.Name)
		if m.compact && compact != "" {
			g.Names = append(g.Names, m.kernel+"/"+sh.Name+"-"+compact)
		}
	}
	g.Build = func() []measure.Case {
		data := sh.Build(seed)
		in, plain, small := load(data), form{sh.Name, data.Rows}, form{sh.Name + "-" + compact, data.Compact()}
		var cases []measure.Case
		for _, m := range makers {
			cases = append(cases, m.make(in, plain))
			if m.compact && compact != "" {
				cases = append(cases, m.make(in, small))
			}
		}
		return cases
	}
	return g
}

// rowBytes returns what the nonzeros and pointers of a occupy.
func rowBytes(a kernels.Rows) int {
	nnz := int(a.Ptr[a.Len()] - a.Ptr[0])
	return nnz*entryBytes(a) + len(a.Ptr)*8
}

// entryBytes returns the size of one stored nonzero.
func entryBytes(a kernels.Rows) int {
	bytes := 4
	if a.Idx == nil {
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
