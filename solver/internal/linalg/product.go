package linalg

import "github.com/scas-admm/scas/sparse"

// A Product multiplies by A and A'. If A = [G; I], as in the graph-guided fused lasso, it copies instead
// of multiplying by I. The results have the same bits as with the whole matrix. A Product is not safe for
// concurrent use.
type Product struct {
	*Algebra
	parts *Parts                 // nil unless A = [G; I]
	trans func(dst, v []float64) // multiplies by A'
	sums  []float64              // entries of A'v for the features in parts.CoupledFeatures
	image []float64              // scratch memory of the method Image
}

// Product returns a new Product with scratch memory of its own.
func (q *Algebra) Product() *Product {
	p := &Product{Algebra: q}
	if q.IsIdentity() {
		return p
	}
	p.image = make([]float64, q.rows)
	p.trans = q.transProduct()
	if q.matrix == nil {
		return p
	}
	p.parts = q.parts()
	if p.parts != nil {
		p.sums = make([]float64, len(p.parts.CoupledFeatures))
	}
	return p
}

// MulVec sets dst = A x. dst and x must not overlap unless A is the identity.
func (p *Product) MulVec(dst, x []float64) {
	switch {
	case p.IsIdentity():
		copy(dst, x)
	case p.parts != nil:
		p.parts.G.MulVec(dst[:p.parts.HeadRows], x)
		copy(dst[p.parts.HeadRows:], x)
	default:
		p.operator.MulVec(dst, x)
	}
}

// Operations estimates the number of arithmetic operations of one product with A plus one with A'. If A is
// a Map that is not a matrix, the number is a guess.
func (p *Product) Operations() float64 {
	rows, cols := p.Dims()
	vectorEntries := float64(rows + cols)
	if a := p.Matrix(); a != nil {
		return vectorEntries + 2*float64(a.NNZ())
	} else if !p.IsIdentity() {
		return 4 * vectorEntries
	}
	return vectorEntries
}

// Image returns A x: x itself if A is the identity, and otherwise scratch memory that is valid until the
// next call of Image.
func (p *Product) Image(x []float64) []float64 {
	if p.IsIdentity() {
		return x
	}
	p.MulVec(p.image, x)
	return p.image
}

// MulVecTrans sets dst = A'v. dst and v must not overlap unless A is the identity.
func (p *Product) MulVecTrans(dst, v []float64) {
	switch {
	case p.IsIdentity():
		copy(dst, v)
	case p.parts != nil:
		copy(dst, v[len(v)-len(dst):])
		p.parts.coupledTrans.MulVec(p.sums, v)
		for k, j := range p.parts.CoupledFeatures {
			dst[j] = p.sums[k]
		}
	default:
		p.trans(dst, v)
	}
}

// Parts has the parts of A = [G; I]. If A = I, G has no rows or is nil.
type Parts struct {
	HeadRows        int         // number of rows of G
	G               *sparse.CSR // nil if A was given as nil, which means I
	CoupledFeatures []int       // features with an entry in G
	GTrans          *sparse.CSR // the rows of G' for the features in CoupledFeatures; nil if G has no rows

	coupledTrans *sparse.CSR // the rows of A' for the features in CoupledFeatures
}

// Parts returns the parts of A. ok reports whether A is I or [G; I].
func (q *Algebra) Parts() (p Parts, ok bool) {
	if q.IsIdentity() {
		return p, true
	}
	if q.matrix == nil || q.parts() == nil {
		return p, false
	}
	p = *q.parts()
	if p.HeadRows > 0 {
		p.GTrans = mustSelect(p.G.Transpose(), p.CoupledFeatures)
	}
	return p, true
}

// newParts returns the parts of a matrix A = [G; I] without GTrans. For another matrix A it returns nil.
func newParts(q *Algebra) *Parts {
	headRows := q.rows - q.cols
	if !identityBelow(q.matrix, headRows) {
		return nil
	}
	s, t := &Parts{HeadRows: headRows}, q.transpose()
	rows := make([]int, headRows)
	for i := range rows {
		rows[i] = i
	}
	for j := range q.cols {
		if idx, _ := t.Row(j); len(idx) > 1 {
			s.CoupledFeatures = append(s.CoupledFeatures, j)
		}
	}
	s.G, s.coupledTrans = mustSelect(q.matrix, rows), mustSelect(t, s.CoupledFeatures)
	return s
}

// identityBelow reports whether the rows of m below the first headRows rows form the identity. It returns
// false if headRows is negative.
func identityBelow(m *sparse.CSR, headRows int) bool {
	if headRows < 0 {
		return false
	}
	l, _ := m.Dims()
	for i := headRows; i < l; i++ {
		idx, val := m.Row(i)
		if len(idx) != 1 || int(idx[0]) != i-headRows || val[0] != 1 {
			return false
		}
	}
	return true
}

func mustSelect(m *sparse.CSR, rows []int) *sparse.CSR {
	out, err := m.SelectRows(rows)
	if err != nil {
		panic(err) // cannot happen: m has these rows
	}
	return out
}
