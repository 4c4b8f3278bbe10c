package newton

import (
	"math"

	"github.com/scas-admm/scas/solver/internal/gap"
)

// Certify bounds the distance of x, of length p, from the optimum by Newton steps on
// smoothed |·|. z, of length l, are multipliers to start from; nil
// for those of the smoothing. Both are only read.
func (f *Finisher) Certify(x, z []float64) gap.Bound {
	if !f.Absolute() {
		return f.certifyTerms(x)
	}
	c := f.newCertifier(x)
	if z != nil {
		c.start = f.rows.Restrict(z)
		f.rows.Fit(c.start)
	}
	scale := c.pt.value
	if !(scale > 0) || math.IsInf(scale, 1) {
		scale = 1
	}
	if f.Ridge > 0 {
		c.free()
	}
	if f.rows.Len() == 0 {
		c.step(0)
	} else {
		c.descend(scale)
	}
	return gap.Bound{Gap: gap.Rounded(c.best, c.pt.value), Objective: c.pt.value}
}

// descend tries one τ after the other from that of the finisher's start down to where
// the bound gets no better, and then the neighbours of the best. The best τ is sharp:
// a factor of three from it, bounds of early iterates are two or three times larger.
func (c *certifier) descend(scale float64) {
	l := float64(c.f.rows.Len())
	at, worse, last := startTau*scale/l, 0, math.Inf(1)
	for tau := at; tau*l > 1e-18*scale && worse < 5; tau *= 0.1 {
		before := c.best
		c.step(tau)
		if c.best < before {
			at = tau
		}
		if worse++; c.now < 0.9*last {
			worse = 0
		}
		last = c.now
	}
	c.step(3 * at)
	c.step(at / 3)
}

// A certifier is a call of Certify.
type certifier struct {
	f     *Finisher
	pt    *point
	start []float64 // multipliers given; nil if there are none
	kept  []float64 // those of the best bound so far; nil at first
	base  []float64 // X'C diag(φ'') X + mu I, upper triangle
	curve []float64 // φ''
	trial *dual
	z, h  []float64
	r, d  []float64
	best  float64 // bound so far
	now   float64 // that of the last system
}

func (f *Finisher) newCertifier(x []float64) *certifier {
	c := &certifier{f: f, pt: f.newPoint(), trial: f.newDual()}
	copy(c.pt.x, x)
	f.visit(c.pt)
	c.best = f.evaluate(c.trial, c.pt) // α = 0, z = 0
	c.curve = make([]float64, f.n)
	c.z, c.h = make([]float64, f.rows.Len()), make([]float64, f.rows.Len())
	c.r, c.d = make([]float64, f.p), make([]float64, f.p)
	return c
}

// free takes the bound that costs no system: α = φ'(t), z as it is.
func (c *certifier) free() {
	z := c.start
	if z == nil {
		c.f.rows.smooth(c.z, c.h, c.pt.image, 1e-3*c.pt.value/float64(max(1, len(c.z))))
		z = c.z
	}
	copy(c.trial.alpha, c.pt.slope)
	copy(c.trial.z, z)
	c.best = math.Min(c.best, c.f.admit(c.trial, c.pt, 0))
}

// step takes the bounds of Newton steps at one τ, and reports whether the system
// could be factored.
func (c *certifier) step(tau float64) bool {
	f := c.f
	if c.base == nil {
		c.base = make([]float64, f.tri.size())
		soft := 0.0
		if f.clips() {
			soft = 1e-9 // against singular systems
		}
		f.curvatures(c.curve, c.pt, soft)
		f.hessian(c.base, c.curve)
	}
	f.rows.smooth(c.z, c.h, c.pt.image, tau)
	copy(f.system.h, c.base)
	f.rows.addGram(f.system.h, c.h)
	c.now = math.Inf(1)
	if !f.system.factor() {
		return false
	}
	c.try(c.z, tau)
	if c.start != nil {
		c.try(c.start, tau)
	}
	if c.kept != nil {
		c.try(append([]float64(nil), c.kept...), tau)
	}
	return true
}

func (c *certifier) try(z []float64, tau float64) {
	f := c.f
	copy(c.r, c.pt.grad)
	f.rows.AddTrans(c.r, z)
	for j, v := range c.r {
		c.r[j] = -v
	}
	f.system.solve(c.d, c.r)
	f.fullStep(c.trial, c.pt, c.curve, z, c.h, c.d)
	gap := f.admit(c.trial, c.pt, 2*tau*float64(len(z)))
	if c.now = math.Min(c.now, gap); gap < c.best {
		c.best = gap
		c.kept = append(c.kept[:0], c.trial.z...)
	}
}

// fullStep sets the dual point to φ'(t) + Φ X d and z + diag(h) A d, which satisfy the
// equality exactly if d is a Newton step. Not yet admitted.
func (f *Finisher) fullStep(trial *dual, pt *point, curve, z, h, d []float64) {
	f.margins(trial.alpha, d)
	f.slopesAlong(trial.alpha, pt, curve, trial.alpha)
	f.rows.Mul(trial.z, d)
	for j, v := range trial.z {
		trial.z[j] = math.FMA(h[j], v, z[j])
	}
}

// slopesAlong sets alpha to φ'(t) + Φ step, step = X d; they may be the same.
func (f *Finisher) slopesAlong(alpha []float64, pt *point, curve, step []float64) {
	f.Each(func(_, lo, hi int) {
		for i := lo; i < hi; i++ {
			alpha[i] = math.FMA(curve[i], step[i], pt.slope[i])
		}
	})
}
