// Package structure reads off an iterate y of the generalised lasso which coordinates
// of x are zero and which are tied to each other.
package structure

import (
	"math"

	"github.com/scas-admm/scas/sparse"
)

// A Structure says which coordinates of x are zero and which are tied.
type Structure struct {
	zero []bool
	ties []tie
}

// A tie says x_i = sign·x_j.
type tie struct {
	i, j int32
	sign float64
}

// Read reads the structure of x, of length p, off y = A x. Rows of A with one entry
// whose y is zero mark a zero coordinate; rows with two entries of equal size whose
// y is zero tie two coordinates. a is nil for A = I. Rows whose limit is zero are
// not penalised and say nothing; limit may be nil.
func Read(a *sparse.CSR, y, limit []float64, p int) *Structure {
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
		switch {
		case len(idx) == 1:
			s.zero[idx[0]] = true
		case len(idx) == 2 && val[0] == -val[1]:
			s.ties = append(s.ties, tie{idx[0], idx[1], 1})
		case len(idx) == 2 && val[0] == val[1]:
			s.ties = append(s.ties, tie{idx[0], idx[1], -1})
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

// Ties returns x with every group of tied coordinates at their signed mean, or at
// zero if one of them is zero.
func (s *Structure) Ties(x []float64) []float64 {
	g := newGroups(len(x))
	for _, t := range s.ties {
		g.union(t.i, t.j, t.sign)
	}
	sum, count := make([]float64, len(x)), make([]int, len(x))
	dead := make([]bool, len(x))
	for j := range x {
		root, sign := g.find(int32(j))
		sum[root] += float64(sign * x[j])
		count[root]++
		dead[root] = dead[root] || s.zero[j]
	}
	c := make([]float64, len(x))
	for j := range x {
		if root, sign := g.find(int32(j)); !dead[root] && !g.odd[root] {
			c[j] = sign * (sum[root] / float64(count[root]))
		}
	}
	return c
}

// rounding is what the sum of terms of one sign may be off, as a part of it.
const rounding = 16 * 0x1p-52

// Exact returns x with the structure exact, and whether it does so. Of the two candidates,
// zeros alone and zeros with ties at the mean of the tied, moved where they have to lie
// by project, the best is taken unless both have a larger value than x, by more than
// rounding may make of equal ones.
func (s *Structure) Exact(x []float64, project func(x []float64), value func(x []float64) float64) ([]float64, bool) {
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

// groups is a union-find structure in which every member carries its sign
// relative to the root.
type groups struct {
	parent []int32
	sign   []float64
	odd    []bool // a cycle of ties asks for x = −x: the group is zero
}

func newGroups(n int) *groups {
	g := &groups{make([]int32, n), make([]float64, n), make([]bool, n)}
	for j := range n {
		g.parent[j], g.sign[j] = int32(j), 1
	}
	return g
}

// find returns the root of j and the sign of j relative to it.
func (g *groups) find(j int32) (root int32, sign float64) {
	root, sign = j, 1
	for g.parent[root] != root {
		sign *= g.sign[root]
		root = g.parent[root]
	}
	for s := sign; g.parent[j] != root && j != root; { // compress the path
		next, own := g.parent[j], g.sign[j]
		g.parent[j], g.sign[j] = root, s
		s *= own
		j = next
	}
	return root, sign
}

// union ties x_i = sign·x_j.
func (g *groups) union(i, j int32, sign float64) {
	ri, si := g.find(i)
	rj, sj := g.find(j)
	if ri == rj {
		g.odd[ri] = g.odd[ri] || si != sign*sj
		return
	}
	g.parent[rj], g.sign[rj] = ri, si*sign*sj
	g.odd[ri] = g.odd[ri] || g.odd[rj]
}
