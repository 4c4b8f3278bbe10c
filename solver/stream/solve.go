// Package stream solves problems whose data are larger than memory, by Newton's method
// with few passes over them.
//
// A first pass copies as many samples as there is room for, drawn without regard to their
// order, and the problem of these is solved in memory: for m of n samples that is as far
// from the optimum as the error of a sample, about p/m of the objective. From there each
// pass takes Hessian and gradient of the loss, p² numbers, and the problem with a parabola
// in the place of the loss is solved in memory, to any accuracy. That is Newton's method
// for the whole objective (Lee, Sun, Saunders 2014), whose steps square the error; the
// next pass judges the step, and proves it: the dual point of the parabola is one of the
// loss, since its equality is that of the parabola's gradient.
//
// Of a pass nothing is kept that has an entry per sample: margins live as long as a block
// of rows. An intercept is a column of ones that is nowhere stored. Its equality in the dual
// problem, which no multiplier makes up for, is closed by a correction that exists and is
// bounded by its Hessian, a number (package gap), and so for other columns without a penalty.
//
// For more features, and other penalties and domains, there are stochastic runs
// beside it, whose inner loop draws from a part of the file at a time.
package stream

import (
	"math"
	"slices"

	"github.com/scas-admm/scas/solver/internal/ending"
	"github.com/scas-admm/scas/solver/internal/exact"
	"github.com/scas-admm/scas/solver/internal/gap"
	"github.com/scas-admm/scas/solver/internal/pass"
)

// facts are about a run.
type facts struct {
	passes  int       // over the data
	sampled int       // samples that the start is from
	zero    float64   // what tolerances are parts of, see term.Labels.Unit
	windows int       // that a pass goes through, or batches
	grad    []float64 // of the loss at the result
	columns columns

	// Of stochastic runs: outer iterations, dual updates of one, and the inner loop.
	outer, updates int
	eta, rho       float64
	plan, reason   string
}

// most is how many passes there are, with steps that are halved.
const most = 60

// How the bytes that are allowed are shared out.
const (
	windowShare = 8       // a window is that part of them
	sampleShare = 0.6     // samples in memory, and what solves their problem
	least       = 4 << 20 // bytes of a window
	mostWindow  = 64 << 20
	mostPieces  = 8
)

type run struct {
	q       *exact.Problem // Ridge is that of extra
	extra   extra
	set     *exact.Settings
	windows *windows
	bounds  *gap.Problem
	block   int // rows that a cache holds
	count   int // pieces of a window
	tallies []*tally
	shape   shape
	weight  float64 // Σ ω, or n
	hessian []float64
	fresh   bool // hessian is that at the last point
	facts   facts
	teller  teller

	recorder *recorder // nil for nobody
}

// extra is what a run has beside the problem of package exact.
type extra struct {
	ones     bool      // a last column of ones, which Data have not
	offset   []float64 // of the margins; nil for none
	positive *float64  // label of the samples that count as +1, the others as −1; nil for labels as they are
	ridge    []float64 // of every column
	folds    []uint8   // samples of which this is out do not count; nil for none
	out      uint8
	team     *pass.Team // ranks with other rows; nil for none
}

// label returns that of a sample.
func (s *run) label(i int) float64 { return s.extra.sign(s.q.Labels[i]) }

// labels returns those of the samples from lo to hi−1, in dst, which has room, where they
// are not those of the problem.
func (s *run) labels(dst []float64, lo, hi int) []float64 {
	all := s.q.Labels[lo:hi]
	if s.extra.positive == nil {
		return all
	}
	dst = dst[:len(all)]
	for i, v := range all {
		dst[i] = s.extra.sign(v)
	}
	return dst
}

// sign is what a label counts as.
func (x *extra) sign(label float64) float64 {
	switch {
	case x.positive == nil:
		return label
	case label == *x.positive:
		return 1
	}
	return -1
}

// mostFree is how many columns may have neither a penalty of their own nor a ridge.
const mostFree = 256

// refuses says why a problem is not for this package, nil if it is.
func refuses(q *exact.Problem) error {
	_, p := q.Data.Dims()
	switch {
	case !q.Loss.Traits().Conjugate || q.Square != nil || q.Set != nil || !q.A.Identity() && (q.A.Matrix() == nil || q.Groups != nil):
		return refused("only L1 penalties, groups of features without a graph, ridge terms and losses with a conjugate are streamed")
	case p > exact.DenseFeatures:
		return refused("up to %d features are streamed, and there are %d", exact.DenseFeatures, p)
	}
	return refusesFree(boundsOf(q, q.Ridge, gap.Columns{Largest: slices.Repeat([]float64{1}, p)}))
}

// boundsOf returns the problem of bounds.
func boundsOf(q *exact.Problem, ridge []float64, columns gap.Columns) *gap.Problem {
	p := &gap.Problem{Rows: gap.NewRows(q.A, q.Limit, q.Square, q.Groups), Ridge: ridge, Columns: columns}
	p.Prepare()
	return p
}

func refusesFree(b *gap.Problem) error {
	if free := b.Roots(); free > mostFree {
		return refused("up to %d features without a penalty of their own are streamed, and there are %d: give them one, or the problem L2 > 0", mostFree, free)
	}
	return nil
}

// finish solves a problem of which Data are mapped and refuses says nothing, from start,
// of length p or nil. Of set, Tol is a part of the objective at 0.
func finish(q *exact.Problem, team *pass.Team, start []float64, opt Options, set *exact.Settings, to *recorder) (*exact.Solution, *facts) {
	s := newRun(q, extra{ridge: q.Ridge, team: team}, opt, set)
	s.recorder = to
	res, err := s.solve(start, s.room(opt.Memory))
	if err != nil {
		res.Err, res.Why = err, ending.Interrupted
	}
	return res, &s.facts
}

// newRun prepares a run whose columns are those that x has a ridge of.
func newRun(q *exact.Problem, x extra, opt Options, set *exact.Settings) *run {
	n, _ := q.Data.Dims()
	p, memory := len(x.ridge), opt.Memory
	s := &run{q: q, extra: x, set: set, shape: shapeOf(x.team, q.Data), teller: newTeller(opt.Tell)}
	s.windows = newWindows(q.Data, max(least, min(mostWindow, memory/windowShare)))
	entries := float64(q.Data.NNZ()) / float64(n)
	s.block = min(n, max(8, int(max(min(1<<10, 1<<13/max(1, entries)), 4*float64(p)/max(1, entries)))))
	each := int64(8 * p) // bytes of a piece
	if p <= exact.DenseFeatures {
		each *= int64(p + 8)
	}
	s.count = int(max(1, min(mostPieces, memory/16/each)))
	if s.weight = float64(n); !s.equal() {
		s.weight = 0
		for i := range n {
			s.weight += s.omega(i)
		}
	}
	s.weight = x.team.Total(s.weight)
	for range s.count {
		s.tallies = append(s.tallies, s.newTally())
	}
	s.facts.windows = int(x.team.Total(float64(s.windows.count())))
	return s
}

// equal reports whether all samples have the same weight.
func (s *run) equal() bool { return s.q.Weights == nil && s.extra.folds == nil }

// left reports whether a sample is left out.
func (s *run) left(i int) bool { return s.extra.folds != nil && s.extra.folds[i] == s.extra.out }

// omega returns the weight of a sample.
func (s *run) omega(i int) float64 {
	switch {
	case s.left(i):
		return 0
	case s.q.Weights == nil:
		return 1
	}
	return s.q.Weights[i]
}

// coef returns cᵢ.
func (s *run) coef(i int) float64 { return s.omega(i) / s.weight }

func (s *run) interrupted() error {
	if s.set.Stop == nil {
		return nil
	}
	return s.set.Stop()
}

// room is the number of samples whose problem fits its share of the memory.
func (s *run) room(memory int64) int {
	const ofSample, ofEntry = 28 * 8, 24 // vectors and parts of the samples; compact forms
	each := ofSample + float64(ofEntry*(math.Floor(s.shape.entries/s.shape.rows)+1))
	return int(s.extra.team.Least(max(1, min(math.Floor(s.shape.rows/2), math.Floor(sampleShare*float64(memory)/each)))))
}

// A state is the best point so far, with what the model takes of it.
type state struct {
	x, grad []float64
	loss    float64
	value   float64   // the objective
	curve   []float64 // where the Hessian is from
	proved  float64   // the optimum is not below
}

// solve solves the problem.
func (s *run) solve(start []float64, samples int) (*exact.Solution, error) {
	res := &exact.Solution{X: make([]float64, len(s.extra.ridge)), Gap: math.Inf(1), Objective: math.Inf(1)}
	copy(res.X, start)
	part, err := s.begin(samples)
	if err != nil {
		return res, err
	}
	goal := s.set.Tol * s.facts.zero
	x, err := s.sampled(part, start, goal)
	if err != nil {
		return res, err
	}
	at, err := s.look(x)
	if err != nil {
		return res, err
	}
	res.X, res.Objective, s.facts.grad = x, at.value, at.grad
	if err := s.show(0, res, at.grad); err != nil {
		return res, err
	}
	return res, s.iterate(res, at, goal)
}

// begin goes over the data for the first time, and returns so many samples.
func (s *run) begin(samples int) (*part, error) {
	sv, err := s.survey(samples)
	if err != nil {
		return nil, err
	}
	s.facts.passes, s.facts.sampled, s.facts.zero, s.facts.columns = 1, samples, sv.zero, s.columns(sv.moments)
	s.bounds = boundsOf(s.q, s.extra.ridge, s.facts.columns.Columns)
	return sv.part, nil
}

// look returns the state at x, of which it takes the Hessian.
func (s *run) look(x []float64) (*state, error) {
	found, err := s.pass(&look{to: x, hessian: true})
	if err != nil {
		return nil, err
	}
	s.fresh = true
	return &state{x: x, grad: slices.Clone(found.grad), loss: found.loss, value: s.bounds.Value(x, found.loss), curve: x, proved: math.Inf(-1)}, nil
}

// iterate takes steps until the gap is at most goal.
func (s *run) iterate(res *exact.Solution, at *state, goal float64) error {
	scale := s.facts.zero
	for last := s.facts.passes + most; s.facts.passes < last; {
		step := s.minimise(s.hessian, at.grad, at.x, 1e-3*goal)
		if step.Err != nil {
			return step.Err
		}
		res.Iterations++
		drop := at.value - s.bounds.Value(step.X, s.predicted(at, step.X))
		// Errors are squared: where that is enough, the next Hessian is not asked for.
		hessian := drop*drop > 0.01*goal*scale || !s.fresh
		found, err := s.pass(&look{to: step.X, hessian: hessian, model: &anchor{curve: at.curve, slope: at.x, dual: step.dual}})
		if err != nil {
			return err
		}
		b := s.bounds.Bound(step.X, s.bounds.Rows.Restrict(step.Z), &found.tally, &found.sum)
		at.proved = math.Max(at.proved, b.Objective-b.Gap)
		if b.Objective <= at.value+float64(1e-12*math.Abs(at.value)) {
			*at = state{x: step.X, grad: slices.Clone(found.grad), loss: found.loss, value: b.Objective, curve: at.curve, proved: at.proved}
			if s.fresh = hessian; hessian {
				at.curve = at.x
			}
			res.Polished, res.Structure = step.Polished, step.Structure
		} else if moved, err := s.back(at, step.X, last); err != nil {
			return err
		} else if moved {
			res.Unpolish()
		}
		res.X, res.Z, res.Objective, s.facts.grad = at.x, step.Z, at.value, at.grad
		res.Gap = gap.Rounded(at.value-at.proved, at.value)
		s.teller.found(at.value, res.Gap)
		if err := s.show(res.Iterations, res, at.grad); err != nil {
			return err
		}
		if res.Gap <= goal {
			res.Why = ending.Reached
			return nil
		}
		if drop < 1e-15*scale && s.fresh {
			res.Why = ending.Rounding
			return nil
		}
	}
	res.Why = ending.Iterations
	return nil
}

// predicted returns the loss that the model has at x.
func (s *run) predicted(at *state, x []float64) float64 {
	p := len(x)
	d, sum := make([]float64, p), 0.0
	for j := range d {
		d[j] = x[j] - at.x[j]
	}
	for j, v := range d {
		row := 0.5 * float64(s.hessian[j*p+j]*v)
		for k := j + 1; k < p; k++ {
			row += float64(s.hessian[j*p+k] * d[k])
		}
		sum += float64(v * (at.grad[j] + row))
	}
	return at.loss + sum
}

// back halves a step to x that does not pay until it does, and takes it, if that is before
// so many passes, and reports whether it did.
func (s *run) back(at *state, x []float64, last int) (moved bool, err error) {
	s.fresh = false
	for size := 0.5; s.facts.passes < last; size /= 2 {
		to := make([]float64, len(x))
		for j := range to {
			to[j] = math.FMA(size, x[j]-at.x[j], at.x[j])
		}
		tried, err := s.look(to)
		if err != nil {
			return false, err
		}
		if tried.value <= at.value {
			tried.proved = at.proved
			*at = *tried
			return true, nil
		}
	}
	return false, nil
}
