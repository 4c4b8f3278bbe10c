package quadratic

import (
	"math"
	"slices"

	"github.com/scas-admm/scas/solver/internal/term"
	"github.com/scas-admm/scas/sparse"
)

// A Partition divides the coordinates of x into zeros and groups of tied coordinates. Each group has a value.
// A coordinate in a group is its factor times the value of the group.
type Partition struct {
	Group      []int32   // for each coordinate the number of its group, or −1 for a zero
	Factor     []float64 // one factor for each coordinate; at least one factor in each group is 1
	GroupCount int       // the number of groups
}

// Partition returns the partition that the zeros and ties of s imply. Tied coordinates are all zero if one of
// them is zero or if their ties contradict each other. A coordinate that is neither zero nor tied is a group
// of its own.
func (s *Structure) Partition() Partition {
	p := len(s.zero)
	g := newUnionFind(p)
	for _, t := range s.ties {
		g.union(t.i, t.j, t.factor)
	}
	zero := make([]bool, p) // zero[root] is true if the group with this root is zero
	for j, z := range s.zero {
		if root, _ := g.find(int32(j)); z {
			zero[root] = true
		}
	}
	out := Partition{Group: make([]int32, p), Factor: make([]float64, p)}
	groupNumber := make([]int32, p)
	for j := range out.Group {
		root, factor := g.find(int32(j))
		out.Factor[j] = factor
		switch {
		case zero[root] || g.contradictory[root]:
			out.Group[j] = -1
			continue
		case groupNumber[root] == 0:
			out.GroupCount++
			groupNumber[root] = int32(out.GroupCount)
		}
		out.Group[j] = groupNumber[root] - 1
	}
	return out
}

// Expand sets x to the point whose groups have the values y: x[j] is Factor[j]·y[Group[j]], or 0 if Group[j]
// is −1.
func (p *Partition) Expand(x, y []float64) {
	for j, group := range p.Group {
		x[j] = 0
		if group >= 0 {
			x[j] = float64(p.Factor[j] * y[group])
		}
	}
}

// bounds returns the bounds of the values of the groups for which the coordinates of Expand are between lower
// and upper, rounding included.
func (p *Partition) bounds(lower, upper []float64) term.Bounds {
	b := term.Bounds{Lower: make([]float64, p.GroupCount), Upper: make([]float64, p.GroupCount)}
	for k := range p.GroupCount {
		b.Lower[k], b.Upper[k] = math.Inf(-1), math.Inf(1)
	}
	for j, group := range p.Group {
		if group < 0 {
			continue
		}
		f := p.Factor[j]
		lo, hi := lower[j]/f, upper[j]/f
		if f < 0 {
			lo, hi = hi, lo
		}
		// Rounding may put the product of f and the quotient beyond the bound, by one unit in the last place.
		outside := func(y float64) bool { v := float64(f * y); return v < lower[j] || v > upper[j] }
		if outside(lo) {
			lo = math.Nextafter(lo, math.Inf(1))
		}
		if outside(hi) {
			hi = math.Nextafter(hi, math.Inf(-1))
		}
		b.Lower[group], b.Upper[group] = math.Max(b.Lower[group], lo), math.Min(b.Upper[group], hi)
	}
	return b
}

// Nearest sets y to the values of the groups for which the result of Expand is nearest to x.
func (p *Partition) Nearest(y, x []float64) {
	p.Collect(y, x)
	squares := make([]float64, p.GroupCount)
	for j, group := range p.Group {
		if group >= 0 {
			squares[group] += float64(p.Factor[j] * p.Factor[j])
		}
	}
	for k, v := range squares {
		y[k] /= v
	}
}

// Collect multiplies v by the transpose of the matrix of Expand: it sets dst[k] to the sum of Factor[j]·v[j]
// over the coordinates j of group k.
func (p *Partition) Collect(dst, v []float64) {
	clear(dst)
	for j, group := range p.Group {
		if group >= 0 {
			dst[group] += float64(p.Factor[j] * v[j])
		}
	}
}

// values returns the values of the groups in x. Each is the value of a coordinate with the factor 1.
func (p *Partition) values(x []float64) []float64 {
	y := make([]float64, p.GroupCount)
	for j, group := range p.Group {
		if group >= 0 && p.Factor[j] == 1 {
			y[group] = x[j]
		}
	}
	return y
}

// Holds reports whether all zeros and ties of the partition hold in x exactly.
func (p *Partition) Holds(x []float64) bool {
	value := p.values(x)
	for j, group := range p.Group {
		if group < 0 && x[j] != 0 || group >= 0 && x[j] != float64(p.Factor[j]*value[group]) {
			return false
		}
	}
	return true
}

// repair makes the ties of x exact if they hold up to rounding. Otherwise, or if x has a NaN, it changes
// nothing.
func (p *Partition) repair(x []float64) {
	repaired := make([]float64, len(x))
	p.Expand(repaired, p.values(x))
	if slices.EqualFunc(x, repaired, func(a, b float64) bool { return math.Abs(a-b) <= rounding*math.Abs(a) }) {
		copy(x, repaired)
	}
}

// NonzeroGroups lists the coordinates of every group that has at least two of them and is not zero in x, a
// point with the zeros and ties of the partition. It returns nil if there is no such group.
func (p *Partition) NonzeroGroups(x []float64) [][]int {
	groups := make([][]int, p.GroupCount)
	for j, g := range p.Group {
		if g >= 0 {
			groups[g] = append(groups[g], j)
		}
	}
	isLeftOut := func(g []int) bool { return len(g) < 2 || x[g[0]] == 0 }
	if groups = slices.DeleteFunc(groups, isLeftOut); len(groups) == 0 {
		return nil
	}
	return groups
}

// ImpliesZero reports whether the given row of A x is 0 for every x with the zeros and ties of the partition.
// The argument a is A; nil is the identity.
func (p *Partition) ImpliesZero(a *sparse.CSR, row int) bool {
	if a == nil {
		return p.Group[row] < 0
	}
	idx, val := a.Row(row)
	sum, size := make(map[int32]float64, len(idx)), make(map[int32]float64, len(idx))
	for k, j := range idx {
		if group := p.Group[j]; group >= 0 {
			v := float64(p.Factor[j] * val[k])
			sum[group] += v
			size[group] += math.Abs(v)
		}
	}
	for group, v := range sum {
		if math.Abs(v) > agreement*size[group] {
			return false
		}
	}
	return true
}
