package linalg

import "github.com/scas-admm/scas/sparse"

// A Product multiplies by A and A'. For a matrix A = [G; I], as in the graph-guided fused lasso, it
// copies the elements that belong to I, and computes sums only for features with an entry in G.
// Otherwise a method that multiplies in every stochastic step would spend most of its time on I.
// The results have the same bits as with the whole matrix. A Product is not safe for concurrent use.
type Product struct {
	*Algebra
	parts *stack // nil unless A = [G; I]
	trans func(dst, v []float64)
	sums  []float64 // elements of A'v for the coupled features
	image []float64
}

// Product returns a new Product with scratch memory of its own.
func (q *Algebra) Product() *Product {
	p := &Product{Algebra: q}
	if q.Identity() {
		return p
	}
	p.image = make([]float64, q.rows)
	p.trans = q.back()
	if q.matrix == nil {
		return p
	}
	if p.parts = q.stack(); p.parts != nil {
		p.sums = make([]float64, len(p.parts.Coupled))
	}
	return p
}

// MulVec sets dst = A x. dst has length l and x length p; they must not overlap unless A is
// the identity.
func (p *Product) MulVec(dst, x []float64) {
	switch {
	case p.Identity():
		copy(dst, x)
	case p.parts != nil:
		p.parts.G.MulVec(dst[:p.parts.Head], x)
		copy(dst[p.parts.Head:], x)
	default:
		p.op.MulVec(dst, x)
	}
}

// Operations estimates the number of operations of one product with A plus one with A'. If
// A is a Map that is not a matrix, the number is a guess.
func (p *Product) Operations() float64 {
	rows, cols := p.Dims()
	vectors := float64(rows + cols)
	if a := p.Matrix(); a != nil {
		return vectors + 2*float64(a.NNZ())
	} else if !p.Identity() {
		return 4 * vectors
	}
	return vectors
}

// Image returns A x. The result is x itself if A is the identity, and otherwise scratch
// memory that is valid until the next call.
func (p *Product) Image(x []float64) []float64 {
	if p.Identity() {
		return x
	}
	p.MulVec(p.image, x)
	return p.image
}

// MulVecTrans sets dst = A'v. dst has length p and v length l; they must not overlap unless
// A is the identity.
func (p *Product) MulVecTrans(dst, v []float64) {
	switch {
	case p.Identity():
		copy(dst, v)
	case p.parts != nil:
		copy(dst, v[len(v)-len(dst):])
		p.parts.coupledT.MulVec(p.sums, v)
		for k, j := range p.parts.Coupled {
			dst[j] = p.sums[k]
		}
	default:
		p.trans(dst, v)
	}
}

// Parts holds the parts of A = [G; I]. For A = I, G has no rows or is nil.
type Parts struct {
	Head    int         // number of rows of G
	G       *sparse.CSR // nil if A = I was given as nil
	Coupled []int       // features with an entry in G
	Back    *sparse.CSR // the rows of G' that belong to Coupled; nil if Head is 0
}

// Parts returns the parts of A; ok is false if A is neither I nor [G; I].
func (q *Algebra) Parts() (p Parts, ok bool) {
	if q.Identity() {
		return p, true
	}
	if q.matrix == nil || q.stack() == nil {
		return p, false
	}
	p = q.stack().Parts
	if p.Head > 0 {
		p.Back = mustSelect(p.G.Transpose(), p.Coupled)
	}
	return p, true
}

// A stack holds the parts of A = [G; I] for a Product. Back is nil.
type stack struct {
	Parts
	coupledT *sparse.CSR // the rows of A' for the coupled features
}

// newStack returns nil if the last rows of A, as many as it has columns, are not I.
func newStack(q *Algebra) *stack {
	head := q.rows - q.cols
	if !identityBelow(q.matrix, head) {
		return nil
	}
	s, t := &stack{Parts: Parts{Head: head}}, q.transpose()
	rows := make([]int, head)
	for i := range rows {
		rows[i] = i
	}
	for j := range q.cols {
		if idx, _ := t.Row(j); len(idx) > 1 {
			s.Coupled = append(s.Coupled, j)
		}
	}
	s.G, s.coupledT = mustSelect(q.matrix, rows), mustSelect(t, s.Coupled)
	return s
}

// identityBelow reports whether the rows of m from row from on are I. It returns false if
// from is negative, because m then has fewer rows than columns.
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
		panic(err) // cannot happen: all these rows exist
	}
	return out
}
