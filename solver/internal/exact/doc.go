// Package exact solves
//
//	P(x) = Σ cᵢ φ(tᵢ; bᵢ) + Σ limitⱼ|xⱼ| + Σ (ridgeⱼ/2) xⱼ²,  t = X x + o,  cᵢ = ωᵢ/Σω
//
// for one lambda after the other, limit = lambda·L1 and ridge = lambda·L2, and proves
// the gap of each. Features with neither, such as an intercept, are free.
//
// It is the proximal Newton method (Lee, Sun, Saunders 2014) on a working set of columns. A step
// minimises the quadratic model at x over these columns (package quadratic), to an accuracy that
// follows what the last step was worth, and a line search follows. Then the correlations of all
// columns with the slopes prove a gap, and say which columns are missing: as many enter as there
// are coefficients that are not zero, the most violated first. If the Hessian of all columns takes
// little time, the set has them all. With many samples the first point is the solution for a part
// of them.
//
// The dual point is the slope of the model, α = φ'(t) + φ”(t) X d at the point x + d: by the model's
// optimality it is feasible, but for what an inexact model and rounding leave, and its gap at
// x + d is of fourth order in d. Package gap finds what it proves.
//
// Bits depend on nothing but the problem and the lambdas before.
package exact
