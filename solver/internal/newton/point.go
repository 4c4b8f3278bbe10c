package newton

import (
	"math"

	"github.com/scas-admm/scas/kernels"
)

// A point is an x and what a pass over the data finds there.
type point struct {
	x      []float64 // p
	margin []float64 // n: t = X x
	slope  []float64 // n: φ'(t)
	grad   []float64 // p: X'C φ'(t) + mu x, with the gradient of squares of A x
	image  []float64 // A x, over the rows of the penalty
	loss   float64   // Σ cᵢ φ(tᵢ)
	value  float64   // P(x)
}

func (f *Finisher) newPoint() *point {
	pt := &point{}
	for _, v := range []*[]float64{&pt.x, &pt.grad} {
		*v = make([]float64, f.p)
	}
	for _, v := range []*[]float64{&pt.margin, &pt.slope} {
		*v = make([]float64, f.n)
	}
	pt.image = make([]float64, f.rows.len())
	return pt
}

// copyFrom makes pt a copy of src.
func (pt *point) copyFrom(src *point) {
	copy(pt.x, src.x)
	copy(pt.margin, src.margin)
	copy(pt.slope, src.slope)
	copy(pt.grad, src.grad)
	copy(pt.image, src.image)
	pt.loss, pt.value = src.loss, src.value
}

// visit fills the point at its x.
func (f *Finisher) visit(pt *point) {
	f.chunks.Each(func(k, lo, hi int) {
		dst := f.part(pt.grad, k)
		clear(dst)
		f.parts[k] = 0
		for ; lo < hi; lo += f.block {
			f.visitRows(dst, pt, k, lo, min(lo+f.block, hi))
		}
	})
	f.gather(pt.grad)
	for j, x := range pt.x {
		pt.grad[j] = math.FMA(f.Ridge, x, pt.grad[j])
	}
	pt.loss = 0
	for _, v := range f.parts {
		pt.loss += v
	}
	f.rows.mul(pt.image, pt.x)
	if f.rows.quad != nil {
		f.rows.addSquares(pt.grad, pt.image)
	}
	pt.value = f.smoothValue(pt.loss, pt.x) + f.rows.value(pt.image)
}

// visitRows does the part of visit of the rows lo to hi−1, of chunk k: few enough to
// stay in the second-level cache between margins and gradient.
func (f *Finisher) visitRows(grad []float64, pt *point, k, lo, hi int) {
	rows := f.Rows
	rows.Ptr = rows.Ptr[lo : hi+1]
	margin, slope, scaled := pt.margin[lo:hi], pt.slope[lo:hi], f.scratch[lo:hi]
	kernels.Margins(margin, rows, pt.x)
	f.parts[k] += f.weighted(f.Loss.Slopes(slope, margin, f.Labels[lo:hi]), margin, lo, hi)
	for i, s := range slope {
		scaled[i] = s * f.coef[lo+i]
	}
	kernels.Gradient(grad, rows, scaled)
}

// smoothValue returns the loss with the quadratic term.
func (f *Finisher) smoothValue(loss float64, x []float64) float64 {
	return loss + float64(float64(0.5*f.Ridge)*kernels.Dot(x, x))
}

// weighted returns Σ cᵢ φ(tᵢ) of the samples lo to hi−1, whose plain sum is known.
func (f *Finisher) weighted(sum float64, margin []float64, lo, hi int) float64 {
	if f.Weights == nil {
		return float64(sum * f.coef[0])
	}
	sum = 0
	for i := lo; i < hi; i++ {
		sum += float64(f.coef[i] * f.Loss.Value(margin[i-lo], f.Labels[i]))
	}
	return sum
}

// part is where chunk k adds to a p-vector: dst itself for the first chunk, f.partial
// for the others, which gather adds to dst in order.
func (f *Finisher) part(dst []float64, k int) []float64 {
	if k > 0 {
		return f.partial[k-1]
	}
	return dst
}

func (f *Finisher) gather(dst []float64) {
	for _, part := range f.partial {
		kernels.Axpy(1, part, dst)
	}
}

// margins sets dst = X d.
func (f *Finisher) margins(dst, d []float64) {
	f.chunks.Each(func(_, lo, hi int) {
		rows := f.Rows
		rows.Ptr = rows.Ptr[lo : hi+1]
		kernels.Margins(dst[lo:hi], rows, d)
	})
}

// transposed sets dst = X'C alpha.
func (f *Finisher) transposed(dst, alpha []float64) {
	f.chunks.Each(func(k, lo, hi int) {
		rows := f.Rows
		rows.Ptr = rows.Ptr[lo : hi+1]
		scaled := f.scratch[lo:hi]
		for i := range scaled {
			scaled[i] = alpha[lo+i] * f.coef[lo+i]
		}
		part := f.part(dst, k)
		clear(part)
		kernels.Gradient(part, rows, scaled)
	})
	f.gather(dst)
}

// curvatures sets dst to φ”(tᵢ) at the point; soft as for Loss.Curvatures.
func (f *Finisher) curvatures(dst []float64, pt *point, soft float64) {
	f.chunks.Each(func(_, lo, hi int) {
		f.Loss.Curvatures(dst[lo:hi], pt.slope[lo:hi], pt.margin[lo:hi], f.Labels[lo:hi], soft)
	})
}

// lossAt returns Σ cᵢ φ(tᵢ) at the given margins.
func (f *Finisher) lossAt(margin []float64) float64 {
	return f.sumOver(func(lo, hi int) float64 { return f.lossOf(margin, lo, hi) })
}

// lossOf returns the part of the samples lo to hi−1.
func (f *Finisher) lossOf(margin []float64, lo, hi int) (sum float64) {
	if f.Weights == nil {
		sum = f.Loss.Slopes(nil, margin[lo:hi], f.Labels[lo:hi])
	}
	return f.weighted(sum, margin[lo:hi], lo, hi)
}

// sumOver adds up what do returns for the runs of samples.
func (f *Finisher) sumOver(do func(lo, hi int) float64) (sum float64) {
	f.chunks.Each(func(k, lo, hi int) { f.parts[k] = do(lo, hi) })
	for _, v := range f.parts {
		sum += v
	}
	return sum
}
