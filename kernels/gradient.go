package kernels

import "sort"

// gradientBlock is how many nonzeros MarginsGradient takes at a time: a block
// is still in the second-level cache when its rows are scattered.
const gradientBlock = 1 << 13

// MarginsGradient does in one pass over the rows what Margins, the loss's
// slopes and Gradient do in three:
//
//	margin[r] = a_r'w,  slope[r] = slope(margin[r], label[r]),  z += slope[r] a_r
//
// and returns the sum of the losses. margin, slope and label have one entry per
// row; z and w one per column, and z must not overlap w. Blocks of rows depend
// on the row pointers alone, and the sums of their losses are added in order.
func MarginsGradient(z, margin, slope, label []float64, a Rows, w []float64, loss LossKind) float64 {
	checkRows("MarginsGradient", "margin", len(margin), a)
	checkLen("MarginsGradient", "slope", len(slope), len(margin))
	checkLen("MarginsGradient", "label", len(label), len(margin))
	var sum float64
	for lo := 0; lo < len(margin); {
		first := a.Ptr[lo]
		n := max(1, sort.Search(len(margin)-lo, func(k int) bool { return a.Ptr[lo+k+1]-first > gradientBlock }))
		hi := lo + n
		block := a
		block.Ptr = a.Ptr[lo : hi+1]
		Margins(margin[lo:hi], block, w)
		if loss == SquaredLossKind {
			sum += SquaredSlopes(slope[lo:hi], margin[lo:hi], label[lo:hi])
		} else {
			sum += LogisticSlopes(slope[lo:hi], margin[lo:hi], label[lo:hi])
		}
		Gradient(z, block, slope[lo:hi])
		lo = hi
	}
	return sum
}
