package quadratic

import (
	"math"

	"github.com/scas-admm/scas/kernels"
	"github.com/scas-admm/scas/solver/internal/linalg"
	"github.com/scas-admm/scas/sparse/pages"
)

// Columns is a Hessian: the matrix X_S'diag(Weights)X_S + diag(ridge), where X_S has the columns Cols of a
// matrix X. The ridge is the argument of Prepare. The matrix itself is not stored. If the columns are sparse,
// Product and Move are fast.
type Columns struct {
	XT      kernels.Rows // X': row j is column j of X
	Cols    []int32      // in increasing order
	Weights []float64    // one for each row of X, not negative
	// MaxIterations bounds the iterations of the conjugate gradient method in one call of Solve.
	MaxIterations int

	hessianState
	ridge []float64 // one for each number in Cols

	entries     entries      // the entries of XT
	entryCount  float64      // the number of entries of X_S
	entriesRead float64      // the number of entries of X_S read since Prepare
	support     kernels.Rows // the columns that supportColumns has copied, as rows
	cg          linalg.ConjugateGradients
	image       []float64  // scratch memory for X_S v, where v is a vector
	scalar      [1]float64 // scratch memory
}

// Prepare copies the ridge, and computes the diagonal of the matrix. After it the caller must call Reset
// before it calls Product, Move or Energy.
func (h *Columns) Prepare(ridge []float64) {
	h.ridge, h.diagonal = append(h.ridge[:0], ridge...), append(h.diagonal[:0], ridge...)
	h.image = append(h.image[:0], make([]float64, h.XT.Cols)...)
	h.entries, h.entryCount, h.entriesRead = entriesOf(&h.XT), 0, 0
	for k := range h.Cols {
		lo, hi := h.ends(k)
		h.diagonal[k] += h.entries.squares(lo, hi, h.Weights)
		h.entryCount += float64(hi - lo)
	}
}

// ends returns the first entry of column k of X_S, and the entry after its last one.
func (h *Columns) ends(k int) (lo, hi int64) {
	j := int(h.Cols[k])
	return h.XT.Ptr[j], h.XT.Ptr[j+1]
}

// Column sets dst to column k of the matrix.
func (h *Columns) Column(dst []float64, k int) {
	clear(h.image)
	lo, hi := h.ends(k)
	h.entries.add(h.image, lo, hi, 1, h.Weights)
	h.Transposed(dst, h.image)
	dst[k] = h.diagonal[k]
	h.entriesRead += h.entryCount
}

// Margins sets dst = X_S v. It needs only XT and Cols.
func (h *Columns) Margins(dst, v []float64) {
	clear(dst)
	h.eachRun(func(lo, hi int, rows kernels.Rows) { kernels.Gradient(dst, rows, v[lo:hi]) })
}

// Transposed sets dst = X_S'v. It needs only XT and Cols.
func (h *Columns) Transposed(dst, v []float64) {
	h.eachRun(func(lo, hi int, rows kernels.Rows) { kernels.Margins(dst[lo:hi], rows, v) })
}

// copyRows sets dst to X_S, by rows. It needs only XT and Cols.
func (h *Columns) copyRows(dst []float64) {
	unit, order := make([]float64, h.XT.Cols), len(h.Cols)
	for i := range unit {
		unit[i] = 1
		h.Transposed(dst[i*order:(i+1)*order], unit)
		unit[i] = 0
	}
}

// multiply sets dst to the matrix times v. It needs a call of Prepare, but not of Reset.
func (h *Columns) multiply(dst, v []float64) {
	h.Margins(h.image, v)
	for i, c := range h.Weights {
		h.image[i] *= c
	}
	h.Transposed(dst, h.image)
	for a, r := range h.ridge {
		dst[a] = math.FMA(r, v[a], dst[a])
	}
}

// eachRun calls f for each maximal run Cols[lo:hi] of consecutive numbers. rows has the columns of the run,
// as rows.
func (h *Columns) eachRun(f func(lo, hi int, rows kernels.Rows)) {
	for lo, hi := 0, 0; lo < len(h.Cols); lo = hi {
		for hi = lo + 1; hi < len(h.Cols) && h.Cols[hi] == h.Cols[hi-1]+1; {
			hi++
		}
		f(lo, hi, h.XT.Slice(int(h.Cols[lo]), int(h.Cols[hi-1])+1))
	}
}

// Reset sets the vector d to 0.
func (h *Columns) Reset() { h.reset(len(h.Cols), h.XT.Cols) }

// For a column with at most this number of entries, a loop takes less time than a call of a kernel.
const shortColumn = 32

// Product returns entry k of the matrix times d.
func (h *Columns) Product(k int) float64 {
	lo, hi := h.ends(k)
	h.entriesRead += float64(hi - lo)
	if hi-lo <= shortColumn {
		return h.entries.dot(lo, hi, h.product) + float64(h.ridge[k]*h.d[k])
	}
	kernels.Margins(h.scalar[:], h.XT.Row(int(h.Cols[k])), h.product)
	return h.scalar[0] + float64(h.ridge[k]*h.d[k])
}

// Move adds change to entry k of the vector d.
func (h *Columns) Move(k int, change float64) {
	lo, hi := h.ends(k)
	h.entriesRead += float64(hi - lo)
	h.d[k] += change
	h.entries.add(h.product, lo, hi, change, h.Weights)
}

// Energy returns d'Hd, where H is the matrix.
func (h *Columns) Energy() float64 {
	sum := 0.0
	for i, v := range h.product {
		if v != 0 {
			sum += float64(v*v) / h.Weights[i]
		}
	}
	for k, d := range h.d {
		sum += float64(h.ridge[k] * float64(d*d))
	}
	return sum
}

// Visits returns how often Column, Product, Move and Solve have read the entries of X_S since Prepare, on
// average.
func (h *Columns) Visits() float64 { return h.entriesRead / max(1, h.entryCount) }

const (
	checkEvery = 10 // Solve calls its argument crosses once in this number of iterations
	// Solve calls its argument isSmall when the energy r'D⁻¹r of the residual r (see Solve) is at most this
	// part of its first value, or after moreRounds iterations. If the first residual is already small, a few
	// more iterations often save a Newton step.
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
func (h *Columns) Solve(
	step, descent, f []float64, support []int32, isSmall, crosses func([]float64) bool,
) (found bool) {
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
		solved := enough && isSmall(cg.Residual) || energy <= float64(1e-12*firstEnergy)
		return solved || round%checkEvery == 0 && crosses(step)
	})
	return true
}

// supportColumns returns a copy of those columns of X_S that support lists, as rows.
func (h *Columns) supportColumns(support []int32) *kernels.Rows {
	c, x := &h.support, &h.XT
	c.Cols, c.Ptr = x.Cols, append(c.Ptr[:0], 0)
	for a, k := range support {
		lo, hi := h.ends(int(k))
		c.Ptr = append(c.Ptr, c.Ptr[a]+hi-lo)
	}
	c.Idx, c.Idx16 = copyParts(h, c.Idx, x.Idx, support), copyParts(h, c.Idx16, x.Idx16, support)
	c.Val, c.Val32 = copyParts(h, c.Val, x.Val, support), copyParts(h, c.Val32, x.Val32, support)
	return c
}

// copyParts copies the numbers in src that belong to the columns in support. src has a number for each entry
// of h.XT. The result may use the memory of dst, and is nil if src is nil.
func copyParts[E any](h *Columns, dst, src []E, support []int32) []E {
	if src == nil {
		return nil
	}
	dst = pages.Resize(dst, int(h.support.Ptr[len(support)]))
	for a, k := range support {
		lo, hi := h.ends(int(k))
		copy(dst[h.support.Ptr[a]:], src[lo:hi])
	}
	return dst
}

// times sets dst = M v, where M has those rows and columns of the matrix that support lists. columns is the
// result of supportColumns.
func (h *Columns) times(dst, v []float64, columns *kernels.Rows, support []int32) {
	clear(h.image)
	kernels.Gradient(h.image, *columns, v)
	for i, c := range h.Weights {
		h.image[i] *= c
	}
	kernels.Margins(dst, *columns, h.image)
	h.entriesRead += float64(2 * columns.Ptr[len(support)])
	for a, k := range support {
		dst[a] = math.FMA(h.ridge[k], v[a], dst[a])
	}
}
