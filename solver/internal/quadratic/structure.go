package quadratic

import (
	"math"

	"github.com/scas-admm/scas/sparse"
)

// A Structure records which coordinates of x are zero and which are tied.
type Structure struct {
	zero []bool
	ties []tie
}

// A tie means x_i = factor·x_j.
type tie struct {
	i, j   int32
	factor float64
}

// ReadStructure returns the structure that y = A x implies for x, of length p. A row of a with one entry
// and y = 0 marks a zero coordinate. A row with two entries and y = 0 ties two coordinates. a = nil
// means the identity. Rows with limit 0 are ignored, because they are not penalised; limit may be nil.
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

// Zeros returns a copy of x with the zeros of the structure.
func (s *Structure) Zeros(x []float64) []float64 {
	c := make([]float64, len(x))
	for j, v := range x {
		if !s.zero[j] {
			c[j] = v
		}
	}
	return c
}

// Ties returns a copy of x with the zeros and ties of the structure. The values of each group are the
// closest ones to x; a group with a zero coordinate is zero.
func (s *Structure) Ties(x []float64) []float64 {
	part := s.Partition()
	y, c := make([]float64, part.Count), make([]float64, len(x))
	part.Nearest(y, x)
	part.Expand(c, y)
	return c
}

// rounding bounds the relative error of a computed objective.
const rounding = 16 * 0x1p-52

// MakeExact returns x with the structure made exact, and true. It tries two candidates: x with exact zeros,
// and x with exact zeros and ties. project moves each to the nearest feasible point. MakeExact returns the
// candidate with the smaller value, or the second if their values are equal up to rounding. But if the
// values of both exceed the value at x by more than rounding, it returns x itself and false.
func (s *Structure) MakeExact(x []float64, project func(x []float64), value func(x []float64) float64) ([]float64, bool) {
	best, exact, least := x, false, value(x)
	least += float64(rounding * math.Abs(least))
	for _, candidate := range [][]float64{s.Zeros(x), s.Ties(x)} {
		project(candidate)
		if v := value(candidate); v <= least {
			best, exact = candidate, true
			least = min(least, v+float64(rounding*math.Abs(v)))
		}
	}
	return best, exact
}

// unionFind is a union-find structure in which every member has a factor: x_member = factor·x_parent.
type unionFind struct {
	parent []int32
	factor []float64
	// contradictory marks the roots of groups whose ties contradict each other: such a group is zero.
	contradictory []bool
}

func newUnionFind(n int) *unionFind {
	g := &unionFind{make([]int32, n), make([]float64, n), make([]bool, n)}
	for j := range n {
		g.parent[j], g.factor[j] = int32(j), 1
	}
	return g
}

// find returns the root of j, and the factor with x_j = factor·x_root.
func (g *unionFind) find(j int32) (root int32, factor float64) {
	root, factor = j, 1
	for g.parent[root] != root {
		factor *= g.factor[root]
		root = g.parent[root]
	}
	for f := factor; g.parent[j] != root && j != root; { // compress the path
		next, own := g.parent[j], g.factor[j]
		g.parent[j], g.factor[j] = root, f
		f /= own
		j = next
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

// agree is the relative difference up to which two factors count as equal.
const agree = 1e-12

func differ(a, b float64) bool { return math.Abs(a-b) > agree*math.Abs(a) }
