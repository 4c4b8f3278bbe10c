package solver

import "math"

// round returns x with the structure of y made exact, and whether it did. Rows
// of A with one entry whose y is zero mark a zero coordinate; rows with two
// entries of equal size whose y is zero tie two coordinates. Of the two
// candidates, zeros alone and zeros with ties at the mean of the tied, the best
// is taken unless both have a larger objective than x or leave the domain.
func (r *run) round() ([]float64, bool) {
	best, value, rounded := r.x, r.prob.Evaluate(r.x).Objective, false
	if math.IsNaN(value) || math.IsInf(value, 0) {
		return best, false
	}
	zero, ties := r.structure()
	for _, candidate := range [][]float64{withZeros(r.x, zero), withTies(r.x, zero, ties)} {
		if r.prob.Domain != nil {
			r.prob.Domain.Project(candidate)
		}
		if v := r.prob.Evaluate(candidate).Objective; v <= value {
			best, value, rounded = candidate, v, true
		}
	}
	return best, rounded
}

// A tie says x_i = sign·x_j.
type tie struct {
	i, j int32
	sign float64
}

// structure reads zeros and ties off y.
func (r *run) structure() (zero []bool, ties []tie) {
	zero = make([]bool, r.p)
	a, matrix := asMatrix(r.prob.Constraint)
	if c := r.prob.Coupling; c != nil && c.C != nil || r.prob.Constraint != nil && !matrix {
		return zero, nil
	}
	for row, v := range r.y {
		if v != 0 || r.dualStep.limit != nil && r.dualStep.limit[row] == 0 {
			continue
		}
		if a == nil {
			zero[row] = true
			continue
		}
		idx, val := a.Row(row)
		switch {
		case len(idx) == 1:
			zero[idx[0]] = true
		case len(idx) == 2 && val[0] == -val[1]:
			ties = append(ties, tie{idx[0], idx[1], 1})
		case len(idx) == 2 && val[0] == val[1]:
			ties = append(ties, tie{idx[0], idx[1], -1})
		}
	}
	return zero, ties
}

func withZeros(x []float64, zero []bool) []float64 {
	c := make([]float64, len(x))
	for j, v := range x {
		if !zero[j] {
			c[j] = v
		}
	}
	return c
}

// withTies sets every group of tied coordinates to their signed mean, or to
// zero if one of them is zero.
func withTies(x []float64, zero []bool, ties []tie) []float64 {
	g := newGroups(len(x))
	for _, t := range ties {
		g.union(t.i, t.j, t.sign)
	}
	sum, count := make([]float64, len(x)), make([]int, len(x))
	dead := make([]bool, len(x))
	for j := range x {
		root, sign := g.find(int32(j))
		sum[root] += sign * x[j]
		count[root]++
		dead[root] = dead[root] || zero[j]
	}
	c := make([]float64, len(x))
	for j := range x {
		if root, sign := g.find(int32(j)); !dead[root] && !g.odd[root] {
			c[j] = sign * (sum[root] / float64(count[root]))
		}
	}
	return c
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
