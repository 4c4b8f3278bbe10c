package stream

import (
	"math"

	"github.com/scas-admm/scas/kernels"
	"github.com/scas-admm/scas/solver/internal/gap"
	"github.com/scas-admm/scas/solver/internal/term"
)

// A look is what one pass over the data is for: the loss and its gradient at a point,
// unless hessian is false the Hessian of the loss there, and unless model is nil what is
// proved of the point, by the dual point of the model that it minimises.
type look struct {
	to      []float64
	hessian bool
	model   *anchor
}

// An anchor is where a quadratic model of the loss is from: its Hessian is that at curve,
// its gradient that at slope, which may be the same slice. Its dual point is
//
//	αᵢ = φ'(aᵢ'slope) + φ”(aᵢ'curve) aᵢ'(dual − slope),
//
// with which X'Cα is the gradient of the model at dual, nil for the point of the look, so
// that the multipliers of its minimiser close the equality of the dual problem.
type anchor struct{ curve, slope, dual []float64 }

// seen is what a look finds.
type seen struct {
	loss    float64   // Σ cᵢ φ(tᵢ)
	grad    []float64 // X'C φ'(t)
	hessian []float64 // X'C diag(φ”) X, upper triangle, row by row
	tally   gap.Tally // of the model's dual point
	sum     gap.Sum
	roots   []float64 // what sum.Hessian returns
}

// A tally is what a piece of every window adds up to. Blocks of rows, the piece's part of
// a window and all windows are added up apart in X'Cα: its rounding errors, which the
// proof pays for, are those of a few thousand additions instead of n.
type tally struct {
	seen
	block, window                []float64 // parts of X'Cα
	margin, slope, weight, alpha []float64 // an entry per row of a block
	sign                         []float64 // and labels that are not those of the problem
	at, to                       []float64 // margins of the anchor
	curve                        []float64 // cᵢφ”, an entry per row of the piece
	last                         []float64 // column of the Hessian
	scratch                      *kernels.HessianScratch
	closing                      *rootTally // nil before a proof needs one
}

func (s *run) newTally() *tally {
	p := len(s.extra.ridge)
	t := &tally{block: make([]float64, p), window: make([]float64, p), scratch: kernels.NewHessianScratch()}
	t.grad, t.sum.Head = make([]float64, p), make([]float64, p)
	for _, v := range []*[]float64{&t.margin, &t.slope, &t.weight, &t.alpha, &t.sign, &t.at, &t.to} {
		*v = make([]float64, s.block)
	}
	return t
}

func (t *tally) clear() {
	t.loss, t.tally = 0, gap.Tally{}
	clear(t.grad)
	clear(t.hessian)
	clear(t.sum.Head)
	clear(t.roots)
}

// pass goes over the data of all ranks. What it returns is valid until the next call, but
// for the Hessian, which is so until the next one that asks for it.
func (s *run) pass(l *look) (*seen, error) {
	for _, t := range s.tallies {
		t.clear()
	}
	err := s.together(s.each(func(lo, hi int) error {
		pieces(s.count, s.q.Threads, lo, hi, func(k, lo, hi int) { s.tallies[k].rows(s, l, lo, hi) })
		return s.interrupted()
	}))
	s.facts.passes++
	if err != nil {
		return nil, err
	}
	sum := &s.tallies[0].seen
	for _, t := range s.tallies[1:] {
		sum.loss += t.loss
		sum.tally.Merge(&t.tally)
		kernels.Axpy(1, t.grad, sum.grad)
		kernels.Axpy(1, t.sum.Head, sum.sum.Head)
		if l.hessian {
			kernels.Axpy(1, t.hessian, sum.hessian)
		}
		if l.model != nil {
			kernels.Axpy(1, t.roots, sum.roots)
		}
	}
	s.add(l, sum)
	if l.hessian {
		s.hessian = append(s.hessian[:0], sum.hessian...)
	}
	sum.sum.Hessian = func() []float64 { return sum.roots }
	sum.tally.Loss, sum.sum.Roundings, sum.sum.Samples = sum.loss, s.roundings(), s.shape.rows
	return sum, nil
}

// roundings is the most that a term of X'Cα goes through: those of a block, of a piece's
// blocks, of windows, of pieces and of ranks, with those of its own.
func (s *run) roundings() float64 {
	blocks, team := s.windows.largest()/s.count/s.block+2, s.extra.team
	return team.Most(float64(s.block+blocks+s.windows.count()+s.count+4)) + float64(team.Size()-1)
}

// rows adds the rows from lo to hi−1.
func (t *tally) rows(s *run, l *look, lo, hi int) {
	clear(t.window)
	p := len(s.extra.ridge)
	if l.hessian && t.hessian == nil {
		t.hessian, t.last = make([]float64, p*p), make([]float64, p)
	}
	if l.hessian && len(t.curve) < hi-lo {
		t.curve = make([]float64, hi-lo)
	}
	if l.model != nil && t.closing == nil {
		t.closing = s.newRootTally()
		t.roots = make([]float64, t.closing.count*t.closing.count)
	}
	for at := lo; at < hi; at += s.block {
		t.add(s, l, at, min(at+s.block, hi), lo)
	}
	kernels.Axpy(1, t.window, t.sum.Head)
	if l.hessian && hi > lo {
		t.bend(s, lo, hi)
	}
}

// bend adds the Hessian of the rows from lo to hi−1, of which curve has the curvatures.
func (t *tally) bend(s *run, lo, hi int) {
	_, p := s.q.Data.Dims()
	stride, rows, curve := len(s.extra.ridge), s.q.Data.Rows(lo, hi), t.curve[:hi-lo]
	kernels.HessianRows(t.hessian, p, stride, 0, p, rows, curve, t.scratch)
	if s.extra.ones {
		clear(t.last)
		s.gradient(t.last, rows, curve)
		for j, v := range t.last {
			t.hessian[j*stride+p] += v
		}
	}
}

// margins sets dst to aᵢ'x + oᵢ of rows from lo on.
func (s *run) margins(dst []float64, rows kernels.Rows, lo int, x []float64) {
	kernels.Margins(dst, rows, x[:rows.Cols])
	if s.extra.ones {
		for i := range dst {
			dst[i] += x[rows.Cols]
		}
	}
	if s.extra.offset != nil {
		kernels.Axpy(1, s.extra.offset[lo:lo+len(dst)], dst)
	}
}

// gradient adds Σ cᵢaᵢ to dst.
func (s *run) gradient(dst []float64, rows kernels.Rows, c []float64) {
	kernels.Gradient(dst[:rows.Cols], rows, c)
	if s.extra.ones {
		var sum float64
		for _, v := range c {
			sum += v
		}
		dst[rows.Cols] += sum
	}
}

// add adds a block of rows; first is the first row of the piece.
func (t *tally) add(s *run, l *look, lo, hi, first int) {
	q, n := s.q, hi-lo
	rows, label := q.Data.Rows(lo, hi), s.labels(t.sign, lo, hi)
	margin, slope, weight, alpha := t.margin[:n], t.slope[:n], t.weight[:n], t.alpha[:n]
	for i := range weight {
		weight[i] = s.coef(lo + i)
	}
	s.margins(margin, rows, lo, l.to)
	if l.model != nil {
		t.dual(s, l.model, lo, label)
	}
	if s.equal() {
		t.loss += float64(q.Loss.Slopes(slope, margin, label) * weight[0])
	} else {
		q.Loss.Slopes(slope, margin, label)
		for i, w := range weight {
			t.loss += float64(w * q.Loss.Value(margin[i], label[i]))
		}
	}
	if l.model != nil {
		of := gap.Samples{Alpha: alpha, Slope: slope, Margin: margin, Label: label, Coef: weight}
		t.tally.Add(q.Loss, &of)
		if t.closing.count > 0 {
			t.tally.Phi(q.Loss, &of, t.closing.phi[:n])
			t.closing.add(t.roots, rows, t.closing.phi[:n])
		}
		for i, w := range weight {
			alpha[i] *= w
		}
		clear(t.block)
		s.gradient(t.block, rows, alpha)
		kernels.Axpy(1, t.block, t.window)
	}
	if l.hessian {
		curve := t.curve[lo-first : hi-first]
		q.Loss.Curvatures(curve, slope, margin, label, term.Damping{Flat: soft})
		for i, w := range weight {
			curve[i] *= w
		}
	}
	for i, w := range weight {
		slope[i] *= w
	}
	s.gradient(t.grad, rows, slope)
}

// soft is the part of a parabola in the curvature of losses that are flat somewhere.
const soft = 1e-9

// dual sets alpha to the dual point of the model, given the margins where it is to be, for rows
// from lo on that have these labels; slope is scratch.
func (t *tally) dual(s *run, m *anchor, lo int, label []float64) {
	q, n := s.q, len(label)
	rows := q.Data.Rows(lo, lo+n)
	slope, alpha, at := t.slope[:n], t.alpha[:n], t.at[:n]
	s.margins(at, rows, lo, m.curve)
	q.Loss.Slopes(slope, at, label)
	q.Loss.Curvatures(alpha, slope, at, label, term.Damping{Flat: soft})
	if &m.curve[0] != &m.slope[0] {
		s.margins(at, rows, lo, m.slope)
		q.Loss.Slopes(slope, at, label)
	}
	to := t.margin
	if m.dual != nil {
		to = t.to[:n]
		s.margins(to, rows, lo, m.dual)
	}
	for i, curve := range alpha {
		a := math.FMA(curve, to[i]-at[i], slope[i])
		low, high := q.Loss.SlopeRange(label[i])
		alpha[i] = math.Max(low, math.Min(a, high))
	}
}
