package columns

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/scas-admm/scas/sparse"
	"github.com/scas-admm/scas/sparse/sparsetest"
)

// random returns a matrix with few entries, some of them stored zeros.
func random(t *testing.T, rng *rand.Rand, rows, cols int) *sparse.CSR {
	t.Helper()
	var entries []sparse.Triplet
	for i := range rows {
		for j := range cols {
			if rng.IntN(cols) == 0 {
				entries = append(entries, sparse.Triplet{Row: i, Col: j, Value: float64(rng.IntN(4))})
			}
		}
	}
	m, err := sparse.FromTriplets(rows, cols, entries)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// naive says by the definition which columns stay: again and again, those of a row that
// has one of them.
func naive(data, a *sparse.CSR, columns, rows []bool) []bool {
	n, p := data.Dims()
	stay := slices.Clone(columns)
	for i := range n {
		idx, val := data.Row(i)
		for k, j := range idx {
			stay[j] = stay[j] || val[k] != 0
		}
	}
	if a == nil {
		for j, r := range rows {
			stay[j] = stay[j] || r
		}
	}
	if !slices.Contains(stay, true) {
		stay[0] = true
	}
	for range p {
		for i, r := range rows {
			if a == nil {
				break
			}
			idx, _ := a.Row(i)
			r = r || slices.ContainsFunc(idx, func(j int32) bool { return stay[j] })
			for _, j := range idx {
				stay[j] = stay[j] || r
			}
		}
	}
	return stay
}

func setOf(flags []bool) *Set {
	s := NewSet(len(flags))
	for j, on := range flags {
		if on {
			s.Add(j)
		}
	}
	return s
}

func TestFind(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	none, all := 0, 0
	for range 400 {
		p, l := 1+rng.IntN(140), rng.IntN(150)
		data := random(t, rng, rng.IntN(30), p)
		a := random(t, rng, l, p)
		if rng.IntN(3) == 0 {
			a, l = nil, p
		}
		columns, rows := make([]bool, p), make([]bool, l)
		if rng.IntN(2) == 0 {
			columns[rng.IntN(p)] = true
		}
		if l > 0 && rng.IntN(2) == 0 {
			rows[rng.IntN(l)] = true
		}
		stay := naive(data, a, columns, rows)
		k := Find(data, a, setOf(columns), setOf(rows), nil)
		if a != nil && l > 0 && noRow(a, stay) { // then the first of them
			idx, _ := a.Row(0)
			columns[idx[0]] = true
			stay = naive(data, a, columns, rows)
		}
		if k == nil {
			if none++; slices.Contains(stay, false) {
				t.Fatal("all columns were kept")
			}
			continue
		}
		all++
		k.check(t, data, a, stay)
	}
	if none == 0 || all == 0 {
		t.Errorf("%d problems kept all, %d not: too few", none, all)
	}
}

// noRow reports whether no row of a stays.
func noRow(a *sparse.CSR, stay []bool) bool {
	l, _ := a.Dims()
	for i := range l {
		if idx, _ := a.Row(i); len(idx) == 0 || stay[idx[0]] {
			return false
		}
	}
	return true
}

// check holds k to the columns that stay.
func (k *Kept) check(t *testing.T, data, a *sparse.CSR, stay []bool) {
	t.Helper()
	var cols, rows []int32
	for j, s := range stay {
		if s {
			cols = append(cols, int32(j))
		}
	}
	if !slices.Equal(k.Columns, cols) {
		t.Fatalf("columns %v stay, want %v", k.Columns, cols)
	}
	part := func(m *sparse.CSR, row int) []float64 { return Take(sparsetest.Dense(m)[row], cols) }
	n, _ := data.Dims()
	for i := range n {
		if !slices.Equal(sparsetest.Dense(k.Data)[i], part(data, i)) {
			t.Fatalf("row %d of the data differs", i)
		}
	}
	if a == nil {
		if !slices.Equal(k.Rows, cols) || k.A != nil {
			t.Fatal("the identity has other rows")
		}
		return
	}
	l, _ := a.Dims()
	for i := range l {
		idx, _ := a.Row(i)
		if len(idx) == 0 || stay[idx[0]] {
			rows = append(rows, int32(i))
		}
	}
	if !slices.Equal(k.Rows, rows) {
		t.Fatalf("rows %v stay, want %v", k.Rows, rows)
	}
	for at, i := range rows {
		if !slices.Equal(sparsetest.Dense(k.A)[at], part(a, int(i))) {
			t.Fatalf("row %d of A differs", i)
		}
	}
	y := make([]float64, len(rows))
	for i := range y {
		y[i] = float64(i + 1)
	}
	if wide := k.Y(y); len(wide) != l || !slices.Equal(Take(wide, rows), y) {
		t.Fatalf("y does not come back: %v", wide)
	}
}

// Of data without entries elsewhere only the indices are copied.
func TestShares(t *testing.T) {
	m, err := sparse.New(2, 200, []int64{0, 1, 3}, []int32{150, 70, 150}, []float64{1, 2, 3})
	if err != nil {
		t.Fatal(err)
	}
	k := Find(m, nil, nil, nil, nil)
	got, want := k.Data.Rows(0, 2), m.Rows(0, 2)
	if &got.Val[0] != &want.Val[0] || &got.Ptr[0] != &want.Ptr[0] || !slices.Equal(got.Idx, []int32{1, 0, 1}) {
		t.Errorf("%v of %v", got, want)
	}
	if Count(m, nil) != 2 || !slices.Equal(k.X([]float64{1, 2}), k.Put(make([]float64, 200), []float64{1, 2})) {
		t.Errorf("%d columns have data, want 2", Count(m, nil))
	}
	if NonZeros([]float64{0, 0}) != nil || !NonZeros([]float64{0, 2}).Has(1) {
		t.Error("NonZeros is wrong")
	}
}

// TestNoColumns: of a matrix without columns everything stays.
func TestNoColumns(t *testing.T) {
	if k := Find(sparse.Identity(0), nil, nil, nil, nil); k != nil {
		t.Errorf("%+v", k)
	}
}

// TestPages: a set has pages where it has members alone, and numbers them in order.
func TestPages(t *testing.T) {
	const n = 1 << 31
	s, other := NewSet(n), NewSet(n)
	want := []int32{0, 63, 64, 65535, 65536, 1 << 20, n - 1}
	for k, j := range want {
		if k%2 == 0 {
			s.Add(int(j))
		} else {
			other.Add(int(j))
		}
	}
	s.Add(64)
	s.add(other)
	if got := s.members(); !slices.Equal(got, want) || s.count() != len(want) {
		t.Errorf("members %v, want %v", got, want)
	}
	at := newPlaces(s)
	for k, j := range want {
		if !s.Has(int(j)) || at.of(j) != int32(k) {
			t.Errorf("%d is at %d, want %d", j, at.of(j), k)
		}
	}
	if s.Has(1) || s.Has(1<<30) {
		t.Error("members that were not added")
	}
	pages := 0
	for _, page := range s.pages {
		if page != nil {
			pages++
		}
	}
	if pages != 4 {
		t.Errorf("%d pages, want 4", pages)
	}
}
