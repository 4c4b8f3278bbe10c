package exact

import (
	"math"

	"github.com/scas-admm/scas/sparse"
)

// bandPart is the part of the features that a band has at most to be worth it: dense
// matrices are factored faster per operation.
const bandPart = 8

// band returns the width of the band that Hessians have, that of X'X + A'A, if it saves
// most of the work and fits where dense matrices would; else that of a full matrix, as
// where the barrier of a ball adds x x' and, whatever their rows, where groups add such
// products.
func (p *Problem) band() int {
	_, features := p.dims()
	if p.File != nil || p.Set != nil && p.Set.Walls(features).Radius > 0 || p.Groups != nil {
		return features - 1
	}
	w := int(p.Team.Most(float64(width(p.Data, p.A.Matrix()))))
	if w <= features/bandPart && features*(w+1) <= DenseFeatures*DenseFeatures {
		return w
	}
	return features - 1
}

// width returns the band of X'X + A'A: the widest span of a row of either.
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

// addBand adds X' diag(c) X to a band h: rows are short where there is one.
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
