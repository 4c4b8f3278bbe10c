package quadratic

import (
	"slices"
)

// A supportFactor is the Cholesky factor of the rows and columns S of H − ff', see Hessian.Solve. If S
// changes a little while H and f stay the same, the factor is updated: the rows of coordinates that leave S
// are deleted, and rows for coordinates that enter S are appended.
type supportFactor struct {
	system
	order       []int32   // S, in the order of the rows of the factor; empty if there is no factor to update
	diagonal, f []float64 // H's diagonal and the vector f at the coordinates that order lists; f may be nil
}

const (
	// leastShift is the smallest diagonal shift of a supportFactor; see system.shift. With a singular H, the
	// shift keeps the solution in the range of H.
	leastShift = 1e-12
	// Instead of an update, a new factor is computed if the pivot of an appended row would be at most
	// leastPivot, or if the number of changed rows exceeds changedPart times the size of the support.
	leastPivot  = 1e-8
	changedPart = 1. / 12
)

// Solve implements Hessian with a Cholesky factor. It calls neither of the two functions.
func (h *Dense) Solve(step, descent, f []float64, support []int32, _, _ func([]float64) bool) (found bool) {
	c := &h.lastFactor
	if !h.update(f, support) {
		if !h.factor(f, support) {
			return false
		}
		c.solve(step, descent)
		return true
	}
	place, b, d := h.places(support), make([]float64, len(support)), make([]float64, len(support))
	for a, k := range c.order {
		b[a] = descent[place[k]-1]
	}
	c.solveShifted(d, b)
	for a, k := range c.order {
		step[place[k]-1] = d[a]
	}
	return true
}

// places returns for each coordinate of H its position in support plus 1, or 0 if it is not there.
func (h *Dense) places(support []int32) []int32 {
	place := make([]int32, h.Order)
	for a, k := range support {
		place[k] = int32(a) + 1
	}
	return place
}

// factor computes the Cholesky factor of the rows and columns support of H − ff'. A nil f means zeros. It
// returns false if no diagonal shift makes this matrix positive definite.
func (h *Dense) factor(f []float64, support []int32) bool {
	c, n := &h.lastFactor, len(support)
	c.order = c.order[:0]
	c.threads = h.Threads
	c.reset(n)
	for a, i := range support {
		row, out := h.Row(int(i)), upperRow(c.h, n, a)
		for b, j := range support[a:] {
			out[b] = row[j]
		}
		out[0] = h.diagonal[i]
		if f != nil {
			for b, j := range support[a:] {
				out[b] -= float64(f[i] * f[j])
			}
		}
	}
	if !c.factor(leastShift) {
		return false
	}
	if c.shift > leastShift { // order stays empty: after an update, solveShifted would be too inaccurate
		return true
	}
	c.order, c.diagonal, c.f = append(c.order, support...), c.diagonal[:0], nil
	for _, k := range support {
		c.diagonal = append(c.diagonal, h.diagonal[k])
		if f != nil {
			c.f = append(c.f, f[k])
		}
	}
	return true
}

// update changes the last factor into the factor for support, see supportFactor. It returns false if the last
// factor does not belong to the present H − ff', or if a new factor is cheaper or more accurate.
func (h *Dense) update(f []float64, support []int32) bool {
	c := &h.lastFactor
	if len(c.order) == 0 || !c.matches(h.diagonal, f) {
		return false
	}
	place := h.places(support)
	var leaving []int // rows of the factor
	for a, k := range c.order {
		if place[k] == 0 {
			leaving = append(leaving, a)
		}
		place[k] = 0
	}
	stayCount := len(c.order) - len(leaving)
	if float64(len(leaving)+len(support)-stayCount) > changedPart*float64(len(support)) {
		return false
	}
	for _, a := range slices.Backward(leaving) {
		c.removeRow(a)
	}
	var entering []int32
	for _, k := range support {
		if place[k] > 0 {
			entering = append(entering, k)
		}
	}
	return h.addRows(f, entering)
}

// matches reports whether the factor was computed from a matrix H − ff' with this f and this diagonal of H.
func (c *supportFactor) matches(diagonal, f []float64) bool {
	if (f == nil) != (c.f == nil) {
		return false
	}
	for a, k := range c.order {
		if c.diagonal[a] != diagonal[k] || f != nil && c.f[a] != f[k] {
			return false
		}
	}
	return true
}

// removeRow updates the factor to the factor of the matrix without row and column a, where a is a position in
// c.order.
func (c *supportFactor) removeRow(a int) {
	c.chol.Delete(a)
	c.order = slices.Delete(c.order, a, a+1)
	c.scale = slices.Delete(c.scale, a, a+1)
	c.diagonal = slices.Delete(c.diagonal, a, a+1)
	if c.f != nil {
		c.f = slices.Delete(c.f, a, a+1)
	}
}

// addRows appends rows for the coordinates in entering to the factor of H − ff'. It returns false if a pivot is too
// small; then the factor must not be used.
func (h *Dense) addRows(f []float64, entering []int32) bool {
	c, columns, pivots := &h.lastFactor, make([][]float64, len(entering)), make([]float64, len(entering))
	for b, k := range entering {
		row, pivot := h.Row(int(k)), h.diagonal[k]
		if f != nil {
			pivot -= float64(f[k] * f[k])
			c.f = append(c.f, f[k])
		}
		scale, column := powerOfTwo(pivot), make([]float64, len(c.order))
		for a, j := range c.order {
			v := row[j]
			if f != nil {
				v -= float64(f[j] * f[k])
			}
			column[a] = v * scale * c.scale[a]
		}
		columns[b], pivots[b] = column, float64(pivot*scale*scale)+leastShift
		c.order, c.scale, c.diagonal = append(c.order, k), append(c.scale, scale), append(c.diagonal, h.diagonal[k])
	}
	return c.chol.Append(columns, pivots, leastPivot)
}
