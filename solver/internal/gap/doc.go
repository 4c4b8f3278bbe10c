// Package gap proves bounds of P(x) − P*: how far a point x is from the optimum P* of
//
//	P(x) = Σ cᵢ φ(tᵢ) + Σ (rⱼ/2) xⱼ² + g(A x)  over x in S,  tᵢ = aᵢ'x + oᵢ,
//
// with a loss φ, a factor cᵢ and an offset oᵢ for each sample, ridges rⱼ, a penalty g of A x (Penalty) and a
// closed convex set S (Problem.Set). X is the data matrix with the rows aᵢ'.
//
// The method is the Fenchel duality gap. A dual point (α, z) has a number αᵢ for each sample and a
// multiplier z_k for each row of A. Let e = X'Cα + A'z be the dual residual, where C = diag(c), and
// let h(x) = Σ (rⱼ/2) xⱼ² on the set S. The dual objective is D = Σ cᵢ [αᵢoᵢ − φ*(αᵢ)] − g*(z) − h*(−e).
// Weak duality says D ≤ P*, so P(x) − P* ≤ P(x) − D. The difference P(x) − D is the sum of three brackets:
//
//	P(x) − D = Σ cᵢ [φ(tᵢ) + φ*(αᵢ) − αᵢtᵢ] + [g(A x) + g*(z) − z'A x] + [h(x) + h*(−e) + e'x].
//
// Each bracket is non-negative (Fenchel's inequality). The terms of the first bracket are the Fenchel
// terms of the samples: the caller adds them up in a Tally. The other brackets need no samples:
// Problem.Bound computes them.
//
// A bound is finite only if the dual point is feasible: αᵢ in the domain of φ*, z in the domain of g*, and
// h*(−e) finite. If S is bounded, h*(−e) is finite for every e. Otherwise each feature j has its own
// condition. With rⱼ > 0, or with two finite bounds of xⱼ in S, every eⱼ is feasible. With only a lower bound
// of xⱼ, every eⱼ ≥ 0 is feasible; with only an upper bound, every eⱼ ≤ 0. At all other features eⱼ must be
// exactly 0. Bounds of S that are far away from x are left out, see chooseSet. Bound makes the dual point
// feasible in three steps:
//
//   - Most eⱼ are made 0 by a change of one multiplier (see correction). The exact multiplier is usually not
//     a floating-point number; Bound computes a bound of its distance from the stored multiplier.
//   - The few features without such a multiplier are called roots, for example an intercept. There eⱼ is
//     made 0 by a change of α. The change is never computed; its size, and so its cost to the gap, is
//     bounded. No change is necessary if α is 0 at all samples that have the feature. See rootChange.
//   - If multipliers exceed their limits, they are clipped before the other steps, or the whole dual point
//     is scaled down after them. The limit of a row without a square is the largest |z_k| for which g*(z)
//     is finite; the limit of a group is the largest such norm of its multipliers.
//
// Rounding of the margins tᵢ changes the first bracket: see Tally.marginErrorCost. The computed P(x) has a
// rounding error too. Bound returns a bound of P(x) − P* for the exact P(x); RoundedGap makes it a bound for
// the computed one. These things are assumed, not proved:
//
//   - The rounding errors of long sums have random signs: of compensated sums (see compensatedRoundoff),
//     and of the sums of non-negative terms that make up a gap. The latter are allowed a relative error of
//     1e-11, the worst case for 10⁵ terms.
//   - Every term of the objective is accurate to its last digit (see RoundedGap).
//   - If A is a Map that is not a matrix, the computed A x is exact (see SimpleProblem).
//   - If the second derivative of a caller's own loss has no bound, it grows at most as fast as e^t near a
//     margin.
//
// SimpleProblem is an independent, simpler bound for problems with rⱼ > 0 or a bounded set S. It does not
// need φ*. solver.Minimize uses it if Problem.Bound does not apply or proves nothing.
//
// Read problem.go (the type Problem) and bound.go (Problem.Bound) first. The three steps are in correction.go
// (the first) and root_change.go (the second), the last bracket is in domain_gap.go. tally.go has the sums
// over the samples, penalty.go the penalty and its conjugate, and rounding.go the rounding errors of computed
// objectives. For data in memory the exact solver calls DataProblem.Prove (data_problem.go), or ProveStep
// (moved.go), which reads no data. On a path, Screen (screen.go) finds the entries of X'Cα that Prove does
// not need.
package gap
