package exact

import (
	"math"
	"slices"

	"github.com/scas-admm/scas/kernels"
	"github.com/scas-admm/scas/solver/internal/gap"
	"github.com/scas-admm/scas/solver/internal/rows"
)

// FileSettings are the settings of a File.
type FileSettings struct {
	PositiveLabel *float64 // if not nil, the label that becomes +1; all others become −1
	Folds         []int32  // the fold of each sample; samples of fold OutFold are left out; nil for no folds
	OutFold       int32
	Memory        int64 // approximate number of bytes for windows, copied samples and Hessians
}

// A File implements the interface samples for rows in a mapped file. A visit reads all rows, window by
// window. A File allocates no vector with an entry per sample, and is not safe for concurrent use.
type File struct {
	*Problem // a File uses only its samples, Loss, Threads and Team
	settings FileSettings
	// Stop is called after each window; its error ends the visit. ReportProgress is called after each window
	// with the fraction of the visit that is done, but not by the method LossFallsForever. Stop and
	// ReportProgress may be nil.
	Stop           func() error
	ReportProgress func(fraction float64)

	windows     *rows.Windows
	p           int // number of columns of X
	block       int // number of rows of a block
	pieces      []*piece
	n, nnz      float64 // number of rows and number of entries, over all processes
	totalWeight float64 // sum of the sample weights ωᵢ over all processes
	survey      survey
	visits      int   // number of visits so far
	err         error // the error that ended a visit early; then there are no more visits

	bounds          *gap.Problem
	compensated     bool    // the gradient is summed with compensation of rounding errors
	compensatedGoal float64 // the tolerance for which compensation became necessary

	current, next *findings // results at the current point, and at the end of the last step that was tried
	hessianVisit  *findings // results of the visit whose Hessian is in pieces[0]
	damping       float64   // the damping of the Hessian in pieces[0]
	model         origin    // describes the model of the last step
}

// How FileSettings.Memory is divided.
const (
	windowShare = 8 // a window gets an eighth of the memory, but at least leastWindow and at most mostWindow
	// Fraction of the memory for copied samples, and for solving the problem with them.
	memoryShare = 0.6
	leastWindow = 4 << 20
	mostWindow  = 64 << 20
	mostPieces  = 8 // largest number of pieces
)

// NewFile prepares a File with the samples of p. p.Data is a mapped matrix (see sparse.CSR.Mapped). Other
// problems with the same samples, Loss, Threads and Team can use the File too. NewFile does not visit the
// rows: Survey must be called before New.
func NewFile(p *Problem, set FileSettings) *File {
	n, features := p.dims()
	f := &File{
		Problem: p, settings: set, p: features,
		windows: rows.NewWindows(p.Data, max(leastWindow, min(mostWindow, set.Memory/windowShare))),
	}
	f.n, f.nnz = p.Team.Total(float64(n)), p.Team.Total(float64(p.Data.NNZ()))
	entries := float64(p.Data.NNZ()) / float64(n)
	f.block = min(n, max(8, int(max(min(1<<10, 1<<13/max(1, entries)), 4*float64(f.p)/max(1, entries)))))
	pieceBytes := int64(8 * f.p * 8) // for 8 vectors
	if f.p <= DenseFeatures {
		pieceBytes += int64(8 * f.p * f.p) // for a Hessian
	}
	f.totalWeight = float64(n)
	if !f.equalWeights() {
		f.totalWeight = 0
		for i := range n {
			f.totalWeight += f.omega(i)
		}
	}
	f.totalWeight = p.Team.Total(f.totalWeight)
	for range int(max(1, min(mostPieces, set.Memory/16/pieceBytes))) {
		f.pieces = append(f.pieces, f.newPiece())
	}
	return f
}

// Visits returns the number of visits (see File) so far. It does not count the passes of LossFallsForever.
func (f *File) Visits() int { return f.visits }

// Evaluate makes x the current point, visits the rows there, and returns the mean loss and its gradient. If
// an error ends the visit, the current point stays.
func (f *File) Evaluate(x []float64) (loss float64, gradient []float64, err error) {
	results := f.visit(&request{x: slices.Clone(x)})
	if results == nil {
		return math.Inf(1), nil, f.err
	}
	f.current = results
	return f.current.loss, slices.Clone(f.current.gradient), nil
}

// Err returns the error that ended a visit (see File) early, or nil. After an error there are no more visits.
func (f *File) Err() error { return f.err }

// Scale returns the number to which tolerances are relative, see term.LabelKind.ToleranceUnit.
func (f *File) Scale() float64 { return f.survey.scale }

// Gradient returns the gradient of the loss at the current point, or nil if there is no current point yet.
func (f *File) Gradient() []float64 {
	if f.current == nil {
		return nil
	}
	return f.current.gradient
}

// equalWeights reports whether there are neither weights nor folds, so that all samples have the same weight.
func (f *File) equalWeights() bool { return f.Weights == nil && f.settings.Folds == nil }

func (f *File) leavesOut(i int) bool {
	return f.settings.Folds != nil && f.settings.Folds[i] == f.settings.OutFold
}

// omega returns the weight ωᵢ of sample i, or 0 if the sample is left out.
func (f *File) omega(i int) float64 {
	switch {
	case f.leavesOut(i):
		return 0
	case f.Weights == nil:
		return 1
	}
	return f.Weights[i]
}

// meanWeight returns cᵢ = ωᵢ/Σω.
func (f *File) meanWeight(i int) float64 { return f.omega(i) / f.totalWeight }

func (f *File) offsetOf(i int) float64 {
	if f.Offset == nil {
		return 0
	}
	return f.Offset[i]
}

// label returns the label of sample i: as it is in the file, or ±1 if PositiveLabel is set.
func (f *File) label(i int) float64 {
	switch {
	case f.settings.PositiveLabel == nil:
		return f.Labels[i]
	case f.Labels[i] == *f.settings.PositiveLabel:
		return 1
	}
	return -1
}

// labels returns the labels of samples lo to hi−1. It may store them in dst, which must have room for
// them.
func (f *File) labels(dst []float64, lo, hi int) []float64 {
	if f.settings.PositiveLabel == nil {
		return f.Labels[lo:hi]
	}
	dst = dst[:hi-lo]
	for i := range dst {
		dst[i] = f.label(lo + i)
	}
	return dst
}

// margins sets dst to aᵢ'x, without offsets, for len(dst) rows from row lo on.
func (f *File) margins(dst []float64, lo int, x []float64) {
	_, columns := f.Data.Dims()
	kernels.Margins(dst, f.Data.Rows(lo, lo+len(dst)), x[:columns])
	if f.HasOnes {
		for i := range dst {
			dst[i] += x[columns]
		}
	}
}

// transposed adds Σ cᵢaᵢ to dst, where aᵢ are the rows of X in data, with the column of ones if X has one.
func (f *File) transposed(dst []float64, data kernels.Rows, c []float64) {
	kernels.Gradient(dst[:data.Cols], data, c)
	if f.HasOnes {
		var sum float64
		for _, v := range c {
			sum += v
		}
		dst[data.Cols] += sum
	}
}

func (f *File) summary() dataSummary { return f.survey.dataSummary }

func (f *File) meanLoss(x []float64) float64 {
	loss, _, _ := f.Evaluate(x) // f.err keeps the error
	return loss
}

// separate does nothing: a File does not search for separated samples.
func (f *File) separate(func(j int) (above, below bool)) {}

func (f *File) setBounds(q *gap.Problem) {
	f.bounds = q
	for _, t := range f.pieces {
		t.rootTally, t.rootSums = nil, nil
	}
}

func (f *File) moveTo(x, e []float64, damping float64) float64 {
	if f.current == nil || !slices.Equal(x, f.current.x) { // otherwise f.current already has the results at x
		results := f.visit(&request{x: slices.Clone(x), needsHessian: true, damping: damping})
		if results == nil {
			return math.Inf(1)
		}
		f.current, f.survey.copies = results, nil
	}
	copy(e, f.current.gradient)
	return f.current.loss
}

func (f *File) gradient(dst []float64) { copy(dst, f.current.gradient) }

func (f *File) hasHessian() bool { return f.hessianVisit == f.current }

func (f *File) hessian(h []float64, d float64) {
	if !f.hasHessian() || d != f.damping {
		if f.visit(&request{x: f.current.x, needsHessian: true, damping: d}) == nil {
			return
		}
		f.hessianVisit = f.current
	}
	copy(h, f.pieces[0].hessian)
	f.model.hessianPoint, f.model.damping = f.current.x, d
}

func (f *File) lossAt(t *trial) float64 {
	f.model.gradientPoint, f.model.move = f.current.x, t.move
	f.next = f.visit(&request{
		x: slices.Clone(t.end), needsHessian: t.needsHessian, damping: t.damping, model: &f.model,
	})
	if f.next == nil {
		return math.NaN()
	}
	return f.next.loss
}

func (f *File) accept(t *trial) {
	if t.length > 0 {
		f.current = f.next
		return
	}
	f.model.gradientPoint, f.model.move = f.current.x, t.move
	f.revisit(&f.model)
}

// revisit visits the rows at the current point again. It computes α by the model m (see origin), and replaces
// the results in f.current that depend on α. If the visit fails, f.current does not change.
func (f *File) revisit(m *origin) {
	results := f.visit(&request{x: f.current.x, model: m})
	if results != nil {
		f.current.evidence = results.evidence
	}
}

func (f *File) useSlopes(_, e []float64, _ bool) {
	f.revisit(&origin{gradientPoint: f.current.x})
	copy(e, f.current.head)
}

func (f *File) alphaAt(_, _ []float64) []float64 { return nil }

func (f *File) tally() *gap.Tally { return &f.current.tally }

func (f *File) prove(x, z, e []float64, goal float64) gap.Bound {
	if f.current == nil || f.current.model == nil { // no visit has computed α
		return gap.Bound{Gap: math.Inf(1)}
	}
	b := f.bound(x, z)
	if f.compensated && goal > lessCare*f.compensatedGoal {
		f.compensated = false
	}
	if !f.compensated && b.NeedsCompensation(goal) {
		f.compensated, f.compensatedGoal = true, goal
		f.revisit(f.current.model)
		b = f.bound(x, z)
	}
	copy(e, f.current.head)
	// Visit the samples again, for the scaled dual point, if this may make the gap small enough.
	if t := &f.current.tally; b.NeedsScaledTally(t, goal) &&
		b.Gap-float64((1-b.Shrink)*(t.Loss+t.ConjugateAtZero)) <= math.Max(goal, certainPart*f.survey.scale) {
		scaled := *f.current.model
		scaled.shrink = b.Shrink
		results := f.visit(&request{x: f.current.x, model: &scaled})
		if results != nil {
			b.Gap = math.Min(b.Gap, b.GapWithFenchel(t, results.tally.Fenchel))
		}
	}
	return b
}

// The method prove sets File.compensated to false if its goal exceeds this multiple of
// File.compensatedGoal.
const lessCare = 10

// bound returns the bound that multipliers z and the α of f.current.model prove at x, the current point.
func (f *File) bound(x, z []float64) gap.Bound {
	return f.bounds.Bound(x, z, &f.current.tally, &gap.Sum{
		Head: f.current.head, Tail: f.current.tail, Roundings: f.roundings(), Samples: f.n,
		RootSums: f.rootSums,
	})
}

// rootSums returns gap.Sum.RootSums at the current point.
func (f *File) rootSums() []float64 {
	if f.current.rootsVersion != f.bounds.RootsVersion() { // the roots have changed since the visit
		results := f.visit(&request{x: f.current.x, model: f.current.model})
		if results == nil {
			k := f.bounds.RootCount()
			return slices.Repeat([]float64{math.NaN()}, k*k+k) // NaN cannot be factored, so no gap is proved
		}
		f.current.rootSums, f.current.rootsVersion = results.rootSums, results.rootsVersion
	}
	return f.current.rootSums
}

// roundings returns gap.Sum.Roundings: an upper bound of the number of roundings of one term of a sum over
// the samples, in the products of the term and in each partial sum that contains the term.
func (f *File) roundings() float64 {
	count := len(f.pieces)
	blocks := f.windows.Largest()/count/f.block + 2
	return f.Team.MaxNumber(float64(f.block+blocks+f.windows.Count()+count+4)) + float64(f.Team.Size()-1)
}

func (f *File) trivialGap(x []float64, value float64) float64 {
	if f.current == nil || f.current.model == nil {
		return math.Inf(1)
	}
	return f.bounds.TrivialBound(x, value, &f.current.tally)
}

func (f *File) lossFallsForever(d []float64) bool {
	if f.err != nil || !f.Loss.Traits().NeverZero {
		return false
	}
	sides := make([]rows.Sides, len(f.pieces))
	total := func() (sum rows.Sides) {
		for _, k := range sides {
			sum[0], sum[1] = sum[0]+k[0], sum[1]+k[1]
		}
		return sum
	}
	f.err = f.teamError(f.windows.Each(func(lo, hi int) error {
		if total()[0] > 0 {
			return nil
		}
		rows.EachPiece(len(sides), f.Threads, lo, hi, func(k, lo, hi int) {
			margin, sign, weight := make([]float64, hi-lo), make([]float64, hi-lo), []float64(nil)
			f.margins(margin, lo, d)
			if !f.equalWeights() {
				weight = make([]float64, hi-lo)
				for i := range weight {
					weight[i] = f.omega(lo + i)
				}
			}
			sides[k].Add(f.Loss, margin, f.labels(sign, lo, hi), weight)
		})
		return f.callStop()
	}))
	sum := total()
	f.Team.Sum(sum[:])
	return f.err == nil && sum.Separated()
}

// LossFallsForever reports whether the loss decreases without end along d, which has one number for each
// column of X. It reads the rows at most once.
func (f *File) LossFallsForever(d []float64) (bool, error) {
	falls := f.lossFallsForever(d)
	return falls, f.err
}

func (f *File) callStop() error {
	if f.Stop == nil {
		return nil
	}
	return f.Stop()
}
