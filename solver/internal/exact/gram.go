package exact

import (
	"math"
	"slices"

	"github.com/scas-admm/scas/kernels"
	"github.com/scas-admm/scas/solver/internal/gap"
	"github.com/scas-admm/scas/solver/internal/rows"
	"github.com/scas-admm/scas/sparse/pages"
)

// gram implements the interface samples for rows in memory and a loss with a constant curvature κ. The rows
// are visited at one point, the base, to compute the loss L and the gradient g. At the base plus d the loss
// is
//
//	L + g'd + d'Hd/2,  H = κX'CX,
//
// where C is the diagonal matrix of the sample weights cᵢ. H has the columns of the working set. Columns do
// not leave the set. If the set has all columns, proofs visit the rows again, at a new base, only if the
// rounding errors of H make the gap too large.
type gram struct {
	*memorySamples
	base gap.BasePoint
	// baseErrors has bounds of the errors of those entries of base.Gradient that are estimates, and 0 for the
	// others. It is nil if there are no estimates. Entries of columns in the working set are no estimates.
	baseErrors []float64

	lastPoint    []float64 // the coefficients in the working set, at the last point of evaluate
	lastGradient []float64 // the gradient of the loss at lastPoint

	roundingCount float64   // number of rounding errors in an entry of H
	spare         []float64 // the memory of the H before the present one, which grow uses again
	// visited is the approximate number of entries of the data that proofs have read, divided by the number
	// of rows.
	visited float64
}

// gramServes reports whether to use a Gram matrix in place of the rows. cheap says that the Hessian of all
// columns costs little.
func (p *Problem) gramServes(cheap bool) bool {
	return p.Loss.Traits().ConstantCurvature && p.File == nil && p.Team.Alone() && p.isSeparable() &&
		(cheap || p.mostlyFull() || p.ManyLambdas && p.gramPaysOnPath())
}

// gramPaysOnPath reports whether a Gram matrix saves time on a path, although it costs much to form. The matrix must
// not have many more entries than the data. The Gram matrix is formed from a copy of the data that stores all zeros
// (see dense); the copy must not need much more memory than the data.
func (p *Problem) gramPaysOnPath() bool {
	const mostEntries, mostMemory = 4, 4 // as multiples of those of the data
	n, features := p.dims()
	return float64(features)*float64(features) <= mostEntries*float64(p.entries()) &&
		8*float64(n)*float64(features) <= mostMemory*12*float64(p.entries())
}

func newGram(m *memorySamples) *gram {
	_, features := m.Data.Dims()
	base := gap.BasePoint{X: make([]float64, features), Gradient: make([]float64, features)}
	return &gram{memorySamples: m, base: base}
}

// subsample returns false, because a start with some of the samples would save nothing.
func (m *gram) subsample(*Problem) bool { return false }

// moveTo sets e to the gradient of the loss at x, computed from the rows, and returns the loss. It makes x
// the base (see gram). d is the damping, as in samples.moveTo.
func (m *gram) moveTo(x, e []float64, d float64) float64 {
	m.memorySamples.moveTo(x, e, d)
	m.takeSlopes()
	m.setBase(x, e, nil)
	return m.base.Loss
}

// setBase makes x the base. m.current and m.alpha must belong to x; e is the gradient there, with the given
// errors.
func (m *gram) setBase(x, e, errors []float64) {
	m.baseErrors = errors
	copy(m.base.X, x)
	copy(m.base.Gradient, e)
	m.base.Loss, m.base.Compensated = m.current.loss, false
	m.base.Tally = *m.memorySamples.tally()
	m.lastPoint = m.lastPoint[:0]
}

// computeGradient replaces estimates in base.Gradient by computed entries at the columns cols.
func (m *gram) computeGradient(cols []int32) {
	if m.baseErrors == nil {
		return
	}
	alpha := m.Scaled(m.alpha)
	rows.Spread(m.set.threads, len(cols), func(k int) {
		if j := cols[k]; m.baseErrors[j] > 0 {
			m.base.Gradient[j], m.baseErrors[j] = m.columnDot(int(j), alpha), 0
		}
	})
}

// evaluate returns the loss at a point, and sets lastGradient. x has the point's coefficients in the working
// set. If rounding makes the loss negative, the result is 0.
func (m *gram) evaluate(x []float64) float64 {
	w := m.set
	if !slices.Equal(m.lastPoint, x) {
		m.lastPoint = append(m.lastPoint[:0], x...)
		m.lastGradient = append(m.lastGradient[:0], x...)
		for k, j := range w.cols {
			m.lastGradient[k] = m.base.Gradient[j]
		}
		for k, j := range w.cols {
			if d := x[k] - m.base.X[j]; d != 0 {
				kernels.Axpy(d, w.dense.Row(k), m.lastGradient)
			}
		}
	}
	sum := 0.0
	for k, j := range w.cols {
		sum += float64(0.5 * (x[k] - m.base.X[j]) * (m.base.Gradient[j] + m.lastGradient[k]))
	}
	return math.Max(0, m.base.Loss+sum)
}

func (m *gram) gradient(dst []float64) {
	m.evaluate(m.set.x)
	copy(dst, m.lastGradient)
}

func (m *gram) lossAt(t *trial) float64 { return m.evaluate(t.end) }

func (m *gram) accept(*trial) {}

// useSlopes moves the base (see gram) to x, because the slopes are known only at the base.
func (m *gram) useSlopes(x, e []float64, _ bool) { m.moveTo(x, e, 0) }

func (m *gram) tally() *gap.Tally { return &m.base.Tally }

// prove proves a gap at x. For z and e see samples.prove. If the working set has all columns, prove first
// tries the loss and the gradient that the Gram matrix gives. For a smaller working set, or if rounding
// makes the gap exceed goal, prove computes the margins at x, and X'Cα or estimates of it. Once such visits
// have cost as much as the missing entries of the Gram matrix of all columns, prove sets
// workingSet.needsAll, if the set has room for all columns and there are at most defaultWorking of them. With
// more columns than rows it does not: then a proof by the matrix costs as much as one by the rows.
func (m *gram) prove(x, z, e []float64, goal float64) gap.Bound {
	if len(m.set.cols) == len(x) && !slices.Equal(x, m.base.X) {
		move := m.move(x)
		move.Loss, move.Head, move.HessianRow = m.evaluate(x), m.lastGradient, m.set.dense.Row
		copy(e, m.lastGradient)
		if b := m.bounds.ProveMoved(&m.base, x, z, move); !b.NeedsCompensation(goal) {
			return b
		}
	}
	_, p := m.Data.Dims()
	if !slices.Equal(x, m.base.X) || m.baseErrors != nil { // estimates may be too rough for another lambda
		m.setCurrent(x)
		m.takeSlopes()
		m.setBase(x, e, m.screened(e, x))
		m.computeGradient(m.set.cols)
		m.visited += 2 * float64(p)
		for _, err := range m.baseErrors {
			if err > 0 {
				m.visited--
			}
		}
	}
	copy(e, m.base.Gradient)
	missingEntries := float64(p*(p+1)-len(m.set.cols)*(len(m.set.cols)+1)) / 2
	if p <= min(m.n, m.set.maxColumns, defaultWorking) && m.visited > productCost*missingEntries {
		m.set.needsAll = true
	}
	b := m.bounds.Prove(m.point(x), m.alpha, z, e, m.baseErrors, &m.base.Tally, goal)
	if b.Tail != nil {
		for j, tail := range b.Tail {
			m.base.Gradient[j] = e[j] + tail
		}
		m.base.Compensated, m.baseErrors, m.lastPoint = true, nil, m.lastPoint[:0]
	}
	return b
}

// productCost is the time of one multiplication when the Gram matrix is formed, divided by the time for one
// entry when the rows are visited.
const productCost = 1. / 32

// move returns the move from the base to x. It does not set Loss, Head and HessianRow.
func (m *gram) move(x []float64) *gap.Move {
	d := make([]float64, len(x))
	for j, v := range x {
		d[j] = v - m.base.X[j]
	}
	move := m.bounds.MoveBy(d)
	move.HessianRoundings = m.roundingCount
	return move
}

func (m *gram) trivialGap(x []float64, value float64) float64 {
	return m.bounds.TrivialBoundMoved(&m.base, x, value, m.move(x))
}

// grow returns the matrix H (see gram) for the columns cols. h is H for the columns oldCols, all of which are
// in cols. The numbers in oldCols and in cols increase.
func (m *gram) grow(h []float64, oldCols, cols []int32) []float64 {
	order := len(cols)
	if len(oldCols) == 0 && m.dense == nil {
		result := pages.Make[float64](order * order)
		m.formAll(result)
		return result
	}
	result := pages.Resize(m.spare, order*order)
	m.spare = h
	oldPositions, newPositions := matchColumns(oldCols, cols)
	copyEntries(result, order, h, oldPositions)
	m.computeGradient(cols)
	m.set.dense.Renumber(oldPositions)
	m.formColumns(result, cols, oldPositions, newPositions)
	return result
}

// The matrix H (see gram) is summed over blocks of rows, to reduce rounding errors. All blocks except
// the last have at least blockRows rows.
const blockRows = 1024

// formAll sets h to H for all columns. All entries of h must be zero before.
func (m *gram) formAll(h []float64) {
	n, p := m.Data.Dims()
	w := m.set
	w.rows = m.Rows
	w.cutHessian()
	c := m.weights()
	blockSize := max(blockRows, int(min(float64(n), float64(n)*float64(p)*float64(p)/pairs(m.Data))))
	block := pages.Make[float64](len(h))
	for lo := 0; lo < n; lo += blockSize {
		hi := min(lo+blockSize, n)
		w.rows = m.Rows.Slice(lo, hi)
		w.formHessian(block, c[lo:hi])
		kernels.Axpy(1, block, h)
	}
	for j := range p {
		for k := j + 1; k < p; k++ {
			h[k*p+j] = h[j*p+k]
		}
	}
	m.roundingCount = float64(blockSize + n/blockSize + 8)
}

// weights returns κcᵢ for each sample, in m.Scratch.
func (m *gram) weights() []float64 {
	for i, c := range m.MeanWeights {
		m.Scratch[i] = float64(m.Loss.Curvature() * c)
	}
	return m.Scratch
}

// formColumns computes the rows and columns of h at newPositions, in blocks of 64 × 64. Position k belongs to
// column cols[k] of X. oldPositions has all other positions.
func (m *gram) formColumns(h []float64, cols []int32, oldPositions, newPositions []int) {
	const side = kernels.TileSide
	c, order := m.weights(), len(cols)
	panel := make([]float64, blockRows*side) // up to 64 new columns, times c, for a block of rows
	// The inner products of each column in panel with the columns at the positions in partners.
	products := pages.Make[float64](order * side)
	positions := slices.Concat(oldPositions, newPositions)
	for offset := 0; offset < len(newPositions); offset += side {
		panelPositions := newPositions[offset:min(offset+side, len(newPositions))]
		// The old positions, and the new positions up to the end of this panel.
		partners := positions[:len(oldPositions)+offset+len(panelPositions)]
		clear(products)
		for lo := 0; lo < m.n; lo += blockRows {
			hi := min(lo+blockRows, m.n)
			m.fillPanel(panel, cols, panelPositions, c, lo, hi)
			rows.Spread(m.set.threads, (len(partners)+side-1)/side, func(k int) {
				var t, sum [side * side]float64
				tile := partners[k*side : min((k+1)*side, len(partners))]
				for start := lo; start < hi; start += side {
					for a, k := range tile {
						row := t[a*side : (a+1)*side]
						clear(row[copy(row, m.dense.column(int(cols[k]))[start:min(start+side, hi)]):])
					}
					kernels.AddTile(sum[:], side, len(tile), t[:], panel[(start-lo)*side:])
				}
				kernels.Axpy(1, sum[:len(tile)*side], products[k*side*side:(k*side+len(tile))*side])
			})
		}
		for a, k := range partners {
			for q, f := range panelPositions {
				h[f*order+k], h[k*order+f] = products[a*side+q], products[a*side+q]
			}
		}
	}
	m.roundingCount = float64(blockRows + m.n/blockRows + 8)
}

// fillPanel sets row i − lo of panel to c[i] times the entries of sample i in the columns cols[k] of X,
// for lo ≤ i < hi and each k in positions. It sets all other entries of panel to zero.
func (m *gram) fillPanel(panel []float64, cols []int32, positions []int, c []float64, lo, hi int) {
	const side = kernels.TileSide
	clear(panel)
	for start := lo; start < hi; start += side { // these rows of the panel stay in the cache
		for q, k := range positions {
			column := m.dense.column(int(cols[k]))
			for i := start; i < min(start+side, hi); i++ {
				panel[(i-lo)*side+q] = float64(c[i] * column[i])
			}
		}
	}
}

func (m *gram) alphaAt(x, e []float64) []float64 {
	m.useSlopes(x, e, false)
	return m.memorySamples.alphaAt(x, e)
}
