package quadratic

import (
	"math"
	"slices"

	"github.com/scas-admm/scas/kernels"
	"github.com/scas-admm/scas/solver/internal/linalg"
)

// Dense is the matrix H + diag(ridge), where H is formed.
type Dense struct {
	Order   int
	H       []float64 // Order × Order, symmetric
	Ridge   []float64
	Threads int

	diagonal []float64       // the diagonal of H + diag(ridge)
	product  []float64       // (H + diag(ridge)) d
	saved    []float64       // product of the last Save
	system   []float64       // the matrix of the support
	scale    []float64       // scales system to a unit diagonal
	factor   linalg.Cholesky // the factor of the scaled system
}

// Mirror copies the upper triangle of H to the lower one.
func (h *Dense) Mirror() {
	m := h.Order
	for i := range m {
		for j := i + 1; j < m; j++ {
			h.H[j*m+i] = h.H[i*m+j]
		}
	}
}

// Prepare computes the diagonal of H + diag(ridge), and sets d to 0.
func (h *Dense) Prepare() {
	h.diagonal = append(h.diagonal[:0], h.Ridge...)
	h.product = append(h.product[:0], h.Ridge...)
	for k := range h.diagonal {
		h.diagonal[k] += h.H[k*h.Order+k]
	}
}

// Row returns row k of H.
func (h *Dense) Row(k int) []float64 { return h.H[k*h.Order : (k+1)*h.Order] }

// Diagonal implements Hessian.
func (h *Dense) Diagonal() []float64 { return h.diagonal }

// Reset implements Hessian.
func (h *Dense) Reset() { clear(h.product) }

// Product implements Hessian.
func (h *Dense) Product(k int) float64 { return h.product[k] }

// Move implements Hessian.
func (h *Dense) Move(k int, by float64) {
	before := h.product[k]
	kernels.Axpy(by, h.Row(k), h.product)
	h.product[k] = math.FMA(by, h.diagonal[k], before)
}

// Save implements Hessian.
func (h *Dense) Save() { h.saved = append(h.saved[:0], h.product...) }

// Restore implements Hessian.
func (h *Dense) Restore() { copy(h.product, h.saved) }

// SweepsPerSolve implements Hessian. A Cholesky factor takes about support³/6 multiplications, and a
// sweep takes support times Order. For large supports a multiplication of the factor is about ten times
// faster, because factoring works by blocks, while a sweep reads rows of H from memory.
func (h *Dense) SweepsPerSolve(support int) int {
	if support < blocked {
		return support / 3
	}
	return support / 30
}

// MostSolves implements Hessian. A factor of a smaller support takes about as long as the sweeps that
// would find that support.
func (h *Dense) MostSolves() int { return 8 }

// blocked is the support from which factoring by blocks is assumed to be faster than sweeps.
const blocked = 256

// Limits of the diagonal shift, relative to the unit diagonal of the scaled matrix. The shift keeps the step
// in the range of a singular H.
const (
	leastShift = 1e-12
	maxShift   = 1e-3
)

// Solve implements Hessian by a Cholesky factorisation.
func (h *Dense) Solve(step, rest []float64, support []int32, _ func([]float64) bool, _ func([]float64) bool) bool {
	n := len(support)
	h.system, h.scale = slices.Grow(h.system[:0], n*n)[:n*n], slices.Grow(h.scale[:0], n)[:n]
	h.factor.Resize(n)
	h.factor.Threads = h.Threads
	system, scale, factor := h.system, h.scale, &h.factor
	for a, i := range support {
		scale[a] = 1 / math.Sqrt(h.diagonal[i])
		row := h.Row(int(i))
		for b, j := range support[a:] {
			system[a*n+a+b] = row[j]
		}
		system[a*n+a] = h.diagonal[i]
		rest[a] *= scale[a]
	}
	for shift := leastShift; !factor.Factor(system, scale, shift); {
		if shift *= 100; shift > maxShift {
			return false
		}
	}
	factor.Solve(step, rest)
	for a, i := range support { // one step of iterative refinement removes most of the effect of the shift
		row := h.Row(int(i))
		rest[a] -= float64(float64(h.diagonal[i]*float64(scale[a]*scale[a])) * step[a])
		for b := a + 1; b < n; b++ {
			v := float64(row[support[b]] * float64(scale[a]*scale[b]))
			rest[a] -= float64(v * step[b])
			rest[b] -= float64(v * step[a])
		}
	}
	factor.Solve(rest, rest)
	for a := range support {
		step[a] = float64((step[a] + rest[a]) * scale[a])
	}
	return true
}
