package exact

import (
	"math"

	"github.com/scas-admm/scas/sparse"
)

// A banded matrix is used if its bandwidth is at most the number of features divided by bandPart.
// With larger bandwidths, a full matrix is factored faster.
const bandPart = 8

// band returns the bandwidth of the Hessians, which is the bandwidth of X'X + A'A. It returns the
// bandwidth of a full matrix if a band would save too little or take too much memory. It does so too
// if samples are in a file, or if the barrier of a ball, a group, or a column of ones fills the matrix.
func (p *Problem) band() int {
	_, features := p.dims()
	if p.File != nil || p.Ones || p.Set != nil && p.Set.Walls(features).Radius > 0 || p.Groups != nil {
		return features - 1
	}
	w := int(p.Team.Most(float64(width(p.Data, p.A.Matrix()))))
	if w <= features/bandPart && features*(w+1) <= DenseFeatures*DenseFeatures {
		return w
	}
	return features - 1
}

// width returns the bandwidth of X'X + A'A: the largest distance between two columns in one row of
// X or A.
func width(x, a *sparse.CSR) int {
	widest := 0
	for _, m := range []*sparse.CSR{x, a} {
		if m == nil {
			continue
		}
		n, _ := m.Dims()
		for i := range n {
			if idx, _ := m.Row(i); len(idx) > 1 {
				widest = max(widest, int(idx[len(idx)-1]-idx[0]))
			}
		}
	}
	return widest
}

// addBand adds X' diag(c) X to the upper triangle h of a banded matrix; see quadratic.Triangle for
// stride. It takes little time, because rows are short if there is a band.
func addBand(h []float64, stride int, x *sparse.CSR, c []float64) {
	for i, by := range c {
		idx, val := x.Row(i)
		for k, j := range idx {
			v, out := float64(by*val[k]), h[int(j)*stride:]
			for m := k; m < len(idx); m++ {
				out[idx[m]] = math.FMA(v, val[m], out[idx[m]])
			}
		}
	}
}
