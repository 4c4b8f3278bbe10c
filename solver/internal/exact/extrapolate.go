package exact

import "math"

// pastSolutions has what extrapolate uses of the last calls of Solver.Solve.
type pastSolutions struct {
	// end is the solution for endLambda, the last lambda; start is the solution for startLambda, the lambda
	// before it. Either is nil if there is no such solution.
	start, end             []float64
	startLambda, endLambda float64
}

// add appends the solution x for lambda, and keeps the last two solutions. If isNear is false, it forgets
// them: the next run does not start near x.
func (p *pastSolutions) add(lambda float64, x []float64, isNear bool) {
	if !isNear {
		p.start, p.end = nil, nil
		return
	}
	p.start, p.end = p.end, append(p.start[:0], x...)
	p.startLambda, p.endLambda = p.endLambda, lambda
}

// stepRatio compares two changes of lambda: the change from the last lambda to the given one, and the change that led to
// the last lambda. It returns the first divided by the second, or 0 if only one lambda has been solved.
func (p *pastSolutions) stepRatio(lambda float64) float64 {
	if p.start == nil {
		return 0
	}
	return (p.endLambda - lambda) / (p.startLambda - p.endLambda)
}

// extrapolate does nothing if lambda has changed by more than this multiple of its last change. Offsets of
// samples make extrapolated margins less accurate: the bounds of ProveStep in package gap allow for a
// multiple of 3.5.
const longestExtrapolation = 2

// extrapolate moves x along the straight line through the solutions for the last two lambdas, to where this
// line is at lambda, if the objective is smaller there. Between two changes of the support, solutions are
// nearly on a line. Then the objective is typically a hundred times closer to its minimum than at the last
// solution, and one step with an old Hessian is enough where two were needed.
//
// Coefficients with a limit keep their zeros and signs: extrapolate does not move a zero coefficient, and
// sets a coefficient to zero if it would change its sign. A coefficient that would cross a bound ends at the
// bound. If all coefficients stay on the line, so do the margins, and they need no visit of the rows.
// Otherwise the loss costs a visit of the columns of the working set.
func (s *Solver) extrapolate(lambda float64) {
	p, w := &s.past, &s.set
	m, inMemory := s.rows.(*memorySamples)
	if !inMemory || p.end == nil || !s.isSeparable() || s.hasConstantCurvature() {
		return
	}
	factor := p.stepRatio(lambda)
	if !(factor > 0 && factor <= longestExtrapolation) || len(w.cols) == 0 {
		m.pastMargin = append(m.pastMargin[:0], m.current.margin...)
		return
	}
	t, straight := &trial{end: make([]float64, len(w.cols)), length: 1}, true
	for j, v := range p.start {
		straight = straight && (v == 0 || w.position[j] > 0)
	}
	for k, j := range w.cols {
		v := s.x[j]
		onLine := v + float64(factor*(v-p.start[j]))
		end := onLine
		if s.limit[j] > 0 && !(end*v > 0) {
			end = 0
		}
		if s.box != nil {
			end = max(s.box.Lower[j], min(end, s.box.Upper[j]))
		}
		straight = straight && end == onLine
		w.x[k], t.end[k], s.x[j] = v, end, end
	}
	loss := 0.0
	if straight {
		loss = m.lossOnLine(factor, p)
	} else {
		loss = m.lossAt(t)
	}
	if value := s.model.value(loss); value < s.current.value {
		s.work.distance += math.Sqrt(s.current.value - value)
		s.current = objective{loss, value}
		m.jump()
		m.pastMargin, m.next.margin = m.next.margin, m.pastMargin
		return
	}
	for k, j := range w.cols {
		s.x[j] = w.x[k]
	}
	copy(m.pastMargin, m.current.margin)
}

// settle computes the margins, the loss and the objective from x, if the margins were extrapolated.
func (s *Solver) settle() {
	if m, inMemory := s.rows.(*memorySamples); inMemory && m.current.sizes != nil {
		m.setCurrent(s.x)
		s.current.loss = m.current.loss
		s.current.value = s.model.value(s.current.loss)
	}
}

// lossOnLine returns the loss at the point p.end + factor (p.end − p.start). It stores the margins, slopes and
// loss at this point in m.next. It does not read the data, because margins are linear functions of the point:
// it computes them from the margins at p.end (m.current) and at p.start (m.pastMargin).
func (m *memorySamples) lossOnLine(factor float64, p *pastSolutions) float64 {
	m.Each(func(_, lo, hi int) {
		dst, past := m.next.margin[lo:hi], m.pastMargin[lo:hi]
		for i, v := range m.current.margin[lo:hi] {
			dst[i] = v + float64(factor*(v-past[i]))
		}
	})
	m.next.sizes = make([]float64, len(p.end))
	for j, v := range p.end {
		m.next.sizes[j] = float64((1+factor)*math.Abs(v)) + float64(factor*math.Abs(p.start[j]))
	}
	m.next.loss = m.Mean(m.Loss, m.next.slope, m.next.margin, m.Labels)
	return m.next.loss
}
