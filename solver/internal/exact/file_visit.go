package exact

import (
	"slices"

	"github.com/scas-admm/scas/kernels"
	"github.com/scas-admm/scas/solver/internal/gap"
	"github.com/scas-admm/scas/solver/internal/rows"
)

// A request says what a visit, which is one reading of all rows, computes at a point: always the loss and its
// gradient; the Hessian if needsHessian is set; and, if model is not nil, the tally that proves a gap with
// the α of the model.
type request struct {
	x            []float64 // the point
	needsHessian bool
	damping      float64 // the damping of the Hessian
	model        *origin
}

// An origin says at which points a quadratic model of the loss has its Hessian and its gradient. The model
// gives α = φ'(X gradientPoint) + φ″(X hessianPoint) X move, or φ'(X gradientPoint) if move is nil. If shrink
// is not 0, α is multiplied by it.
type origin struct {
	hessianPoint  []float64
	damping       float64 // the damping of φ″
	gradientPoint []float64
	move          []float64 // the step from gradientPoint to the solution of the quadratic model
	shrink        float64
}

// findings are the results of a visit, one reading of all rows.
type findings struct {
	x        []float64 // the point of the visit
	loss     float64   // the mean loss Σ cᵢ φ(tᵢ), see gap.Tally
	gradient []float64 // the gradient X'C φ'(t) of the mean loss, with C = diag(cᵢ)
	evidence
}

// evidence are the results of a visit that depend on the dual point α.
type evidence struct {
	model        *origin   // the model that gave α, see origin; nil if no gap was requested
	tally        gap.Tally // the tally of α
	head, tail   []float64 // X'Cα is head + tail; tail is nil unless File.compensated is set
	rootSums     []float64 // gap.Sum.RootSums
	rootsVersion int       // gap.Problem.RootsVersion at the visit
}

// A piece holds the sums over some of the rows of every window, for one goroutine. X'Cα, for the α of
// evidence.model, is summed over the rows of a block, then over blocks, then over windows, to keep rounding
// errors small.
type piece struct {
	findings
	hessian                      []float64 // X'C diag(φ″) X, upper triangle, row by row
	blockSum, windowSum          []float64 // X'Cα of a block and of a window, with C = diag(cᵢ)
	margin, slope, weight, alpha []float64 // for each row of a block; weight is cᵢ
	sign                         []float64 // labels ±1 of a block
	marginMove, modelCurvature   []float64 // X move, φ″(X hessianPoint) for each row of a block; see origin
	curvature                    []float64 // cᵢφ″ for each row of the piece in a window
	onesColumn                   []float64 // the column of the Hessian that belongs to the column of ones
	scratch                      *kernels.HessianScratch
	rootTally                    *gap.RootTally // computes rootSums; nil until a proof needs it
}

func (f *File) newPiece() *piece {
	t := &piece{
		blockSum: make([]float64, f.p), windowSum: make([]float64, f.p), scratch: new(kernels.HessianScratch),
	}
	t.gradient, t.head = make([]float64, f.p), make([]float64, f.p)
	for _, v := range []*[]float64{
		&t.margin, &t.slope, &t.weight, &t.alpha, &t.sign, &t.marginMove, &t.modelCurvature,
	} {
		*v = make([]float64, f.block)
	}
	if f.equalWeights() {
		for i := range t.weight {
			t.weight[i] = 1 / f.totalWeight
		}
	}
	return t
}

func (t *piece) clear(f *File, r *request) {
	t.loss, t.tally = 0, gap.Tally{}
	clear(t.gradient)
	clear(t.head)
	clear(t.tail)
	clear(t.rootSums)
	if r.needsHessian {
		clear(t.hessian)
		if t.hessian == nil {
			t.hessian, t.onesColumn = make([]float64, f.p*f.p), make([]float64, f.p)
		}
	}
	if r.model == nil {
		return
	}
	if t.rootTally == nil || t.rootTally.Version != f.bounds.RootsVersion() {
		t.rootTally = f.bounds.NewRootTally()
		t.rootSums = t.rootTally.Sums
	}
	if !f.compensated {
		t.tail = nil
	} else if t.tail == nil {
		t.tail = make([]float64, f.p)
	}
}

// visit reads the rows; with several processes, each reads its own rows. It returns the results for all rows,
// and stores the Hessian in f.pieces[0]. If f.err is not nil, before or after the visit, it returns nil.
func (f *File) visit(r *request) *findings {
	if f.err != nil {
		return nil
	}
	for _, t := range f.pieces {
		t.clear(f, r)
	}
	if r.needsHessian {
		f.hessianVisit = nil
	}
	f.err = f.teamError(f.eachWindow(func(lo, hi int) error {
		rows.EachPiece(len(f.pieces), f.Threads, lo, hi,
			func(k, lo, hi int) { f.pieces[k].addRows(f, r, lo, hi) })
		return f.callStop()
	}))
	f.visits++
	if f.err != nil {
		return nil
	}
	total := f.pieces[0]
	for _, t := range f.pieces[1:] {
		total.loss += t.loss
		total.tally.Merge(&t.tally)
		kernels.Axpy(1, t.gradient, total.gradient)
		if r.needsHessian {
			kernels.Axpy(1, t.hessian, total.hessian)
		}
		switch {
		case r.model == nil:
		case total.tail != nil:
			gap.AddPairs(total.head, total.tail, t.head, t.tail)
			kernels.Axpy(1, t.rootSums, total.rootSums)
		default:
			kernels.Axpy(1, t.head, total.head)
			kernels.Axpy(1, t.rootSums, total.rootSums)
		}
	}
	f.addRanks(r, total)
	total.tally.Loss = total.loss
	results := &findings{
		x: r.x, loss: total.loss, gradient: slices.Clone(total.gradient),
		evidence: evidence{
			model: r.model, tally: total.tally, head: slices.Clone(total.head),
			tail:     slices.Clone(total.tail),
			rootSums: slices.Clone(total.rootSums),
		},
	}
	if r.model != nil {
		results.rootsVersion = total.rootTally.Version
	}
	if r.needsHessian {
		f.hessianVisit, f.damping = results, r.damping
	}
	return results
}

// eachWindow calls do for each window, which has rows lo to hi−1, and then ReportProgress.
func (f *File) eachWindow(do func(lo, hi int) error) error {
	n, _ := f.Data.Dims()
	return f.windows.Each(func(lo, hi int) error {
		err := do(lo, hi)
		if f.ReportProgress != nil {
			f.ReportProgress(float64(hi) / float64(n))
		}
		return err
	})
}

// addRows adds rows lo to hi−1 of a window to the sums of the piece.
func (t *piece) addRows(f *File, r *request, lo, hi int) {
	clear(t.windowSum)
	if r.needsHessian && len(t.curvature) < hi-lo {
		t.curvature = make([]float64, hi-lo)
	}
	for start := lo; start < hi; start += f.block {
		t.addBlock(f, r, start, min(start+f.block, hi), lo)
	}
	if t.tail == nil {
		kernels.Axpy(1, t.windowSum, t.head)
	}
	if r.needsHessian && hi > lo {
		t.addHessian(f, lo, hi)
	}
}

// addHessian adds the Hessian of rows lo to hi−1, whose cᵢφ″ are in t.curvature.
func (t *piece) addHessian(f *File, lo, hi int) {
	data, curvature := f.Data.Rows(lo, hi), t.curvature[:hi-lo]
	p := data.Cols
	kernels.Hessian(t.hessian, p, f.p, 0, p, data, curvature, t.scratch)
	if f.HasOnes {
		clear(t.onesColumn)
		f.transposed(t.onesColumn, data, curvature)
		for j, v := range t.onesColumn {
			t.hessian[j*f.p+p] += v
		}
	}
}

// addBlock adds one block, rows lo to hi−1, to the sums of the piece. start is the first row that the piece
// has in the window.
func (t *piece) addBlock(f *File, r *request, lo, hi, start int) {
	n := hi - lo
	data, label := f.Data.Rows(lo, hi), f.labels(t.sign, lo, hi)
	margin, slope, weight := t.margin[:n], t.slope[:n], t.weight[:n]
	if !f.equalWeights() {
		for i := range weight {
			weight[i] = f.meanWeight(lo + i)
		}
	}
	if r.model != nil {
		t.setAlpha(f, r.model, lo, label)
	}
	f.margins(margin, lo, r.x)
	f.addOffsets(margin, lo)
	if f.equalWeights() {
		t.loss += float64(f.Loss.Slopes(slope, margin, label) * weight[0])
	} else {
		f.Loss.Slopes(slope, margin, label)
		for i, w := range weight {
			t.loss += float64(w * f.Loss.Value(margin[i], label[i]))
		}
	}
	if r.model != nil {
		t.addProofSums(f, data, label)
	}
	if r.needsHessian {
		curvature := t.curvature[lo-start : hi-start]
		f.Loss.Curvatures(curvature, slope, margin, label, r.damping)
		for i, w := range weight {
			curvature[i] *= w
		}
	}
	for i, w := range weight {
		slope[i] *= w
	}
	f.transposed(t.gradient, data, slope)
}

func (f *File) addOffsets(margin []float64, lo int) {
	if f.Offset != nil {
		kernels.Axpy(1, f.Offset[lo:lo+len(margin)], margin)
	}
}

// addProofSums adds a block to the sums for a proof: the tally, X'Cα and rootSums.
func (t *piece) addProofSums(f *File, data kernels.Rows, label []float64) {
	n := len(label)
	samples := gap.Samples{
		Alpha: t.alpha[:n], Slope: t.slope[:n], Margin: t.margin[:n], Label: label, Weight: t.weight[:n],
	}
	t.tally.Add(f.Loss, &samples)
	t.rootTally.Add(&t.tally, f.Loss, &samples, data, f.HasOnes)
	for i, w := range samples.Weight {
		samples.Alpha[i] *= w
	}
	if t.tail != nil {
		gap.AddTransPairs(t.head, t.tail, data, samples.Alpha)
		if f.HasOnes {
			for _, v := range samples.Alpha {
				gap.AddPairs(t.head[data.Cols:], t.tail[data.Cols:], []float64{v}, []float64{0})
			}
		}
		return
	}
	clear(t.blockSum)
	f.transposed(t.blockSum, data, samples.Alpha)
	kernels.Axpy(1, t.blockSum, t.windowSum)
}

// setAlpha sets t.alpha to the α of the model m (see origin), for a block that begins with row lo. label
// holds the block's labels.
func (t *piece) setAlpha(f *File, m *origin, lo int, label []float64) {
	n := len(label)
	slope, alpha, margin, marginMove := t.slope[:n], t.alpha[:n], t.margin[:n], t.marginMove[:n]
	f.margins(margin, lo, m.gradientPoint)
	f.addOffsets(margin, lo)
	f.Loss.Slopes(slope, margin, label)
	copy(alpha, slope)
	if m.move != nil {
		f.margins(marginMove, lo, m.move)
		curvature := t.modelCurvature[:n]
		if &m.hessianPoint[0] != &m.gradientPoint[0] {
			f.margins(margin, lo, m.hessianPoint)
			f.addOffsets(margin, lo)
			f.Loss.Slopes(slope, margin, label)
		}
		f.Loss.Curvatures(curvature, slope, margin, label, m.damping)
		for i, v := range marginMove {
			alpha[i] += float64(curvature[i] * v)
		}
	}
	for i, a := range alpha {
		low, high := slopeRange(f.Loss, label[i], t.weight[i])
		alpha[i] = max(low, min(a, high))
		if m.shrink > 0 {
			alpha[i] *= m.shrink
		}
	}
}
