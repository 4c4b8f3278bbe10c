package oracle

import (
	"math"
)

// A term is limit |v|₂ + (squareFactor/2)|v|₂². Each entry of v is a linear function of x, whose
// coefficients are in forms.
type term struct {
	forms               [][]float64
	limit, squareFactor float64
}

// A task is a small problem in dense form:
//
//	minimise  Σ cᵢ φ(aᵢ'x + oᵢ; bᵢ) + (mu/2)|x|² + Σ terms  over x in X.
//
// Here cᵢ is an entry of sampleShares, and oᵢ an offset.
type task struct {
	rows            [][]float64
	labels, offsets []float64
	weights         []float64
	loss            string
	delta           float64 // the argument of the loss, such as Delta of the Huber loss; 0 if it has none
	mu              float64
	terms           []term
	lower, upper    []float64 // nil for no bounds
	radius, total   float64   // the radius of a ball, the sum of a simplex; 0 if X is another set
	sampleShares    []double  // weights divided by their sum
	columnRMS       []float64 // the weighted root mean square of each column, or 1 if it is 0
}

// prepare sets sampleShares and columnRMS.
func (t *task) prepare() {
	total := double{}
	for i := range t.rows {
		total = total.add(toDouble(t.weight(i)))
	}
	p := len(t.rows[0])
	t.columnRMS = make([]float64, p)
	for i, row := range t.rows {
		c := toDouble(t.weight(i)).div(total)
		t.sampleShares = append(t.sampleShares, c)
		for j, v := range row {
			t.columnRMS[j] += c.hi * v * v
		}
	}
	for j, v := range t.columnRMS {
		t.columnRMS[j] = math.Sqrt(v)
		if v == 0 {
			t.columnRMS[j] = 1
		}
	}
}

func (t *task) weight(i int) float64 {
	if t.weights == nil {
		return 1
	}
	return t.weights[i]
}

func (t *task) offset(i int) float64 {
	if t.offsets == nil {
		return 0
	}
	return t.offsets[i]
}

// phi returns φ, φ' and φ″ at the margin m, for the label b.
func (t *task) phi(m double, b float64) (value, slope, curvature double) {
	two := toDouble(2)
	switch r := toDouble(b).sub(m); t.loss {
	case "logistic":
		// log(1 + e^−u) = max(−u, 0) + log(1 + e^−|u|)
		u := m.times(b)
		e := u.abs().neg().exp()
		value = toDouble(1).add(e).log()
		s := e.div(toDouble(1).add(e)) // 1/(1 + e^|u|): the smaller of the probabilities of the two labels
		curvature = s.mul(toDouble(1).sub(s))
		if u.hi < 0 {
			value, s = value.sub(u), toDouble(1).sub(s)
		}
		return value, s.times(-b), curvature
	case "squared":
		return r.mul(r), r.times(-2), two
	case "huber":
		if a := r.abs(); t.delta < a.hi {
			return a.times(2).sub(toDouble(t.delta)).times(t.delta), toDouble(math.Copysign(2*t.delta, -r.hi)), double{}
		}
		return r.mul(r), r.times(-2), two
	case "squared-hinge":
		r = toDouble(1).sub(m.times(b))
		if r.hi > 0 {
			return r.mul(r), r.times(-2 * b), two
		}
		return double{}, double{}, double{}
	case "poisson":
		rate := m.exp()
		value = rate.sub(m.times(b)).sub(toDouble(b))
		if b > 0 {
			value = value.add(toDouble(b).log().times(b))
		}
		return value, rate.sub(toDouble(b)), rate
	}
	panic("phi in reference_test.go lacks the loss " + t.loss)
}

// margin returns aᵢ'x + oᵢ; row is aᵢ.
func (t *task) margin(i int, row []float64, x []double) double {
	m := toDouble(t.offset(i))
	for j, a := range row {
		m = m.add(x[j].times(a))
	}
	return m
}

func (t *task) objective(x []double) double {
	var v double
	for i, row := range t.rows {
		loss, _, _ := t.phi(t.margin(i, row, x), t.labels[i])
		v = v.add(loss.mul(t.sampleShares[i]))
	}
	v = v.add(dot(x, x).times(t.mu).times(0.5))
	for _, k := range t.terms {
		var norm2 double
		for _, form := range k.forms {
			var u double
			for j, a := range form {
				u = u.add(x[j].times(a))
			}
			norm2 = norm2.add(u.mul(u))
		}
		v = v.add(norm2.sqrt().times(k.limit)).add(norm2.times(k.squareFactor).times(0.5))
	}
	return v
}

// marginRounding bounds, to first order, how much the rounding of margins changes the objective at x.
func (t *task) marginRounding(x []double) (sum float64) {
	for i, row := range t.rows {
		margin := t.margin(i, row, x)
		_, slope, _ := t.phi(margin, t.labels[i])
		absSum := math.Abs(margin.float())
		for j, v := range row {
			absSum += math.Abs(v * x[j].float())
		}
		sum += t.sampleShares[i].float() * math.Abs(slope.float()) * absSum * float64(len(row)+1) * 0x1p-53
	}
	return sum
}

// A solution is the answer of the reference to a task.
type solution struct {
	x           []double
	objective   double
	errorBound  float64     // estimated upper bound of objective minus the optimum
	multipliers [][]float64 // the multipliers of each term, divided by the limit of the term
}

// An affine is an affine function of y: constant + gradient'y.
type affine struct {
	constant double
	gradient []double
}

func (a affine) value(y []double) double { return a.constant.add(dot(a.gradient, y)) }

// A barrier is the objective with smoothed terms and with a logarithmic barrier for the domain, as a
// function of y. y is x or, for a simplex, x without one coordinate.
type barrier struct {
	*task
	x, margins  []affine
	terms       [][]affine  // for each term, its linear forms as functions of y
	ridge       []double    // factors of yₖ²/2 in the barrier, too small to change the solution
	tau         double      // factor of the logarithms
	value       double      // the value of the barrier at the y of the last call of evaluate
	grad        []double    // grad, hess and multipliers are from the last call of evaluate with derivatives
	hess        [][]double  // the lower triangle of the Hessian
	multipliers [][]float64 // the multipliers of each term, divided by the limit of the term
	parameter   float64     // on the central path, the objective exceeds the optimum by about parameter·tau
	radius2     double      // radius²
	// Diagonal of the Hessian of the loss if φ″ were 2. center adds a multiple of this diagonal to hess.
	majorant []double
}

// ridgePart is barrier.ridge divided by barrier.majorant.
const ridgePart = 1e-24

// newBarrier returns the barrier of the task and a starting point y.
func newBarrier(t *task) (*barrier, []double) {
	p := len(t.columnRMS)
	b := &barrier{task: t, radius2: toDouble(t.radius).mul(toDouble(t.radius))}
	eliminatedIndex := -1
	q := p
	if t.total > 0 {
		q--
		for j, v := range t.columnRMS {
			if eliminatedIndex < 0 || v < t.columnRMS[eliminatedIndex] {
				eliminatedIndex = j
			}
		}
	}
	y := make([]double, q)
	for j, k := 0, 0; j < p; j++ {
		a := affine{gradient: make([]double, q)}
		if j == eliminatedIndex {
			a.constant = toDouble(t.total)
			for m := range a.gradient {
				a.gradient[m] = toDouble(-1)
			}
		} else {
			a.gradient[k] = toDouble(1)
			y[k] = toDouble(t.startCoordinate(j))
			k++
		}
		b.x = append(b.x, a)
	}
	combine := func(row []float64, constant float64) affine {
		a := affine{constant: toDouble(constant), gradient: make([]double, q)}
		for j, v := range row {
			a.constant = a.constant.add(b.x[j].constant.times(v))
			for k, u := range b.x[j].gradient {
				a.gradient[k] = a.gradient[k].add(u.times(v))
			}
		}
		return a
	}
	b.ridge, b.majorant = make([]double, q), make([]double, q)
	for i, row := range t.rows {
		b.margins = append(b.margins, combine(row, t.offset(i)))
		for k, v := range b.margins[i].gradient {
			b.majorant[k] = b.majorant[k].add(v.mul(v).mul(t.sampleShares[i]).times(2))
		}
	}
	for k := range b.majorant {
		if b.majorant[k].hi == 0 {
			b.majorant[k] = toDouble(1)
		}
		b.ridge[k] = b.majorant[k].times(ridgePart)
	}
	for _, k := range t.terms {
		var forms []affine
		for _, form := range k.forms {
			forms = append(forms, combine(form, 0))
		}
		b.terms = append(b.terms, forms)
		b.parameter += 2
	}
	for j := range p {
		if t.lowerBound(j) > math.Inf(-1) {
			b.parameter++
		}
		if t.upperBound(j) < math.Inf(1) {
			b.parameter++
		}
	}
	if t.radius > 0 {
		b.parameter++
	}
	b.grad = make([]double, q)
	for range q {
		b.hess = append(b.hess, make([]double, q))
	}
	return b, y
}

func (t *task) lowerBound(j int) float64 {
	switch {
	case t.total > 0:
		return 0
	case t.lower == nil:
		return math.Inf(-1)
	}
	return t.lower[j]
}

func (t *task) upperBound(j int) float64 {
	if t.upper == nil {
		return math.Inf(1)
	}
	return t.upper[j]
}

// startCoordinate returns coordinate j of a point in the interior of the domain. With bounds far from 0, the
// loss would be too large near them.
func (t *task) startCoordinate(j int) float64 {
	lo, hi := t.lowerBound(j), t.upperBound(j)
	switch {
	case t.total > 0:
		return t.total / float64(len(t.columnRMS))
	case !math.IsInf(lo, -1) && !math.IsInf(hi, 1):
		return lo + (hi-lo)/2
	case !math.IsInf(lo, -1):
		return math.Max(0, lo+1/t.columnRMS[j])
	case !math.IsInf(hi, 1):
		return math.Min(0, hi-1/t.columnRMS[j])
	}
	return 0
}

// addOuter adds w u u' to the lower triangle hess.
func (b *barrier) addOuter(u []double, w double) {
	for i, v := range u {
		if v.hi == 0 {
			continue
		}
		c := v.mul(w)
		for k := range i + 1 {
			if u[k].hi != 0 {
				b.hess[i][k] = b.hess[i][k].add(c.mul(u[k]))
			}
		}
	}
}

func (b *barrier) addGrad(u []double, w double) {
	for k, v := range u {
		b.grad[k] = b.grad[k].add(v.mul(w))
	}
}

// evaluate computes value at y and, if derivatives is true, also grad, hess and multipliers. It returns false
// if y is not in the interior of the domain.
func (b *barrier) evaluate(y []double, derivatives bool) bool {
	b.value = double{}
	if derivatives {
		clear(b.grad)
		for _, row := range b.hess {
			clear(row)
		}
	}
	x := make([]double, len(b.x))
	for j, a := range b.x {
		x[j] = a.value(y)
	}
	for j, v := range x {
		for side, end := range []float64{b.lowerBound(j), b.upperBound(j)} {
			if math.IsInf(end, 0) {
				continue
			}
			slack := v.sub(toDouble(end))
			if side == 1 {
				slack = slack.neg()
			}
			if !(slack.hi > 0) {
				return false
			}
			b.value = b.value.sub(slack.log().mul(b.tau))
			if derivatives {
				w := b.tau.div(slack)
				curvature := w.div(slack)
				if side == 0 {
					w = w.neg()
				}
				b.addGrad(b.x[j].gradient, w)
				b.addOuter(b.x[j].gradient, curvature)
			}
		}
		if b.mu > 0 {
			b.value = b.value.add(v.mul(v).times(b.mu / 2))
			if derivatives {
				b.addGrad(b.x[j].gradient, v.times(b.mu))
				b.addOuter(b.x[j].gradient, toDouble(b.mu))
			}
		}
	}
	if b.radius > 0 { // for a ball, x = y
		slack := b.radius2.sub(dot(x, x))
		if !(slack.hi > 0) {
			return false
		}
		b.value = b.value.sub(slack.log().mul(b.tau))
		if derivatives {
			w := b.tau.div(slack).times(2)
			b.addGrad(x, w)
			b.addOuter(x, w.div(slack).times(2))
			for k := range b.hess {
				b.hess[k][k] = b.hess[k][k].add(w)
			}
		}
	}
	for k, v := range y {
		b.value = b.value.add(v.mul(v).mul(b.ridge[k]).times(0.5))
		if derivatives {
			b.grad[k] = b.grad[k].add(v.mul(b.ridge[k]))
			b.hess[k][k] = b.hess[k][k].add(b.ridge[k])
		}
	}
	for i, m := range b.margins {
		if b.sampleShares[i].hi == 0 {
			continue
		}
		value, slope, curvature := b.phi(m.value(y), b.labels[i])
		b.value = b.value.add(value.mul(b.sampleShares[i]))
		if derivatives {
			b.addGrad(m.gradient, slope.mul(b.sampleShares[i]))
			b.addOuter(m.gradient, curvature.mul(b.sampleShares[i]))
		}
	}
	for k := range b.terms {
		b.addTerm(k, y, derivatives)
	}
	return true
}

// addTerm adds term k of the penalty, made smooth, to b.value and, if derivatives is true, to b.grad and
// b.hess. The term is limit |v| + (squareFactor/2)|v|², where the vector v has the values of the linear forms
// b.terms[k] at y. The smooth term has, in place of limit |v|, the minimum over s > |v| of
//
//	limit s − τ log(s² − |v|²),   τ = b.tau.
//
// The minimum is at s = (τ + √(τ² + limit²|v|²))/limit.
func (b *barrier) addTerm(k int, y []double, derivatives bool) {
	tm := b.task.terms[k]
	limit := toDouble(tm.limit)
	v := make([]double, len(b.terms[k]))
	var norm2 double
	for m, form := range b.terms[k] {
		v[m] = form.value(y)
		norm2 = norm2.add(v[m].mul(v[m]))
	}
	b.value = b.value.add(norm2.times(tm.squareFactor / 2))
	var h, factor double
	if tm.limit > 0 {
		hypot := b.tau.mul(b.tau).add(limit.mul(limit).mul(norm2)).sqrt()
		s := b.tau.add(hypot).div(limit)
		// The argument s² − |v|² of the logarithm equals 2τs/limit.
		b.value = b.value.add(limit.mul(s)).sub(b.tau.times(2).mul(s).div(limit).log().mul(b.tau))
		h = limit.div(s)
		factor = h.mul(h).div(hypot)
	}
	if !derivatives {
		return
	}
	multipliers := make([]float64, len(v))
	direction := make([]double, len(y))
	for m, form := range b.terms[k] {
		if tm.limit > 0 {
			multipliers[m] = h.mul(v[m]).hi / tm.limit
		}
		b.addGrad(form.gradient, v[m].mul(h.add(toDouble(tm.squareFactor))))
		b.addOuter(form.gradient, h.add(toDouble(tm.squareFactor)))
		for i, a := range form.gradient {
			direction[i] = direction[i].add(a.mul(v[m]))
		}
	}
	b.addOuter(direction, factor.neg())
	if b.multipliers == nil {
		b.multipliers = make([][]float64, len(b.terms))
	}
	b.multipliers[k] = multipliers
}

// lastTau is the last barrier.tau in task.solve, divided by the objective at the starting point.
const lastTau = 1e-20

// solve follows the central path by Newton's method. It returns false if it does not reach lastTau.
func (t *task) solve() (*solution, bool) {
	b, y := newBarrier(t)
	b.tau = toDouble(1)
	b.evaluate(y, false)
	x := make([]double, len(b.x))
	for j, a := range b.x {
		x[j] = a.value(y)
	}
	objectiveAtStart := t.objective(x).float()
	if objectiveAtStart < 1e-200 {
		objectiveAtStart = 1
	}
	for ratio := 0.1; ; ratio /= 10 {
		b.tau = toDouble(ratio * objectiveAtStart)
		if !b.center(y) {
			return nil, false
		}
		if ratio <= lastTau {
			break
		}
	}
	b.evaluate(y, true)
	s := &solution{multipliers: b.multipliers}
	for _, a := range b.x {
		s.x = append(s.x, a.value(y))
	}
	s.objective = t.objective(s.x)
	var regularisation float64
	for k, v := range y {
		regularisation += b.ridge[k].hi * v.hi * v.hi
	}
	s.errorBound = 10*(b.parameter+1)*b.tau.hi + 10*regularisation
	return s, true
}

// center minimises the barrier for the current tau by a damped Newton method. It starts at y, and stores
// the minimiser in y. It returns false if it does not come close to the minimum.
func (b *barrier) center(y []double) bool {
	damping := 0.0
	for range 400 {
		b.evaluate(y, true)
		value := b.value
		minusGrad := make([]double, len(y))
		for k, g := range b.grad {
			minusGrad[k] = g.neg()
		}
		for k, m := range b.majorant {
			b.hess[k][k] = b.hess[k][k].add(m.times(damping))
		}
		d, ok := cholesky(b.hess, minusGrad)
		if !ok {
			damping = math.Max(1e-20, 100*damping)
			if damping > 1e6 {
				return false
			}
			continue
		}
		decrement := dot(d, minusGrad).hi
		if decrement <= 1e-4*b.tau.hi && damping <= 1e-12 {
			return true
		}
		stepLength, trial := 1.0, make([]double, len(y))
		moved := false
		for range 200 {
			for k := range y {
				trial[k] = y[k].add(d[k].times(stepLength))
			}
			if b.evaluate(trial, false) && b.value.sub(value).hi <= -1e-4*stepLength*decrement {
				moved = true
				break
			}
			stepLength *= 0.5
		}
		if !moved {
			return decrement <= 1e-2*b.tau.hi
		}
		copy(y, trial)
		switch {
		case stepLength < 0.1:
			damping = math.Max(1e-8, 10*damping)
		case stepLength > 0.5:
			damping *= 0.03
			if damping < 1e-14 {
				damping = 0
			}
		}
	}
	return false
}

func toDoubles(x []float64) []double {
	out := make([]double, len(x))
	for j, v := range x {
		out[j] = toDouble(v)
	}
	return out
}
