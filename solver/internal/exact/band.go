package exact

import "github.com/scas-admm/scas/sparse"

// A Hessian is stored as a band matrix only if its bandwidth is at most the number of features divided by
// bandPart.
const bandPart = 8

// band returns the bandwidth with which Hessians are stored: the number of features minus 1 for full
// matrices.
func (p *Problem) band() int {
	_, features := p.dims()
	if p.File != nil || p.HasOnes || p.Set != nil && p.Set.Bounds(features).Radius > 0 || p.Groups != nil {
		return features - 1
	}
	w := int(p.Team.MaxNumber(float64(width(p.Data, p.A.Matrix()))))
	if w <= features/bandPart && features*(w+1) <= DenseFeatures*DenseFeatures {
		return w
	}
	return features - 1
}

// width returns the largest distance between the columns of two entries in the same row of x or of a.
func width(x, a *sparse.CSR) int {
	maxDistance := 0
	for _, m := range []*sparse.CSR{x, a} {
		if m == nil {
			continue
		}
		n, _ := m.Dims()
		for i := range n {
			if idx, _ := m.Row(i); len(idx) > 1 {
				maxDistance = max(maxDistance, int(idx[len(idx)-1]-idx[0]))
			}
		}
	}
	return maxDistance
}
