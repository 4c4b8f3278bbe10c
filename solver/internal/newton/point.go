package newton

import (
	"math"

	"github.com/scas-admm/scas/kernels"
	"github.com/scas-admm/scas/solver/internal/term"
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
	pt.image = make([]float64, f.rows.Len())
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
	pt.loss = f.Gather(pt.grad, func(dst []float64, lo, hi int) (sum float64) {
		for ; lo < hi; lo += f.block {
			sum += f.visitRows(dst, pt, lo, min(lo+f.block, hi))
		}
		return sum
	})
	for j, x := range pt.x {
		pt.grad[j] = math.FMA(f.Ridge, x, pt.grad[j])
	}
	f.rows.Mul(pt.image, pt.x)
	if f.rows.Square != nil {
		f.rows.addSquares(pt.grad, pt.image)
	}
	pt.value = f.smoothValue(pt.loss, pt.x) + f.rows.Value(pt.image)
}

// visitRows does the part of visit of the rows lo to hi−1: few enough to stay in the
// second-level cache between margins and gradient. It returns their part of the loss.
func (f *Finisher) visitRows(grad []float64, pt *point, lo, hi int) float64 {
	rows := f.Rows
	rows.Ptr = rows.Ptr[lo : hi+1]
	margin, slope, scaled := pt.margin[lo:hi], pt.slope[lo:hi], f.Scratch[lo:hi]
	kernels.Margins(margin, rows, pt.x)
	sum := f.MeanOf(f.Loss, slope, margin, f.Labels[lo:hi], lo)
	for i, s := range slope {
		scaled[i] = s * f.Coef[lo+i]
	}
	kernels.Gradient(grad, rows, scaled)
	return sum
}

// smoothValue returns the loss with the quadratic term.
func (f *Finisher) smoothValue(loss float64, x []float64) float64 {
	return loss + float64(float64(0.5*f.Ridge)*kernels.Dot(x, x))
}

// margins sets dst = X d.
func (f *Finisher) margins(dst, d []float64) { f.Margins(dst, f.Rows, d) }

// transposed sets dst = X'C alpha.
func (f *Finisher) transposed(dst, alpha []float64) { f.Transposed(dst, f.Rows, alpha) }

// curvatures sets dst to φ”(tᵢ) at the point; soft damps those of losses that are flat on an interval.
func (f *Finisher) curvatures(dst []float64, pt *point, soft float64) {
	f.Each(func(_, lo, hi int) {
		f.Loss.Curvatures(dst[lo:hi], pt.slope[lo:hi], pt.margin[lo:hi], f.Labels[lo:hi], term.Damping{Flat: soft})
	})
}

// lossAt returns Σ cᵢ φ(tᵢ) at the given margins.
func (f *Finisher) lossAt(margin []float64) float64 { return f.Mean(f.Loss, nil, margin, f.Labels) }
