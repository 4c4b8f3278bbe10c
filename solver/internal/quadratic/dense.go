package quadratic

import (
	"math"

	"github.com/scas-admm/scas/kernels"
)

// Dense is a Hessian: the matrix H + diag(ridge), with all entries of H in memory. The ridge is the argument
// of Prepare.
type Dense struct {
	Order   int
	H       []float64 // all Order × Order entries by rows; symmetric
	Threads int

	hessianState
	lastFactor supportFactor
}

// Mirror copies the upper triangle of H to the lower triangle. It must be called after H is replaced.
func (h *Dense) Mirror() {
	h.ForgetFactor()
	m := h.Order
	for i := range m {
		for j := i + 1; j < m; j++ {
			h.H[j*m+i] = h.H[i*m+j]
		}
	}
}

// ForgetFactor forgets the Cholesky factor of the last call of Solve. The next call then computes a new
// factor, and does not update the old one.
func (h *Dense) ForgetFactor() { h.lastFactor.order = h.lastFactor.order[:0] }

// Renumber must be called after rows and columns have been inserted into H or removed from it. position[k] is
// the new number of coordinate k, or −1 if coordinate k has been removed.
func (h *Dense) Renumber(position []int) {
	for a, k := range h.lastFactor.order {
		h.lastFactor.order[a] = int32(position[k])
		if position[k] < 0 {
			h.ForgetFactor()
			return
		}
	}
}

// Prepare computes the diagonal of H + diag(ridge).
func (h *Dense) Prepare(ridge []float64) {
	h.diagonal = append(h.diagonal[:0], ridge...)
	for k := range h.diagonal {
		h.diagonal[k] += h.H[k*h.Order+k]
	}
}

// Row returns row k of H.
func (h *Dense) Row(k int) []float64 { return h.H[k*h.Order : (k+1)*h.Order] }

// Column sets dst to column k of H + diag(ridge).
func (h *Dense) Column(dst []float64, k int) {
	copy(dst, h.Row(k))
	dst[k] = h.diagonal[k]
}

// Reset sets the vector d to 0.
func (h *Dense) Reset() { h.reset(h.Order, h.Order) }

// Product returns entry k of (H + diag(ridge)) d.
func (h *Dense) Product(k int) float64 { return h.product[k] }

// Move adds change to entry k of the vector d.
func (h *Dense) Move(k int, change float64) {
	h.d[k] += change
	oldProduct := h.product[k]
	kernels.Axpy(change, h.Row(k), h.product)
	h.product[k] = math.FMA(change, h.diagonal[k], oldProduct)
}

// Energy returns d'(H + diag(ridge))d.
func (h *Dense) Energy() float64 { return kernels.Dot(h.d, h.product) }

// MostSweeps implements Hessian. The sweeps that it allows take about as long as the next call of Solve. If Solve can
// update its last factor, this is one sweep. Otherwise Solve computes a new factor; for a large support, a
// multiplication in the factorisation takes about a tenth of the time of a multiplication in a sweep.
func (h *Dense) MostSweeps(nonzeros int) int {
	switch {
	case len(h.lastFactor.order) > 0:
		return 1
	case nonzeros < largeSupport:
		return max(4, nonzeros/3)
	}
	return nonzeros / 30
}

// Repeats implements Hessian. It returns true: there is no sweep between two Newton steps. If columns of H
// are nearly dependent, a sweep would bring back a coordinate that the last step removed from the support.
func (h *Dense) Repeats() bool { return true }

// largeSupport is the size of a support from which a blocked Cholesky factorisation saves much time.
const largeSupport = 256
