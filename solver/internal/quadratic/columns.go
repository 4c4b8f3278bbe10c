package quadratic

import (
	"math"
	"slices"

	"github.com/scas-admm/scas/kernels"
	"github.com/scas-admm/scas/solver/internal/linalg"
)

// Columns is the matrix Z'Z + diag(Ridge), represented by the columns of Z. If the columns are sparse,
// Product and Move are fast.
type Columns struct {
	Z     kernels.Rows // Z': row k is column k of Z; Idx and Val are set, Idx16 and Val32 are not used
	N     int          // the number of rows of Z
	Ridge []float64
	// MaxIterations bounds the iterations of the conjugate gradient method in one call of Solve.
	MaxIterations int

	hessianState

	support     kernels.Rows // the columns of Z that supportColumns has copied
	cg          linalg.ConjugateGradients
	image       []float64  // scratch memory for Z v, where v is a vector
	scalar      [1]float64 // scratch memory
	entriesRead float64    // number of entries of Z read since Prepare
}

// Prepare computes the diagonal of the matrix. Reset must be called next.
func (h *Columns) Prepare() {
	h.diagonal = append(h.diagonal[:0], h.Ridge...)
	h.image = append(h.image[:0], make([]float64, h.N)...)
	h.entriesRead = 0
	for k := range h.diagonal {
		column := h.Z.Val[h.Z.Ptr[k]:h.Z.Ptr[k+1]]
		h.diagonal[k] += kernels.Dot(column, column)
	}
}

// Column sets dst to column k of Z'Z + diag(Ridge).
func (h *Columns) Column(dst []float64, k int) {
	clear(h.image)
	h.scalar[0] = 1
	kernels.Gradient(h.image, h.column(k), h.scalar[:])
	kernels.Margins(dst, h.Z, h.image)
	dst[k] = h.diagonal[k]
	h.entriesRead += float64(len(h.Z.Val))
}

// Reset sets the vector d to 0.
func (h *Columns) Reset() { h.reset(h.Z.Len(), h.N) }

// column returns column k of Z as a matrix with one row.
func (h *Columns) column(k int) kernels.Rows {
	z := h.Z
	z.Ptr = z.Ptr[k : k+2]
	return z
}

// For a column with at most this number of entries, a loop takes less time than a call of a kernel.
const shortColumn = 32

// Product returns entry k of (Z'Z + diag(Ridge)) d.
func (h *Columns) Product(k int) float64 {
	lo, hi := h.Z.Ptr[k], h.Z.Ptr[k+1]
	h.entriesRead += float64(hi - lo)
	if hi-lo > shortColumn {
		kernels.Margins(h.scalar[:], h.column(k), h.product)
		return h.scalar[0] + float64(h.Ridge[k]*h.d[k])
	}
	sum, val := float64(h.Ridge[k]*h.d[k]), h.Z.Val[lo:hi]
	for e, i := range h.Z.Idx[lo:hi] {
		sum += float64(val[e] * h.product[i])
	}
	return sum
}

// Move adds change to entry k of the vector d.
func (h *Columns) Move(k int, change float64) {
	h.d[k] += change
	lo, hi := h.Z.Ptr[k], h.Z.Ptr[k+1]
	h.entriesRead += float64(hi - lo)
	if hi-lo > shortColumn {
		h.scalar[0] = change
		kernels.Gradient(h.product, h.column(k), h.scalar[:])
		return
	}
	val := h.Z.Val[lo:hi]
	for e, i := range h.Z.Idx[lo:hi] {
		h.product[i] += float64(change * val[e])
	}
}

// Energy returns d'(Z'Z + diag(Ridge))d.
func (h *Columns) Energy() float64 {
	sum := kernels.Dot(h.product, h.product)
	for k, d := range h.d {
		sum += float64(h.Ridge[k] * float64(d*d))
	}
	return sum
}

// EntriesRead returns how many entries of the matrix Z (see Columns) were read since Prepare. An entry
// counts each time it is read.
func (h *Columns) EntriesRead() float64 { return h.entriesRead }

const (
	checkEvery = 10 // Solve calls its argument crosses once in this number of iterations
	// Solve calls its argument isSmall when the energy r'D⁻¹r of the residual r (see Solve) is at most this part
	// of its first value, or after moreRounds iterations. If the first residual is already small, a few more
	// iterations often save a Newton step.
	energyTolerance = 1e-2
	moreRounds      = 5
)

// MostSweeps implements Hessian. With ten sweeps, runs on text data take longer.
func (h *Columns) MostSweeps(int) int { return 4 }

// Repeats implements Hessian. It returns false: a sweep finds the next support faster than a second
// call of Solve.
func (h *Columns) Repeats() bool { return false }

// Solve implements Hessian: it solves (H − ff')_SS step = descent, by the conjugate gradient method. S is the
// support. The preconditioner D is the diagonal of (H − ff')_SS. The energy of a residual r is r'D⁻¹r.
func (h *Columns) Solve(step, descent, f []float64, support []int32, isSmall, crosses func([]float64) bool) (found, solved bool) {
	columns, cg, firstEnergy := h.supportColumns(support), &h.cg, 0.0
	fS := make([]float64, len(support))
	cg.Resize(len(support))
	for a, k := range support {
		if f != nil {
			fS[a] = f[k]
		}
		cg.Diagonal[a] = h.diagonal[k] - float64(fS[a]*fS[a])
	}
	cg.Multiply = func(dst, v []float64) {
		h.times(dst, v, columns, support)
		if f != nil {
			kernels.Axpy(-kernels.Dot(fS, v), fS, dst)
		}
	}
	copy(cg.Residual, descent)
	clear(step)
	cg.Solve(step, h.MaxIterations, func(round int, energy float64) bool {
		if round == 0 {
			firstEnergy = energy
		}
		enough := energy <= float64(energyTolerance*firstEnergy) || round >= moreRounds
		solved = enough && isSmall(cg.Residual) || energy <= float64(1e-12*firstEnergy)
		return solved || round%checkEvery == 0 && crosses(step)
	})
	return true, solved
}

// supportColumns returns the columns of Z that belong to the support. It copies them unless the support has
// all columns.
func (h *Columns) supportColumns(support []int32) *kernels.Rows {
	p, z := &h.support, &h.Z
	if len(support) == z.Len() {
		return z
	}
	p.Ptr, p.Cols = append(p.Ptr[:0], 0), z.Cols
	p.Idx, p.Val = slices.Grow(p.Idx[:0], len(z.Idx)), slices.Grow(p.Val[:0], len(z.Val))
	for _, k := range support {
		lo, hi := z.Ptr[k], z.Ptr[k+1]
		p.Idx, p.Val = append(p.Idx, z.Idx[lo:hi]...), append(p.Val, z.Val[lo:hi]...)
		p.Ptr = append(p.Ptr, int64(len(p.Val)))
	}
	return p
}

// times sets dst = M v, where M has those rows and columns of Z'Z + diag(Ridge) that support lists. columns
// has the columns of Z that support lists.
func (h *Columns) times(dst, v []float64, columns *kernels.Rows, support []int32) {
	clear(h.image)
	kernels.Gradient(h.image, *columns, v)
	kernels.Margins(dst, *columns, h.image)
	h.entriesRead += 2 * float64(len(columns.Val))
	for a, k := range support {
		dst[a] = math.FMA(h.Ridge[k], v[a], dst[a])
	}
}
