package solver

import "math"

// certificate returns the dual residual and the duality gap at x and beta; see
// Result. The gap is (1/2mu)|∇f(x) + A'beta|² + Σ limitⱼ|(Ax)ⱼ| − betaⱼ(Ax)ⱼ, a
// sum of terms that are not negative, so it loses nothing to cancellation. It
// follows from Fenchel's equality at the dual point φ'(aᵢ'x), beta.
func (r *Run) certificate() (residual, gap float64) {
	p := r.Problem
	r.Samples.Gradient(&r.Snapshot, r.X)
	g := make([]float64, len(r.X))
	r.A.MulTrans(g, r.Dual)
	for j, v := range r.Snapshot.Gradient {
		g[j] += v + float64(p.L2*r.X[j])
	}
	if p.Domain != nil {
		for j, v := range r.X {
			g[j] = v - g[j]
		}
		p.Domain.Project(g)
		return distance(r.X, g), -1
	}
	norm2 := sumSquares(g)
	limit := r.dual.Limit
	if p.L2 == 0 || limit == nil || p.Coupling != nil {
		return math.Sqrt(norm2), -1
	}
	gap = norm2 / (2 * p.L2)
	for j, v := range r.A.Image(r.X) {
		gap += float64(limit[j]*math.Abs(v)) - float64(r.Dual[j]*v)
	}
	return math.Sqrt(norm2), gap
}

func distance(u, v []float64) float64 {
	var sum float64
	for j := range u {
		d := u[j] - v[j]
		sum += float64(d * d)
	}
	return math.Sqrt(sum)
}
