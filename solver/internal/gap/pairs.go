package gap

import (
	"math"

	"github.com/scas-admm/scas/kernels"
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

// AddTransPairs adds X'g to head + tail for some rows of X, as if in twice the precision.
func AddTransPairs(head, tail []float64, rows kernels.Rows, g []float64) {
	for i, v := range g {
		lo, hi := rows.Ptr[i], rows.Ptr[i+1]
		for k, j := range rows.Idx[lo:hi] {
			addProduct(&head[j], &tail[j], v, rows.Val[lo+int64(k)])
		}
	}
}

// AddPairs adds the sums more + moreTail to head + tail, as if in twice the precision.
func AddPairs(head, tail, more, moreTail []float64) {
	for j, v := range more {
		addProduct(&head[j], &tail[j], v, 1)
		tail[j] += moreTail[j]
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
func (r *Penalty) addPairs(head, tail, z []float64) {
	for row, v := range z {
		if v != 0 {
			r.each(int32(row), func(j int32, a float64) { addProduct(&head[j], &tail[j], v, a) })
		}
	}
}

// absTrans sets dst = |A|'|z|.
func (r *Penalty) absTrans(dst, z []float64) {
	clear(dst)
	for row, v := range z {
		if v != 0 {
			r.each(int32(row), func(j int32, a float64) { dst[j] += math.Abs(float64(v * a)) })
		}
	}
}
