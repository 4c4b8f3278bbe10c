// Package newton proves how far a point is from the optimum of
//
//	P(x) = Σ cᵢ φ(aᵢ'x; bᵢ) + (mu/2)|x|² + Σ limitⱼ |(A x)ⱼ|,  cᵢ = ωᵢ/Σω
//
// and, where the square of the number of features fits memory, goes the rest of the
// way: a Newton step on smoothed |·| is a dual feasible point (Certify), and
// Mehrotra's predictor-corrector method (Mehrotra 1992) takes such steps until the
// gap is closed (Finish). Its last act is to make zeros and ties exact. With more
// features a Wide does so on working sets of them, and finds multipliers of the rows of A
// outside the set that make the set's dual point one of the whole problem.
//
// What a dual point (α, z) proves, rounding included, is found by package gap.
//
// Squares, norms of groups and domains (Problem.Square, Groups, Domain) are solved by a
// method that follows the path of a barrier (follower), with dual points of the same kind.
//
// Where it departs from Mehrotra: it starts from the path on a part of the samples
// (finish.sampled); certificates are computed only where an estimate says that they
// matter, at times along a direction of their own (finish.tryCentral); the corrector's goal does not run ahead of
// stationarity (finish.leastGoal), its second-order terms are weighted where they
// shorten the step (path.chooseCorrector), steps must not raise the smoothed objective
// (finish.descend), and a damped Newton step on that takes the place of steps that are
// too short or lower nothing (finish.damped). Bits depend on nothing but the problem:
// not on the machine, the level of the kernels or the number of threads.
package newton
