package quadratic

import (
	"math"

	"github.com/scas-admm/scas/kernels"
	"github.com/scas-admm/scas/solver/internal/linalg"
	"github.com/scas-admm/scas/sparse"
)

// A Triangle describes how a slice stores the upper triangle of a symmetric matrix. If the matrix is a band
// matrix, the slice has only the band.
type Triangle struct {
	Order int
	Width int // entries (i, j) with j > i + Width are 0
	// Entry (i, j) with i ≤ j ≤ i + Width has the index i·Stride + j.
	Stride int
}

// NewTriangle returns the Triangle of a matrix of order n whose entries (i, j) with |i − j| > width are 0.
func NewTriangle(n, width int) Triangle {
	if width+1 < n {
		return Triangle{n, width, width}
	}
	return Triangle{n, n - 1, n}
}

// Banded reports whether the matrix is stored as a band.
func (t Triangle) Banded() bool { return t.Width+1 < t.Order }

// Size returns the length of the slice that stores the matrix.
func (t Triangle) Size() int {
	if t.Banded() {
		return t.Order * (t.Width + 1)
	}
	return t.Order * t.Order
}

// Row returns the stored entries (i, i), (i, i+1), … of row i of the matrix that h stores.
func (t Triangle) Row(h []float64, i int) []float64 {
	return h[i*t.Stride+i : i*t.Stride+min(t.Order, i+t.Width+1)]
}

// Times sets dst to the product of d and the symmetric matrix that h stores.
func (t Triangle) Times(dst, h, d []float64) {
	clear(dst)
	for i, v := range d {
		row := t.Row(h, i)
		dst[i] += kernels.Dot(row, d[i:i+len(row)])
		kernels.Axpy(v, row[1:], dst[i+1:i+len(row)])
	}
}

// AddGram adds A' diag(w) A to the matrix that h stores. The argument a is A; nil is the identity.
func (t Triangle) AddGram(h []float64, a *sparse.CSR, w []float64) {
	if a == nil {
		for j, v := range w {
			h[j*t.Stride+j] += v
		}
		return
	}
	for row, weight := range w {
		idx, val := a.Row(row)
		for k, j := range idx {
			v, out := float64(weight*val[k]), h[int(j)*t.Stride:]
			for m := k; m < len(idx); m++ {
				out[idx[m]] = math.FMA(v, val[m], out[idx[m]])
			}
		}
	}
}

// A factor is a Cholesky factor of a full or band matrix.
type factor interface {
	// Factor factors D H D + shift I, where h stores the matrix H, and D is diag(scale). It returns false if
	// a pivot is not positive.
	Factor(h, scale []float64, shift float64) bool
	// Solve sets dst to the solution v of (D H D + shift I) v = b. dst may be b.
	Solve(dst, b []float64)
}

func (t Triangle) newFactor(threads int) factor {
	if t.Banded() {
		return linalg.NewBandCholesky(t.Order, t.Width)
	}
	c := linalg.NewCholesky(t.Order)
	c.Threads = threads
	return c
}
