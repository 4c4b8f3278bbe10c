package exact

// A path holds what extrapolate uses of the last calls of Solver.Solve.
type path struct {
	// end is the solution for endLambda, the last lambda; start is the solution for startLambda, the lambda
	// before it. Either is nil if there is no such solution.
	start, end             []float64
	startLambda, endLambda float64
	fall                   float64 // the decrease of the objective in the last call of Solve
}

// add makes x, the solution for lambda, the end of the path, and the former end the start. With isNear = false,
// the next lambda is far from this one, and a new path begins.
func (p *path) add(lambda float64, x []float64, isNear bool) {
	if !isNear {
		p.start, p.end = nil, nil
		return
	}
	p.start, p.end = p.end, append(p.start[:0], x...)
	p.startLambda, p.endLambda = p.endLambda, lambda
}

const (
	// extrapolate does nothing if lambda has changed by more than this multiple of its last change.
	longestExtrapolation = 2
	// A model is dear if its cost (see workingSet.cost) is at least dearModel.
	dearModel = 30
)

// extrapolate moves x along the straight line through the solutions for the last two lambdas, to the place for
// lambda, if the objective is smaller there. Between two changes of the support, solutions are nearly on a
// line. Then the objective is typically a hundred times closer to its minimum than at the last solution, and
// one step with an old Hessian is enough where two steps were needed.
//
// A coefficient that would change its sign becomes zero, and one that is zero stays zero. extrapolate reads
// the columns of the working set once. It does so only if a model is dear, or if the last fall suggests that
// two steps would be needed. tol is the gap to reach.
func (s *Solver) extrapolate(lambda, tol float64) {
	p, w := &s.path, &s.set
	if p.start == nil || s.coupled != nil || s.File != nil || s.hasConstantCurvature() {
		return
	}
	if s.excessAfter(p.fall) <= tol && w.cost < dearModel {
		return
	}
	factor := (p.endLambda - lambda) / (p.startLambda - p.endLambda)
	if !(factor > 0 && factor <= longestExtrapolation) {
		return
	}
	t := &trial{end: make([]float64, len(w.cols)), length: 1}
	for k, j := range w.cols {
		v := s.x[j]
		end := v + float64(factor*(v-p.start[j]))
		if s.limit[j] > 0 && !(end*v > 0) {
			end = 0
		}
		if s.box != nil {
			end = max(s.box.Lower[j], min(end, s.box.Upper[j]))
		}
		w.x[k], t.end[k], s.x[j] = v, end, end
	}
	loss := s.rows.lossAt(t)
	if value := s.value(loss); value < s.current.value {
		s.current = objective{loss, value}
		s.rows.jump()
		return
	}
	for k, j := range w.cols {
		s.x[j] = w.x[k]
	}
}
