package newton

import (
	"math"
	"slices"

	"github.com/scas-admm/scas/kernels"
	"github.com/scas-admm/scas/solver/internal/gap"
	"github.com/scas-admm/scas/solver/internal/quad"
	"github.com/scas-admm/scas/solver/internal/structure"
)

// A follower solves conic problems by Newton's method on
//
//	f(x) + Σ smoothed penalty + τ barrier of the domain,  τ → 0
//
// (path following; Nesterov and Nemirovskii 1994). Every step gives a dual point, as in
// the other methods of the package.
type follower struct {
	f     *Finisher
	set   Settings
	pt    *point
	judge *point // whose gap decides; nil for that of the best point

	tau, scale float64
	terms      float64 // of the smoothing and the barrier
	last       struct{ tau, decrement, length float64 }

	hess        hessian
	d           []float64 // Newton's step
	step, v     []float64 // X d, A d
	x, margin   []float64 // scratch
	image       []float64 // A x as the steps make it: where it is small, A times x has lost its digits
	before      []float64 // image at the end of the last τ; 0 at the first
	trial, best *dual
	atBest      *point
	snapped     *point
	result      Result
}

// A hessian is that of the smoothed objective in parts, and z the multipliers there.
type hessian struct {
	z      []float64
	soft   float64   // see Loss
	bend   *bend     // of the penalty
	curve  []float64 // of the losses
	base   []float64 // X'C diag(curve) X + mu I, upper triangle
	domain []float64 // of the barrier, on the diagonal
	rhs    []float64 // minus the gradient
}

func (f *Finisher) newFollower(set *Settings) *follower {
	l := f.rows.Len()
	s := &follower{f: f, set: *set, pt: f.newPoint(), atBest: f.newPoint(), snapped: f.newPoint(), trial: f.newDual(), best: f.newDual()}
	s.hess.bend = f.rows.newBend()
	if s.set.MaxIterations == 0 {
		s.set.MaxIterations = defaultIterations
	}
	for _, v := range []*[]float64{&s.hess.z, &s.v, &s.image, &s.before} {
		*v = make([]float64, l)
	}
	for _, v := range []*[]float64{&s.hess.curve, &s.step, &s.margin} {
		*v = make([]float64, f.n)
	}
	for _, v := range []*[]float64{&s.hess.domain, &s.hess.rhs, &s.d, &s.x} {
		*v = make([]float64, f.p)
	}
	s.hess.base = make([]float64, f.tri.size())
	return s
}

// follow is Finish for conic problems.
func (f *Finisher) follow(x []float64, set *Settings) *Result {
	s := f.newFollower(set)
	s.begin(x)
	start, value := slices.Clone(s.atBest.x), s.atBest.value
	s.run()
	if worse(s.atBest.value, value) && f.Domain == nil {
		s.result.toStart(f, s.atBest, start)
	}
	s.result.X = append([]float64(nil), s.atBest.x...)
	s.result.Objective = s.atBest.value
	s.result.Gap = gap.Rounded(f.evaluate(s.best, s.atBest), s.atBest.value)
	s.result.Why = f.ending(&s.result, set.Tol, false, s.result.Iterations >= s.set.MaxIterations)
	s.result.Alpha, s.result.Z = f.feasible(s.best)
	return &s.result
}

// certifyTerms is Certify for conic problems: the bound at x by the dual point of a
// path followed from there.
func (f *Finisher) certifyTerms(x []float64) gap.Bound {
	s := f.newFollower(&Settings{})
	s.judge = f.newPoint()
	copy(s.judge.x, x)
	f.visit(s.judge)
	s.begin(x)
	s.set.Tol = leastTol * s.scale
	s.run()
	return gap.Bound{Gap: gap.Rounded(f.evaluate(s.best, s.judge), s.judge.value), Objective: s.judge.value}
}

// begin puts the iterate inside the domain.
func (s *follower) begin(x []float64) {
	f, pt := s.f, s.pt
	if s.scale = f.lossAt(make([]float64, f.n)); !(s.scale > 0) {
		s.scale = 1
	}
	s.set.Tol = math.Max(s.set.Tol, leastTol*s.scale)
	copy(pt.x, x)
	s.toInside(pt.x)
	f.visit(pt)
	if clear(s.x); x != nil {
		// The start is given up if zero is much better.
		s.toInside(s.x)
		zero := f.newPoint()
		copy(zero.x, s.x)
		if f.visit(zero); !(pt.value <= 2*zero.value) {
			pt.copyFrom(zero)
		}
	}
	count := f.rows.Len()
	if f.rows.Grouped() {
		count = len(f.rows.Groups)
	}
	if f.Domain != nil {
		count += f.Domain.Terms(f.p)
	}
	s.terms = float64(max(1, count))
	s.tau = startTau * s.scale / s.terms
	copy(s.image, pt.image)
	s.hess.soft = firstSoft
	s.atBest.copyFrom(pt)
	s.result.Gap = f.evaluate(s.best, s.atBest)
}

func (s *follower) toInside(x []float64) {
	if s.f.Domain == nil {
		return
	}
	typical := make([]float64, s.f.p)
	for j, c := range s.f.columns.Largest {
		if typical[j] = 1; c > 0 {
			typical[j] = 1 / c
		}
	}
	s.f.Domain.Inside(x, typical)
}

// run follows the path until the gap is closed or rounding decides.
func (s *follower) run() {
	for stalled := 0; s.result.Iterations < s.set.MaxIterations && stalled < maxStalled; {
		if s.set.Interrupt != nil {
			if s.result.Err = s.set.Interrupt(); s.result.Err != nil {
				return
			}
		}
		s.result.Iterations++
		decrement, ok := s.newton()
		if !ok {
			return
		}
		s.propose()
		before := s.result.Gap
		if s.keep(); s.done(decrement) {
			return
		}
		length := s.search(decrement)
		s.adapt(decrement, length)
		stalled++
		if s.centred(decrement, length) || length*decrement > 1e-13*s.scale || s.result.Gap < 0.9*before {
			stalled = 0
		}
	}
}

// adapt raises the soft part of the curvatures where steps are short or, at one τ, long
// ones do not lower the decrement, as on piecewise parabolas.
func (s *follower) adapt(decrement, length float64) {
	cycles := s.tau == s.last.tau && decrement > s.tau && decrement > (1-float64(0.5*s.last.length))*s.last.decrement
	s.last.tau, s.last.decrement, s.last.length = s.tau, decrement, length
	if cycles || length < shortStep {
		s.hess.soft = math.Min(1, math.Max(10*s.hess.soft, 1e-2))
	}
}

// centred lowers τ where a step has come close enough to the path for that, and
// reports whether it did.
func (s *follower) centred(decrement, length float64) bool {
	if !s.near(decrement) || length < longStep && decrement > 0.01*s.tau || s.tau*s.terms <= leastTau*s.scale {
		return false
	}
	copy(s.before, s.image)
	s.tau *= 0.1
	s.hess.soft = lower(s.hess.soft, 1)
	return true
}

// near reports whether an iterate with a squared decrement is close to the path.
func (s *follower) near(decrement float64) bool { return decrement <= 0.5*s.tau }

// newton computes Newton's step, and returns its squared decrement.
func (s *follower) newton() (decrement float64, ok bool) {
	f, pt := s.f, s.pt
	f.curvatures(s.hess.curve, pt, s.hess.soft)
	f.hessian(s.hess.base, s.hess.curve)
	f.rows.smoothTerms(s.hess.z, s.hess.bend, s.image, s.tau)
	copy(s.hess.rhs, pt.grad)
	f.rows.AddTrans(s.hess.rhs, s.hess.z)
	clear(s.hess.domain)
	outer := 0.0
	if f.Domain != nil {
		outer = f.Domain.Derivatives(s.hess.rhs, s.hess.domain, pt.x, s.tau)
	}
	for j, v := range s.hess.rhs {
		s.hess.rhs[j] = -v
	}
	h := f.system.h
	copy(h, s.hess.base)
	f.rows.addBend(h, s.hess.bend, s.zeros())
	for i := range f.p {
		row := f.tri.row(h, i)
		if row[0] += s.hess.domain[i]; outer > 0 {
			kernels.Axpy(float64(outer*pt.x[i]), pt.x[i:], row)
		}
	}
	s.hold(h)
	if !f.system.factor() {
		return 0, false
	}
	f.system.solve(s.d, s.hess.rhs)
	if f.Domain != nil && f.Domain.Flat() {
		s.flatten()
	}
	decrement = kernels.Dot(s.hess.rhs, s.d)
	f.margins(s.step, s.d)
	f.rows.Mul(s.v, s.d)
	return math.Max(0, decrement), !math.IsNaN(decrement)
}

// zeros returns the scratch x, cleared.
func (s *follower) zeros() []float64 {
	clear(s.x)
	return s.x
}

// hold keeps coordinates that the domain leaves no choice.
func (s *follower) hold(h []float64) {
	t := s.f.tri
	for j := range t.n {
		if s.f.Domain == nil || !s.f.Domain.Held(j) {
			continue
		}
		for i := max(0, j-t.width); i < j; i++ {
			h[i*t.stride+j] = 0
		}
		row := t.row(h, j)
		clear(row)
		row[0], s.hess.rhs[j] = 1, 0
	}
}

// flatten takes the sum of the coordinates out of the step: H d + ν 1 = rhs, Σ d = 0. It
// refines the step, from which the sum may have taken most digits.
func (s *follower) flatten() {
	system, ones := s.f.system, slices.Repeat([]float64{1}, s.f.p)
	system.solve(s.x, ones)
	part, nu := quad.Sum(s.x), 0.0
	more, rest := slices.Clone(s.d), make([]float64, s.f.p)
	clear(s.d)
	for range refinements {
		by := (quad.Sum(s.d) + quad.Sum(more)) / part
		nu += by
		add(s.d, more, 1)
		add(s.d, s.x, -by)
		system.mul(rest, s.d)
		for j, v := range s.hess.rhs {
			rest[j] = v - rest[j] - nu
		}
		system.solve(more, rest)
	}
}

// propose admits the dual point of the step, and keeps it if it is the best.
func (s *follower) propose() {
	f := s.f
	f.slopesAlong(s.trial.alpha, s.pt, s.hess.curve, s.step)
	copy(s.trial.z, s.hess.z)
	f.rows.push(s.trial.z, s.v, s.hess.bend)
	at := s.pt
	if s.judge != nil {
		at = s.judge
	}
	gap := f.admit(s.trial, at, math.Max(s.tau*s.terms, s.set.Tol))
	if at != s.judge {
		gap -= s.pt.value - s.atBest.value // as if at the best point; evaluated anew below
	}
	if gap < s.result.Gap {
		s.best, s.trial = s.trial, s.best
	}
}

// keep takes the iterate for the best point if it is, judges that, and shows it.
func (s *follower) keep() {
	if s.pt.value < s.atBest.value {
		s.atBest.copyFrom(s.pt)
		s.result.Unpolish()
	}
	at := s.atBest
	if s.judge != nil {
		at = s.judge
	}
	s.result.Gap = s.f.evaluate(s.best, at)
	if s.set.Record != nil {
		s.set.Record(Progress{s.result.Iterations, at.x, at.value, s.result.Gap, s.tau, 0, s.f.system.lifted})
	}
}

// tightEnough is the part of a bound that the truth is known to be, with which to be
// content.
const tightEnough = 0.9

// done reports whether the gap is closed, with zeros, ties and bounds made exact, or
// where another point is judged, known to be hardly larger than the truth. Zeros and ties
// are read off close to the path, where all have fallen with τ.
func (s *follower) done(decrement float64) bool {
	if s.judge != nil {
		return s.result.Gap <= s.set.Tol || s.judge.value-s.atBest.value > tightEnough*s.result.Gap
	}
	if s.result.Gap > polishGap*s.scale || 4*s.tau*s.terms > s.set.Tol && s.result.Gap > s.set.Tol || !s.near(decrement) {
		return false
	}
	s.snap()
	return s.result.Polished && s.result.Gap <= s.set.Tol
}

// snap tries the structure of the iterate.
func (s *follower) snap() {
	f, pt := s.f, s.snapped
	part := structure.Read(f.rows.M, s.structure(), nil, f.p).Partition()
	curvature := s.tie(pt.x, &part)
	if f.Domain != nil {
		f.Domain.Snap(pt.x, curvature, s.tau)
	}
	f.visit(pt)
	gap := f.evaluate(s.best, pt)
	if !(gap <= s.set.Tol) && !(gap <= float64(s.result.Gap*(1+1e-6))+float64(1e-16*math.Abs(pt.value))) {
		return // also where nothing is left, as of a simplex
	}
	s.atBest.copyFrom(pt)
	s.result.Polished, s.result.Structure, s.result.Gap = true, part, gap
	if !s.result.Structure.Holds(pt.x) { // bounds came between
		s.result.Structure = structure.Partition{}
	}
}

// leastCurvature is what a feature's curvature is taken to be at least, in units of the
// loss at x = 0 and the largest value of the feature: where a loss is flat it has none.
const leastCurvature = 1e-6

// tie sets x to the iterate with zeros and ties exact, those tied at their mean by the
// curvatures of the loss, which differ as the squares of the features' units do. It returns,
// for every feature, the most curvature of those tied to it, which move together: 0 where
// none of them has a value in the data.
func (s *follower) tie(x []float64, part *structure.Partition) []float64 {
	f, h, y := s.f, s.hess.domain, make([]float64, part.Count)
	sum, most := make([]float64, part.Count), make([]float64, part.Count)
	for j, c := range f.columns.Largest {
		h[j] = math.Max(s.hess.base[j*f.tri.stride+j], float64(leastCurvature*s.scale)*float64(c*c))
		if of := part.Of[j]; of >= 0 {
			weight := h[j] + 1e-300 // for those without curvature
			y[of] += float64(weight * part.Sign[j] * s.pt.x[j])
			sum[of] += weight
			most[of] = math.Max(most[of], h[j])
		}
	}
	for k, v := range sum {
		y[k] /= v
	}
	part.Expand(x, y)
	for j, of := range part.Of {
		if of >= 0 {
			h[j] = most[of]
		}
	}
	return h
}

// structure returns a vector that is zero where rows are zero at the solution. Where a row
// is, |v| falls as fast as τ does, whatever its unit, and limit |v| is about τ unless its
// multiplier is close to the limit; elsewhere |v| stays.
func (s *follower) structure() []float64 {
	rows, v := s.f.rows, s.image
	y := make([]float64, len(v))
	mark := func(row int32, limit, size, before float64) {
		if limit == 0 || s.tau < 0.1*float64(limit*size) && size > 0.3*before {
			y[row] = 1
		}
	}
	for k := range rows.Groups {
		g := &rows.Groups[k]
		size, before := g.Norm(v), g.Norm(s.before)
		for _, row := range g.Rows {
			mark(row, g.Limit, size, before)
		}
	}
	if !rows.Grouped() {
		for j, u := range v {
			mark(int32(j), rows.Limit[j], math.Abs(u), math.Abs(s.before[j]))
		}
	}
	return y
}

// search moves the iterate along the step as far as the smoothed objective decreases
// enough (Armijo), and returns how far.
func (s *follower) search(decrement float64) float64 {
	f, pt := s.f, s.pt
	length := 1.0
	if f.Domain != nil {
		if length = f.Domain.Room(pt.x, s.d); length < 1 {
			length *= 0.95
		}
	}
	at := s.value(pt.margin, s.image, pt.x)
	image := make([]float64, len(s.v))
	for range maxHalves {
		copy(s.margin, pt.margin)
		copy(s.x, pt.x)
		copy(image, s.image)
		add(s.margin, s.step, length)
		add(s.x, s.d, length)
		add(image, s.v, length)
		if s.value(s.margin, image, s.x) <= at-float64(0.05*length*decrement)+float64(4e-16*math.Abs(at)) {
			copy(pt.x, s.x)
			settled := f.Domain != nil && f.Domain.Settle(pt.x)
			f.visit(pt)
			if copy(s.image, image); settled {
				copy(s.image, pt.image)
			}
			return length
		}
		length /= 2
	}
	return 0
}

// value returns the smoothed objective.
func (s *follower) value(margin, v, x []float64) float64 {
	f := s.f
	sum := f.smoothValue(f.lossAt(margin), x) + f.rows.smoothedTerms(v, s.tau)
	if f.Domain != nil {
		sum += float64(s.tau * f.Domain.Barrier(x))
	}
	return sum
}
