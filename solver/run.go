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

	n, p, l     int
	data        kernels.Rows
	at          *sparse.CSR // A'; nil if A = I
	limit       []float64   // Lambda·Weights, the bound of |beta|
	constants   Constants
	rho         float64
	kappa       float64 // ρ λ₁ where the penalty is linearised, else 0
	autoEta     bool    // η follows the curvature at each snapshot
	dualUpdates int     // K
	samples     *sampler

	x, y, beta, ax []float64 // outer iterates and A x
	xbar, ybar     []float64 // their means
	z, d           []float64 // data gradient at the snapshot; constant of the inner loop
	slope0, margin []float64 // φ'(aᵢ'x_t), the n scalars kept from the snapshot
	w, s           []float64 // inner iterate and running sum
	dual           []float64 // scratch of length l
	rows           []int32   // sampled row numbers

	eta      float64 // of this outer iteration
	steps    int     // M of this outer iteration
	outer    int     // outer iterations done
	passes   float64
	halvings int
	watcher  watcher

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
		r.at = p.Constraint.Transpose()
	}
	r.data = p.Data.Rows(0, r.n)
	r.full = newFullGradient(p, r.data, set.Threads)
	r.samples = newSampler(set.Seed, r.n, p.SampleWeights)
	for _, v := range []*[]float64{&r.x, &r.xbar, &r.z, &r.d, &r.w, &r.s} {
		*v = make([]float64, r.p)
	}
	for _, v := range []*[]float64{&r.y, &r.ybar, &r.beta, &r.ax, &r.dual, &r.limit} {
		*v = make([]float64, r.l)
	}
	r.slope0, r.margin = make([]float64, r.n), make([]float64, r.n)
	r.rows = make([]int32, blockSteps)
	for j := range r.limit {
		r.limit[j] = p.Penalty.Lambda
		if p.Penalty.Weights != nil {
			r.limit[j] *= p.Penalty.Weights[j]
		}
	}
	copy(r.x, set.Start)
	if p.Domain != nil {
		p.Domain.Project(r.x)
	}
	copy(r.y, r.applyA(r.x))
	r.tune()
	r.plan = newPlan(r)
	r.setup = time.Since(r.since)
	return r
}

// applyA returns A x in r.ax, or x itself if A = I.
func (r *run) applyA(x []float64) []float64 {
	if r.prob.Constraint == nil {
		return x
	}
	r.prob.Constraint.MulVec(r.ax, x)
	return r.ax
}

// applyAT sets dst = A' v; dst and v may be the same slice if A = I.
func (r *run) applyAT(dst, v []float64) {
	if r.at == nil {
		copy(dst, v)
		return
	}
	r.at.MulVec(dst, v)
}

// linearise sets d = z + A'(beta − ρ y), the part of the augmented gradient
// that stays constant while y and beta do. With a linearised penalty the whole
// of it is taken at x: d = z + A'(beta + ρ(A x − y)) − κ x.
func (r *run) linearise() {
	for j, b := range r.beta {
		r.dual[j] = math.FMA(-r.rho, r.y[j], b)
	}
	if r.kappa > 0 {
		for j, v := range r.applyA(r.x) {
			r.dual[j] = math.FMA(r.rho, v, r.dual[j])
		}
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

// dualStep updates y and beta at x.
func (r *run) dualStep() {
	kernels.ProxDual(r.beta, r.y, r.applyA(r.x), r.limit, r.rho)
}

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
		rows := r.rows[:min(steps, len(r.rows))]
		r.samples.draw(rows)
		r.plan.advance(rows)
		steps -= len(rows)
	}
	r.plan.end(last)
	return nil
}
