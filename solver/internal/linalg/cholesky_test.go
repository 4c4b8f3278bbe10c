package linalg

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/scas-admm/scas/kernels"
)

func definiteMatrix(n int) []float64 {
	rng := rand.New(rand.NewPCG(3, uint64(n)))
	v := make([]float64, n*n)
	for k := range v {
		v[k] = rng.NormFloat64()
	}
	h := make([]float64, n*n)
	for i := range n {
		for j := range n {
			h[i*n+j] = kernels.Dot(v[i*n:(i+1)*n], v[j*n:(j+1)*n])
		}
		h[i*n+i] += 1
	}
	return h
}

// TestCholesky checks solutions of (D H D + shift I) v = b, where D is diagonal, for matrices of one and of
// several blocks of columns. A solution must have the same bits at every kernel level and with several
// threads. Factor must return false for a matrix that is not positive definite.
func TestCholesky(t *testing.T) {
	activeLevel := kernels.Active()
	defer kernels.Use(activeLevel)
	const shift = 0.5
	for _, n := range []int{1, 2, 7, 64, 65, 200, 385} {
		h, d, b := definiteMatrix(n), make([]float64, n), make([]float64, n)
		for j := range n {
			d[j], b[j] = math.Ldexp(1, j%9-4), float64(j%7)-3
		}
		var solution []float64
		for _, level := range kernels.Available() {
			if err := kernels.Use(level); err != nil {
				t.Fatal(err)
			}
			for _, threads := range []int{0, 7} {
				c, v := NewCholesky(n), make([]float64, n)
				c.Threads = threads
				if !c.Factor(h, d, shift) {
					t.Fatalf("n = %d: not positive definite", n)
				}
				c.Solve(v, b)
				if solution == nil {
					solution = v
				}
				if !slices.Equal(v, solution) {
					t.Errorf("n = %d: level %v and %d threads give other bits", n, level, threads)
				}
			}
		}
		for i := range n {
			residual, size := b[i]-shift*solution[i], math.Abs(b[i])
			for j, v := range solution {
				term := d[i] * h[i*n+j] * d[j] * v
				residual -= term
				size += math.Abs(term)
			}
			if math.Abs(residual) > 1e-12*size {
				t.Errorf("n = %d, row %d: residual %v of terms of size %v", n, i, residual, size)
			}
		}
		row := n - 1 - n/10
		h[row*n+row] = -1e6
		if NewCholesky(n).Factor(h, d, shift) {
			t.Errorf("n = %d: an indefinite matrix is factored", n)
		}
	}
}

func BenchmarkFactor(b *testing.B) {
	for _, n := range []int{123, 500, 2000} {
		h, c, ones := definiteMatrix(n), NewCholesky(n), slices.Repeat([]float64{1}, n)
		b.Run(fmt.Sprintf("n=%d", n), func(b *testing.B) {
			for b.Loop() {
				c.Factor(h, ones, 0)
			}
		})
	}
}

// TestUpdates deletes rows of a factor and appends them again. After each change, the solution must equal
// the solution with a new factor of the same matrix.
func TestUpdates(t *testing.T) {
	const n, shift = 70, 1e-3
	h, rng := definiteMatrix(n), rand.New(rand.NewPCG(5, 5))
	ones := slices.Repeat([]float64{1}, n)
	submatrix := func(rows []int) []float64 {
		m := make([]float64, 0, len(rows)*len(rows))
		for _, i := range rows {
			for _, j := range rows {
				m = append(m, h[i*n+j])
			}
		}
		return m
	}
	var rowsIn, rowsOut []int
	for i := range n {
		rowsIn = append(rowsIn, i)
	}
	c := NewCholesky(n)
	if !c.Factor(h, ones, shift) {
		t.Fatal("not positive definite")
	}
	for range 200 {
		if len(rowsOut) == 0 || len(rowsIn) > 1 && rng.IntN(2) == 0 {
			a := rng.IntN(len(rowsIn))
			c.Delete(a)
			rowsOut = append(rowsOut, rowsIn[a])
			rowsIn = slices.Delete(rowsIn, a, a+1)
		} else {
			var columns [][]float64
			var diagonals []float64
			for range 1 + rng.IntN(len(rowsOut)) {
				a := rng.IntN(len(rowsOut))
				i, column := rowsOut[a], []float64{}
				for _, j := range rowsIn {
					column = append(column, h[i*n+j])
				}
				columns, diagonals = append(columns, column), append(diagonals, h[i*n+i]+shift)
				rowsOut, rowsIn = slices.Delete(rowsOut, a, a+1), append(rowsIn, i)
			}
			if !c.Append(columns, diagonals, 0) {
				t.Fatal("the pivot of an appended row is not positive")
			}
		}
		m := len(rowsIn)
		b, got, want, freshFactor := make([]float64, m), make([]float64, m), make([]float64, m), NewCholesky(m)
		for k := range b {
			b[k] = rng.NormFloat64()
		}
		freshFactor.Factor(submatrix(rowsIn), ones, shift)
		freshFactor.Solve(want, b)
		c.Solve(got, b)
		for k, v := range want {
			if !(math.Abs(got[k]-v) <= 1e-12*(1+math.Abs(v))) {
				t.Fatalf("%d rows: entry %d is %v, want %v", m, k, got[k], v)
			}
		}
	}
	if column := slices.Clone(h[:len(rowsIn)]); c.Append([][]float64{column}, []float64{-1}, 0) {
		t.Error("an indefinite matrix is factored")
	}
}
