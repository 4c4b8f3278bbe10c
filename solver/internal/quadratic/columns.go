package quadratic

import (
	"math"

	"github.com/scas-admm/scas/kernels"
)

// Columns is the matrix Z'Z + diag(ridge), represented by the columns of Z. If these are sparse, a
// change of one coordinate takes less time than with a row of the formed matrix.
type Columns struct {
	Z     kernels.Rows // row k is column k of Z
	N     int          // the number of rows of Z
	Ridge []float64

	diagonal      []float64
	d, product    []float64 // the vector d of Hessian, and Z d
	saved, savedD []float64 // product and d of the last Save

	support kernels.Rows // the columns of the support
	// scratch memory of Solve: the direction, Z times it, and the matrix times it
	dir, image, applied []float64
	one                 [1]float64
	entries             float64 // see Entries
}

// Prepare computes the diagonal of Z'Z + diag(ridge), and sets d to 0.
func (h *Columns) Prepare() {
	m := h.Z.Len()
	h.diagonal = append(h.diagonal[:0], make([]float64, m)...)
	h.d = append(h.d[:0], make([]float64, m)...)
	if len(h.product) != h.N {
		h.product, h.image = make([]float64, h.N), make([]float64, h.N)
	}
	clear(h.product)
	h.entries = 0
	for k := range h.diagonal {
		column := h.Z.Val[h.Z.Ptr[k]:h.Z.Ptr[k+1]]
		h.diagonal[k] = kernels.Dot(column, column) + h.Ridge[k]
	}
}

// Diagonal implements Hessian.
func (h *Columns) Diagonal() []float64 { return h.diagonal }

// Reset implements Hessian.
func (h *Columns) Reset() {
	clear(h.d)
	clear(h.product)
}

// column returns column k of Z as a matrix with one row.
func (h *Columns) column(k int) kernels.Rows {
	z := h.Z
	z.Ptr = z.Ptr[k : k+2]
	return z
}

// Product implements Hessian.
func (h *Columns) Product(k int) float64 {
	kernels.Margins(h.one[:], h.column(k), h.product)
	h.entries += float64(h.Z.Ptr[k+1] - h.Z.Ptr[k])
	return h.one[0] + float64(h.Ridge[k]*h.d[k])
}

// Move implements Hessian.
func (h *Columns) Move(k int, by float64) {
	h.d[k] += by
	h.one[0] = by
	kernels.Gradient(h.product, h.column(k), h.one[:])
	h.entries += float64(h.Z.Ptr[k+1] - h.Z.Ptr[k])
}

// Entries returns the number of entries of columns that were read or changed since Prepare.
func (h *Columns) Entries() float64 { return h.entries }

// Save implements Hessian.
func (h *Columns) Save() {
	h.saved, h.savedD = append(h.saved[:0], h.product...), append(h.savedD[:0], h.d...)
}

// Restore implements Hessian.
func (h *Columns) Restore() {
	copy(h.product, h.saved)
	copy(h.d, h.savedD)
}

const (
	maxConjugate    = 200  // steps of the conjugate gradient method
	energyTolerance = 1e-2 // enough can end Solve only if rest'D⁻¹rest is below this fraction of its start
	checkEvery      = 10   // steps between two checks of whether the step crosses zero or a bound
)

// SweepsPerSolve implements Hessian. Solve usually takes longer than leastSweeps sweeps, but more sweeps
// between two calls make paths with text data 10 % slower.
func (h *Columns) SweepsPerSolve(int) int { return leastSweeps }

// MostSolves implements Hessian. If a step crosses zero, a few sweeps find the next support at far less
// cost than another call of Solve.
func (h *Columns) MostSolves() int { return 1 }

// Solve implements Hessian by the conjugate gradient method, preconditioned with the diagonal D of the
// matrix. If it ends early, the step is still a direction of descent.
func (h *Columns) Solve(step, rest []float64, support []int32, enough func([]float64) bool, crosses func([]float64) bool) bool {
	n := len(support)
	part := h.restrict(support)
	h.dir = append(h.dir[:0], make([]float64, n)...)
	h.applied = append(h.applied[:0], make([]float64, n)...)
	clear(step)
	energy := 0.0
	for a, k := range support {
		h.dir[a] = rest[a] / h.diagonal[k]
		energy += float64(rest[a] * h.dir[a])
	}
	first := energy
	for iteration := 1; iteration <= maxConjugate; iteration++ {
		h.times(part, support)
		curvature := kernels.Dot(h.applied, h.dir)
		if !(curvature > 0) || !(energy > 0) {
			break
		}
		length, before := energy/curvature, energy
		energy = 0
		for a, k := range support {
			step[a] = math.FMA(length, h.dir[a], step[a])
			rest[a] = math.FMA(-length, h.applied[a], rest[a])
			energy += float64(rest[a]*rest[a]) / h.diagonal[k]
		}
		if energy <= float64(energyTolerance*first) && enough(rest) || energy <= float64(1e-12*first) || iteration%checkEvery == 0 && crosses(step) {
			break
		}
		beta := energy / before
		for a, k := range support {
			h.dir[a] = math.FMA(beta, h.dir[a], rest[a]/h.diagonal[k])
		}
	}
	return true
}

// restrict returns the columns of the support: a copy, unless the support has all columns.
func (h *Columns) restrict(support []int32) *kernels.Rows {
	p, z := &h.support, &h.Z
	if len(support) == z.Len() {
		return z
	}
	p.Ptr, p.Idx, p.Idx16, p.Val, p.Cols = append(p.Ptr[:0], 0), p.Idx[:0], p.Idx16[:0], p.Val[:0], z.Cols
	for _, k := range support {
		lo, hi := z.Ptr[k], z.Ptr[k+1]
		p.Val = append(p.Val, z.Val[lo:hi]...)
		if z.Idx != nil {
			p.Idx = append(p.Idx, z.Idx[lo:hi]...)
		} else {
			p.Idx16 = append(p.Idx16, z.Idx16[lo:hi]...)
		}
		p.Ptr = append(p.Ptr, int64(len(p.Val)))
	}
	if z.Idx == nil {
		p.Idx = nil
	}
	return p
}

// times sets applied to the product of the matrix, restricted to the support, with dir; part has the
// columns of the support.
func (h *Columns) times(part *kernels.Rows, support []int32) {
	clear(h.image)
	kernels.Gradient(h.image, *part, h.dir)
	kernels.Margins(h.applied, *part, h.image)
	h.entries += 2 * float64(len(part.Val))
	for a, k := range support {
		h.applied[a] = math.FMA(h.Ridge[k], h.dir[a], h.applied[a])
	}
}
