package quadratic

import (
	"math"
	"slices"

	"github.com/scas-admm/scas/sparse"
)

// A Partition of the coordinates of x into zeros and groups that are tied: x is a factor times the
// group's value, with factors of ±1 where A takes sums and differences of coordinates.
type Partition struct {
	Group  []int32   // group of each coordinate, by order of first members; −1 if it is zero
	Factor []float64 // of each coordinate; at least one of a group is 1
	Count  int       // number of groups
}

// Partition returns the groups that the zeros and ties of the structure make; a
// coordinate that is neither is a group of its own.
func (s *Structure) Partition() Partition {
	p := len(s.zero)
	g := newGroups(p)
	for _, t := range s.ties {
		g.union(t.i, t.j, t.factor)
	}
	dead := make([]bool, p)
	for j, zero := range s.zero {
		if root, _ := g.find(int32(j)); zero {
			dead[root] = true
		}
	}
	out := Partition{Group: make([]int32, p), Factor: make([]float64, p)}
	number := make([]int32, p)
	for j := range out.Group {
		root, factor := g.find(int32(j))
		out.Factor[j] = factor
		switch {
		case dead[root] || g.odd[root]:
			out.Group[j] = -1
			continue
		case number[root] == 0:
			out.Count++
			number[root] = int32(out.Count)
		}
		out.Group[j] = number[root] - 1
	}
	return out
}

// Expand sets x, of length p, from a value per group.
func (p *Partition) Expand(x, y []float64) {
	for j, of := range p.Group {
		x[j] = 0
		if of >= 0 {
			x[j] = float64(p.Factor[j] * y[of])
		}
	}
}

// Nearest sets y to the values of groups whose x is the closest to this one.
func (p *Partition) Nearest(y, x []float64) {
	p.Collect(y, x)
	squares := make([]float64, p.Count)
	for j, of := range p.Group {
		if of >= 0 {
			squares[of] += float64(p.Factor[j] * p.Factor[j])
		}
	}
	for k, v := range squares {
		y[k] /= v
	}
}

// Collect sets dst to the sums of v, of length p, over the groups, times factors: the transpose of Expand.
func (p *Partition) Collect(dst, v []float64) {
	clear(dst)
	for j, of := range p.Group {
		if of >= 0 {
			dst[of] += float64(p.Factor[j] * v[j])
		}
	}
}

// Holds reports whether x has the zeros and ties of the partition.
func (p *Partition) Holds(x []float64) bool {
	value := make([]float64, p.Count)
	for j, of := range p.Group {
		if of >= 0 && p.Factor[j] == 1 {
			value[of] = x[j]
		}
	}
	for j, of := range p.Group {
		if of < 0 && x[j] != 0 || of >= 0 && x[j] != float64(p.Factor[j]*value[of]) {
			return false
		}
	}
	return true
}

// Groups lists the members of every group of several; nil if there is none.
func (p *Partition) Groups() [][]int {
	all := make([][]int, p.Count)
	for j, g := range p.Group {
		if g >= 0 {
			all[g] = append(all[g], j)
		}
	}
	if all = slices.DeleteFunc(all, func(g []int) bool { return len(g) < 2 }); len(all) == 0 {
		return nil
	}
	return all
}

// ImpliesZero reports whether a row of a, nil for the identity, vanishes for every x of the partition.
func (p *Partition) ImpliesZero(a *sparse.CSR, row int) bool {
	if a == nil {
		return p.Group[row] < 0
	}
	idx, val := a.Row(row)
	if len(idx) > 2 {
		return p.absorbsLong(idx, val)
	}
	var sum, size float64
	group := int32(-1)
	for k, j := range idx {
		of := p.Group[j]
		switch {
		case of < 0:
			continue
		case group >= 0 && of != group:
			return false
		}
		group = of
		v := float64(p.Factor[j] * val[k])
		sum += v
		size += math.Abs(v)
	}
	return math.Abs(sum) <= agree*size
}

// absorbsLong is Absorbs for a row of any length.
func (p *Partition) absorbsLong(idx []int32, val []float64) bool {
	sum, size := make(map[int32]float64, len(idx)), make(map[int32]float64, len(idx))
	for k, j := range idx {
		if of := p.Group[j]; of >= 0 {
			v := float64(p.Factor[j] * val[k])
			sum[of] += v
			size[of] += math.Abs(v)
		}
	}
	for of, v := range sum {
		if math.Abs(v) > agree*size[of] {
			return false
		}
	}
	return true
}
