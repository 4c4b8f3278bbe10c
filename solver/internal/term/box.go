package term

import (
	"math"
)

// Box is {x : Lower ≤ x ≤ Upper}, coordinate by coordinate. Bounds may be infinite.
type Box struct {
	Lower, Upper []float64
}

// NewBox returns the box [lower, upper]^p.
func NewBox(p int, lower, upper float64) Box {
	b := Box{make([]float64, p), make([]float64, p)}
	for j := range p {
		b.Lower[j], b.Upper[j] = lower, upper
	}
	return b
}

func (b Box) Project(x []float64) {
	for j, v := range x {
		x[j] = math.Max(b.Lower[j], math.Min(v, b.Upper[j]))
	}
}

func (b Box) Diameter() float64 {
	var sum float64
	for j, hi := range b.Upper {
		w := hi - b.Lower[j]
		sum += float64(w * w)
	}
	return math.Sqrt(sum)
}

func (b Box) Validate(p int) error {
	if len(b.Lower) != p || len(b.Upper) != p {
		return errorf("Box has %d lower and %d upper bounds; the problem has %d features",
			len(b.Lower), len(b.Upper), p)
	}
	for j, lo := range b.Lower {
		if hi := b.Upper[j]; !holdsNumber(lo, hi) {
			return errorf("Box bounds of feature %d are [%v, %v]; there must be a finite number between them",
				j, lo, hi)
		}
	}
	return nil
}

// holdsNumber reports whether there is a finite number from lower to upper.
func holdsNumber(lower, upper float64) bool {
	return lower <= upper && !math.IsInf(lower, 1) && !math.IsInf(upper, -1)
}

func (b Box) Support(u []float64) float64 {
	var sum float64
	for j, v := range u {
		sum += support(v, b.Lower[j], b.Upper[j])
	}
	return sum
}

func (b Box) Region(int) Region { return b }

func (b Box) Bounds(int) Bounds { return Bounds{Lower: b.Lower, Upper: b.Upper} }

func (b Box) Excess(e, errors, x []float64, mu float64) float64 {
	var sum float64
	for j, v := range x {
		sum += b.ExcessAt(j, e[j], errors[j], v, mu)
	}
	return sum
}

// ExcessAt returns the part of the result of Excess that belongs to coordinate j. e, err and x are entry j of
// the arguments e, errors and x of Excess.
func (b Box) ExcessAt(j int, e, err, x, mu float64) float64 {
	lo, hi := b.Lower[j], b.Upper[j]
	if mu > 0 {
		a := math.Max(lo, math.Min(-e/mu, hi))
		d := x - a
		return float64(float64(0.5*mu)*float64(d*d)) + math.Max(0, float64(math.FMA(mu, a, e)*d)) +
			float64(err*math.Abs(d)) + float64(err*err)/(2*mu)
	}
	return math.Max(positiveProduct(e+err, x-lo), positiveProduct(err-e, hi-x))
}

// positiveProduct returns max(0, e)·max(0, slack). The product of 0 and +Inf is 0.
func positiveProduct(e, slack float64) float64 {
	if !(e > 0) || slack <= 0 {
		return 0
	}
	return e * slack
}
