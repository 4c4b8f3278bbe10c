package structure

import (
	"slices"

	"github.com/scas-admm/scas/sparse"
)

// A Partition of the coordinates of x into zeros and groups that are equal up to
// sign.
type Partition struct {
	Of    []int32   // group of each coordinate, by order of first members; −1 if it is zero
	Sign  []float64 // ±1: all Sign[j]·x[j] of a group are equal
	Count int       // number of groups
}

// Partition returns the groups that the zeros and ties of the structure make; a
// coordinate that is neither is a group of its own.
func (s *Structure) Partition() Partition {
	p := len(s.zero)
	g := newGroups(p)
	for _, t := range s.ties {
		g.union(t.i, t.j, t.sign)
	}
	dead := make([]bool, p)
	for j, zero := range s.zero {
		if root, _ := g.find(int32(j)); zero {
			dead[root] = true
		}
	}
	out := Partition{Of: make([]int32, p), Sign: make([]float64, p)}
	number := make([]int32, p)
	for j := range out.Of {
		root, sign := g.find(int32(j))
		out.Sign[j] = sign
		switch {
		case dead[root] || g.odd[root]:
			out.Of[j] = -1
			continue
		case number[root] == 0:
			out.Count++
			number[root] = int32(out.Count)
		}
		out.Of[j] = number[root] - 1
	}
	return out
}

// Expand sets x, of length p, from a value per group.
func (p *Partition) Expand(x, y []float64) {
	for j, of := range p.Of {
		x[j] = 0
		if of >= 0 {
			x[j] = float64(p.Sign[j] * y[of])
		}
	}
}

// Collect sets dst to the signed sums of v, of length p, over the groups.
func (p *Partition) Collect(dst, v []float64) {
	clear(dst)
	for j, of := range p.Of {
		if of >= 0 {
			dst[of] += float64(p.Sign[j] * v[j])
		}
	}
}

// Holds reports whether x has the zeros and ties of the partition.
func (p *Partition) Holds(x []float64) bool {
	value, seen := make([]float64, p.Count), make([]bool, p.Count)
	for j, of := range p.Of {
		switch {
		case of < 0 && x[j] != 0:
			return false
		case of < 0:
		case seen[of] && p.Sign[j]*x[j] != value[of]:
			return false
		default:
			value[of], seen[of] = p.Sign[j]*x[j], true
		}
	}
	return true
}

// Groups lists the members of every group of several.
func (p *Partition) Groups() [][]int {
	all := make([][]int, p.Count)
	for j, g := range p.Of {
		if g >= 0 {
			all[g] = append(all[g], j)
		}
	}
	return slices.DeleteFunc(all, func(g []int) bool { return len(g) < 2 })
}

// Absorbs reports whether a row of a, nil for the identity, vanishes for every x of the partition.
func (p *Partition) Absorbs(a *sparse.CSR, row int) bool {
	if a == nil {
		return p.Of[row] < 0
	}
	idx, val := a.Row(row)
	if len(idx) > 2 {
		return p.absorbsLong(idx, val)
	}
	var sum float64
	group := int32(-1)
	for k, j := range idx {
		of := p.Of[j]
		switch {
		case of < 0:
			continue
		case group >= 0 && of != group:
			return false
		}
		group = of
		sum += float64(p.Sign[j] * val[k])
	}
	return sum == 0
}

// absorbsLong is Absorbs for a row of any length.
func (p *Partition) absorbsLong(idx []int32, val []float64) bool {
	sum := make(map[int32]float64, len(idx))
	for k, j := range idx {
		if of := p.Of[j]; of >= 0 {
			sum[of] += float64(p.Sign[j] * val[k])
		}
	}
	for _, v := range sum {
		if v != 0 {
			return false
		}
	}
	return true
}
