package gap

import (
	"math"
	"slices"

	"github.com/scas-admm/scas/kernels"
	"github.com/scas-admm/scas/solver/internal/linalg"
	"github.com/scas-admm/scas/solver/internal/rows"
	"github.com/scas-admm/scas/solver/internal/term"
	"github.com/scas-admm/scas/sparse"
)

// A SimplePoint is a point x with the dual point (α, beta), where αᵢ = φ'(aᵢ'x).
type SimplePoint struct {
	X, Y, Beta []float64 // A X + B Y = c has the multiplier Beta; for B = −I and c = 0, Y = A X
	Z          []float64 // −B'Beta, the dual variable of Y
	E          []float64 // the gradient of the mean loss at x without (mu/2)|x|², plus A'Beta
	Slope      []float64 // φ'(aᵢ'x)
	Penalty    float64   // g(y)
	Conjugate  float64   // g*(z)
	Loss       float64   // the mean loss at x, without the term (mu/2)|x|²
}

// SimpleProblem is a problem for which Gap computes a bound. The bound does not need the conjugate of the
// loss, so it also works for a caller's own loss.
type SimpleProblem struct {
	Data      *sparse.CSR
	Weights   []float64 // one number for each sample; nil if all are equal
	Curvature float64   // an upper bound of φ″
	A         *linalg.Algebra
	Mu        float64
	Domain    term.Set   // S; nil for R^p
	Team      *rows.Team // all processes that have samples; nil if this process has all
}

// FeasibleMultipliers returns a copy of beta, and g*(beta). If g*(beta) is infinite, it multiplies the copy
// by a number from 1 − 1e-6 to 1, to make g* of the copy finite, and returns g* of the copy.
func FeasibleMultipliers(beta []float64, conjugate func(beta []float64) float64) ([]float64, float64) {
	out, value := slices.Clone(beta), conjugate(beta)
	for off := 0x1p-50; math.IsInf(value, 1) && off < 1e-6; off *= 16 {
		for j, b := range beta {
			out[j] = b * (1 - off)
		}
		value = conjugate(out)
	}
	return out, value
}

// Gap bounds the objective at x minus its optimum. With the fields of SimplePoint, the bound is, plus
// rounding errors,
//
//	g(y) + g*(z) − z'y + h(x) + h*(−e) + e'x,  h(x) = (mu/2)|x|² on S.
//
// The Fenchel terms of the loss are 0, because αᵢ = φ'(tᵢ). Gap is +Inf unless mu > 0 or S is bounded.
func (f *SimpleProblem) Gap(point *SimplePoint) float64 {
	var product, size float64
	for j, z := range point.Z {
		v := float64(z * point.Y[j])
		product += v
		size += math.Abs(v)
	}
	relativeError := math.Max(0x1p-44, float64(len(point.Z)+64)*roundoff)
	rounding := float64(relativeError *
		(math.Abs(point.Penalty) + math.Abs(point.Conjugate) + size + point.Loss))
	marginCost, residualErrors := f.roundingErrors(point)
	gap := math.Max(0, point.Penalty+point.Conjugate-product) + f.domainGap(point, residualErrors) +
		marginCost + f.imageError(point) + rounding
	if math.IsNaN(gap) {
		return math.Inf(1)
	}
	return gap
}

// roundingErrors bounds rounding errors. marginCost bounds the error of the sum of the samples' Fenchel
// terms. residualErrors[j] bounds the error of point.E[j].
func (f *SimpleProblem) roundingErrors(point *SimplePoint) (marginCost float64, residualErrors []float64) {
	n, p := f.Data.Dims()
	residualErrors = make([]float64, p)
	sampleCount, totalWeight := f.Team.Total(float64(n)), f.Team.Total(rows.Mass(f.Weights, n))
	for i, slope := range point.Slope {
		idx, val := f.Data.Row(i)
		weight := 1 / totalWeight
		if f.Weights != nil {
			weight = f.Weights[i] / totalWeight
		}
		var size float64
		slopeWeight := float64(weight * math.Abs(slope))
		for k, j := range idx {
			v := math.Abs(val[k])
			size += float64(v * math.Abs(point.X[j]))
			residualErrors[j] += float64(slopeWeight * v)
		}
		err := float64(float64(len(idx)+8) * roundoff * size)
		marginCost += float64(float64(0.5*f.Curvature*weight) * float64(err*err))
	}
	marginCost = f.Team.SumWith(residualErrors, marginCost)
	l, _ := f.A.Dims()
	relativeError := (sampleCount + float64(l+64)) * roundoff
	for j, size := range f.absTrans(point.Beta, p) {
		residualErrors[j] = float64(relativeError * (residualErrors[j] + size))
	}
	return marginCost, residualErrors
}

// absTrans returns bounds of |A|'|beta|, see the function absTrans. p is the number of features.
func (f *SimpleProblem) absTrans(beta []float64, p int) []float64 {
	if f.A.IsIdentity() || f.A.Matrix() != nil {
		sum := make([]float64, p)
		absTrans(sum, f.A.Matrix(), beta)
		return sum
	}
	// The bound of all entries is |beta|₂ times a bound of the Frobenius norm of A.
	l, _ := f.A.Dims()
	bound := math.Sqrt(float64(f.A.LargestEigenvalue()*float64(min(l, p))) * kernels.Dot(beta, beta))
	return slices.Repeat([]float64{bound}, p)
}

// imageError returns an upper bound of the increase of g(y) − z'y that the rounding of y = A x can cause.
// It assumes that the error of g(y) is at most the error of z'y. It returns 0 if A is a Map that is not a
// matrix.
func (f *SimpleProblem) imageError(point *SimplePoint) float64 {
	a, sum := f.A.Matrix(), 0.0
	if a == nil {
		return 0
	}
	for k, z := range point.Z {
		idx, val := a.Row(k)
		var size float64
		for i, j := range idx {
			size += math.Abs(float64(val[i] * point.X[j]))
		}
		sum += float64(float64(float64(len(idx)+8)*size) * math.Abs(z))
	}
	return 2 * roundoff * sum
}

// domainGap returns an upper bound of h(x) + h*(−e) + e'x, where h(x) = (mu/2)|x|² on the domain S. The error
// of eⱼ is at most errors[j]. domainGap uses
//
//	h(x) + h*(−e) + e'x ≤ (mu/2)|x − u|² + σ(−r) + r'x,  r = e + mu u,
//
// with the support function σ of S. This holds for every u. If mu > 0, u is the point of S nearest to −e/mu.
func (f *SimpleProblem) domainGap(point *SimplePoint, errors []float64) float64 {
	if f.Mu == 0 && (f.Domain == nil || math.IsInf(f.Domain.Diameter(), 1)) {
		return math.Inf(1)
	}
	u := make([]float64, len(point.E))
	var error2 float64
	for j, v := range point.E {
		if f.Mu > 0 {
			u[j] = -v / f.Mu
		} else {
			error2 += float64(errors[j] * errors[j])
		}
	}
	if f.Domain != nil {
		f.Domain.Project(u)
	}
	var distance2, product, size float64
	for j, x := range point.X {
		if f.Mu > 0 {
			d := math.Abs(x-u[j]) + errors[j]/f.Mu + float64(0x1p-49*math.Abs(u[j]))
			distance2 += float64(d * d)
		}
		magnitude := math.Abs(point.E[j]) + float64(f.Mu*math.Abs(u[j]))
		// u[j] becomes −rⱼ, or 0 if rⱼ is only a rounding error.
		u[j] = -math.FMA(f.Mu, u[j], point.E[j])
		if math.Abs(u[j]) <= float64(0x1p-50*magnitude) {
			u[j] = 0
		}
		size += float64(magnitude * math.Abs(x))
		product -= float64(u[j] * x)
	}
	relativeError := math.Max(0x1p-44, float64(len(u)+64)*roundoff)
	bound := float64(float64(0.5*f.Mu*distance2) * (1 + relativeError))
	if f.Domain == nil { // S is R^p, so u = −e/mu and r = e + mu u = 0
		return bound
	}
	if error2 != 0 { // a NaN must not be lost
		bound += float64(math.Sqrt(error2) * f.Domain.Diameter())
	}
	support := f.Domain.Support(u)
	return bound + math.Max(0, support+product) + float64(relativeError*(math.Abs(support)+size))
}

// Residual returns |x − π(x − g)|₂, where π is the projection onto the domain. A nil domain means R^p.
// Residual may overwrite g.
func Residual(x, g []float64, domain term.OwnSet) float64 {
	if domain != nil {
		for j, v := range x {
			g[j] = v - g[j]
		}
		domain.Project(g)
		for j, v := range x {
			g[j] -= v
		}
	}
	return linalg.Norm(g)
}
