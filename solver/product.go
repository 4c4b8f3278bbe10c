package solver

import "github.com/scas-admm/scas/sparse"

// A product multiplies by A and A'. Where A is a matrix [G; I], as of the
// graph-guided fused lasso, the rows of I are copied, and in A' only features with
// an edge are summed: methods that multiply with every sample would spend most of
// their time on the identity. The results are those of the whole matrix. It has
// scratch of its own and is not for concurrent use.
type product struct {
	a        Operator
	at       *sparse.CSR // A', if A is a matrix
	g        *sparse.CSR // G, if A = [G; I]
	coupled  []int       // features with an entry in G
	coupledT *sparse.CSR // their rows of A'
	sums     []float64   // of the coupled features
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
	p.g, p.coupledT = mustSelect(m, rows), mustSelect(p.at, p.coupled)
	p.sums = make([]float64, len(p.coupled))
	return p
}

// identityBelow reports whether the rows of m from the given one on are I. No rows
// are, where from is negative: m has fewer rows than columns.
func identityBelow(m *sparse.CSR, from int) bool {
	if from < 0 {
		return false
	}
	l, _ := m.Dims()
	for i := from; i < l; i++ {
		idx, val := m.Row(i)
		if len(idx) != 1 || int(idx[0]) != i-from || val[0] != 1 {
			return false
		}
	}
	return true
}

func mustSelect(m *sparse.CSR, rows []int) *sparse.CSR {
	out, err := m.SelectRows(rows)
	if err != nil {
		panic(err) // the rows are there
	}
	return out
}

// mul sets dst = A x. dst has length l and x length p; they do not overlap.
func (p *product) mul(dst, x []float64) {
	if p.g == nil {
		p.a.MulVec(dst, x)
		return
	}
	head := len(dst) - len(x)
	p.g.MulVec(dst[:head], x)
	copy(dst[head:], x)
}

// mulTrans sets dst = A'v. dst has length p and v length l; they do not overlap.
func (p *product) mulTrans(dst, v []float64) {
	switch {
	case p.g != nil:
		copy(dst, v[len(v)-len(dst):])
		p.coupledT.MulVec(p.sums, v)
		for k, j := range p.coupled {
			dst[j] = p.sums[k]
		}
	case p.at != nil:
		p.at.MulVec(dst, v)
	default:
		p.a.MulVecTrans(dst, v)
	}
}
