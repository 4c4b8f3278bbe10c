package solver

import (
	"math"
	"slices"

	"github.com/scas-admm/scas/kernels"
	"github.com/scas-admm/scas/solver/internal/lasso"
	"github.com/scas-admm/scas/solver/internal/newton"
	"github.com/scas-admm/scas/solver/internal/quad"
)

// finisher returns what certifies and finishes, nil where the problem does not admit
// it.
func (r *Run) finisher() *newton.Finisher {
	if r.newton == nil && !r.noNewton {
		r.newton = r.newFinisher()
		r.noNewton = r.newton == nil
	}
	return r.newton
}

// forNewton returns p as package newton takes it, with A as given and without the rows
// of the kernels; nil where the problem has something that is not known there.
func (p *Problem) forNewton(a *quad.Algebra) *newton.Problem {
	q := &newton.Problem{Data: p.Data, Labels: p.Labels, Weights: p.SampleWeights, Loss: newtonLoss(p.loss()), Ridge: p.L2, A: a}
	if q.Loss == nil || p.Coupling != nil || !newtonDomain(q, p.Domain) || !newtonPenalty(q, p.penalty()) {
		return nil
	}
	return q
}

// newProximal returns the finisher for A = I, nil where the problem does not admit it or
// the other one is faster.
func (r *Run) newProximal() *lasso.Finisher {
	q := r.Problem.forNewton(r.A.Algebra)
	return lasso.NewFinisher(q, r.Samples.rows, r.Settings.Threads)
}

func (r *Run) newFinisher() *newton.Finisher {
	p := r.Problem
	q := p.forNewton(r.A.Algebra)
	if q == nil {
		return nil
	}
	q.Rows, q.Threads = r.Samples.rows, r.Settings.Threads
	r.assembly = q.Assembly()
	f, err := newton.New(q)
	if err == nil {
		return f
	}
	if q.Absolute() {
		r.wide, err = newton.NewWide(q)
	}
	if err == nil {
		r.assembly = 0 // a small part of the columns, known only later
		return nil
	}
	if q.MaxFeatures = newton.MostFeatures; len(r.X) <= q.MaxFeatures {
		f, _ = newton.New(q)
	}
	return f
}

// certify bounds the excess of the objective at x over the optimum, with the clock
// running if the goal may end the run. It is +Inf where nothing can be proved.
func (r *Run) certify() float64 {
	gap := math.Inf(1)
	if y, ok := r.Problem.Coupling.impliedY(r.A.Image(r.X)); !ok || math.IsInf(r.Problem.penalty().Value(y), 1) {
		return gap // the objective at x is not known, or x is not feasible
	}
	if f := r.finisher(); f != nil {
		gap = f.Certify(r.X, r.Dual).Gap
	} else if r.wide != nil {
		gap = r.wide.Certify(r.X, r.Dual)
	}
	if math.IsInf(gap, 1) {
		return r.freeGap()
	}
	return gap
}

// freeGap is the bound that takes no system, of the dual point φ'(aᵢ'x), beta, at which
// Fenchel's equality holds for any loss: with e = ∇f(x) + A'beta, mu x left out,
//
//	g(y) + g*(−B'beta) + beta'By + h(x) + h*(−e) + e'x,  h(x) = (mu/2)|x|² on X
//
// with the y that x implies. It needs g*, and mu > 0 or the support function of X.
func (r *Run) freeGap() float64 {
	p := r.Problem
	g, ok := p.penalty().(ConjugatePenalty)
	if !ok {
		return math.Inf(1)
	}
	beta, conjugate := slices.Clone(r.Dual), math.Inf(1)
	// Where g* ends, rounding may have passed it.
	for off := 0x1p-50; math.IsInf(conjugate, 1) && off < 1e-6; off *= 16 {
		for j, b := range r.Dual {
			beta[j] = b * (1 - off)
		}
		conjugate = g.Conjugate(p.Coupling.multipliers(beta))
	}
	e := r.lagrangian(beta)
	for j, x := range r.X {
		e[j] -= float64(p.L2 * x)
	}
	y, _ := p.Coupling.impliedY(r.A.Image(r.X))
	value, product := g.Value(y), kernels.Dot(p.Coupling.multipliers(beta), y)
	rounding := 0x1p-44 * (math.Abs(value) + math.Abs(conjugate) + math.Abs(product) + r.judged.Loss)
	gap := math.Max(0, value+conjugate-product) + r.open(e) + rounding
	if math.IsNaN(gap) {
		return math.Inf(1)
	}
	return gap
}

// open bounds h(x) + h*(−e) + e'x, +Inf where it is not known: by (mu/2)|x − u|² + σ(−r) +
// r'x with r = e + mu u, σ the support function of X, which holds for every u and is tight
// for the point of X nearest to −e/mu.
func (r *Run) open(e []float64) float64 {
	p := r.Problem
	set, ok := p.Domain.(SupportDomain)
	if !ok && (p.Domain != nil || p.L2 == 0) {
		return math.Inf(1)
	}
	u := make([]float64, len(e))
	if p.L2 > 0 {
		for j, v := range e {
			u[j] = -v / p.L2
		}
	}
	if p.Domain != nil {
		p.Domain.Project(u)
	}
	var apart, product, size float64
	for j, x := range r.X {
		d := math.Abs(x-u[j]) + float64(0x1p-50*math.Abs(u[j]))
		apart += float64(d * d)
		scale := math.Abs(e[j]) + float64(p.L2*math.Abs(u[j]))
		if u[j] = -math.FMA(p.L2, u[j], e[j]); math.Abs(u[j]) <= float64(0x1p-50*scale) {
			u[j] = 0 // as of the number −e/mu, which u[j] was but for rounding
		}
		size += float64(scale * math.Abs(x))
		product -= float64(u[j] * x)
	}
	if p.Domain == nil { // r is zero but for rounding
		return float64(0.5 * p.L2 * apart)
	}
	support := set.Support(u)
	return float64(0.5*p.L2*apart) + math.Max(0, support+product) + 0x1p-44*(math.Abs(support)+size)
}

// lagrangian returns ∇f(x) + A'beta for some beta. It leaves the snapshot of the method alone.
func (r *Run) lagrangian(beta []float64) []float64 {
	s := &r.judged
	if s.Gradient == nil {
		*s = newSnapshot(len(r.Problem.Labels), len(r.X))
	}
	r.Samples.Gradient(s, r.X)
	g := make([]float64, len(r.X))
	r.A.MulTrans(g, beta)
	for j, v := range s.Gradient {
		g[j] += v + float64(r.Problem.L2*r.X[j])
	}
	return g
}

// dualResidual returns |x − π_X(x − ∇f(x) − A'beta)|₂.
func (r *Run) dualResidual() float64 {
	g := r.lagrangian(r.Dual)
	if r.Problem.Domain == nil {
		return math.Sqrt(sumSquares(g))
	}
	for j, v := range r.X {
		g[j] = v - g[j]
	}
	r.Problem.Domain.Project(g)
	var sum float64
	for j, v := range g {
		d := r.X[j] - v
		sum += float64(d * d)
	}
	return math.Sqrt(sum)
}
