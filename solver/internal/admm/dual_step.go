package admm

import (
	"math"

	"github.com/scas-admm/scas/kernels"
	"github.com/scas-admm/scas/solver/internal/linalg"
	"github.com/scas-admm/scas/solver/internal/term"
)

// A DualStep updates y and beta at a given A x:
//
//	y ← argmin g(y) + beta'B y + (ρ/2)|A x + B y − c|²,  beta ← beta + ρ(A x + B y − c)
//
// Here g is the penalty. A DualStep is not safe for concurrent use.
type DualStep struct {
	// Limit holds the limits of beta if g(y) = Σ Limitⱼ |yⱼ| and B = −I. Otherwise it is nil.
	Limit []float64

	coupling  Coupling
	g         term.Penalty
	rho       float64
	rhoRatios []float64 // ρ of each row of A, in units of the ρ of SetRho; nil if all rows have this ρ
	ax        []float64 // A x − coupling.C; if rhoRatios is not nil, entry k is multiplied by rhoRatios[k]
	by, v     []float64 // scratch memory
	proxSteps []float64 // step size of the proximal map for each coordinate of y
	lipB      float64   // largest eigenvalue of B'B, for the method minimiseY

	extrapolatedY, previousY []float64 // memory for the method minimiseY; nil if it is not needed
}

// NewDualStep returns a DualStep for A with l rows and y with q coordinates. limit becomes its Limit. SetRho
// must be called before its first use.
func NewDualStep(c Coupling, g term.Penalty, limit []float64, l, q int) *DualStep {
	d := &DualStep{coupling: c, g: g, Limit: limit, ax: make([]float64, l), by: make([]float64, l)}
	if limit != nil {
		return d
	}
	d.v, d.proxSteps = make([]float64, q), make([]float64, q)
	if c.B != nil {
		d.lipB = linalg.New(c.B, q).LargestEigenvalue()
		d.extrapolatedY, d.previousY = make([]float64, q), make([]float64, q)
	}
	return d
}

// SetRho sets ρ and the step sizes of the proximal map.
func (d *DualStep) SetRho(rho float64) {
	d.rho = rho
	c, eigenvalue := d.coupling, 1.0
	if c.B != nil {
		eigenvalue = d.lipB
	}
	for j := range d.proxSteps {
		d.proxSteps[j] = 1 / (rho * eigenvalue)
		if c.Diagonal != nil {
			d.proxSteps[j] /= c.Diagonal[j] * c.Diagonal[j]
		}
	}
}

// SetRhoRatios gives row k of A its own ρ: ratios[k] times the ρ of SetRho. d.Limit must not be nil.
func (d *DualStep) SetRhoRatios(ratios []float64) { d.rhoRatios = ratios }

// toMultipliers replaces v by beta + ρ v, with the ρ of each row.
func (d *DualStep) toMultipliers(v, beta []float64) {
	for j, x := range v {
		if d.rhoRatios != nil {
			x *= d.rhoRatios[j]
		}
		v[j] = math.FMA(d.rho, x, beta[j])
	}
}

// minusC returns A x − c, given A x.
func (d *DualStep) minusC(ax []float64) []float64 {
	if d.coupling.C == nil {
		return ax
	}
	for j, v := range ax {
		d.ax[j] = v - d.coupling.C[j]
	}
	return d.ax
}

// Update updates y and beta, given A x.
func (d *DualStep) Update(ax, y, beta []float64) {
	ax = d.minusC(ax)
	if d.rhoRatios != nil {
		d.updateWithRatios(ax, y, beta)
		return
	}
	if d.Limit != nil {
		kernels.ProxDual(beta, y, ax, d.Limit, d.rho)
		return
	}
	if c := d.coupling; c.B != nil {
		d.minimiseY(ax, y, beta)
	} else {
		for j, v := range ax {
			t := v + beta[j]/d.rho
			if c.Diagonal != nil {
				t /= -c.Diagonal[j]
			}
			d.v[j] = t
		}
		d.g.Prox(y, d.v, d.proxSteps)
	}
	for j, v := range d.mulB(y) {
		beta[j] = math.FMA(d.rho, ax[j]+v, beta[j])
	}
}

// updateWithRatios is Update if rows have their own ρ. It multiplies entry k of A x and of y by rhoRatios[k].
// After that all rows have the same ρ. At the end it divides y by rhoRatios again.
func (d *DualStep) updateWithRatios(ax, y, beta []float64) {
	for j, ratio := range d.rhoRatios {
		d.ax[j] = ratio * ax[j]
		y[j] *= ratio
	}
	kernels.ProxDual(beta, y, d.ax, d.Limit, d.rho)
	for j, ratio := range d.rhoRatios {
		y[j] /= ratio
	}
}

const maxProxSteps = 2000

// minimiseY computes the y of DualStep for a general B, by FISTA with restarts from the given y. ax is A x −
// c.
func (d *DualStep) minimiseY(ax, y, beta []float64) {
	inv := 1 / d.lipB
	point, previousY := d.extrapolatedY, d.previousY
	copy(point, y)
	copy(previousY, y)
	t := 1.0
	for range maxProxSteps {
		d.coupling.B.MulVec(d.by, point)
		for j, v := range d.by {
			d.by[j] = v + ax[j] + beta[j]/d.rho
		}
		d.coupling.B.MulVecTrans(d.v, d.by)
		for j, v := range d.v {
			d.v[j] = math.FMA(-inv, v, point[j])
		}
		d.g.Prox(y, d.v, d.proxSteps)
		var change2, size2, rise float64
		nextT := (1 + math.Sqrt(1+float64(4*t*t))) / 2
		for j, v := range y {
			delta := v - previousY[j]
			change2 += float64(delta * delta)
			size2 += float64(v * v)
			rise += float64((point[j] - v) * delta)
		}
		if rise > 0 { // the objective rises along the last move of y: restart
			nextT, t = 1, 1
		}
		for j, v := range y {
			point[j] = math.FMA((t-1)/nextT, v-previousY[j], v)
		}
		copy(previousY, y)
		t = nextT
		if change2 <= 1e-24*size2 {
			return
		}
	}
}

// mulB returns B y; the result is valid until the next call.
func (d *DualStep) mulB(y []float64) []float64 {
	c := d.coupling
	switch {
	case c.B != nil:
		c.B.MulVec(d.by, y)
	case c.Diagonal != nil:
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

// SetConstant sets dst = B y − c.
func (d *DualStep) SetConstant(dst, y []float64) {
	copy(dst, d.mulB(y))
	for j, v := range d.coupling.C {
		dst[j] -= v
	}
}

// SetViolation sets dst = A x + B y − c, given A x.
func (d *DualStep) SetViolation(dst, ax, y []float64) {
	ax, by := d.minusC(ax), d.mulB(y)
	for j, v := range by {
		dst[j] = ax[j] + v
	}
}
