package newton

import (
	"github.com/scas-admm/scas/solver/internal/quad"
	"github.com/scas-admm/scas/sparse"
)

// A triangle says where the upper triangle of a symmetric matrix is kept: all of it, or
// where the matrix has a band, that.
type triangle struct {
	n     int
	width int // entries (i, j) with j > i + width are zero; n − 1 if there is no band
	// Entry (i, j), i ≤ j ≤ i + width, is at i·stride + j.
	stride int
}

func newTriangle(n, width int) triangle {
	if width+1 < n {
		return triangle{n, width, width}
	}
	return triangle{n, n - 1, n}
}

func (t triangle) banded() bool { return t.width+1 < t.n }

// Banded reports whether the matrices of Newton's steps are kept as a band, so that the
// number of features does not matter.
func (f *Finisher) Banded() bool { return f.tri.banded() }

// size is the length of the slice.
func (t triangle) size() int {
	if t.banded() {
		return t.n * (t.width + 1)
	}
	return t.n * t.n
}

// row returns the entries (i, i), (i, i+1) and so on.
func (t triangle) row(h []float64, i int) []float64 {
	return h[i*t.stride+i : i*t.stride+min(t.n, i+t.width+1)]
}

// A factor is a Cholesky factor of either kind.
type factor interface {
	FactorScaled(h, scale []float64, lift float64) bool
	Solve(dst, b []float64)
	SolveLower(dst, b []float64)
}

// A denseFactor is that of a matrix without a band.
type denseFactor struct {
	*quad.Cholesky
	threads int
}

func (f denseFactor) FactorScaled(h, scale []float64, lift float64) bool {
	return f.Cholesky.FactorScaled(h, scale, lift, f.threads)
}

// newFactor has room for that of a triangle.
func (t triangle) newFactor(threads int) factor {
	if t.banded() {
		return quad.NewBandCholesky(t.n, t.width)
	}
	return denseFactor{quad.NewCholesky(t.n), threads}
}

// width returns the band of X'X + A'A: the widest span of a row of either.
func width(x, a *sparse.CSR) int {
	widest := 0
	for _, m := range []*sparse.CSR{x, a} {
		if m == nil {
			continue
		}
		n, _ := m.Dims()
		for i := range n {
			if idx, _ := m.Row(i); len(idx) > 1 {
				widest = max(widest, int(idx[len(idx)-1]-idx[0]))
			}
		}
	}
	return widest
}
