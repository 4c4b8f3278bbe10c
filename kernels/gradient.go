package kernels

import "sort"

// gradientBlock is the largest number of nonzeros that MarginsGradient processes at a time, unless a
// row is longer. MarginsGradient reads a block twice, the second time from the second-level cache.
const gradientBlock = 1 << 13

// MarginsGradient computes the margins and the slopes of the loss, and adds the gradient to z, in
// one pass over the rows instead of two:
//
//	margin[r] = a_r'w,  slope[r] = slope(margin[r], label[r]),  z += slope[r] a_r
//
// It returns the sum of the losses. margin, slope and label have one entry for each row, z and w at
// least one for each column. z, margin and slope must not overlap each other or any other argument.
// The rows are divided into blocks, which depend only on the row pointers; the sums of their losses
// are added in order.
func MarginsGradient(z, margin, slope, label []float64, a Rows, w []float64, loss LossKind) float64 {
	const fn = "MarginsGradient"
	checkRows(fn, "margin", len(margin), &a)
	checkLen(fn, "slope", len(slope), len(margin))
	checkLen(fn, "label", len(label), len(margin))
	checkColumns(fn, "z", len(z), &a)
	checkColumns(fn, "w", len(w), &a)
	loss.check(fn)
	for _, out := range [...]struct {
		name string
		v    []float64
	}{{"z", z}, {"margin", margin}, {"slope", slope}} {
		checkApart(fn, out.name, out.v, "label", label)
		checkApart(fn, out.name, out.v, "w", w)
		checkApart(fn, out.name, out.v, "Val", a.Val)
	}
	checkApart(fn, "z", z, "margin", margin)
	checkApart(fn, "z", z, "slope", slope)
	checkApart(fn, "margin", margin, "slope", slope)
	var sum float64
	for lo := 0; lo < len(margin); {
		firstNonzero := a.Ptr[lo]
		n := max(1, sort.Search(len(margin)-lo, func(k int) bool {
			return a.Ptr[lo+k+1]-firstNonzero > gradientBlock
		}))
		hi := lo + n
		block := a.Slice(lo, hi)
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
