package quadratic

import "math"

// eliminated is coordinate i = FreeIndex of a Separable. It has the value that minimises the quadratic
// function, given the other coordinates of u. With this value, the function is a quadratic function of the
// other coordinates. Its Hessian is H − ff' (the Schur complement of H_ii), where f is column i of H divided
// by √H_ii.
type eliminated struct {
	index        int       // i, or −1 if no coordinate is eliminated
	f            []float64 // the vector f, but with entry i set to 0; nil if no coordinate is eliminated
	diagonal     []float64 // diagonal of H − ff'; 0 at i and at columns of H that are multiples of column i
	startValue   float64   // x_i, the coordinate at the start x
	sqrtDiagonal float64   // √H_ii
	slope        float64   // g_i/√H_ii, where g is the gradient at x
	innerProduct float64   // f'(u − x)
}

// A diagonal entry of H − ff' counts as 0 if it is at most dependentPart times the entry of H, because it may
// be a rounding error.
const dependentPart = 1e-13

// begin prepares for Separable.Solve, which starts at u = q.X. It eliminates coordinate q.FreeIndex, unless
// q.FreeIndex is negative or the diagonal entry of H for this coordinate is 0.
func (e *eliminated) begin(q *Separable) {
	diagonal := q.H.Diagonal()
	*e = eliminated{index: -1, diagonal: diagonal}
	if q.FreeIndex < 0 || !(diagonal[q.FreeIndex] > 0) {
		return
	}
	e.index, e.startValue, e.sqrtDiagonal = q.FreeIndex, q.X[q.FreeIndex], math.Sqrt(diagonal[q.FreeIndex])
	e.slope = q.Gradient[e.index] / e.sqrtDiagonal
	e.f, e.diagonal = make([]float64, len(diagonal)), make([]float64, len(diagonal))
	q.H.Column(e.f, e.index)
	e.f[e.index] = 0
	for k, h := range diagonal {
		e.f[k] /= e.sqrtDiagonal
		if entry := h - float64(e.f[k]*e.f[k]); k != e.index && entry > dependentPart*h {
			e.diagonal[k] = entry
		}
	}
}

// move updates innerProduct after coordinate k of u has changed by change.
func (e *eliminated) move(k int, change float64) {
	if e.f != nil {
		e.innerProduct += float64(e.f[k] * change)
	}
}

// derivativeFall returns the decrease of derivative k of the quadratic function when the eliminated
// coordinate moves from its start to the minimising value. It returns 0 if no coordinate is eliminated.
func (e *eliminated) derivativeFall(k int) float64 {
	if e.f == nil {
		return 0
	}
	return float64(e.f[k] * (e.slope + e.innerProduct))
}

// value returns by how much the quadratic function changes when the eliminated coordinate moves from its
// start to the minimising value. The result is at most 0. It is 0 if no coordinate is eliminated.
func (e *eliminated) value() float64 {
	slope := e.slope + e.innerProduct
	return float64(-0.5 * slope * slope)
}

// insert sets the eliminated coordinate of u to the value that minimises the quadratic function, given the
// other coordinates. It does nothing if no coordinate is eliminated.
func (e *eliminated) insert(u []float64) {
	if e.f != nil {
		u[e.index] = e.startValue - (e.slope+e.innerProduct)/e.sqrtDiagonal
	}
}
