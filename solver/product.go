package solver

import (
	"github.com/scas-admm/scas/sparse"
)

// A product multiplies by A and A'. Where A is a matrix [G; I], as of the
// graph-guided fused lasso, the rows of I are copied, and in A' only features with
// an edge are summed: methods that multiply with every sample would spend most of
// their time on the identity. The results are those of the whole matrix.
type product struct {
	a       Operator
	at      *sparse.CSR // A', if A is a matrix
	g       *sparse.CSR // G, if A = [G; I]
	coupled []int       // features with an entry in G
	gt      *sparse.CSR // their rows of A'
	sums    []float64   // of the coupled features
}

func newProduct(a Operator) *product {
	p := &product{a: a}
	m, ok := asMatrix(a)
	if !ok {
		return p
	}
	p.at = m.Transpose()
	l, features := m.Dims()
	if !identityBelow(m, l-features) {
		return p
	}
	rows := make([]int, l-features)
	for i := range rows {
		rows[i] = i
	}
	for j := range features {
		if idx, _ := p.at.Row(j); len(idx) > 1 {
			p.coupled = append(p.coupled, j)
		}
	}
	p.g, p.gt = mustSelect(m, rows), mustSelect(p.at, p.coupled)
	p.sums = make([]float64, len(p.coupled))
	return p
}

// identityBelow reports whether the rows of m from the given one on are I.
func identityBelow(m *sparse.CSR, from int) bool {
	l, _ := m.Dims()
	for i := max(0, from); i < l; i++ {
		idx, val := m.Row(i)
		if len(idx) != 1 || int(idx[0]) != i-from || val[0] != 1 {
			return false
		}
	}
	return from >= 0
}

func mustSelect(m *sparse.CSR, rows []int) *sparse.CSR {
	out, err := m.SelectRows(rows)
	if err != nil {
		panic(err) // the rows are there
	}
	return out
}

// mul sets dst = A x.
func (p *product) mul(dst, x []float64) {
	if p.g == nil {
		p.a.MulVec(dst, x)
		return
	}
	head := len(dst) - len(x)
	p.g.MulVec(dst[:head], x)
	copy(dst[head:], x)
}

// mulTrans sets dst = A'v.
func (p *product) mulTrans(dst, v []float64) {
	switch {
	case p.g != nil:
		copy(dst, v[len(v)-len(dst):])
		p.gt.MulVec(p.sums, v)
		for k, j := range p.coupled {
			dst[j] = p.sums[k]
		}
	case p.at != nil:
		p.at.MulVec(dst, v)
	default:
		p.a.MulVecTrans(dst, v)
	}
}
