package model

import (
	"math"
	"slices"

	"github.com/scas-admm/scas/solver/internal/term"
	"github.com/scas-admm/scas/sparse"
)

// A penalty is the penalty of a specification in the form of package exact. x has the coefficients for the
// data as given, and the intercept if there is one:
//
//	lambda (Σ limit_k |(A x)_k| + Σ (ridgeⱼ/2) xⱼ²) + Σ (square_k/2) (A x)_k² + Σ (fixedRidgeⱼ/2) xⱼ²
//
// With groups, the sum of limit_k |(A x)_k| is replaced by weighted norms of groups of rows of A x. Let sⱼ be
// the scale of feature j (design.scale). Then ridgeⱼ and fixedRidgeⱼ include the factor sⱼ², and column j of
// A includes the factor sⱼ. If a is nil, limitⱼ includes sⱼ instead.
type penalty struct {
	a *sparse.CSR // nil for the identity
	// The factors of lambda |(A x)_k| and (A x)_k²/2; square is nil if all are 0.
	limit, square     []float64
	groups            [][]int     // groups of rows of A; nil for no groups
	ridge, fixedRidge []float64   // the factors of lambda xⱼ²/2 and xⱼ²/2; fixedRidge is nil if all are 0
	set               term.Region // the allowed x; nil if all are allowed, or if unsupportedDomain is true
}

func (d *design) penalty() (*penalty, error) {
	p, spec := d.elasticNetPenalty(d.spec.l1Ratio()), d.spec
	a, err := d.rowsOfA(d.columns())
	if err != nil {
		return nil, err
	}
	group, grouped := spec.Penalty.(GroupLasso)
	if a == nil && !grouped {
		return p, nil
	}
	p.limit = d.limits()
	if grouped {
		if a == nil {
			a = sparse.Identity(d.columns())
		}
		a, err = p.setGroups(a, group)
		if err != nil {
			return nil, err
		}
	}
	if spec.MuA > 0 {
		p.square = slices.Repeat([]float64{spec.MuA}, len(p.limit))
	}
	scale := slices.Repeat([]float64{1}, d.columns())
	copy(scale, d.scale)
	p.a, err = a.ScaleColumns(scale)
	return p, err
}

// elasticNetPenalty returns the penalty of an elastic net whose L1Ratio is ratio, with the ridge and the
// domain of the specification, but without its graph, matrix A and groups.
func (d *design) elasticNetPenalty(ratio float64) *penalty {
	columns := d.columns()
	p := &penalty{limit: make([]float64, columns), ridge: make([]float64, columns)}
	for j, scale := range d.scale {
		p.limit[j] = times(ratio*d.factor(j), scale)
		p.ridge[j] = times(times((1-ratio)*d.factor(j), scale), scale)
	}
	mu := d.spec.Mu
	if !d.spec.couples() {
		mu += d.spec.MuA
	}
	if mu > 0 {
		p.fixedRidge = make([]float64, columns)
		for j, scale := range d.scale {
			p.fixedRidge[j] = mu * scale * scale
		}
	}
	p.set = d.spec.region(d.p)
	if box, ok := d.spec.box(d.p); ok {
		p.set = widenBox(box, columns, nil)
	}
	return p
}

// times returns a·scale, and 0 if a is 0: the scale of a feature may be +Inf, and 0·Inf is NaN.
func times(a, scale float64) float64 {
	if a == 0 {
		return 0
	}
	return a * scale
}

// widenBox returns a copy of box with the given number of columns. Its bounds are multiplied by scale, and
// the added columns have no bounds. If scale is nil, all scales are 1.
func widenBox(box term.Box, columns int, scale []float64) term.Box {
	wideBox := term.NewBox(columns, math.Inf(-1), math.Inf(1))
	copy(wideBox.Lower, box.Lower)
	copy(wideBox.Upper, box.Upper)
	for j, s := range scale {
		wideBox.Lower[j] = times(wideBox.Lower[j], s)
		wideBox.Upper[j] = times(wideBox.Upper[j], s)
	}
	return wideBox
}

// rowsOfA returns the matrix A of the specification, or [G; I] for a graph with incidence matrix G, with the
// given number of columns. It returns nil if there is no A and no graph.
func (d *design) rowsOfA(columns int) (*sparse.CSR, error) {
	switch {
	case d.spec.A != nil:
		return widenMatrix(d.spec.A, columns)
	case d.spec.Graph == nil:
		return nil, nil
	}
	return widenMatrix(d.spec.Graph.FusedLasso(), columns)
}

// widenMatrix adds empty columns to a, up to the given number of columns. The result shares the entries of a.
func widenMatrix(a *sparse.CSR, columns int) (*sparse.CSR, error) {
	l, _ := a.Dims()
	rows := a.Rows(0, l)
	return sparse.New(l, columns, rows.Ptr, rows.Idx, rows.Val)
}

// limits returns the weight of each row of A in the penalty for lambda = 1. A is the identity if the
// specification has neither a matrix A nor a graph.
func (d *design) limits() (limit []float64) {
	if d.spec.A != nil {
		l, _ := d.spec.A.Dims()
		return slices.Repeat([]float64{1}, l)
	}
	if d.spec.Graph != nil {
		limit = slices.Repeat([]float64{d.spec.fusion()}, len(d.spec.Graph.Edges()))
	}
	for j := range d.p {
		limit = append(limit, d.spec.l1Ratio()*d.factor(j))
	}
	return limit
}

// setGroups sets limit and groups of p, and returns the rows of a that are in a group. Rows that are in no
// group are not penalised.
func (p *penalty) setGroups(a *sparse.CSR, group GroupLasso) (*sparse.CSR, error) {
	var members []int
	p.limit, p.groups = nil, make([][]int, len(group.Groups))
	for k, g := range group.Groups {
		for _, row := range g {
			p.groups[k] = append(p.groups[k], len(members))
			members, p.limit = append(members, row), append(p.limit, group.weight(k))
		}
	}
	return a.SelectRows(members)
}
