package exact

import (
	"math"
	"slices"

	"github.com/scas-admm/scas/kernels"
	"github.com/scas-admm/scas/solver/internal/gap"
	"github.com/scas-admm/scas/solver/internal/quadratic"
	"github.com/scas-admm/scas/solver/internal/rows"
	"github.com/scas-admm/scas/sparse/pages"
)

// memorySamples implements the interface samples for rows in memory.
type memorySamples struct {
	*Problem
	*rows.Sums
	set *workingSet // nil if no steps are made
	n   int         // number of samples of this process
	// The data by columns, if a Gram matrix needs them; else nil.
	dense  *dense
	bounds gap.DataProblem
	// transposedData returns X', see Solver.transpose.
	transposedData func() kernels.Rows
	references     gap.References // dual points for which X'Cα was computed
	hasEstimates   bool           // Solver.e may have estimates for the present α

	current, next    state     // at the current point, and at the end of the last step that was tried
	pastMargin       []float64 // the margins at pastSolutions.start; see extrapolate
	alpha, curvature []float64 // for each sample: α, and φ″ of the last Hessian
	lo, hi           []float64 // for each sample: the smallest and the largest α allowed
	chunkClipped     []bool    // for each chunk of the rows: some α of the chunk was clipped
	lastTally        gap.Tally // the result of the last call of tally

	modelGradient []float64 // the result of the last call of gradient
	modelHessian  []float64 // the result of the last call of hessian; nil if not formed
	// The step after which accept set α, if modelGradient and modelHessian then give X'Cα without a visit of
	// the rows; else nil. See prove.
	modelStep []float64
}

// A state holds the margins tᵢ and slopes φ'(tᵢ) of the samples at a point.
type state struct {
	margin, slope []float64
	loss          float64 // the mean loss
	// sizes is nil if the margins were computed from the point. If they were extrapolated (see lossOnLine),
	// sizes has one number for each feature, see gap.Move.StartSizes. A proof for the point needs computed
	// margins; Solver.settle computes them.
	sizes []float64
}

func newMemorySamples(p *Problem, set *workingSet) *memorySamples {
	n, features := p.Data.Dims()
	m := &memorySamples{
		Problem: p, Sums: rows.NewSums(p.Team, rows.NewChunks(p.Data, p.Threads), p.Weights, n, features),
		set: set, n: n,
	}
	vectors := []*[]float64{&m.current.margin, &m.current.slope, &m.lo, &m.hi}
	if set != nil {
		vectors = append(vectors, &m.next.margin, &m.next.slope, &m.alpha, &m.curvature)
	}
	for _, v := range vectors {
		*v = pages.Make[float64](n)
	}
	m.chunkClipped = make([]bool, m.Count())
	return m
}

func (m *memorySamples) Err() error { return nil }

func (m *memorySamples) summary() dataSummary {
	c := gap.ColumnsOf(m.Data, m.Sums, m.Team)
	for i, o := range m.Offset {
		if m.MeanWeights[i] > 0 {
			c.LargestOffset = max(c.LargestOffset, o, -o)
		}
	}
	if m.Offset != nil {
		c.LargestOffset = m.Team.MaxNumber(c.LargestOffset)
	}
	_, features := m.Data.Dims()
	zeroLoss := m.meanLoss(make([]float64, features))
	meanLabel := m.SumChunks(func(lo, hi int) float64 {
		return kernels.Dot(m.MeanWeights[lo:hi], m.Labels[lo:hi])
	})
	meanSlope := m.SumChunks(func(lo, hi int) float64 {
		return kernels.Dot(m.MeanWeights[lo:hi], m.current.slope[lo:hi])
	})
	scale := m.Loss.Traits().Labels.ToleranceUnit(zeroLoss, meanLabel, meanSlope)
	return dataSummary{columns: c, sampleCount: m.Totals.Samples, scale: scale, zeroLoss: zeroLoss}
}

func (m *memorySamples) meanLoss(x []float64) float64 {
	m.setCurrent(x)
	return m.current.loss
}

// margins sets dst = X x + o.
func (m *memorySamples) margins(dst, x []float64) {
	if m.dense != nil {
		m.dense.margins(dst, x)
	} else {
		m.Margins(dst, m.Rows, x)
	}
	if m.Offset != nil {
		kernels.Axpy(1, m.Offset, dst)
	}
}

// transposed sets dst = X'C alpha. C is the diagonal matrix of MeanWeights.
func (m *memorySamples) transposed(dst, alpha []float64) {
	if m.dense != nil {
		m.dense.transposed(dst, m.Scaled(alpha))
		return
	}
	m.MulTrans(dst, m.Rows, alpha)
}

const (
	// screened reads at most this part of the entries of X column by column.
	mostScreened = 0.3
	// Estimates cost about as much as this number of entries of X for each sample and each feature.
	screenCost = 50
)

// estimatesHelp reports whether estimates of entries of X'Cα (see screened) are possible, and can save
// time. At features with a ridge any error would enlarge the gap.
func (p *Problem) estimatesHelp() bool {
	n, features := p.dims()
	return p.Team.Alone() && p.isSeparable() && p.Set == nil && p.FixedRidge == nil &&
		!slices.ContainsFunc(p.Ridge, func(r float64) bool { return r > 0 }) &&
		p.entries() > screenCost*int64(n+features)
}

// screened sets dst to X'Cα, or to estimates at features that certainly do not enlarge the gap at x. errors
// has bounds of the errors of dst that come from estimates; nil means that there are no estimates. See
// gap.DataProblem.Screen.
func (m *memorySamples) screened(dst, x []float64) (errors []float64) {
	m.hasEstimates = false
	if m.set.needsAll || !m.estimatesHelp() {
		m.transposed(dst, m.alpha)
		return nil
	}
	errors = make([]float64, len(dst))
	needed, entries := m.bounds.Screen(m.references, dst, errors, m.alpha, x), 0.0
	for _, j := range needed {
		entries += m.bounds.Columns.EntryCount[j]
	}
	if entries > mostScreened*float64(m.Data.NNZ()) {
		m.transposed(dst, m.alpha)
		m.bounds.AddReference(&m.references, m.alpha, dst)
		return nil
	}
	m.hasEstimates = true
	if m.dense == nil {
		m.transposedData() // computes X', if necessary, before several goroutines use it
	}
	c := m.Scaled(m.alpha)
	rows.Spread(m.set.threads, len(needed), func(k int) {
		j := int(needed[k])
		dst[j], errors[j] = m.columnDot(j, c), 0
	})
	return errors
}

// columnDot returns the inner product of c and column j of X.
func (m *memorySamples) columnDot(j int, c []float64) float64 {
	if m.dense != nil {
		return kernels.Dot(c, m.dense.column(j))
	}
	var sum [1]float64
	kernels.Margins(sum[:], m.transposedData().Row(j), c)
	return sum[0]
}

func (m *memorySamples) separate(open func(j int) (above, below bool)) {
	separated := gap.FindSeparated(m.Team, m.Data, m.Loss, m.Labels, m.MeanWeights, open)
	for i, b := range m.Labels {
		m.lo[i], m.hi[i] = slopeRange(m.Loss, b, m.MeanWeights[i])
		if separated != nil && separated[i] {
			m.lo[i], m.hi[i] = 0, 0
		}
	}
}

func (m *memorySamples) setBounds(q *gap.Problem) {
	m.bounds = gap.DataProblem{
		Problem: q, Sums: m.Sums, Team: m.Team, Data: m.Data, Loss: m.Loss, Labels: m.Labels,
	}
}

func (m *memorySamples) moveTo(x, e []float64, _ float64) float64 {
	m.setCurrent(x)
	m.transposed(e, m.current.slope)
	return m.current.loss
}

// setCurrent sets m.current to the margins, the slopes and the loss at x.
func (m *memorySamples) setCurrent(x []float64) {
	m.margins(m.current.margin, x)
	m.current.sizes = nil
	m.current.loss = m.Mean(m.Loss, m.current.slope, m.current.margin, m.Labels)
}

func (m *memorySamples) gradient(dst []float64) {
	m.set.transposed(m.Sums, dst, m.current.slope)
	m.modelGradient = append(m.modelGradient[:0], dst...)
}

func (m *memorySamples) hasHessian() bool { return true }

func (m *memorySamples) hessian(h []float64, d float64) {
	m.Each(func(_, lo, hi int) {
		slope, margin := m.current.slope[lo:hi], m.current.margin[lo:hi]
		m.Loss.Curvatures(m.curvature[lo:hi], slope, margin, m.Labels[lo:hi], d)
	})
	m.modelHessian = h
	c := m.Scaled(m.curvature)
	if h == nil {
		m.set.implicit.Weights = append(m.set.implicit.Weights[:0], c...)
		return
	}
	m.set.formHessian(h, c)
	order := len(m.set.cols)
	m.Team.SumUpper(order, func(i int) []float64 { return h[i*order+i : (i+1)*order] })
}

func (m *memorySamples) lossAt(t *trial) float64 {
	m.set.margins(m.Sums, m.next.margin, t.end)
	if m.Offset != nil {
		kernels.Axpy(1, m.Offset, m.next.margin)
	}
	m.next.sizes, m.next.loss = nil, m.Mean(m.Loss, m.next.slope, m.next.margin, m.Labels)
	return m.next.loss
}

// A change of margins has lost too many digits if none exceeds this part of the largest margin.
const cancelledPart = 1e-5

// accept implements samples.accept. It computes X·t.move as the difference of the margins at the end and at
// the start of the step, divided by the length of the step. If the difference has lost too many digits (see
// cancelledPart), accept multiplies X by t.move instead.
func (m *memorySamples) accept(t *trial) {
	useDifference := t.length > 0 && !t.snapped // then the step is a positive multiple of t.move
	if useDifference {
		largestMoves, largestMargins := make([]float64, m.Count()), make([]float64, m.Count())
		m.Each(func(k, lo, hi int) {
			largestMoves[k], largestMargins[k] = m.setMarginMove(lo, hi, 1/t.length)
			m.setAlpha(k, lo, hi)
		})
		useDifference = slices.Max(largestMoves) > cancelledPart*slices.Max(largestMargins)
	}
	if !useDifference {
		m.set.margins(m.Sums, m.Scratch, t.move)
		m.Each(m.setAlpha)
	}
	// modelStep is set only after a full step in a model of all columns, in one process, if no α was clipped
	// and the curvature of the loss is bounded.
	m.modelStep = nil
	if m.modelHessian != nil && len(m.modelGradient) == len(m.bounds.Ridge) && t.length == 1 &&
		!math.IsInf(m.Loss.Curvature(), 1) && m.Team.Alone() && !slices.Contains(m.chunkClipped, true) {
		m.modelStep = t.move
		if useDifference { // α then belongs to t.end − x, a rounded t.move
			m.modelStep = slices.Clone(t.end)
			kernels.Axpy(-1, m.set.x, m.modelStep)
		}
	}
	if t.length > 0 {
		m.jump()
	}
}

// jump moves to the point for which lossAt was called last. Unlike accept, it does not set α.
func (m *memorySamples) jump() { m.current, m.next = m.next, m.current }

// setMarginMove sets Scratch to factor times the change of the margins in the step, for the samples lo to
// hi−1. It returns the largest absolute value that it stored, and that of a margin at the end of the step.
func (m *memorySamples) setMarginMove(lo, hi int, factor float64) (largestMove, largestMargin float64) {
	dst, start := m.Scratch[lo:hi], m.current.margin[lo:hi]
	for i, v := range m.next.margin[lo:hi] {
		move := float64((v - start[i]) * factor)
		dst[i] = move
		if size := math.Abs(move); size > largestMove { // the function max takes several times as long
			largestMove = size
		}
		if size := math.Abs(v); size > largestMargin {
			largestMargin = size
		}
	}
	return largestMove, largestMargin
}

// setAlpha sets α of the samples lo to hi−1, which are chunk k, and chunkClipped[k]. α is φ' + φ″ times the
// change of the margin in a full step, which is in Scratch, or the nearest number allowed.
func (m *memorySamples) setAlpha(k, lo, hi int) {
	clipped, slope := false, m.current.slope[lo:hi]
	dst, curvature, least, largest := m.alpha[lo:hi], m.curvature[lo:hi], m.lo[lo:hi], m.hi[lo:hi]
	for i, v := range m.Scratch[lo:hi] {
		alpha := slope[i] + float64(curvature[i]*v)
		dst[i] = alpha
		if alpha < least[i] || alpha > largest[i] {
			dst[i] = max(least[i], min(alpha, largest[i]))
			clipped = clipped || m.MeanWeights[lo+i] > 0
		}
	}
	m.chunkClipped[k] = clipped
}

func (m *memorySamples) useSlopes(x, e []float64, estimates bool) {
	m.takeSlopes()
	if estimates {
		m.screened(e, x)
	} else {
		m.transposed(e, m.alpha)
	}
}

// takeSlopes sets α to the slopes φ' at the point, or to the nearest α allowed.
func (m *memorySamples) takeSlopes() {
	m.modelStep, m.hasEstimates = nil, false
	for i, v := range m.current.slope {
		m.alpha[i] = max(m.lo[i], min(v, m.hi[i]))
	}
}

func (m *memorySamples) alphaAt(_, e []float64) []float64 {
	if m.hasEstimates {
		m.transposed(e, m.alpha)
		m.hasEstimates = false
	}
	return slices.Clone(m.alpha)
}

// point returns the current point with its margins, slopes and loss. x has its coefficients, or is nil if the
// caller does not need them.
func (m *memorySamples) point(x []float64) *gap.Point {
	return &gap.Point{X: x, Margin: m.current.margin, Slope: m.current.slope, Loss: m.current.loss}
}

func (m *memorySamples) tally() *gap.Tally {
	m.lastTally = m.bounds.Tally(m.point(nil), m.alpha)
	return &m.lastTally
}

// prove implements samples. If modelStep is not nil, α is φ' + Φ X d for the step d = modelStep, with the
// slopes φ' before the step and the diagonal matrix Φ of the model's curvatures φ″. So X'Cα is
// modelGradient + H d, with the Hessian H = X'CΦX in modelHessian, and prove first computes it in this way.
// If the bound exceeds goal, perhaps because of rounding errors, or if modelStep is nil, prove computes X'Cα
// from the rows, or estimates it (see screened).
func (m *memorySamples) prove(x, z, e []float64, goal float64) gap.Bound {
	if m.modelStep != nil {
		move := m.bounds.MoveBy(m.modelStep)
		move.Head, move.HessianRoundings = e, float64(m.n+64)
		move.StartSizes = m.next.sizes // after accept, next belongs to the start of the step
		quadratic.TimesUpper(e, m.modelHessian, m.modelStep)
		kernels.Axpy(1, m.modelGradient, e)
		b := m.bounds.ProveStep(m.point(x), m.alpha, z, &m.lastTally, m.modelGradient, m.modelStep, move,
			goal)
		if b.Gap <= goal {
			return b
		}
	}
	errors := m.screened(e, x)
	return m.bounds.Prove(m.point(x), m.alpha, z, e, errors, &m.lastTally, goal)
}

func (m *memorySamples) trivialGap(x []float64, value float64) float64 {
	return m.bounds.TrivialBound(m.point(x), value)
}

// lossFallsForever implements samples. It reads the rows block by block, and returns false after the first
// block in which the loss of a sample does not fall forever.
func (m *memorySamples) lossFallsForever(d []float64) bool {
	const blockRows = 1024
	var sides rows.Sides
	margin := make([]float64, min(m.n, blockRows))
	for lo := 0; lo < m.n && m.Loss.Traits().NeverZero && sides[0] == 0; lo += blockRows {
		hi := min(lo+blockRows, m.n)
		kernels.Margins(margin[:hi-lo], m.Rows.Slice(lo, hi), d)
		sides.Add(m.Loss, margin[:hi-lo], m.Labels[lo:hi], m.MeanWeights[lo:hi])
	}
	m.Team.Sum(sides[:])
	return sides.Separated()
}

// subsample implements samples.subsample: p gets an eighth of the samples. The result is false if there are
// too few samples, or if the chosen ones all have weight 0.
func (m *memorySamples) subsample(p *Problem) bool {
	_, features := m.Data.Dims()
	if !enoughSamples(m.Totals.Samples, features) {
		return false
	}
	indices := drawIndices(m.n, max(1, m.n/sampleShare))
	p.setData(must(m.Data.SelectRows(indices)))
	p.Labels, p.Weights = entries(m.Labels, indices), entries(m.Weights, indices)
	p.Offset = entries(m.Offset, indices)
	return m.Team.Total(rows.Mass(p.Weights, len(indices))) > 0
}

// entries returns the entries of v at the indices, or nil if v is nil.
func entries(v []float64, indices []int) []float64 {
	if v == nil {
		return nil
	}
	out := make([]float64, len(indices))
	for k, i := range indices {
		out[k] = v[i]
	}
	return out
}
