package quadratic

import (
	"math"

	"github.com/scas-admm/scas/kernels"
)

// Columns is the matrix Z'Z + diag(ridge), which is not formed: it is known by the columns of Z.
// For sparse columns this takes less than a row of the matrix for each move.
type Columns struct {
	Z     kernels.Rows // row k is column k of Z
	N     int          // rows of Z
	Ridge []float64

	diagonal    []float64
	d, product  []float64 // d, and Z d
	kept, keptD []float64

	part    kernels.Rows // columns of the support
	along   []float64
	dir, to []float64
	one     [1]float64
	entries float64 // of columns, that were read or changed since Prepare
}

// Prepare computes the diagonal of Z'Z + ridge, and sets the move to 0.
func (h *Columns) Prepare() {
	m := h.Z.Len()
	h.diagonal = append(h.diagonal[:0], make([]float64, m)...)
	h.d = append(h.d[:0], make([]float64, m)...)
	if len(h.product) != h.N {
		h.product, h.along = make([]float64, h.N), make([]float64, h.N)
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

// Slope implements Hessian.
func (h *Columns) Slope(k int) float64 {
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

// Entries returns how many entries of columns were read or changed since Prepare.
func (h *Columns) Entries() float64 { return h.entries }

// Save implements Hessian.
func (h *Columns) Save() {
	h.kept, h.keptD = append(h.kept[:0], h.product...), append(h.keptD[:0], h.d...)
}

// Restore implements Hessian.
func (h *Columns) Restore() {
	copy(h.product, h.kept)
	copy(h.d, h.keptD)
}

const (
	columnTurns  = 10   // sweeps between Newton steps
	maxConjugate = 200  // steps of conjugate gradients
	energyPart   = 1e-2 // of the first energy, at which they end
	lookEvery    = 10   // steps between looks at where they lead
)

// SweepsPerSolve implements Hessian.
func (h *Columns) SweepsPerSolve(int) int { return columnTurns }

// Solve implements Hessian, by conjugate gradients with the diagonal as preconditioner. If they
// end early, the step still leads down.
func (h *Columns) Solve(step, rest []float64, support []int32, enough func([]float64) bool, crosses func([]float64) bool) bool {
	n := len(support)
	part := h.restrict(support)
	h.dir = append(h.dir[:0], make([]float64, n)...)
	h.to = append(h.to[:0], make([]float64, n)...)
	clear(step)
	energy := 0.0
	for a, k := range support {
		h.dir[a] = rest[a] / h.diagonal[k]
		energy += float64(rest[a] * h.dir[a])
	}
	first := energy
	for turn := 1; turn <= maxConjugate; turn++ {
		h.times(part, support)
		bend := kernels.Dot(h.to, h.dir)
		if !(bend > 0) || !(energy > 0) {
			break
		}
		length, before := energy/bend, energy
		energy = 0
		for a, k := range support {
			step[a] = math.FMA(length, h.dir[a], step[a])
			rest[a] = math.FMA(-length, h.to[a], rest[a])
			energy += float64(rest[a]*rest[a]) / h.diagonal[k]
		}
		if energy <= float64(energyPart*first) && enough(rest) || energy <= float64(1e-12*first) || turn%lookEvery == 0 && crosses(step) {
			break
		}
		turned := energy / before
		for a, k := range support {
			h.dir[a] = math.FMA(turned, h.dir[a], rest[a]/h.diagonal[k])
		}
	}
	return true
}

// restrict returns the columns of the support, a copy unless it has all.
func (h *Columns) restrict(support []int32) *kernels.Rows {
	p, z := &h.part, &h.Z
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

// times sets to to the product of the matrix with dir over the support, the columns of which are given.
func (h *Columns) times(part *kernels.Rows, support []int32) {
	clear(h.along)
	kernels.Gradient(h.along, *part, h.dir)
	kernels.Margins(h.to, *part, h.along)
	h.entries += 2 * float64(len(part.Val))
	for a, k := range support {
		h.to[a] = math.FMA(h.Ridge[k], h.dir[a], h.to[a])
	}
}
