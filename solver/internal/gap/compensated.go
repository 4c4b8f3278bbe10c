package gap

import (
	"math"

	"github.com/scas-admm/scas/kernels"
	"github.com/scas-admm/scas/sparse"
)

// AddTransPairs adds X'g to the compensated sums head + tail. X has the given rows. The sums are as accurate
// as if they were computed with twice the usual precision (Dot2 of Ogita, Rump, Oishi 2005).
func AddTransPairs(head, tail []float64, rows kernels.Rows, g []float64) {
	for i, v := range g {
		lo, hi := rows.Ptr[i], rows.Ptr[i+1]
		for k, j := range rows.Idx[lo:hi] {
			addProduct(&head[j], &tail[j], v, rows.Val[lo+int64(k)])
		}
	}
}

// AddPairs adds the compensated sums addendHead + addendTail to the compensated sums head + tail.
func AddPairs(head, tail, addendHead, addendTail []float64) {
	for j, v := range addendHead {
		addProduct(&head[j], &tail[j], v, 1)
		tail[j] += addendTail[j]
	}
}

// addProduct adds a·b to the compensated sum head + tail. The rounding errors of the product and of the sum
// are computed exactly (TwoProd and TwoSum) and added to tail.
func addProduct(head, tail *float64, a, b float64) {
	p := float64(a * b)
	productError := math.FMA(a, b, -p)
	h := *head
	s := h + p
	roundedP := s - h
	*head = s
	*tail += ((h - (s - roundedP)) + (p - roundedP)) + productError
}

// addPairs adds A'z to the compensated sums head + tail.
func (pen *Penalty) addPairs(head, tail, z []float64) {
	for row, v := range z {
		if v != 0 {
			pen.EachEntry(int32(row), func(j int32, a float64) { addProduct(&head[j], &tail[j], v, a) })
		}
	}
}

// absTrans sets dst = |A|'|z|, where |A| and |z| have the absolute values of the entries. A nil A means the
// identity.
func absTrans(dst []float64, a *sparse.CSR, z []float64) {
	clear(dst)
	for row, v := range z {
		if a == nil {
			dst[row] = math.Abs(v)
			continue
		}
		idx, val := a.Row(row)
		for k, j := range idx {
			dst[j] += math.Abs(float64(val[k] * v))
		}
	}
}
