package solver

import "math"

// certificate returns the dual residual and the duality gap at x and beta; see
// Result. The gap is (1/2mu)|∇f(x) + A'beta|² + Σ limitⱼ|(Ax)ⱼ| − betaⱼ(Ax)ⱼ, a
// sum of terms that are not negative, so it loses nothing to cancellation. It
// follows from Fenchel's equality at the dual point φ'(aᵢ'x), beta.
func (r *run) certificate() (residual, gap float64) {
	mu := r.prob.L2
	r.full.at(r.z, r.x, r.margin, r.slope0)
	g := r.d
	r.applyAT(g, r.beta)
	for j, v := range r.z {
		g[j] += v + float64(mu*r.x[j])
	}
	if r.prob.Domain != nil {
		for j, v := range r.x {
			r.w[j] = v - g[j]
		}
		r.prob.Domain.Project(r.w)
		return distance(r.x, r.w), -1
	}
	norm2 := sumSquares(g)
	limit := r.dualStep.limit
	if mu == 0 || limit == nil || r.prob.Coupling != nil {
		return math.Sqrt(norm2), -1
	}
	gap = norm2 / (2 * mu)
	for j, v := range r.applyA(r.x) {
		gap += float64(limit[j]*math.Abs(v)) - float64(r.beta[j]*v)
	}
	return math.Sqrt(norm2), gap
}
