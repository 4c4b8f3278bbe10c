package glasso

import (
	"math"

	"github.com/scas-admm/scas/kernels"
)

// newtonBlock is one component of the graphical lasso: minimise over symmetric positive definite X
//
//	F(X) = -log det X + tr(S X) + sum_ij rho_ij |X_ij|
//
// by the proximal Newton method of Hsieh, Sustik, Dhillon and Ravikumar (2011). All matrices are n x n, row
// by row, and exactly symmetric, except y.
type newtonBlock struct {
	n       int       // number of features
	s       []float64 // S
	rho     float64   // rho_ij for i != j; rhoDiag is rho_ii
	rhoDiag float64

	x          []float64 // the iterate
	w          []float64 // the inverse of x
	active     []int     // i*n + j for each entry (i, j), i <= j, that the Newton step may change; row by row
	z          []float64 // minimiser of the Newton model around x
	y          []float64 // (z - x) w, the transpose of w (z - x)
	rowScratch []float64 // n numbers, scratch memory of sweep
	chol       cholesky

	logDet    float64 // log det x
	objective float64 // F(x)
	gap       float64 // F(x) minus the dual value; infinite if no dual point is known
	steps     int
	converged bool
}

func solveBlock(s []float64, n int, o *Options) *newtonBlock {
	b := &newtonBlock{
		n: n, s: s, rho: o.Penalty, rhoDiag: o.diagonalPenalty(),
		x: make([]float64, n*n), w: make([]float64, n*n), z: make([]float64, n*n), y: make([]float64, n*n),
		rowScratch: make([]float64, n),
	}
	for i := range n {
		b.x[i*n+i] = 1 / (s[i*n+i] + b.rhoDiag)
	}
	b.accept(b.x)
	b.runNewton(tolerance*float64(n), o.maxSteps, o.Progress)
	return b
}

// runNewton takes Newton steps until the gap is at most tol or as small as rounding allows, until a step
// fails, or until b.steps is equal to maxSteps.
func (b *newtonBlock) runNewton(tol float64, maxSteps int, progress func(Progress)) {
	accuracy := 0.1 // relative accuracy of the next minimisation of the Newton model
	for {
		b.invert()
		b.gap = b.dualityGap()
		goal := max(tol, b.rounding())
		if b.gap <= goal {
			b.converged = true
			return
		}
		if b.steps >= maxSteps {
			return
		}
		if progress != nil {
			progress(Progress{b.n, b.steps, b.gap, goal})
		}
		b.steps++
		b.findActive()
		b.minimizeModel(accuracy)
		change, ok := b.lineSearch(b.modelChange())
		if !ok {
			return
		}
		// Newton's method converges quadratically only if the model is minimised more and more accurately.
		accuracy = min(accuracy, max(0.1*change, 1e-12))
	}
}

// rounding estimates the rounding error of the gap, a difference of sums with terms of the size |s_ij
// x_ij|.
func (b *newtonBlock) rounding() float64 {
	const ulps = 64
	sum := float64(b.n)
	for k, x := range b.x {
		sum += float64(math.Abs(x) * (math.Abs(b.s[k]) + b.rho))
	}
	return ulps * 0x1p-52 * sum
}

func (b *newtonBlock) penaltyAt(i, j int) float64 {
	if i == j {
		return b.rhoDiag
	}
	return b.rho
}

// accept makes v the iterate x and returns true if v is positive definite. Then x shares memory with v.
// Otherwise accept returns false, keeps x, and leaves b.chol invalid.
func (b *newtonBlock) accept(v []float64) bool {
	if !b.chol.factor(v, b.n) {
		return false
	}
	b.logDet = b.chol.logDet()
	b.x = v
	b.objective = b.traceAndPenalty(v) - b.logDet
	return true
}

// traceAndPenalty returns tr(S v) + sum_ij rho_ij |v_ij|.
func (b *newtonBlock) traceAndPenalty(v []float64) float64 {
	sum := 0.0
	for i := range b.n {
		row, s := v[i*b.n:(i+1)*b.n], b.s[i*b.n:]
		rowSum := float64((s[i] + b.rhoDiag) * row[i]) // |x_ii| = x_ii
		for j, x := range row[:i] {
			if x != 0 {
				rowSum += float64(2 * (float64(s[j]*x) + float64(b.rho*math.Abs(x))))
			}
		}
		sum += rowSum
	}
	return sum
}

// invert sets w to the inverse of x. It overwrites z.
func (b *newtonBlock) invert() { b.chol.inverse(b.w, b.z) }

// dualityGap returns F(x) - D(v), with F as defined at newtonBlock. The dual problem (Banerjee et al. 2008)
// is to maximise
//
//	D(V) = log det V + n   subject to |V_ij - S_ij| <= rho_ij,
//
// v is w, the inverse of x, with every entry off the diagonal moved into its bounds. v_ii is S_ii + rho_ii,
// the best diagonal. If v is not positive definite, the gap is infinite.
func (b *newtonBlock) dualityGap() float64 {
	n := b.n
	v := b.z // scratch memory here
	for i := range n {
		for j := range n {
			index := i*n + j
			v[index] = min(max(b.w[index], b.s[index]-b.rho), b.s[index]+b.rho)
		}
		v[i*n+i] = b.s[i*n+i] + b.rhoDiag
	}
	var chol cholesky
	if !chol.factor(v, n) {
		return math.Inf(1)
	}
	return max(0, b.traceAndPenalty(b.x)-float64(n)-b.logDet-chol.logDet())
}

// minimizeModel sets z to the minimiser of a model of the objective near x. Without a constant, the model is
//
//	tr((S-W) D) + 1/2 tr(W D W D) + sum_ij rho_ij |x_ij + D_ij|,   D = z - x.
//
// W is the inverse of x, S the covariance matrix, and rho_ij the penalty of entry (i, j). The method is
// coordinate descent (Hsieh et al., section 3) over the active entries. Extrapolations and subspace steps
// accelerate it. It ends after maxSweeps, or when a sweep has changed the entries of D by at most the part
// accuracy of their size (sums of absolute values), or by no more than rounding errors of z.
func (b *newtonBlock) minimizeModel(accuracy float64) {
	copy(b.z, b.x)
	clear(b.y)
	var accelerator extrapolation
	const maxSweeps, subspaceAfter, subspaceEvery, maxFailures = 500, 18, 3, 3
	failures := 0 // consecutive subspace steps that did not lower the model
	for sweep := 1; sweep <= maxSweeps; sweep++ {
		change, distance, size := b.sweep(), 0.0, 0.0
		for i, z := range b.z {
			distance += math.Abs(z - b.x[i])
			size += math.Abs(z)
		}
		if change <= max(accuracy*distance, float64(b.n)*0x1p-53*size) {
			break
		}
		accelerator.afterSweep(b)
		if sweep >= subspaceAfter && sweep%subspaceEvery == 0 && failures < maxFailures {
			accelerator.iterates = nil
			failures++
			if b.subspaceStep(accuracy) {
				failures = 0
			}
		}
	}
}

// modelChange returns the change of the Newton model from x to z without its quadratic term:
//
//	tr((S-W) D) + sum_ij rho_ij (|z_ij| - |x_ij|),  W = inverse of x, D = z - x.
func (b *newtonBlock) modelChange() float64 {
	return b.sumActive(func(index int, rho float64) float64 {
		return float64((b.s[index]-b.w[index])*(b.z[index]-b.x[index])) +
			float64(rho*(math.Abs(b.z[index])-math.Abs(b.x[index])))
	})
}

// sumActive returns the sum of f over the active entries; entries off the diagonal count twice. The arguments
// of f are the index of an entry in slices such as b.x, and rho_ij of the entry.
func (b *newtonBlock) sumActive(f func(index int, rho float64) float64) float64 {
	total := 0.0
	for _, index := range b.active {
		i, j := index/b.n, index%b.n
		v := f(index, b.penaltyAt(i, j))
		if i != j {
			v *= 2
		}
		total += v
	}
	return total
}

// findActive sets b.active. All other entries x_ij are 0 and have |s_ij - w_ij| <= rho.
func (b *newtonBlock) findActive() {
	b.active = b.active[:0]
	for i := range b.n {
		for index := i*b.n + i; index < (i+1)*b.n; index++ {
			if b.x[index] != 0 || math.Abs(b.s[index]-b.w[index]) > b.rho {
				b.active = append(b.active, index)
			}
		}
	}
}

// sweep minimises the Newton model (see minimizeModel) over each active entry in turn. It returns the sum of
// the absolute changes.
//
// Let D be z - x, g = s_ij - w_ij + (W D W)_ij, and a = w_ij^2 + w_ii w_jj, or w_ii^2 on the diagonal. If
// entry (i, j) of z changes by t, the model becomes, up to a constant,
//
//	(a/2) t^2 + g t + rho_ij |z_ij + t|
//
// on the diagonal, and twice this off the diagonal.
func (b *newtonBlock) sweep() float64 {
	n, yi, row := b.n, b.rowScratch, -1 // yi is row number row of W (z - x)
	change := 0.0
	for _, index := range b.active {
		i, j := index/n, index%n
		wi, wj := b.w[i*n:(i+1)*n], b.w[j*n:(j+1)*n]
		if row != i {
			row = i
			for k := range yi {
				yi[k] = b.y[k*n+i]
			}
		}
		a := float64(wi[j]*wi[j]) + float64(wi[i]*wj[j])
		if i == j {
			a = wi[i] * wi[i]
		}
		g := b.s[index] - wi[j] + kernels.Dot(yi, wj)
		z := softThreshold(b.z[index]-g/a, b.penaltyAt(i, j)/a)
		t := z - b.z[index]
		if t == 0 {
			continue
		}
		b.z[index], b.z[j*n+i] = z, z
		b.updateY(i, j, t)
		yi[j] += float64(t * wi[i])
		change += math.Abs(t)
		if i != j {
			yi[i] += float64(t * wi[j])
			change += math.Abs(t)
		}
	}
	return change
}

// updateY updates b.y, which is (b.z - b.x) b.w, after entries (i, j) and (j, i) of b.z changed by t.
func (b *newtonBlock) updateY(i, j int, t float64) {
	n := b.n
	kernels.Axpy(t, b.w[i*n:(i+1)*n], b.y[j*n:(j+1)*n])
	if i != j {
		kernels.Axpy(t, b.w[j*n:(j+1)*n], b.y[i*n:(i+1)*n])
	}
}

// lineSearch replaces x by x + step (z - x) for the first step of 1, 1/2, 1/4, ... for which the result is
// positive definite and the objective falls by at least 0.001 step |prediction|, up to rounding (Hsieh et
// al., section 3.3). prediction is the result of modelChange. change is the sum of the absolute changes of x,
// divided by the sum of |x_ij| before the step. If no step succeeds, ok is false and x does not change.
func (b *newtonBlock) lineSearch(prediction float64) (change float64, ok bool) {
	objective := b.objective
	rounding := float64(1e-15*float64(b.n)*(math.Abs(b.logDet)+math.Abs(objective+b.logDet)+float64(b.n))) +
		float64(b.rounding()/16)
	start, size, distance := b.x, 0.0, 0.0
	for k, z := range b.z {
		size += math.Abs(start[k])
		distance += math.Abs(z - start[k])
	}
	for step := 1.0; step > 1e-12; step /= 2 {
		trial := make([]float64, len(b.z))
		if step == 1 {
			copy(trial, b.z) // avoids rounding
		} else {
			for k, z := range b.z {
				trial[k] = start[k] + float64(step*(z-start[k]))
			}
		}
		if b.accept(trial) && b.objective <= objective+float64(1e-3*step*prediction)+rounding {
			return step * distance / size, true
		}
	}
	b.accept(start)
	return 0, false
}

func softThreshold(v, t float64) float64 { return v - max(-t, min(v, t)) }
