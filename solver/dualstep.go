package solver

import (
	"math"

	"github.com/scas-admm/scas/kernels"
)

// A dualStep updates y and beta at x:
//
//	y ← argmin g(y) + beta'B y + (ρ/2)|A x + B y − c|²,  beta ← beta + ρ(A x + B y − c)
type dualStep struct {
	r        *run
	coupling *Coupling // nil for B = −I, c = 0
	g        Penalty

	limit    []float64 // L1 with B = −I: one pass of ProxDual does it all
	ax       []float64 // A x − c
	by, v    []float64 // B y; argument of the proximal map
	step     []float64 // its steps
	momentum []float64 // of the inner solver for general B
	lipB     float64   // λ₁(B'B)
}

func newDualStep(r *run) *dualStep {
	d := &dualStep{r: r, coupling: r.prob.Coupling, g: r.prob.penalty()}
	c := d.coupling
	d.ax = make([]float64, r.l)
	if l1, ok := d.g.(L1); ok && (c == nil || c.B == nil && c.Diagonal == nil) {
		d.limit = make([]float64, r.l)
		for j := range d.limit {
			d.limit[j] = l1.limit(j)
		}
		return d
	}
	d.v, d.step, d.by = make([]float64, r.q), make([]float64, r.q), make([]float64, r.l)
	scale := 1.0
	if c != nil && c.Alpha > 0 {
		scale = c.Alpha
	}
	if c != nil && c.B != nil && c.Alpha == 0 {
		d.lipB = largestEigenvalue(c.B)
		scale = d.lipB
		d.momentum = make([]float64, r.q)
	}
	for j := range d.step {
		if d.step[j] = 1 / (r.rho * scale); c != nil && c.Diagonal != nil {
			d.step[j] /= c.Diagonal[j] * c.Diagonal[j]
		}
	}
	return d
}

// residual returns A x − c in d.ax, or A x itself if c is zero.
func (d *dualStep) residual() []float64 {
	ax := d.r.applyA(d.r.x)
	if d.coupling == nil || d.coupling.C == nil {
		return ax
	}
	for j, v := range ax {
		d.ax[j] = v - d.coupling.C[j]
	}
	return d.ax
}

// update does the step at r.x.
func (d *dualStep) update() {
	r, ax := d.r, d.residual()
	if d.limit != nil {
		kernels.ProxDual(r.beta, r.y, ax, d.limit, r.rho)
		return
	}
	switch c := d.coupling; {
	case c == nil || c.B == nil:
		for j, v := range ax {
			t := v + r.beta[j]/r.rho
			if c != nil && c.Diagonal != nil {
				t /= -c.Diagonal[j]
			}
			d.v[j] = t
		}
		d.g.Prox(r.y, d.v, d.step)
	case c.Alpha > 0:
		for j, v := range ax {
			d.by[j] = v + r.beta[j]/r.rho
		}
		c.B.MulVecTrans(d.v, d.by)
		for j := range d.v {
			d.v[j] /= -c.Alpha
		}
		d.g.Prox(r.y, d.v, d.step)
	default:
		d.iterate(ax)
	}
	for j, v := range d.times(r.y) {
		r.beta[j] = math.FMA(r.rho, ax[j]+v, r.beta[j])
	}
}

// maxProxSteps bounds the inner solver for general B.
const maxProxSteps = 2000

// iterate solves the y-step for general B by FISTA with restarts, from the
// current y, until a step moves y by less than 1e-12 of its size.
func (d *dualStep) iterate(ax []float64) {
	r, inv := d.r, 1/d.lipB
	point, previous := append(d.momentum[:0], r.y...), append([]float64(nil), r.y...)
	t := 1.0
	for range maxProxSteps {
		d.coupling.B.MulVec(d.by, point)
		for j, v := range d.by {
			d.by[j] = v + ax[j] + r.beta[j]/r.rho
		}
		d.coupling.B.MulVecTrans(d.v, d.by)
		for j, v := range d.v {
			d.v[j] = math.FMA(-inv, v, point[j])
		}
		d.g.Prox(r.y, d.v, d.step)
		var moved, size, against float64
		next := (1 + math.Sqrt(1+float64(4*t*t))) / 2
		for j, v := range r.y {
			delta := v - previous[j]
			moved += float64(delta * delta)
			size += float64(v * v)
			against += float64((point[j] - v) * delta)
		}
		if against > 0 { // momentum points uphill: start it anew
			next, t = 1, 1
		}
		for j, v := range r.y {
			point[j] = math.FMA((t-1)/next, v-previous[j], v)
		}
		copy(previous, r.y)
		if t = next; moved <= 1e-24*size {
			return
		}
	}
}

// times returns B y; the result is valid until the next call.
func (d *dualStep) times(y []float64) []float64 {
	c := d.coupling
	if d.by == nil {
		d.by = make([]float64, d.r.l)
	}
	switch {
	case c != nil && c.B != nil:
		c.B.MulVec(d.by, y)
	case c != nil && c.Diagonal != nil:
		for j, v := range y {
			d.by[j] = c.Diagonal[j] * v
		}
	default:
		for j, v := range y {
			d.by[j] = -v
		}
	}
	return d.by
}

// violation sets dst = A x + B y − c.
func (d *dualStep) violation(dst []float64) {
	ax, by := d.residual(), d.times(d.r.y)
	for j, v := range by {
		dst[j] = ax[j] + v
	}
}
