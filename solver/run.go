package solver

import (
	"context"
	"math"
	"time"

	"github.com/scas-admm/scas/kernels"
	"github.com/scas-admm/scas/sparse"
)

// A run is the state of one call of Minimize. Names follow the paper.
type run struct {
	ctx  context.Context
	prob *Problem
	loss Loss
	set  Settings
	plan plan
	full *fullGradient

	n, p, l, q  int
	data        kernels.Rows
	scratch     *kernels.Scratch
	product     *product // of A; nil if A = I
	dualStep    *dualStep
	constants   Constants
	rho         float64
	kappa       float64 // ρ λ₁ where the penalty is linearised, else 0
	autoEta     bool    // η follows the curvature at each snapshot
	dualUpdates int     // K
	batch       int     // samples per inner step
	samples     *sampler
	norms       []float64 // |aᵢ|² of the rows that stepCurvature looks at

	meanCurvature float64 // smoothness of the mean loss, for batches

	x, y, beta, ax []float64 // outer iterates and A x
	xbar, ybar     []float64 // their means
	z, d           []float64 // data gradient at the snapshot; constant of the inner loop
	slope0, margin []float64 // φ'(aᵢ'x_t), the n scalars kept from the snapshot
	w, s           []float64 // inner iterate and running sum
	dual           []float64 // scratch of length l
	rows           []int32   // sampled row numbers

	eta          float64 // of this outer iteration
	steps        int     // M of this outer iteration
	outer        int     // outer iterations done
	passes       float64
	paperPasses  float64 // in the paper's count, where that is another
	halvings     int
	gradientNorm float64 // G_t
	loose        bool    // the objective is not one of a feasible point
	watcher      watcher

	since       time.Time
	used, setup time.Duration
}

// blockSteps bounds the inner steps between two looks at the context.
const blockSteps = 1024

// newRun prepares a run; p and set have been validated.
func newRun(ctx context.Context, p *Problem, set Settings) *run {
	r := &run{ctx: ctx, prob: p, loss: p.loss(), set: set, since: time.Now()}
	r.n, r.p = p.Data.Dims()
	r.l = r.p
	if p.Constraint != nil {
		r.l, _ = p.Constraint.Dims()
		r.product = newProduct(p.Constraint)
	}
	_, r.q = p.Coupling.dims(r.l)
	r.data = p.Data.Compact(&sparse.CompactOptions{Round: set.Float32})
	r.scratch = kernels.NewScratch(r.data)
	r.full = newFullGradient(p, r.data, set.Threads)
	r.samples = newSampler(set.Seed, r.n, p.SampleWeights)
	for _, v := range []*[]float64{&r.x, &r.xbar, &r.z, &r.d, &r.w, &r.s} {
		*v = make([]float64, r.p)
	}
	for _, v := range []*[]float64{&r.y, &r.ybar} {
		*v = make([]float64, r.q)
	}
	for _, v := range []*[]float64{&r.beta, &r.ax, &r.dual} {
		*v = make([]float64, r.l)
	}
	r.slope0, r.margin = make([]float64, r.n), make([]float64, r.n)
	copy(r.x, set.Start)
	if p.Domain != nil {
		p.Domain.Project(r.x)
	}
	r.tune()
	r.dualStep = newDualStep(r)
	if y, ok := p.Coupling.impliedY(r.applyA(r.x)); ok {
		copy(r.y, y)
	}
	if r.batch = 1; usesPlan(set.Method) {
		r.plan = newPlan(r)
		r.setBatch()
	}
	r.setup = time.Since(r.since)
	return r
}

// applyA returns A x in r.ax, or x itself if A = I.
func (r *run) applyA(x []float64) []float64 {
	if r.product == nil {
		return x
	}
	r.product.mul(r.ax, x)
	return r.ax
}

// applyAT sets dst = A' v; dst and v may be the same slice if A = I.
func (r *run) applyAT(dst, v []float64) {
	if r.product == nil {
		copy(dst, v)
		return
	}
	r.product.mulTrans(dst, v)
}

// linearise sets d = z + A'(beta + ρ(B y − c)), the part of the augmented
// gradient that stays constant while y and beta do. With a linearised penalty
// the whole of it is taken at x: d = z + A'(beta + ρ(A x + B y − c)) − κ x.
func (r *run) linearise() {
	if r.kappa > 0 {
		r.dualStep.violation(r.dual)
	} else {
		copy(r.dual, r.dualStep.times(r.y))
		if c := r.prob.Coupling; c != nil && c.C != nil {
			for j, v := range c.C {
				r.dual[j] -= v
			}
		}
	}
	for j, v := range r.dual {
		r.dual[j] = math.FMA(r.rho, v, r.beta[j])
	}
	r.applyAT(r.d, r.dual)
	for j, v := range r.z {
		r.d[j] += v
	}
	if r.kappa > 0 {
		for j, v := range r.x {
			r.d[j] = math.FMA(-r.kappa, v, r.d[j])
		}
	}
}

// iterates returns how many inner iterates M samples make.
func (r *run) iterates() int { return max(2, r.steps/r.batch) }

// block does inner steps from x with the current y and beta, leaving the sum of
// the iterates after each step in s and, if last is true, the final one in w.
func (r *run) block(steps int, last bool) error {
	r.linearise()
	copy(r.w, r.x)
	r.plan.begin()
	for steps > 0 {
		if err := r.ctx.Err(); err != nil {
			return err
		}
		now := min(steps, max(1, len(r.rows)/r.batch))
		rows := r.rows[:now*r.batch]
		r.samples.draw(rows)
		r.plan.advance(rows)
		steps -= now
	}
	r.plan.end(last)
	return nil
}
