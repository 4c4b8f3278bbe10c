package quadratic

import (
	"math"

	"github.com/scas-admm/scas/sparse"
)

// A Structure says which coordinates of x are zero and which are tied.
type Structure struct {
	zero []bool
	ties []tie
}

// A tie says x_i = factor·x_j.
type tie struct {
	i, j   int32
	factor float64
}

// ReadStructure reads the structure of x, of length p, off y = A x. Rows of A with one entry
// whose y is zero mark a zero coordinate; rows with two entries whose
// y is zero tie two coordinates. a is nil for A = I. Rows whose limit is zero are
// not penalised and say nothing; limit may be nil.
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

// Zeros returns x with zeros where y has them.
func (s *Structure) Zeros(x []float64) []float64 {
	c := make([]float64, len(x))
	for j, v := range x {
		if !s.zero[j] {
			c[j] = v
		}
	}
	return c
}

// Ties returns x with every group of tied coordinates at the values closest to those of x, or at
// zero if one of them is zero.
func (s *Structure) Ties(x []float64) []float64 {
	part := s.Partition()
	y, c := make([]float64, part.Count), make([]float64, len(x))
	part.Nearest(y, x)
	part.Expand(c, y)
	return c
}

// rounding is what the sum of terms of one sign may be off, as a part of it.
const rounding = 16 * 0x1p-52

// MakeExact returns x with the structure exact, and whether it does so. Of the two candidates,
// zeros alone and zeros with ties at the mean of the tied, moved where they have to lie
// by project, the best is taken unless both have a larger value than x, by more than
// rounding may make of equal ones.
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

// groups is a union-find structure in which every member carries its factor: x of the member is
// that times x of the root.
type groups struct {
	parent []int32
	factor []float64
	odd    []bool // ties contradict each other: the group is zero
}

func newGroups(n int) *groups {
	g := &groups{make([]int32, n), make([]float64, n), make([]bool, n)}
	for j := range n {
		g.parent[j], g.factor[j] = int32(j), 1
	}
	return g
}

// find returns the root of j and the factor of j relative to it.
func (g *groups) find(j int32) (root int32, factor float64) {
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

// union ties x_i = factor·x_j.
func (g *groups) union(i, j int32, factor float64) {
	ri, fi := g.find(i)
	rj, fj := g.find(j)
	if ri == rj {
		g.odd[ri] = g.odd[ri] || differ(fi, float64(factor*fj))
		return
	}
	g.parent[rj], g.factor[rj] = ri, fi/(factor*fj)
	g.odd[ri] = g.odd[ri] || g.odd[rj]
}

// agree is how much products of the same factors may differ by rounding, as a part of them.
const agree = 1e-12

func differ(a, b float64) bool { return math.Abs(a-b) > agree*math.Abs(a) }
