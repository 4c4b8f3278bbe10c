package quadratic

import (
	"maps"
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

// ReadPartition returns the partition of x that y = A x implies. A row of A at which y is 0 gives a zero if
// it has one entry and, if ties is true, a tie if it has two entries. Tied coordinates are all zero if one of
// them is zero or if their ties contradict each other. A coordinate that is neither zero nor tied is a group
// of its own.
//
// The argument a is A; nil is the identity. Rows with limit 0 are ignored; a nil limit means that no row is
// ignored. p is the length of x.
func ReadPartition(a *sparse.CSR, y, limit []float64, p int, ties bool) Partition {
	zeros, g := make([]bool, p), newUnionFind(p)
	for row, v := range y {
		if v != 0 || limit != nil && limit[row] == 0 {
			continue
		}
		if a == nil {
			zeros[row] = true
			continue
		}
		switch idx, val := a.Row(row); {
		case len(idx) == 1:
			zeros[idx[0]] = true
		case len(idx) == 2 && ties:
			g.union(idx[0], idx[1], -val[1]/val[0])
		}
	}
	return g.partition(zeros)
}

// partition returns the partition with the given zeros and the ties that g has.
func (g *unionFind) partition(zeros []bool) Partition {
	p := len(zeros)
	zeroRoot := make([]bool, p) // zeroRoot[root] is true if the group with this root is zero
	for j, z := range zeros {
		if root, _ := g.find(int32(j)); z {
			zeroRoot[root] = true
		}
	}
	out := Partition{Group: make([]int32, p), Factor: make([]float64, p)}
	groupNumber := make([]int32, p)
	for j := range out.Group {
		root, factor := g.find(int32(j))
		out.Factor[j] = factor
		switch {
		case zeroRoot[root] || g.contradictory[root]:
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

// reduceRows returns the given rows of a times the matrix of Expand, or nil if no row is given.
func (p *Partition) reduceRows(a *sparse.CSR, rows []int) *sparse.CSR {
	if len(rows) == 0 {
		return nil
	}
	ptr, idx, val := make([]int64, 1, len(rows)+1), []int32(nil), []float64(nil)
	for _, row := range rows {
		sums := make(map[int32]float64)
		columns, entries := a.Row(row)
		for k, j := range columns {
			if group := p.Group[j]; group >= 0 {
				sums[group] += float64(p.Factor[j] * entries[k])
			}
		}
		for _, group := range slices.Sorted(maps.Keys(sums)) {
			idx, val = append(idx, group), append(val, sums[group])
		}
		ptr = append(ptr, int64(len(idx)))
	}
	reduced, err := sparse.New(len(rows), p.GroupCount, ptr, idx, val)
	if err != nil {
		panic(err) // unreachable: the groups of a row are in order and in range
	}
	return reduced
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

// repairPart is the largest relative change that repair makes, a few rounding errors.
const repairPart = 16 * 0x1p-52

// repair makes the ties of x exact if they hold up to rounding. Otherwise, or if x has a NaN, it changes
// nothing.
func (p *Partition) repair(x []float64) {
	repaired := make([]float64, len(x))
	p.Expand(repaired, p.values(x))
	if slices.EqualFunc(x, repaired,
		func(a, b float64) bool { return math.Abs(a-b) <= repairPart*math.Abs(a) }) {
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
	groups = slices.DeleteFunc(groups, isLeftOut)
	if len(groups) == 0 {
		return nil
	}
	return groups
}

// impliesZero reports whether the given row of A x is 0 for every x with the zeros and ties of the partition.
// The argument a is A; nil is the identity.
func (p *Partition) impliesZero(a *sparse.CSR, row int) bool {
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
