package solver

import (
	"fmt"
	"math"
	"math/rand/v2"
)

// checkSpan is the range of margins and coordinates that CheckLoss and CheckPenalty
// look at; steps of numerical derivatives are a part of it.
const (
	checkSpan   = 6
	checkPoints = 241
	checkStep   = 1e-5
	checkWithin = 1e-6
)

// CheckLoss compares what a loss of one's own says of itself numerically, at margins
// from −6 to 6 and the labels given, which must be valid ones: Slopes with Value and its
// derivative, SecondDerivative with that of the slopes and with Curvature, convexity,
// and of a ConjugateLoss φ(t) + φ*(φ'(t)) = t φ'(t). It returns the first thing that is
// wrong. At a kink of φ' the second derivative may be anything between those beside it.
func CheckLoss(l Loss, labels []float64) error {
	if err := l.Validate(labels); err != nil {
		return fmt.Errorf("solver: CheckLoss: %w", err)
	}
	for _, b := range labels {
		for k := range checkPoints {
			t := checkSpan * (2*float64(k)/(checkPoints-1) - 1)
			if err := checkLossAt(l, t, b); err != nil {
				return fmt.Errorf("solver: loss %s at margin %.4g, label %g: %w", l, t, b, err)
			}
		}
	}
	return nil
}

func checkLossAt(l Loss, t, b float64) error {
	margin, slope := []float64{t - checkStep, t, t + checkStep}, make([]float64, 3)
	label := []float64{b, b, b}
	sum := l.Slopes(slope, margin, label)
	value := [3]float64{l.Value(margin[0], b), l.Value(t, b), l.Value(margin[2], b)}
	scale := 1 + math.Abs(value[1]) + math.Abs(slope[1])
	differs := func(a, b, size float64) bool { return !(math.Abs(a-b) <= checkWithin*size) }
	rise := (value[2] - value[0]) / (2 * checkStep)
	bend := (slope[2] - slope[0]) / (2 * checkStep)
	second, most := l.SecondDerivative(t, slope[1], b), l.Curvature()
	left := l.SecondDerivative(margin[0], slope[0], b)
	right := l.SecondDerivative(margin[2], slope[2], b)
	kink := checkStep * (1 + most)
	switch {
	case differs(sum, value[0]+value[1]+value[2], 3*scale):
		return fmt.Errorf("Slopes returns the sum %v, Value %v", sum, value[0]+value[1]+value[2])
	case l.Slopes(nil, margin, label) != sum:
		return fmt.Errorf("Slopes without a slope returns another sum")
	case !(math.Abs(rise-slope[1]) <= checkWithin*scale+kink):
		return fmt.Errorf("the slope is %v, differences of Value give %v", slope[1], rise)
	case slope[2] < slope[0]-checkWithin*checkStep*scale:
		return fmt.Errorf("the slope falls: φ is not convex")
	case bend > most*(1+1e-4)+checkWithin:
		return fmt.Errorf("the slope rises by %v a unit, and Curvature is %v", bend, most)
	case !(second >= 0) || second > most*(1+1e-12):
		return fmt.Errorf("SecondDerivative is %v; it must lie between 0 and Curvature = %v", second, most)
	case left == second && second == right && differs(bend, second, 1e2*(1+most)):
		return fmt.Errorf("SecondDerivative is %v, differences of the slope give %v", second, bend)
	case left != right && (bend < math.Min(left, right)-1e-3*(1+most) || bend > math.Max(left, right)+1e-3*(1+most)):
		return fmt.Errorf("SecondDerivative is %v, differences of the slope give %v", second, bend)
	}
	return checkConjugateAt(l, t, slope[1], value[1], b)
}

func checkConjugateAt(l Loss, t, slope, value, b float64) error {
	c, ok := l.(ConjugateLoss)
	if !ok {
		return nil
	}
	lo, hi := c.ConjugateDomain(b)
	switch conjugate := c.Conjugate(slope, b); {
	case !(lo <= 0 && 0 <= hi):
		return fmt.Errorf("ConjugateDomain is [%v, %v], without 0", lo, hi)
	case slope < lo-checkWithin || slope > hi+checkWithin:
		return fmt.Errorf("the slope %v is not in ConjugateDomain [%v, %v]", slope, lo, hi)
	case !(math.Abs(value+conjugate-t*slope) <= 1e-10*(1+math.Abs(value)+math.Abs(t*slope))):
		return fmt.Errorf("φ(t) + φ*(φ'(t)) = %v and t φ'(t) = %v", value+conjugate, t*slope)
	}
	return nil
}

// CheckPenalty compares what a penalty of one's own on R^q says of itself numerically,
// at random points: that Prox minimises what it should, that this does not depend on
// dst being v, that it works coordinate by coordinate if the penalty is separable, and of
// a ConjugatePenalty g(u) + g*(z) = z'u where Prox says that z is a subgradient at u. It
// returns the first thing that is wrong.
func CheckPenalty(g Penalty, q int) error {
	if err := g.Validate(q); err != nil {
		return fmt.Errorf("solver: CheckPenalty: %w", err)
	}
	rng := rand.New(rand.NewPCG(1, uint64(q)))
	for range checkPoints {
		v, step := make([]float64, q), make([]float64, q)
		common := math.Exp(2 * rng.NormFloat64())
		for j := range v {
			v[j] = checkSpan / 2 * rng.NormFloat64() * math.Exp(rng.NormFloat64())
			if step[j] = common; g.Separable() {
				step[j] = math.Exp(2 * rng.NormFloat64())
			}
		}
		if err := checkProx(g, v, step, rng); err != nil {
			return fmt.Errorf("solver: penalty %T at %.4g with steps %.4g: %w", g, v, step, err)
		}
	}
	return nil
}

func checkProx(g Penalty, v, step []float64, rng *rand.Rand) error {
	u, z := make([]float64, len(v)), make([]float64, len(v))
	g.Prox(u, v, step)
	copy(z, v)
	g.Prox(z, z, step)
	for j := range u {
		if u[j] != z[j] {
			return fmt.Errorf("Prox gives another result where dst is v")
		}
	}
	cost := func(u []float64) float64 {
		sum := g.Value(u)
		for j, s := range step {
			d := u[j] - v[j]
			sum += d * d / (2 * s)
		}
		return sum
	}
	best := cost(u)
	if math.IsNaN(best) || math.IsInf(best, 0) {
		return fmt.Errorf("Value after Prox, %.4g, is %v", u, g.Value(u))
	}
	for size := 1.0; size > 1e-5; size /= 4 {
		other := make([]float64, len(u))
		for j := range other {
			other[j] = u[j] + size*rng.NormFloat64()
			if rng.IntN(2) == 0 {
				other[j] = u[j] + size*(v[j]-u[j])
			}
		}
		if c := cost(other); c < best-1e-12*(1+math.Abs(best)) {
			return fmt.Errorf("Prox gives %.6g, where %.6g is better by %.3g", u, other, best-c)
		}
	}
	c, ok := g.(ConjugatePenalty)
	if !ok {
		return nil
	}
	inner, size := 0.0, 1.0
	for j := range z {
		z[j] = (v[j] - u[j]) / step[j] * (1 - 1e-10) // where g* ends, rounding must not pass
		inner += z[j] * u[j]
		size += math.Abs(z[j] * u[j])
	}
	if sum := g.Value(u) + c.Conjugate(z); !(math.Abs(sum-inner) <= 1e-8*size) {
		return fmt.Errorf("g(u) + g*(z) = %v and z'u = %v", sum, inner)
	}
	return nil
}
