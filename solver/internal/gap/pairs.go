package gap

import (
	"math"

	"github.com/scas-admm/scas/sparse"
)

// addTransPairs adds X'g to head + tail, pairs of numbers, as if in twice the precision (Dot2 of
// Ogita, Rump, Oishi 2005).
func addTransPairs(head, tail []float64, x *sparse.CSR, g []float64) {
	for i, v := range g {
		idx, val := x.Row(i)
		for k, j := range idx {
			addProduct(&head[j], &tail[j], v, val[k])
		}
	}
}

// addProduct adds a·b to head + tail.
func addProduct(head, tail *float64, a, b float64) {
	p := float64(a * b)
	rest := math.FMA(a, b, -p)
	h := *head
	s := h + p
	back := s - h
	*head = s
	*tail += ((h - (s - back)) + (p - back)) + rest
}

// addPairs adds A'z to head + tail.
func (r *Rows) addPairs(head, tail, z []float64) {
	for row, v := range z {
		if v != 0 {
			r.each(int32(row), func(j int32, a float64) { addProduct(&head[j], &tail[j], v, a) })
		}
	}
}

// absTrans sets dst = |A|'|z|.
func (r *Rows) absTrans(dst, z []float64) {
	clear(dst)
	for row, v := range z {
		if v != 0 {
			r.each(int32(row), func(j int32, a float64) { dst[j] += math.Abs(float64(v * a)) })
		}
	}
}
