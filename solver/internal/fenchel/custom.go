package fenchel

import "math"

// A Conjugated loss is one of the caller's, with its conjugate.
type Conjugated interface {
	Slopes(slope, margin, label []float64) (sum float64)
	Value(margin, label float64) float64
	SecondDerivative(margin, slope, label float64) float64
	Curvature() float64
	Conjugate(alpha, label float64) float64
	ConjugateDomain(label float64) (lo, hi float64)
}

// Custom is a Loss made of one of the caller's.
type Custom struct{ Of Conjugated }

// Slopes implements Loss.
func (c Custom) Slopes(slope, margin, label []float64) (sum float64) {
	return c.Of.Slopes(slope, margin, label)
}

// Value implements Loss.
func (c Custom) Value(margin, label float64) float64 { return c.Of.Value(margin, label) }

// Curvatures implements Loss. What the caller's function returns is brought into
// [0, Curvature].
func (c Custom) Curvatures(dst, slope, margin, label []float64, soft float64) {
	most := c.Of.Curvature()
	for i, t := range margin {
		v := math.Max(0, math.Min(c.Of.SecondDerivative(t, slope[i], label[i]), most))
		if math.IsNaN(v) {
			v = most
		}
		dst[i] = math.FMA(soft, most-v, v)
	}
}

// accuracy is the relative error that the caller's functions are taken to have at most.
const accuracy = 0x1p-47

// Fenchel sums φ(t) + φ*(α) − αt with what rounding may have taken from it.
func (c Custom) Fenchel(alpha, _, margin, label, weight []float64) float64 {
	var sum float64
	for i, a := range alpha {
		t := margin[i]
		value, conjugate, product := c.Of.Value(t, label[i]), c.Of.Conjugate(a, label[i]), float64(a*t)
		size := math.Abs(value) + math.Abs(conjugate) + math.Abs(product)
		sum += float64(weight[i] * (math.Max(0, value+conjugate-product) + float64(accuracy*size)))
	}
	return sum
}

// Domain implements Loss.
func (c Custom) Domain(label float64) (lo, hi float64) { return c.Of.ConjugateDomain(label) }
