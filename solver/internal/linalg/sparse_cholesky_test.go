package linalg

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/scas-admm/scas/sparse"
)

// TestSparseOrder checks the number of entries of the factor of a grid with m x m points, m = 60. Nested dissection,
// an order whose number of entries grows as slowly as possible, has at most 31/4 m² log₂ m (George 1973); a band
// matrix has m³. For this m, minimum degree needs less than half of the first number.
func TestSparseOrder(t *testing.T) {
	const side, n = 60, 60 * 60
	var entries []sparse.Triplet
	row := 0
	for k := range n {
		for _, next := range []int{k + 1, k + side} {
			if next < n && (next != k+1 || next%side > 0) {
				entries = append(entries, sparse.Triplet{Row: row, Col: k, Value: 1}, sparse.Triplet{Row: row, Col: next, Value: -1})
				row++
			}
		}
	}
	a, err := sparse.FromTriplets(row, n, entries)
	if err != nil {
		t.Fatal(err)
	}
	if c := NewSparseCholesky(a, n, math.Inf(1)); float64(c.Entries()) > 0.5*31/4*n*math.Log2(side) {
		t.Errorf("%d entries", c.Entries())
	}
}

// TestSparseCholesky compares solutions with those of a dense factor, for random graphs and for rows with
// several entries. With some seeds, two columns have an entry in all rows. A chain and a star must have no entry more
// than the matrix.
func TestSparseCholesky(t *testing.T) {
	const n = 130
	for seed := range uint64(20) {
		rng := rand.New(rand.NewPCG(seed, 5))
		var entries []sparse.Triplet
		rows := 160
		for row := range rows {
			cols := rng.Perm(n)[:1+seed%4]
			if seed >= 12 {
				cols = append(cols, 7, n-1)
				slices.Sort(cols)
				cols = slices.Compact(cols)
			}
			for _, j := range cols {
				entries = append(entries, sparse.Triplet{Row: row, Col: j, Value: rng.NormFloat64()})
			}
		}
		a, err := sparse.FromTriplets(rows, n, entries)
		if err != nil {
			t.Fatal(err)
		}
		c := NewSparseCholesky(a, n, math.Inf(1))
		d, w, b, full := make([]float64, n), make([]float64, rows), make([]float64, n), make([]float64, n*n)
		for j := range n {
			d[j], b[j] = math.Exp(5*rng.NormFloat64()), rng.NormFloat64()
			full[j*n+j] = d[j]
		}
		for row := range rows {
			w[row] = math.Exp(5 * rng.NormFloat64())
			idx, val := a.Row(row)
			for k, i := range idx {
				for m, j := range idx {
					full[int(i)*n+int(j)] += w[row] * val[k] * val[m]
				}
			}
		}
		if !c.Factor(d, w) {
			t.Fatalf("seed %d: not positive definite", seed)
		}
		x := slices.Clone(b)
		c.Solve(x, x)
		for i := range n {
			residual, size := b[i], math.Abs(b[i])
			for j, v := range x {
				residual -= full[i*n+j] * v
				size += math.Abs(full[i*n+j] * v)
			}
			if !(math.Abs(residual) <= 1e-12*size) {
				t.Errorf("seed %d, row %d: residual %g of terms of size %g", seed, i, residual, size)
			}
		}
		d[7] = -1e30
		if c.Factor(d, w) {
			t.Errorf("seed %d: an indefinite matrix is factored", seed)
		}
	}
	for name, edge := range map[string]func(k int) (i, j int){
		"chain": func(k int) (i, j int) { return k, k + 1 },
		"star":  func(k int) (i, j int) { return n / 2, (k + n/2 + 1) % n },
	} {
		var entries []sparse.Triplet
		for k := range n - 1 {
			i, j := edge(k)
			entries = append(entries, sparse.Triplet{Row: k, Col: i, Value: 1}, sparse.Triplet{Row: k, Col: j, Value: -1})
		}
		a, err := sparse.FromTriplets(n-1, n, entries)
		if err != nil {
			t.Fatal(err)
		}
		if c := NewSparseCholesky(a, n, math.Inf(1)); c.Entries() != n-1 || c.Multiplications() != n-1 {
			t.Errorf("%s: %d entries, %v multiplications", name, c.Entries(), c.Multiplications())
		}
		if NewSparseCholesky(a, n, n-2) != nil {
			t.Errorf("%s: more multiplications than allowed", name)
		}
	}
	long := make([]float64, 4*n)
	for k := range long {
		long[k] = 1
	}
	a, err := sparse.FromDense(4, n, long)
	if err != nil {
		t.Fatal(err)
	}
	if NewSparseCholesky(a, n, n*n*n/6) == nil || NewSparseCholesky(a, n, n*n*n/8) != nil {
		t.Error("a full matrix needs about n³/6 multiplications")
	}
	if c := NewSparseCholesky(nil, 2, 0); !c.Factor([]float64{4, 2}, nil) {
		t.Error("a diagonal matrix is not factored")
	}
}
