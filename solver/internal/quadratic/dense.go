package quadratic

import (
	"math"

	"github.com/scas-admm/scas/kernels"
	"github.com/scas-admm/scas/solver/internal/linalg"
)

// Dense is a matrix that is formed.
type Dense struct {
	Order   int
	H       []float64 // Order × Order, symmetric
	Threads int

	diagonal []float64
	product  []float64 // H d
	kept     []float64
	system   []float64
	scale    []float64
}

// Prepare makes ready for H, of which the upper triangle is filled in: it fills in the lower one.
func (h *Dense) Prepare() {
	m := h.Order
	h.diagonal = append(h.diagonal[:0], make([]float64, m)...)
	h.product = append(h.product[:0], make([]float64, m)...)
	for i := range m {
		h.diagonal[i] = h.H[i*m+i]
		for j := i + 1; j < m; j++ {
			h.H[j*m+i] = h.H[i*m+j]
		}
	}
}

// Diagonal implements Hessian.
func (h *Dense) Diagonal() []float64 { return h.diagonal }

// Reset implements Hessian.
func (h *Dense) Reset() { clear(h.product) }

// Slope implements Hessian.
func (h *Dense) Slope(k int) float64 { return h.product[k] }

// Move implements Hessian.
func (h *Dense) Move(k int, by float64) {
	kernels.Axpy(by, h.H[k*h.Order:(k+1)*h.Order], h.product)
}

// Keep implements Hessian.
func (h *Dense) Keep() { h.kept = append(h.kept[:0], h.product...) }

// Return implements Hessian.
func (h *Dense) Return() { copy(h.product, h.kept) }

// Turns implements Hessian. A factor takes about support³/6 multiplications and a sweep support times
// Order; large factors are made by blocks, and large matrices are too large for the caches.
func (h *Dense) Turns(support int) int {
	if support < blocked {
		return support / 3
	}
	return support / 30
}

// blocked is the order from which Cholesky's method works by blocks.
const blocked = 256

const (
	leastShift = 1e-12 // of the scaled diagonal: it keeps the step in the range of H
	mostShift  = 1e-3
)

// Solve implements Hessian, by Cholesky's method.
func (h *Dense) Solve(step, rest []float64, support []int32, _ func([]float64) bool, _ func([]float64) bool) bool {
	n := len(support)
	if cap(h.system) < n*n {
		h.system = make([]float64, n*n)
		h.scale = make([]float64, n)
	}
	system, scale := h.system[:n*n], h.scale[:n]
	for a, i := range support {
		scale[a] = 1 / math.Sqrt(h.diagonal[i])
		row := h.H[int(i)*h.Order : (int(i)+1)*h.Order]
		for b, j := range support[a:] {
			system[a*n+a+b] = row[j]
		}
		rest[a] *= scale[a]
	}
	factor := linalg.NewCholesky(n)
	for shift := leastShift; !factor.FactorScaled(system, scale, shift, h.Threads); {
		if shift *= 100; shift > mostShift {
			return false
		}
	}
	factor.Solve(step, rest)
	for a := range support {
		step[a] *= scale[a]
	}
	return true
}
