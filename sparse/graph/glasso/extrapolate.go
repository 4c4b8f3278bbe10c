package glasso

import (
	"math"
	"slices"

	"github.com/scas-admm/scas/kernels"
)

// extrapolationDepth is the number of iterates that an extrapolation combines.
const extrapolationDepth = 5

// extrapolation accelerates coordinate descent by Anderson's method (Bertrand and Massias 2021): if the
// matrix newtonBlock.s is nearly singular, a combination of the last iterates can be much nearer to the
// minimum.
type extrapolation struct {
	iterates [][]float64 // for each of the last sweeps, the active entries of newtonBlock.z after the sweep
}

// afterSweep stores the active entries of b.z after a sweep. When the entries of extrapolationDepth+1 sweeps
// are stored, it computes the result of combine. If the Newton model is lower there, the result replaces the
// active entries of b.z. Then afterSweep removes the stored entries.
func (e *extrapolation) afterSweep(b *newtonBlock) {
	z := b.activeValues()
	e.iterates = append(e.iterates, z)
	if len(e.iterates) <= extrapolationDepth {
		return
	}
	if guess, ok := e.combine(); ok {
		oldValue := b.modelValue()
		b.setActive(guess)
		if !(b.modelValue() < oldValue) {
			b.setActive(z)
		}
	}
	e.iterates = nil // not e.iterates[:0], which keeps the memory of the entries
}

// combine returns sum_k c_k iterates[k+1]. The numbers c_k have the sum 1 and minimise the norm of sum_k c_k
// (iterates[k+1] - iterates[k]). combine returns false if rounding errors prevent this.
func (e *extrapolation) combine() ([]float64, bool) {
	const depth = extrapolationDepth
	steps := make([][]float64, depth)
	for k := range steps {
		steps[k] = make([]float64, len(e.iterates[0]))
		for i, v := range e.iterates[k+1] {
			steps[k][i] = v - e.iterates[k][i]
		}
	}
	gram := make([]float64, depth*depth)
	trace := 0.0
	for k := range depth {
		for l := range k + 1 {
			gram[k*depth+l] = kernels.Dot(steps[k], steps[l])
		}
		trace += gram[k*depth+k]
	}
	for k := range depth {
		gram[k*depth+k] += float64(1e-14 * trace)
	}
	var chol cholesky
	if !chol.factor(gram, depth) {
		return nil, false
	}
	c, sum := slices.Repeat([]float64{1}, depth), 0.0
	chol.solve(c)
	for _, v := range c {
		sum += v
	}
	if sum == 0 || math.IsNaN(sum) {
		return nil, false
	}
	guess := make([]float64, len(e.iterates[0]))
	for k := range depth {
		kernels.Axpy(c[k]/sum, e.iterates[k+1], guess)
	}
	return guess, true
}

// activeValues returns the active entries of b.z, in the order of b.active.
func (b *newtonBlock) activeValues() []float64 {
	v := make([]float64, len(b.active))
	for k, index := range b.active {
		v[k] = b.z[index]
	}
	return v
}

// setActive sets the active entries of b.z and their mirror images to values. It sets b.y to (b.z - b.x) b.w.
func (b *newtonBlock) setActive(values []float64) {
	clear(b.y)
	for k, index := range b.active {
		i, j := index/b.n, index%b.n
		b.z[index], b.z[j*b.n+i] = values[k], values[k]
		if change := values[k] - b.x[index]; change != 0 {
			b.updateY(i, j, change)
		}
	}
}

// modelValue returns the value of the Newton model at b.z (see the method minimizeModel) without its constant
// term.
func (b *newtonBlock) modelValue() float64 {
	n := b.n
	square := 0.0 // tr(W D W D)/2 for D = z - x
	for i := range n {
		square += float64(b.y[i*n+i] * b.y[i*n+i] / 2)
		for j := range i {
			square += float64(b.y[i*n+j] * b.y[j*n+i])
		}
	}
	return square + b.sumActive(func(index int, rho float64) float64 {
		return float64((b.s[index]-b.w[index])*(b.z[index]-b.x[index])) + float64(rho*math.Abs(b.z[index]))
	})
}
