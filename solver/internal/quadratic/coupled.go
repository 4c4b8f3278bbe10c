package quadratic

import (
	"math"
	"slices"

	"github.com/scas-admm/scas/kernels"
	"github.com/scas-admm/scas/solver/internal/gap"
	"github.com/scas-admm/scas/solver/internal/linalg"
	"github.com/scas-admm/scas/solver/internal/term"
)

// A Coupled is the problem
//
//	minimise over u in X   g'(u − x) + (u − x)'H(u − x)/2 + Σ limit_k |(A u)_k|,
//
// where norms of groups of rows replace the absolute values if the penalty has groups. For a Coupled,
// coordinate descent may stop at a point that is not a minimum, because A has rows with several entries,
// there are groups, or X is not a product of intervals.
//
// Solve is a primal-dual path-following method. For τ > 0, a smooth function replaces each absolute value
// (see smoothen), and a logarithmic barrier replaces X (see barriers). As τ → 0, the minimum of this smooth
// problem converges to a solution of the original problem. For each τ, Newton's method with a line search
// comes close to the minimum. In place of second derivatives it uses curvatures that depend on multipliers.
// Then full steps succeed far from the solution, and τ may fall by factors of 10 to 1000 (Chan, Golub, Mulet
// 1999; Andersen, Christiansen, Conn, Overton 2000).
type Coupled struct {
	Order       int          // the number of coordinates
	H           []float64    // positive semidefinite; the upper triangle, see upper.go
	Implicit    *Implicit    // replaces H, if it is not nil
	X           []float64    // x, a point of Set
	Gradient    []float64    // g
	Penalty     *gap.Penalty // A, limits and groups. H contains the squared terms, so Square must be nil
	Set         term.Region  // the set X; nil for R^p
	TypicalSize []float64    // the typical size of each coordinate; not needed if Set is nil
	Threads     int
	Stop        func() bool // true ends Solve; may be nil

	// U is the solution.
	U []float64
	// Z has the multipliers of the rows of A. Move is near U − x. It is stored in place of x + Move, because
	// this sum would lose digits. g + H Move + A'Z + ν = 0 with a vector ν that is normal to Set.
	Z, Move []float64
	// Tau is the parameter τ of the smooth problem at the end of Solve. If Solve returns true, Steps is the
	// number of Newton steps; tests read it.
	Tau   float64
	Steps int

	termCount   float64 // the result of TermCount
	system      *system // the matrix of the Newton steps; nil if Implicit is not nil
	accurate    bool    // the next Newton step gives multipliers that are accurate enough for the end of Solve
	barriers    barriers
	curvature   rowCurvature
	multipliers []float64 // one for each row of A, within its limit; nil if there are none yet
	centre      centre    // the last point near the central path
	dual        savedDual // the best multipliers so far, see saveDual

	d, hd           []float64 // u − x, and H (u − x)
	image           []float64 // A u
	smoothGradient  []float64 // the derivatives at A u of the smooth functions of smoothen
	rhs             []float64 // minus the gradient of the smooth problem (see Coupled)
	barrierDiagonal []float64 // the diagonal part of the barrier's curvature, see barriers.addDerivatives
	step, hs        []float64 // the Newton step, and H times the step
	imageStep       []float64 // A times the step
	endU, endImage  []float64 // u and A u at the end of the step
	lastTau         float64   // the previous τ; +Inf at the first τ
	lastImage       []float64 // A u at the end of the steps with lastTau
	largestResidual []float64 // see setLargestResidual; nil if there are no bounds
}

// ForgetMultipliers makes the next Solve start without multipliers.
func (q *Coupled) ForgetMultipliers() {
	q.multipliers = nil
	q.barriers.forget()
}

// StartFrom copies the multipliers and the Tau of another problem. The next Solve starts with these
// multipliers, but with the τ of its settings.
func (q *Coupled) StartFrom(source *Coupled) {
	q.multipliers, q.Tau = slices.Clone(source.multipliers), source.Tau
	q.barriers = source.barriers
	q.barriers.lowerDual, q.barriers.upperDual = slices.Clone(source.barriers.lowerDual),
		slices.Clone(source.barriers.upperDual)
}

// CoupledSettings are the settings of Coupled.Solve.
type CoupledSettings struct {
	Gap      float64 // how much the function at the solution may exceed its minimum
	StartTau float64 // the first value of τ (see Coupled)
	// Residual says how accurate the multipliers must be if Solve returns true. Let r = g + H Move + A'Z + ν, which
	// is zero for exact multipliers, and let c_j be the sum of |A_kj| limit_k over all rows k of A. Then |r_j| may
	// be at most Residual times c_j. +Inf means that the multipliers are not needed. With 0, Solve makes more steps
	// at the last τ, so that the multipliers have as many correct digits as possible; a proof of a gap near the
	// rounding errors needs them.
	Residual float64
}

// Solve minimises the function in the comment of type Coupled, and sets U to the point that it finds. It
// starts at q.X. It returns true if the function at U exceeds its minimum by at most set.Gap. Otherwise U is
// the last point near the central path or, if there was none, the end of the last step.
func (q *Coupled) Solve(set *CoupledSettings) bool {
	q.prepare()
	q.setLargestResidual(set.Residual)
	reached := q.followPath(set)
	q.restoreDual()
	return reached
}

// followPath does the work of Solve.
func (q *Coupled) followPath(set *CoupledSettings) bool {
	end := set.Gap / (4 * q.termCount)
	q.Tau, q.lastTau = set.StartTau, math.Inf(1)
	if q.Tau < leastLastFall*end {
		q.Tau = end
	}
	stepsAtTau, shortSteps := 0, 0  // the number of steps at this τ, and of short steps in a row
	lastDecrement := 0.0            // the squared decrement of the previous step
	minFactor, raiseCount := 0.0, 0 // the smallest allowed tauFactor; how often τ was raised
	for q.Steps = 1; q.Steps <= maxSteps && stepsAtTau < maxAtOneTau; q.Steps++ {
		q.accurate = q.Tau <= end && (set.Residual == 0 || q.Implicit == nil ||
			stepsAtTau > 0 && lastDecrement <= float64(settledEnd*q.Tau))
		decrement, ok := q.newton()
		if !ok {
			break
		}
		length := q.search(decrement)
		q.updateMultipliers()
		q.accept(length)
		if length == 1 {
			q.saveDual()
		}
		if decrement <= float64(settledPart*q.barriers.largestWeight()*q.Tau) {
			length = 1 // only rounding errors have made the step short
		}
		near := q.isNear(length, decrement, set.Gap)
		if near {
			q.saveCentre()
		}
		done := near && q.Tau <= end
		switch {
		case set.Residual == 0:
			done = done && (decrement <= float64(preciseEnd*q.Tau) || stepsAtTau > 0 && decrement > 0.5*lastDecrement)
		case !math.IsInf(set.Residual, 1):
			done = done && q.accurate && decrement <= float64(settledEnd*q.Tau)
		}
		lastDecrement = decrement
		if done {
			return true
		}
		if q.Stop != nil && q.Stop() {
			return false
		}
		stepsAtTau, shortSteps = stepsAtTau+1, shortSteps+1
		if length >= shortStep {
			shortSteps = 0
		}
		factor := math.Max(minFactor, tauFactor(length, decrement/q.Tau, q.termCount))
		tau := factor * q.Tau
		if tau < leastLastFall*end {
			tau = end
		}
		switch {
		case tau < q.Tau:
			copy(q.lastImage, q.image)
			q.lastTau, q.Tau, stepsAtTau = q.Tau, tau, 0
		case shortSteps >= maxShort && raiseCount < maxRaised: // τ fell too fast
			q.Tau, minFactor, stepsAtTau, shortSteps = math.Min(q.lastTau, 10*q.Tau), carefulFall, 0, 0
			raiseCount++
			q.ForgetMultipliers() // the multipliers belong to a smaller τ
		}
	}
	q.restoreCentre()
	if q.Implicit != nil && q.Implicit.Exhausted() {
		return false
	}
	q.accurate = true
	for range extraSteps { // each step gives more correct digits of the multipliers
		decrement, ok := q.newton()
		if !ok {
			break
		}
		length := q.search(decrement)
		q.updateMultipliers()
		if !q.isNear(length, decrement, set.Gap) {
			break
		}
		q.accept(length)
		q.saveCentre()
		q.saveDual()
	}
	q.restoreCentre()
	return false
}

// isNear reports whether a step of this length ends near the central path. decrement is the squared Newton
// decrement before the step.
func (q *Coupled) isNear(length, decrement, gap float64) bool {
	return length >= longStep && decrement <= 0.25*math.Max(gap, q.Tau*q.termCount)
}

const (
	maxSteps = 100
	// At the last τ, let d be (Newton decrement)²/τ. Solve ends after an accurate step with d ≤ settledEnd. If
	// CoupledSettings.Residual is 0, it ends when d ≤ preciseEnd, or when d has stopped falling. With an implicit
	// Hessian an accurate step takes longer, so it is made only after a step with d ≤ settledEnd.
	settledEnd, preciseEnd = 1, 1e-12
	// A step counts as full if the squared Newton decrement is at most this part of τ times the largest weight of a
	// logarithm.
	settledPart = 1e-6
	maxAtOneTau = 15  // the largest number of steps at one τ
	longStep    = 0.9 // a step of at least this length counts as a full step
	shortStep   = 0.3 // a step below this length is short
	maxShort    = 2   // this number of short steps in a row makes τ larger
	maxRaised   = 20  // the largest number of times that τ is raised
	carefulFall = 0.2 // the smallest allowed tauFactor after τ was raised
	// The last fall of τ is by at least this factor, so that method zeros can compare the last two τ.
	leastLastFall = 2
	// If Coupled.followPath can make no more progress before it reaches the gap, it returns to the stored
	// centre and makes at most this number of further steps.
	extraSteps = 2
)

// tauFactor returns the number by which τ is multiplied after a step of the given length. The number is small
// if the point is near the central path. decrement is the squared Newton decrement before the step, divided
// by τ. terms is the result of TermCount.
func tauFactor(length, decrement, terms float64) float64 {
	switch {
	case length >= longStep && decrement <= 0.1:
		return 0.001
	case length >= longStep && decrement <= 0.1*terms:
		return 0.01
	case length >= longStep && decrement <= terms:
		return 0.1
	case length >= 0.5 && decrement <= terms:
		return 0.3
	}
	return 1
}

// A centre is a point near the central path.
type centre struct {
	u, image, move, z []float64
	tau               float64
}

func (q *Coupled) saveCentre() {
	c := &q.centre
	c.u, c.image, c.tau = append(c.u[:0], q.U...), append(c.image[:0], q.image...), q.Tau
	c.move, c.z = append(c.move[:0], q.Move...), append(c.z[:0], q.Z...)
}

// restoreCentre returns to the stored centre, if any.
func (q *Coupled) restoreCentre() {
	if c := &q.centre; c.tau > 0 {
		copy(q.U, c.u)
		copy(q.image, c.image)
		copy(q.Move, c.move)
		copy(q.Z, c.z)
		q.Tau = c.tau
		q.refresh()
		q.ForgetMultipliers() // the multipliers belong to another τ
	}
}

// A savedDual holds copies of Coupled.Z and Coupled.Move after a full step.
type savedDual struct {
	z, move []float64
	gap     float64 // the gap that z and move prove at the end of the step; +Inf if nothing is stored
}

// saveDual stores Z and Move if they prove a smaller gap than the stored ones. On a simplex, the multipliers
// of a late step may be less accurate than the multipliers of an earlier step. For other sets, saveDual does
// nothing, because package gap corrects the multipliers.
func (q *Coupled) saveDual() {
	if q.barriers.Total == 0 {
		return
	}
	if gap := q.dualGap(); gap < q.dual.gap {
		q.dual.z, q.dual.move, q.dual.gap = append(q.dual.z[:0], q.Z...), append(q.dual.move[:0], q.Move...),
			gap
	}
}

// restoreDual returns to the stored Z and Move, if any.
func (q *Coupled) restoreDual() {
	if !math.IsInf(q.dual.gap, 1) {
		copy(q.Z, q.dual.z)
		copy(q.Move, q.dual.move)
	}
}

// dualGap returns the gap that the multipliers Z and the vector Move prove at U, apart from rounding. It
// returns +Inf if a multiplier exceeds its limit by more than rounding.
func (q *Coupled) dualGap() float64 {
	r, e := q.Penalty, make([]float64, q.Order)
	q.multiply(e, q.Move)
	kernels.Axpy(1, q.Gradient, e)
	r.AddTrans(e, q.Z)
	gap := r.Value(q.image) - kernels.Dot(q.Z, q.image) + q.Set.Excess(e, make([]float64, q.Order), q.U, 0)
	z := slices.Clone(q.Z)
	r.Clip(z)
	for k, v := range z {
		if !(math.Abs(q.Z[k]-v) <= 1e-9*r.Limit[k]) {
			return math.Inf(1)
		}
	}
	return gap
}

// TermCount returns the number of absolute values or norms in the problem plus the number of logarithms in
// the barrier, or 1 if this sum is 0. The logarithm of a ball counts with its weight. TermCount also counts kept
// rows with the limit 0, which have a square. At the solution of the smooth problem for τ (see Coupled), the
// objective of the original problem exceeds its minimum by at most 2 τ TermCount.
func (q *Coupled) TermCount() float64 {
	count := float64(q.penaltyTerms())
	if q.Set != nil {
		b := barriers{Bounds: q.Set.Bounds(q.Order), typicalSize: q.TypicalSize, ballWeight: max(1, count)}
		count += b.logarithmCount()
	}
	return max(1, count)
}

// penaltyTerms returns the number of absolute values or norms in the problem.
func (q *Coupled) penaltyTerms() int {
	if q.Penalty.Grouped() {
		return len(q.Penalty.Groups)
	}
	return q.Penalty.Len()
}

// prepare allocates memory and sets u to x. If there is a set X, it moves u into the interior of X.
func (q *Coupled) prepare() {
	q.termCount = q.TermCount()
	if q.Set != nil {
		q.barriers.Bounds, q.barriers.typicalSize = q.Set.Bounds(q.Order), q.TypicalSize
		q.barriers.ballWeight = float64(max(1, q.penaltyTerms()))
		q.barriers.unpenalised = make([]bool, q.Order)
		for j := range q.barriers.unpenalised {
			q.barriers.unpenalised[j] = !q.Penalty.Touches(j)
		}
	}
	m, l := q.Order, q.Penalty.Len()
	if q.Implicit == nil && (q.system == nil || q.system.order != q.Order) {
		q.system = newSystem(q.Order, q.Threads)
	}
	for _, v := range []*[]float64{&q.d, &q.hd, &q.rhs, &q.step, &q.hs, &q.barrierDiagonal, &q.endU} {
		*v = append((*v)[:0], make([]float64, m)...)
	}
	for _, v := range []*[]float64{
		&q.image, &q.smoothGradient, &q.imageStep, &q.endImage, &q.lastImage, &q.curvature.h, &q.Z,
	} {
		*v = append((*v)[:0], make([]float64, l)...)
	}
	q.U = append(q.U[:0], q.X...)
	if q.Set != nil {
		q.barriers.moveInside(q.U)
		q.refresh()
	}
	q.Move = append(q.Move[:0], q.d...)
	q.centre.tau, q.dual.gap = 0, math.Inf(1)
	q.Penalty.Mul(q.image, q.U)
	if len(q.multipliers) != l {
		q.multipliers = nil
	}
}

// setLargestResidual sets q.largestResidual to the bounds of |r_j| of CoupledSettings.Residual, which is part. If the
// bound of a coordinate is 0, because no limit concerns it, it gets the largest bound of the others.
func (q *Coupled) setLargestResidual(part float64) {
	q.largestResidual = nil
	if part == 0 || math.IsInf(part, 1) || q.Implicit == nil {
		return
	}
	q.largestResidual = make([]float64, q.Order)
	for k, limit := range q.Penalty.Limit {
		q.Penalty.EachEntry(int32(k), func(j int32, v float64) {
			q.largestResidual[j] += float64(part * float64(limit*math.Abs(v)))
		})
	}
	most := slices.Max(q.largestResidual)
	for j, v := range q.largestResidual {
		if v == 0 {
			q.largestResidual[j] = most
		}
	}
}

// refresh computes u − x and H (u − x).
func (q *Coupled) refresh() {
	for j, u := range q.U {
		q.d[j] = u - q.X[j]
	}
	q.multiply(q.hd, q.d)
}

// newton computes the Newton step from U. decrement is the square of the Newton decrement: a full
// step reduces the objective of the smooth problem (see Coupled) by about decrement/2. ok is false
// if the linear system cannot be solved.
func (q *Coupled) newton() (decrement float64, ok bool) {
	q.smoothen()
	for j, g := range q.Gradient {
		q.rhs[j] = g + q.hd[j]
	}
	q.Penalty.AddTrans(q.rhs, q.smoothGradient)
	clear(q.barrierDiagonal)
	outerFactor := q.barriers.addDerivatives(q.rhs, q.barrierDiagonal, q.U, q.Tau)
	for j, v := range q.rhs {
		q.rhs[j] = -v
	}
	if !q.solveNewton(outerFactor) {
		return 0, false
	}
	decrement = kernels.Dot(q.rhs, q.step)
	q.Penalty.Mul(q.imageStep, q.step)
	q.multiply(q.hs, q.step)
	return math.Max(0, decrement), !math.IsNaN(decrement)
}

// solveNewton sets q.step to the solution of K step = q.rhs, where K is the Newton matrix. The barrier's part of
// K has the diagonal q.barrierDiagonal plus outerFactor times u u'. solveNewton returns false if K cannot be
// factored, or if an implicit Hessian is exhausted.
func (q *Coupled) solveNewton(outerFactor float64) bool {
	if q.Implicit != nil {
		return q.solveImplicit(outerFactor)
	}
	h := q.system.h
	copy(h, q.H)
	q.addCurvature(h)
	for i := range q.Order {
		row := upperRow(h, q.Order, i)
		row[0] += q.barrierDiagonal[i]
		if outerFactor > 0 {
			kernels.Axpy(float64(outerFactor*q.U[i]), q.U[i:], row)
		}
	}
	q.fixCoordinates(h)
	if !q.system.factor(firstShift) {
		return false
	}
	q.system.solve(q.step, q.rhs)
	if q.barriers.Total > 0 {
		q.solveWithZeroSum()
	}
	return true
}

// solveImplicit is solveNewton for an implicit Hessian.
func (q *Coupled) solveImplicit(outerFactor float64) bool {
	q.fixCoordinates(nil)
	m, v, part := q.Implicit, q.U, stepEnergy
	if q.barriers.Total > 0 { // the step has the sum 0
		outerFactor, v = math.Inf(1), slices.Repeat([]float64{1}, q.Order)
	}
	var subtract func(dst, v []float64)
	if q.Penalty.Grouped() {
		subtract = q.subtractCross
	}
	if !m.factor(q.curvature.h, q.barrierDiagonal, subtract, outerFactor, v) {
		return false
	}
	var largest []float64
	if q.accurate {
		part, largest = proofEnergy, q.largestResidual
	}
	m.solve(q.step, q.rhs, part, largest, q.Stop)
	for j := range q.barriers.Lower {
		if q.barriers.fixed(j) {
			q.step[j] = 0 // without rounding
		}
	}
	return !m.Exhausted()
}

// multiply sets dst = H d.
func (q *Coupled) multiply(dst, d []float64) {
	if q.Implicit != nil {
		q.Implicit.multiply(dst, d, q.Implicit.Square, nil)
		return
	}
	TimesUpper(dst, q.H, d)
}

// search returns a step length that reduces the objective of the smooth problem (see Coupled) enough by
// Armijo's rule. It returns 0 if it finds none.
func (q *Coupled) search(decrement float64) (length float64) {
	length = q.barriers.longestStep(q.U, q.step)
	if length < 1 {
		length *= 1 - boundaryFraction
	}
	linearTerm, squareTerm := 0.0, 0.5*kernels.Dot(q.step, q.hs)
	for j, s := range q.step {
		linearTerm += float64(s * (q.Gradient[j] + q.hd[j]))
	}
	startValue := q.value(q.image, q.U)
	// rounding is about the rounding error of startValue, a sum of q.termCount numbers.
	rounding := float64(1e-16 * math.Sqrt(q.termCount) * math.Abs(startValue))
	for range maxHalvings {
		for k, v := range q.image {
			q.endImage[k] = math.FMA(length, q.imageStep[k], v)
		}
		for j, u := range q.U {
			q.endU[j] = math.FMA(length, q.step[j], u)
		}
		change := float64(length*(linearTerm+float64(length*squareTerm))) +
			(q.value(q.endImage, q.endU) - startValue)
		if change <= -float64(0.05*length*decrement)+rounding {
			return length
		}
		length /= 2
	}
	return 0
}

const maxHalvings = 40

// accept adds length times the Newton step to U. It sets Move to the old U plus the full step, minus X.
func (q *Coupled) accept(length float64) {
	copy(q.Move, q.d)
	kernels.Axpy(1, q.step, q.Move)
	if length == 0 {
		return
	}
	copy(q.image, q.endImage)
	copy(q.U, q.endU)
	kernels.Axpy(length, q.step, q.d)
	kernels.Axpy(length, q.hs, q.hd)
}

// If a full step would leave X, it is shortened: at least this fraction of the distance from u to the
// boundary remains. A step also leaves at least this fraction of the distance from a multiplier to its limit.
const boundaryFraction = 0.005

// fixedCurvature is the curvature of the barrier at a coordinate that must not move.
const fixedCurvature = 1e200

// fixCoordinates keeps the Newton step 0 at coordinates that have only one value in X. h is the Newton
// matrix, or nil with an implicit Hessian.
func (q *Coupled) fixCoordinates(h []float64) {
	for j := range q.barriers.Lower {
		if !q.barriers.fixed(j) {
			continue
		}
		if h == nil {
			q.barrierDiagonal[j], q.rhs[j] = fixedCurvature, 0
			continue
		}
		for i := range j {
			h[i*q.Order+j] = 0
		}
		row := upperRow(h, q.Order, j)
		clear(row)
		row[0], q.rhs[j] = 1, 0
	}
}

// solveWithZeroSum changes q.step to the solution s of K s + ν 1 = rhs with Σ s = 0, where K is the Newton
// matrix and 1 a vector of ones. It refines s, because the correction that makes the sum 0 may cancel most
// digits.
func (q *Coupled) solveWithZeroSum() {
	ones, x := slices.Repeat([]float64{1}, q.Order), make([]float64, q.Order)
	q.system.solve(x, ones)
	sumX, nu := linalg.Sum(x), 0.0
	correction, residual := slices.Clone(q.step), make([]float64, q.Order)
	clear(q.step)
	for round := 1; ; round++ {
		shift := (linalg.Sum(q.step) + linalg.Sum(correction)) / sumX
		nu += shift
		kernels.Axpy(1, correction, q.step)
		kernels.Axpy(-shift, x, q.step)
		if round == maxRefinements {
			return
		}
		TimesUpper(residual, q.system.h, q.step)
		for j, v := range q.rhs {
			residual[j] = v - residual[j] - nu
		}
		q.system.solve(correction, residual)
	}
}
