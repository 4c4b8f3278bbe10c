package linalg

import (
	"math"
	"math/rand/v2"
	"testing"
)

type solver interface {
	Solve(dst, b []float64)
	SolveLower(dst, b []float64)
}

// TestBand checks that a band matrix gives the same solutions if it is factored as a band and as a full
// matrix, up to rounding.
func TestBand(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	for _, c := range []struct{ n, width int }{{1, 0}, {5, 0}, {7, 1}, {30, 3}, {50, 17}} {
		full, band := make([]float64, c.n*c.n), make([]float64, c.n*(c.width+1))
		scale, b := make([]float64, c.n), make([]float64, c.n)
		for i := range c.n {
			scale[i], b[i] = math.Ldexp(1, rng.IntN(9)-4), rng.NormFloat64()
		}
		for i := range c.n {
			for j := i; j <= min(c.n-1, i+c.width); j++ {
				v := rng.NormFloat64()
				if i == j {
					v = 4 + float64(2*c.width)*3
				}
				full[i*c.n+j] = v / scale[i] / scale[j]
				band[i*c.width+j] = full[i*c.n+j]
			}
		}
		dense, narrow := NewCholesky(c.n), NewBandCholesky(c.n, c.width)
		if !dense.FactorScaled(full, scale, 1e-9, 1) || !narrow.FactorScaled(band, scale, 1e-9) {
			t.Fatalf("%+v: not positive definite", c)
		}
		want, got := make([]float64, c.n), make([]float64, c.n)
		for _, half := range []bool{false, true} {
			solve := solver.Solve
			if half {
				solve = solver.SolveLower
			}
			solve(dense, want, b)
			solve(narrow, got, b)
			for j, v := range want {
				if !(math.Abs(got[j]-v) < 1e-13) {
					t.Fatalf("%+v: entry %d is %v, want %v", c, j, got[j], v)
				}
			}
		}
	}
	if NewBandCholesky(2, 1).FactorScaled([]float64{1, 2, 1, 0}, []float64{1, 1}, 0) {
		t.Error("an indefinite matrix was factored")
	}
}
