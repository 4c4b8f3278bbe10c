package solver

import (
	"fmt"
	"math"

	"github.com/scas-admm/scas/kernels"
)

// A plan runs inner steps
//
//	w ← π_X( w − η [ (φ'(aᵢ'w) − φ'(aᵢ'x_t)) aᵢ + d + K w ] ),  K = ρ A'A + mu I
//
// (Algorithm 1, inner loop, with the L2 gradient kept exact). Plans differ in
// how they hold w and what a step costs; their iterates are equal up to
// rounding. A plan belongs to one run and uses its r.d, r.eta and r.w.
type plan interface {
	name() string
	// explain says in one line why this plan was chosen.
	explain() string
	// begin starts a block of steps at r.w with the current d and η.
	begin()
	// advance does one step for every sampled row, in order.
	advance(sampled []int32)
	// end sets r.s to the sum of the iterates after each step of the block and,
	// if last is true, r.w to the final one.
	end(last bool)
}

// newPlan chooses how to run the inner loop of r.
func newPlan(r *run) plan {
	if r.set.BatchSize > 1 {
		return newDensePlan(r, fmt.Sprintf("%d samples share a step for every coordinate", r.set.BatchSize))
	}
	kind, fused := fusedLoss(r.loss)
	if !fused {
		return newDensePlan(r, fmt.Sprintf("a step for every coordinate: loss %s has no fused inner loop", r.loss))
	}
	if k, diagonal := r.diagonalOfK(); diagonal {
		return newDiagonalPlan(r, kind, k)
	}
	switch r.prob.Domain.(type) {
	case nil, Ball:
		return newCoupledPlan(r, kind)
	}
	return newDensePlan(r, "a step for every coordinate: the domain does not commute with a rotation")
}

// fusedLoss returns the kernels' name of a loss they know.
func fusedLoss(l Loss) (kernels.LossKind, bool) {
	switch l.(type) {
	case Logistic:
		return kernels.LogisticLossKind, true
	case Squared:
		return kernels.SquaredLossKind, true
	}
	return 0, false
}

// innerSteps describes the inner loop of r to the kernels.
func (r *run) innerSteps(kind kernels.LossKind) kernels.Steps {
	return kernels.Steps{Rows: r.data, Label: r.prob.Labels, Slope0: r.slope0, Loss: kind, Eta: r.eta, Scratch: r.scratch}
}

// telescope sets sum to Σ_{m=1}^{M} w_m from the recursion w_{m+1} = c∘w_m + e +
// g_m aᵢ, summed over m = 0..M−1 and solved for the sum:
//
//	Σ_{m=0}^{M−1} w_m = (w_0 − w_M + M e + h)/(1 − c),  h = Σ g_m aᵢ
//
// 1 − c is exact, so it is the c that the steps really used.
func telescope(sum, w0, w, c, e, h []float64, steps int) {
	m := float64(steps)
	for j := range sum {
		total := (w0[j] - w[j]) + math.FMA(m, e[j], h[j])
		sum[j] = total/(1-c[j]) - w0[j] + w[j]
	}
}

// telescopes reports whether telescope keeps its relative error near 1e-11: the
// rounding errors of the steps are divided by η k.
func telescopes(eta float64, k []float64, steps int) bool {
	limit := 1e-5 / math.Sqrt(float64(steps))
	for _, kj := range k {
		if eta*kj < limit {
			return false
		}
	}
	return true
}
