package quadratic

import "github.com/scas-admm/scas/solver/internal/linalg"

// A Triangle says where the upper triangle of a symmetric matrix is kept: all of it, or
// where the matrix has a band, that.
type Triangle struct {
	Order int
	Width int // entries (i, j) with j > i + Width are zero; Order − 1 if there is no band
	// Entry (i, j), i ≤ j ≤ i + Width, is at i·Stride + j.
	Stride int
}

// NewTriangle is for a matrix of order n whose entries (i, j) with |i − j| > width are zero.
func NewTriangle(n, width int) Triangle {
	if width+1 < n {
		return Triangle{n, width, width}
	}
	return Triangle{n, n - 1, n}
}

// Banded reports whether the matrix is kept as a band.
func (t Triangle) Banded() bool { return t.Width+1 < t.Order }

// Size is the length of the slice.
func (t Triangle) Size() int {
	if t.Banded() {
		return t.Order * (t.Width + 1)
	}
	return t.Order * t.Order
}

// Row returns the entries (i, i), (i, i+1) and so on.
func (t Triangle) Row(h []float64, i int) []float64 {
	return h[i*t.Stride+i : i*t.Stride+min(t.Order, i+t.Width+1)]
}

// A factor is a Cholesky factor of either kind.
type factor interface {
	FactorScaled(h, scale []float64, lift float64) bool
	Solve(dst, b []float64)
	SolveLower(dst, b []float64)
}

// A denseFactor is that of a matrix without a band.
type denseFactor struct {
	*linalg.Cholesky
	threads int
}

func (f denseFactor) FactorScaled(h, scale []float64, lift float64) bool {
	return f.Cholesky.FactorScaled(h, scale, lift, f.threads)
}

// newFactor has room for that of a Triangle.
func (t Triangle) newFactor(threads int) factor {
	if t.Banded() {
		return linalg.NewBandCholesky(t.Order, t.Width)
	}
	return denseFactor{linalg.NewCholesky(t.Order), threads}
}
