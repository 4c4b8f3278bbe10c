package quadratic

import (
	"math"

	"github.com/scas-admm/scas/kernels"
	"github.com/scas-admm/scas/sparse"
)

// The functions in this file use a symmetric n × n matrix H, whose upper triangle is in a slice h: entry (i, j) with
// i ≤ j is h[i·n + j]. The functions do not read other numbers of h.

// upperRow returns the entries (i, i), (i, i+1), … of H.
func upperRow(h []float64, n, i int) []float64 { return h[i*n+i : (i+1)*n] }

// TimesUpper sets dst = H d. dst and d must not overlap.
func TimesUpper(dst, h, d []float64) {
	clear(dst)
	for i, v := range d {
		row := upperRow(h, len(d), i)
		dst[i] += kernels.Dot(row, d[i:])
		kernels.Axpy(v, row[1:], dst[i+1:])
	}
}

// AddGram adds A' diag(w) A to H. The argument a is the matrix A; nil stands for the identity.
func AddGram(h []float64, a *sparse.CSR, w []float64) {
	if a == nil {
		for j, v := range w {
			h[j*len(w)+j] += v
		}
		return
	}
	_, n := a.Dims()
	for row, weight := range w {
		idx, val := a.Row(row)
		for k, j := range idx {
			v, out := float64(weight*val[k]), h[int(j)*n:]
			for m := k; m < len(idx); m++ {
				out[idx[m]] = math.FMA(v, val[m], out[idx[m]])
			}
		}
	}
}
