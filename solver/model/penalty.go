package model

import (
	"slices"

	"github.com/scas-admm/scas/sparse"
)

// A penalty is that of a specification for lambda = 1, of coefficients on the original scale,
//
//	Σ limit_k |(A x)_k| + Σ (ridgeⱼ/2) xⱼ²,
//
// with norms of groups of the rows of A in the place of the absolute values. The scales of features are
// in A, limits and ridges.
type penalty struct {
	a            *sparse.CSR // nil for the identity
	limit, ridge []float64
	groups       [][]int // nil for none
}

// penalty returns that of the design.
func (d *design) penalty() (*penalty, error) {
	if group, ok := d.spec.Penalty.(GroupLasso); ok {
		return d.ofGroups(group)
	}
	ratio := d.spec.l1Ratio()
	p := d.single(ratio)
	if d.spec.Graph == nil {
		return p, nil
	}
	edges, err := d.stacked(d.columns())
	if err != nil {
		return nil, err
	}
	scale := slices.Repeat([]float64{1}, d.columns())
	copy(scale, d.scale)
	if p.a, err = edges.ScaleColumns(scale); err != nil {
		return nil, err
	}
	p.limit = slices.Repeat([]float64{d.spec.fusion()}, len(d.spec.Graph.Edges()))
	for j := range d.p {
		p.limit = append(p.limit, ratio*d.factor(j))
	}
	p.limit = append(p.limit, make([]float64, d.columns()-d.p)...)
	return p, nil
}

// single returns the elastic net of that ratio, of single coefficients.
func (d *design) single(ratio float64) *penalty {
	p := &penalty{limit: make([]float64, d.columns()), ridge: make([]float64, d.columns())}
	for j, scale := range d.scale {
		p.limit[j] = ratio * d.factor(j) * scale
		p.ridge[j] = (1 - ratio) * d.factor(j) * scale * scale
	}
	return p
}

// stacked returns [G; I] of the graph, of that many columns: those beyond the features are in no edge.
func (d *design) stacked(columns int) (*sparse.CSR, error) {
	edges := d.spec.Graph.Incidence()
	l, _ := edges.Dims()
	ptr, idx, val := make([]int64, 1, l+1), []int32(nil), []float64(nil)
	for i := range l {
		cols, v := edges.Row(i)
		idx, val = append(idx, cols...), append(val, v...)
		ptr = append(ptr, int64(len(idx)))
	}
	wide, err := sparse.New(l, columns, ptr, idx, val)
	if err != nil {
		return nil, err
	}
	return sparse.Stack(wide, sparse.Identity(columns))
}

// ofGroups returns the penalty Σ weight_k √(Σ (scaleⱼ xⱼ)²), the inner sum over group k. Features in
// none have no penalty.
func (d *design) ofGroups(group GroupLasso) (*penalty, error) {
	p := &penalty{ridge: make([]float64, d.columns()), groups: make([][]int, len(group.Groups))}
	weights := group.weights()
	ptr, idx, val := []int64{0}, []int32(nil), []float64(nil)
	for k, members := range group.Groups {
		for _, j := range members {
			p.groups[k] = append(p.groups[k], len(idx))
			idx, val, p.limit = append(idx, int32(j)), append(val, d.scale[j]), append(p.limit, weights[k])
			ptr = append(ptr, int64(len(idx)))
		}
	}
	var err error
	p.a, err = sparse.New(len(idx), d.columns(), ptr, idx, val)
	return p, err
}
