package term

import (
	"fmt"
	"math"
	"math/rand/v2"
)

const (
	span       = 6    // losses are tested at margins from −span to span
	points     = 241  // number of margins for a loss, and of random points for a penalty
	difference = 1e-5 // change of the margin in numerical derivatives
	tolerance  = 1e-6
)

// infimumTolerance returns the tolerance for the infimum of a loss, which must be 0.
func infimumTolerance(label float64) float64 { return 1e-9 * (1 + float64(label*label)) }

// CheckLoss makes the numerical checks of solver.CheckLoss.
func CheckLoss(l OwnLoss, labels []float64) error {
	for _, b := range labels {
		for k := range points {
			t := span * (2*float64(k)/(points-1) - 1)
			if err := checkLossAt(l, t, b); err != nil {
				return errorf("loss %s at margin %.4g, label %g: %w", l, t, b, err)
			}
		}
	}
	return nil
}

func checkLossAt(l OwnLoss, t, b float64) error {
	margin := [3]float64{t - difference, t, t + difference}
	var slope, value [3]float64
	for k, t := range margin {
		slope[k], value[k] = l.Slope(t, b), l.Value(t, b)
	}
	scale := 1 + math.Abs(value[1]) + math.Abs(slope[1])
	slopeEstimate := (value[2] - value[0]) / (2 * difference)
	curvatureEstimate := (slope[2] - slope[0]) / (2 * difference)
	secondDerivative, maxCurvature := l.SecondDerivative(t, slope[1], b), l.Curvature()
	leftCurvature := l.SecondDerivative(margin[0], slope[0], b)
	rightCurvature := l.SecondDerivative(margin[2], slope[2], b)
	if math.IsInf(maxCurvature, 1) {
		maxCurvature = max(leftCurvature, secondDerivative, rightCurvature)
	}
	kinkTolerance := difference * (1 + maxCurvature)
	switch {
	case value[1] < -infimumTolerance(b):
		return fmt.Errorf("the value is %v; the infimum of φ must be 0", value[1])
	case !(math.Abs(slopeEstimate-slope[1]) <= tolerance*scale+kinkTolerance):
		return fmt.Errorf("the slope is %v, differences of Value give %v", slope[1], slopeEstimate)
	case slope[2] < slope[0]-tolerance*difference*scale:
		return fmt.Errorf("the slope falls: φ is not convex")
	case curvatureEstimate > maxCurvature*(1+1e-4)+tolerance:
		return fmt.Errorf("the slope rises by %v a unit, and Curvature is %v",
			curvatureEstimate, maxCurvature)
	case !(secondDerivative >= 0) || secondDerivative > maxCurvature*(1+1e-12):
		return fmt.Errorf("SecondDerivative is %v; it must lie between 0 and Curvature = %v",
			secondDerivative, maxCurvature)
	case leftCurvature == secondDerivative && secondDerivative == rightCurvature &&
		!(math.Abs(curvatureEstimate-secondDerivative) <= 1e2*tolerance*(1+maxCurvature)),
		leftCurvature != rightCurvature &&
			(curvatureEstimate < math.Min(leftCurvature, rightCurvature)-1e-3*(1+maxCurvature) ||
				curvatureEstimate > math.Max(leftCurvature, rightCurvature)+1e-3*(1+maxCurvature)):
		return fmt.Errorf("SecondDerivative is %v, differences of the slope give %v",
			secondDerivative, curvatureEstimate)
	}
	return checkConjugateAt(l, t, slope[1], value[1], b)
}

func checkConjugateAt(l OwnLoss, t, slope, value, b float64) error {
	c, ok := l.(OwnConjugate)
	if !ok {
		return nil
	}
	lo, hi := c.ConjugateDomain(b)
	infimum := -c.Conjugate(0, b)
	switch conjugate := c.Conjugate(slope, b); {
	case !(lo <= 0 && 0 <= hi):
		return fmt.Errorf("ConjugateDomain is [%v, %v], without 0", lo, hi)
	case !(math.Abs(infimum) <= infimumTolerance(b)):
		return fmt.Errorf("φ*(0) is %v; it must be 0, like the infimum of φ", -infimum)
	case slope < lo-tolerance || slope > hi+tolerance:
		return fmt.Errorf("the slope %v is not in ConjugateDomain [%v, %v]", slope, lo, hi)
	case !(math.Abs(value+conjugate-t*slope) <= 1e-10*(1+math.Abs(value)+math.Abs(t*slope))):
		return fmt.Errorf("φ(t) + φ*(φ'(t)) = %v and t φ'(t) = %v", value+conjugate, t*slope)
	}
	return nil
}

// CheckInfimum returns an error if the infimum of a caller's own loss is known and negative for one of the
// labels. Then the bounds of package gap would be false.
func CheckInfimum(l Loss, labels []float64) error {
	if own, ok := l.(ownLoss); !ok || own.conjugate == nil {
		return nil
	}
	for i, b := range labels {
		if infimum := -l.Conjugate(0, b); infimum < -infimumTolerance(b) {
			return errorf("the infimum of the loss %s is %v for Problem.Labels[%d] = %v; it must be 0: subtract it in Value, and add it in Conjugate",
				l, infimum, i, b)
		}
	}
	return nil
}

// CheckPenalty makes the numerical checks of solver.CheckPenalty.
func CheckPenalty(g OwnPenalty, q int) error {
	rng := rand.New(rand.NewPCG(1, uint64(q)))
	for range points {
		v, steps := make([]float64, q), make([]float64, q)
		commonStep := math.Exp(2 * rng.NormFloat64())
		for j := range v {
			v[j] = span / 2 * rng.NormFloat64() * math.Exp(rng.NormFloat64())
			steps[j] = commonStep
			if g.Separable() {
				steps[j] = math.Exp(2 * rng.NormFloat64())
			}
		}
		if err := checkProx(g, v, steps, rng); err != nil {
			return errorf("penalty %T at %.4g with steps %.4g: %w", g, v, steps, err)
		}
	}
	return nil
}

func checkProx(g OwnPenalty, v, steps []float64, rng *rand.Rand) error {
	u, z := make([]float64, len(v)), make([]float64, len(v))
	g.Prox(u, v, steps)
	copy(z, v)
	g.Prox(z, z, steps)
	for j := range u {
		if u[j] != z[j] {
			return fmt.Errorf("Prox gives another result if dst and v are the same slice")
		}
	}
	cost := func(u []float64) float64 {
		sum := g.Value(u)
		for j, s := range steps {
			d := u[j] - v[j]
			sum += d * d / (2 * s)
		}
		return sum
	}
	minCost := cost(u)
	if math.IsNaN(minCost) || math.IsInf(minCost, 0) {
		return fmt.Errorf("after Prox, %.4g, Value is %v", u, g.Value(u))
	}
	for size := 1.0; size > 1e-5; size /= 4 {
		trial := make([]float64, len(u))
		for j := range trial {
			trial[j] = u[j] + size*rng.NormFloat64()
			if rng.IntN(2) == 0 {
				trial[j] = u[j] + size*(v[j]-u[j])
			}
		}
		if c := cost(trial); c < minCost-1e-12*(1+math.Abs(minCost)) {
			return fmt.Errorf("the result of Prox, %.6g, is no minimum: %.6g is better by %.3g",
				u, trial, minCost-c)
		}
	}
	c, ok := g.(PenaltyConjugate)
	if !ok {
		return nil
	}
	product, size := 0.0, 1.0
	for j := range z {
		z[j] = (v[j] - u[j]) / steps[j] * (1 - 1e-10) // so that z is in the domain of g* despite rounding
		product += z[j] * u[j]
		size += math.Abs(z[j] * u[j])
	}
	if sum := g.Value(u) + c.Conjugate(z); !(math.Abs(sum-product) <= 1e-8*size) {
		return fmt.Errorf("g(u) + g*(z) = %v and z'u = %v", sum, product)
	}
	return nil
}
