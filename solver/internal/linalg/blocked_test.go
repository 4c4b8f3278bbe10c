package linalg

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/scas-admm/scas/kernels"
)

// definite returns a random positive definite matrix of order n.
func definite(n int) []float64 {
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

// load stores the lower triangle of h in c.l, as FactorScaled does.
func load(c *Cholesky, h []float64) *Cholesky {
	copy(c.l, h)
	return c
}

// TestBlocks checks solutions with a matrix that is factored by blocks. They equal those without blocks,
// up to rounding, and have the same bits for one thread and for several.
func TestBlocks(t *testing.T) {
	for _, n := range []int{1, 2, 95, 96, 97, 200, 385, 601} {
		h := definite(n)
		plain, one, many := NewCholesky(n), load(NewCholesky(n), h), load(NewCholesky(n), h)
		if !plain.Factor(h) || !one.blocks(1) || !many.blocks(7) {
			t.Fatalf("n = %d: not positive definite", n)
		}
		b, x := make([]float64, n), make([]float64, n)
		for j := range b {
			b[j] = float64(j%7) - 3
		}
		plain.Solve(x, b)
		for k, c := range []*Cholesky{one, many} {
			y := make([]float64, n)
			c.Solve(y, b)
			closeTo(t, fmt.Sprintf("n = %d, %d", n, k), y, x)
		}
		one.Solve(b, b)
		y := make([]float64, n)
		for j := range y {
			y[j] = float64(j%7) - 3
		}
		many.Solve(y, y)
		if !slices.Equal(b, y) {
			t.Errorf("n = %d: bits depend on the number of threads", n)
		}
	}
	h := definite(120)
	h[110*120+110] = -1
	if load(NewCholesky(120), h).blocks(2) {
		t.Error("an indefinite matrix is factored")
	}
}

func closeTo(t *testing.T, what string, got, want []float64) {
	t.Helper()
	for j, v := range got {
		if math.Abs(v-want[j]) > 1e-9*(1+math.Abs(want[j])) {
			t.Fatalf("%s: entry %d is %v, want %v", what, j, v, want[j])
		}
	}
}

// TestFactorScaled checks solutions with D H D + shift I, for one block and for several. D is diagonal.
func TestFactorScaled(t *testing.T) {
	for _, n := range []int{5, 620} {
		h, scaled := definite(n), definite(n)
		d, b, x, y := make([]float64, n), make([]float64, n), make([]float64, n), make([]float64, n)
		for j := range d {
			d[j], b[j] = math.Ldexp(1, j%9-4), float64(j%5)
		}
		for k := range scaled {
			scaled[k] *= d[k/n] * d[k%n]
		}
		for j := range d {
			scaled[j*n+j] += 0.5
		}
		c, want := NewCholesky(n), NewCholesky(n)
		if !c.FactorScaled(h, d, 0.5, 2) || !want.Factor(scaled) {
			t.Fatal("not positive definite")
		}
		c.Solve(x, b)
		want.Solve(y, b)
		closeTo(t, fmt.Sprint("n = ", n), x, y)
	}
}

func BenchmarkFactor(b *testing.B) {
	for _, n := range []int{123, 500, 2000} {
		h, c := definite(n), NewCholesky(n)
		ones := make([]float64, n)
		for j := range ones {
			ones[j] = 1
		}
		b.Run(fmt.Sprintf("n=%d", n), func(b *testing.B) {
			for b.Loop() {
				c.FactorScaled(h, ones, 0, 1)
			}
		})
	}
}
