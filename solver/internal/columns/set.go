package columns

import (
	"math/bits"
	"slices"

	"github.com/scas-admm/scas/sparse"
)

// A Set is one of numbers from 0 up, a bit each of the pages that have members: two
// thousand million columns, few of them with data, take a megabyte.
type Set struct{ pages []*[pageWords]uint64 }

// A page has pageWords words, 1<<pageBits numbers.
const (
	pageBits  = 16
	pageWords = 1 << (pageBits - 6)
)

// NewSet returns the empty set of numbers below n.
func NewSet(n int) *Set { return &Set{make([]*[pageWords]uint64, (n+1<<pageBits-1)>>pageBits)} }

// NonZeros returns the places where v is not zero, nil if there are none.
func NonZeros(v []float64) *Set {
	if !slices.ContainsFunc(v, func(x float64) bool { return x != 0 }) {
		return nil
	}
	s := NewSet(len(v))
	for j, x := range v {
		if x != 0 {
			s.Add(j)
		}
	}
	return s
}

// Add makes j a member.
func (s *Set) Add(j int) {
	page := &s.pages[j>>pageBits]
	if *page == nil {
		*page = new([pageWords]uint64)
	}
	(*page)[j>>6%pageWords] |= 1 << (j & 63)
}

// Has reports whether j is a member.
func (s *Set) Has(j int) bool {
	page := s.pages[j>>pageBits]
	return page != nil && page[j>>6%pageWords]>>(j&63)&1 != 0
}

// Union returns the members of both, either of which may be nil.
func (s *Set) Union(t *Set) *Set {
	if s == nil {
		return t
	}
	s.add(t)
	return s
}

func (s *Set) add(t *Set) {
	if t == nil {
		return
	}
	for k, page := range t.pages {
		if page == nil {
			continue
		}
		if s.pages[k] == nil {
			s.pages[k] = new([pageWords]uint64)
		}
		for i := range page {
			s.pages[k][i] |= page[i]
		}
	}
}

// share makes s the union of those of all processes, given what takes the largest entries
// of a vector over them.
func (s *Set) share(most func(v []float64)) {
	there := make([]float64, len(s.pages))
	for k, page := range s.pages {
		if page != nil {
			there[k] = 1
		}
	}
	most(there)
	bits := make([]float64, 1<<pageBits)
	for k, some := range there {
		if some == 0 {
			continue
		}
		for j := range bits {
			if bits[j] = 0; s.Has(k<<pageBits + j) {
				bits[j] = 1
			}
		}
		most(bits)
		for j, in := range bits {
			if in > 0 {
				s.Add(k<<pageBits + j)
			}
		}
	}
}

// words yields the words that are not zero, each with its smallest number.
func (s *Set) words(yield func(base int, w uint64) bool) {
	for k, page := range s.pages {
		if page == nil {
			continue
		}
		for i, w := range page {
			if w != 0 && !yield(k<<pageBits+i<<6, w) {
				return
			}
		}
	}
}

func (s *Set) count() (n int) {
	for _, w := range s.words {
		n += bits.OnesCount64(w)
	}
	return n
}

// members returns them in increasing order.
func (s *Set) members() []int32 {
	list := make([]int32, 0, s.count())
	for base, w := range s.words {
		for ; w != 0; w &= w - 1 {
			list = append(list, int32(base+bits.TrailingZeros64(w)))
		}
	}
	return list
}

// places number the members of a set in order.
type places struct {
	*Set
	before []*[pageWords]int32 // members below each word of a page that has any
}

func newPlaces(s *Set) places {
	at := places{s, make([]*[pageWords]int32, len(s.pages))}
	var n int32
	for base, w := range s.words {
		page := &at.before[base>>pageBits]
		if *page == nil {
			*page = new([pageWords]int32)
		}
		(*page)[base>>6%pageWords] = n
		n += int32(bits.OnesCount64(w))
	}
	return at
}

// of returns the place of a member.
func (at places) of(j int32) int32 {
	page, word := j>>pageBits, j>>6%pageWords
	below := at.pages[page][word] & (1<<(j&63) - 1)
	return at.before[page][word] + int32(bits.OnesCount64(below))
}

// renumber returns rows of m, nil for all, over its count columns that are members. All
// entries elsewhere are zeros or in other rows. Of all rows of a matrix without entries
// elsewhere only the columns are copied.
func (at places) renumber(m *sparse.CSR, rows []int32, count int) *sparse.CSR {
	n, _ := m.Dims()
	whole := m.Rows(0, n)
	if rows == nil && !slices.ContainsFunc(whole.Idx[:m.NNZ()], func(j int32) bool { return !at.Has(int(j)) }) {
		idx := make([]int32, m.NNZ())
		for k, j := range whole.Idx[:m.NNZ()] {
			idx[k] = at.of(j)
		}
		return must(sparse.New(n, count, whole.Ptr, idx, whole.Val[:m.NNZ()]))
	}
	if rows != nil {
		n = len(rows)
	}
	ptr, idx, val := make([]int64, 1, n+1), []int32(nil), []float64(nil)
	for i := range n {
		if rows != nil {
			i = int(rows[i])
		}
		cols, v := m.Row(i)
		for k, j := range cols {
			if at.Has(int(j)) {
				idx, val = append(idx, at.of(j)), append(val, v[k])
			}
		}
		ptr = append(ptr, int64(len(idx)))
	}
	return must(sparse.New(n, count, ptr, idx, val))
}

func must(m *sparse.CSR, err error) *sparse.CSR {
	if err != nil {
		panic(err) // part of a valid matrix
	}
	return m
}

// components are disjoint sets of columns (Tarjan 1975, with path halving), each known by
// its first one.
type components struct{ parent []int32 }

func newComponents(p int) components {
	c := components{make([]int32, p)}
	for j := range c.parent {
		c.parent[j] = int32(j)
	}
	return c
}

func (c components) first(j int32) int32 {
	for c.parent[j] != j {
		c.parent[j] = c.parent[c.parent[j]]
		j = c.parent[j]
	}
	return j
}

func (c components) join(i, j int32) {
	i, j = c.first(i), c.first(j)
	c.parent[max(i, j)] = min(i, j)
}
