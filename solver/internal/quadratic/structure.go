package quadratic

import (
	"math"
	"slices"

	"github.com/scas-admm/scas/sparse"
)

// A Structure says which coordinates of x are zero and which are tied.
type Structure struct {
	zero []bool
	ties []tie
}

// A tie means x_i = factor·x_j.
type tie struct {
	i, j   int32
	factor float64
}

// ReadStructure returns the structure of x that y = A x implies. A row of A at which y is 0 gives a zero if
// it has one entry, and a tie if it has two entries. The argument a is A; nil is the identity. Rows with
// limit 0 are ignored; a nil limit means that no row is ignored. p is the length of x.
func ReadStructure(a *sparse.CSR, y, limit []float64, p int) *Structure {
	s := &Structure{zero: make([]bool, p)}
	for row, v := range y {
		if v != 0 || limit != nil && limit[row] == 0 {
			continue
		}
		if a == nil {
			s.zero[row] = true
			continue
		}
		idx, val := a.Row(row)
		switch len(idx) {
		case 1:
			s.zero[idx[0]] = true
		case 2:
			s.ties = append(s.ties, tie{idx[0], idx[1], -val[1] / val[0]})
		}
	}
	return s
}

// Zeros returns a copy of x in which the zeros of the structure are 0.
func (s *Structure) Zeros(x []float64) []float64 {
	c := make([]float64, len(x))
	for j, v := range x {
		if !s.zero[j] {
			c[j] = v
		}
	}
	return c
}

// Ties returns the point nearest to x that has the zeros and ties of the structure. Tied coordinates are all
// zero if one of them is zero or if their ties contradict each other.
func (s *Structure) Ties(x []float64) []float64 {
	partition := s.Partition()
	y, c := make([]float64, partition.GroupCount), make([]float64, len(x))
	partition.Nearest(y, x)
	partition.Expand(c, y)
	return c
}

// rounding bounds the relative rounding error in the value of an objective.
const rounding = 16 * 0x1p-52

// MakeExact tries two candidates: x with exact zeros, and x with exact zeros and ties. project moves a
// candidate to the nearest feasible point, and value returns the objective. MakeExact refuses a candidate if
// project destroys its zeros or ties, or if its objective is larger than at x by more than rounding errors. Of the
// other candidates, it returns the one with the smallest objective, and true. If there is none, it returns x and
// false.
func (s *Structure) MakeExact(x []float64, project func(x []float64), value func(x []float64) float64) ([]float64, bool) {
	best, exact, minimum := x, false, value(x)
	minimum += float64(rounding * math.Abs(minimum))
	try := func(candidate []float64, holds func(candidate []float64) bool) {
		project(candidate)
		if v := value(candidate); v <= minimum && holds(candidate) {
			best, exact = candidate, true
			minimum = min(minimum, v+float64(rounding*math.Abs(v)))
		}
	}
	partition := s.Partition()
	try(s.Zeros(x), func(candidate []float64) bool { return slices.Equal(s.Zeros(candidate), candidate) })
	try(s.Ties(x), partition.Holds)
	return best, exact
}

// unionFind is a union-find structure in which each member j has a factor: x_j = factor[j]·x_parent[j].
type unionFind struct {
	parent []int32
	factor []float64
	// contradictory marks the roots of groups whose ties contradict each other. All members of such a group
	// are zero.
	contradictory []bool
}

func newUnionFind(n int) *unionFind {
	g := &unionFind{make([]int32, n), make([]float64, n), make([]bool, n)}
	for j := range n {
		g.parent[j], g.factor[j] = int32(j), 1
	}
	return g
}

// find returns the root of j and the factor in x_j = factor·x_root.
func (g *unionFind) find(j int32) (root int32, factor float64) {
	root, factor = j, 1
	for g.parent[root] != root {
		factor *= g.factor[root]
		root = g.parent[root]
	}
	for f := factor; g.parent[j] != root && j != root; { // compress the path
		parent, ownFactor := g.parent[j], g.factor[j]
		g.parent[j], g.factor[j] = root, f
		f /= ownFactor
		j = parent
	}
	return root, factor
}

// union adds the tie x_i = factor·x_j.
func (g *unionFind) union(i, j int32, factor float64) {
	ri, fi := g.find(i)
	rj, fj := g.find(j)
	if ri == rj {
		g.contradictory[ri] = g.contradictory[ri] || differ(fi, float64(factor*fj))
		return
	}
	g.parent[rj], g.factor[rj] = ri, fi/(factor*fj)
	g.contradictory[ri] = g.contradictory[ri] || g.contradictory[rj]
}

// agreement is the relative difference up to which two factors count as equal.
const agreement = 1e-12

func differ(a, b float64) bool { return math.Abs(a-b) > agreement*math.Abs(a) }
