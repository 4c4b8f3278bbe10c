// Package columns takes columns without data out of a problem and puts their zeros
// back: which columns and which rows of A stay, both matrices in terms of them, and
// vectors in both directions.
//
// A column that no sample has an entry in can leave where 0 is best for it whatever the
// other coefficients are. If A couples it to a column with data through its rows, that
// is not so; components of A's rows leave as a whole or stay.
package columns

import "github.com/scas-admm/scas/sparse"

// Kept are the columns of the data and the rows of A that stay, in order.
type Kept struct {
	Columns []int32
	Rows    []int32     // Columns where A = I
	Data    *sparse.CSR // the samples over Columns
	A       *sparse.CSR // its Rows over Columns; nil for the identity

	p, l int // of the whole problem
}

// Count returns the number of columns of m with an entry that is not zero; most as in Find.
func Count(m *sparse.CSR, most func(v []float64)) int { return shared(m, most).count() }

// Find returns what stays of the columns of data and the rows of a, nil for the
// identity: what has data, what columns and rows say, and all that a couples to either.
// It returns nil where everything stays. columns and rows may be nil; they are changed.
// Processes may have other rows of the data: most takes the largest entries of a vector
// over them, so that all find the same; nil is one process.
func Find(data, a *sparse.CSR, columns, rows *Set, most func(v []float64)) *Kept {
	stay := shared(data, most)
	stay.add(columns)
	_, p := data.Dims()
	k := &Kept{p: p, l: p}
	if a == nil {
		stay.add(rows)
	} else {
		k.l, _ = a.Dims()
	}
	if stay.count() == 0 && p > 0 {
		stay.Add(0) // a problem needs one
	}
	if stay.count() < p && a != nil {
		stay.complete(a, rows)
		if l, _ := a.Dims(); l > 0 && len(stay.rowsOf(a)) == 0 { // it needs one of these, too
			idx, _ := a.Row(0)
			stay.Add(int(idx[0]))
			stay.complete(a, rows)
		}
	}
	if stay.count() == p {
		return nil
	}
	at := newPlaces(stay)
	k.Columns = stay.members()
	k.Data = at.renumber(data, nil, len(k.Columns))
	if k.Rows = k.Columns; a != nil {
		k.Rows = stay.rowsOf(a)
		k.A = at.renumber(a, k.Rows, len(k.Columns))
	}
	return k
}

// shared is used over all processes.
func shared(m *sparse.CSR, most func(v []float64)) *Set {
	s := used(m)
	if most != nil {
		s.share(most)
	}
	return s
}

// releasedRows is how many rows of mapped data are gone through before they leave memory.
const releasedRows = 1 << 16

// used is the set of columns of m with an entry that is not zero. Rows are read until
// all columns are known to have one.
func used(m *sparse.CSR) *Set {
	n, p := m.Dims()
	s := NewSet(p)
	for i, found := 0, 0; i < n && found < p; i++ {
		if i%releasedRows == 0 && i > 0 {
			m.Release(i-releasedRows, i)
		}
		idx, val := m.Row(i)
		for k, j := range idx {
			if val[k] != 0 && !s.Has(int(j)) {
				s.Add(int(j))
				found++
			}
		}
	}
	return s
}

// complete adds the columns that rows of a, all of them or one after the other, couple
// to a member of s or of rows.
func (s *Set) complete(a *sparse.CSR, rows *Set) {
	l, p := a.Dims()
	c := newComponents(p)
	for i := range l {
		idx, _ := a.Row(i)
		for _, j := range idx {
			c.join(idx[0], j)
		}
	}
	stay := NewSet(p) // by their first columns
	for _, j := range s.members() {
		stay.Add(int(c.first(j)))
	}
	for i := range l {
		if idx, _ := a.Row(i); rows != nil && rows.Has(i) && len(idx) > 0 {
			stay.Add(int(c.first(idx[0])))
		}
	}
	for j := range p {
		if stay.Has(int(c.first(int32(j)))) {
			s.Add(j)
		}
	}
}

// rowsOf returns the rows of a that stay with the columns s: those of its columns, and
// those without entries.
func (s *Set) rowsOf(a *sparse.CSR) (rows []int32) {
	l, _ := a.Dims()
	for i := range l {
		if idx, _ := a.Row(i); len(idx) == 0 || s.Has(int(idx[0])) {
			rows = append(rows, int32(i))
		}
	}
	return rows
}

// Take returns the entries of v at the places, nil for nil.
func Take(v []float64, places []int32) []float64 {
	if v == nil {
		return nil
	}
	part := make([]float64, len(places))
	for k, j := range places {
		part[k] = v[j]
	}
	return part
}

// X returns x, given over Columns, over all columns.
func (k *Kept) X(x []float64) []float64 { return k.Put(make([]float64, k.p), x) }

// Y returns y or beta, given over Rows, over all rows of A.
func (k *Kept) Y(y []float64) []float64 { return put(make([]float64, k.l), y, k.Rows) }

// Put writes x, given over Columns, into dst over all columns, and returns dst.
func (k *Kept) Put(dst, x []float64) []float64 { return put(dst, x, k.Columns) }

func put(dst, part []float64, places []int32) []float64 {
	for n, v := range part {
		dst[places[n]] = v
	}
	return dst
}

// Renumber makes groups of features, given as numbers in Columns, groups of all columns.
func (k *Kept) Renumber(groups [][]int) {
	for _, group := range groups {
		for i, j := range group {
			group[i] = int(k.Columns[j])
		}
	}
}
