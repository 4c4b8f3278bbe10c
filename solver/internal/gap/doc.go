// Package gap proves how far a point is from the optimum of
//
//	P(x) = Σ cᵢ φ(tᵢ) + Σ (rⱼ/2) xⱼ² + g(A x)  over x in X,  tᵢ = aᵢ'x + oᵢ.
//
// A dual point is a number αᵢ for each sample and a number z_k for each row of A. With
// e = X'Cα + A'z and h(x) = Σ (rⱼ/2) xⱼ² on X, weak duality says
//
//	P(x) − P* ≤ Σ cᵢ [φ(tᵢ) + φ*(αᵢ) − αᵢtᵢ] + [g(A x) + g*(z) − z'A x] + [h(x) + h*(−e) + e'x].
//
// No bracket is negative (Fenchel), and each is computed as a sum of terms that are not: it
// has all its digits, however small it is. The first is a sum over samples, a Tally. It comes
// from whoever has the rows: in memory, in windows of a file, or on ranks. The rest needs no
// sample. Problem.Bound has it.
//
// The last bracket is finite for every e at a feature with rⱼ > 0 or with bounds in X. At the
// other features eⱼ must be 0 exactly, in real numbers, and rounding does not allow that. Three
// steps make it so:
//
//   - A multiplier of a row of A takes up what is left of eⱼ. The exact multiplier is not a
//     number of the machine, but its distance from the stored one is known, and it must be
//     within its limit all the same (see closing).
//   - At the few features F that no row can close, a change of α does: δ = Φ X_F d with
//     X_F'CΦX_F d = −e_F. It exists, and is never formed. Its size is known from the Cholesky
//     factor of X_F'CΦX_F (see Tally.Phi and Problem.shift).
//   - Where multipliers are beyond their limits, all of the dual point is scaled.
//
// Rounding of the margins tᵢ enters the first bracket, whose derivative is φ'(t) − α (see
// Tally.marginError). The bound holds for the objective in real numbers; Rounded makes it one of
// the objective as computed.
package gap
