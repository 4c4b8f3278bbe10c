package gap

import (
	"math"

	"github.com/scas-admm/scas/solver/internal/rows"
	"github.com/scas-admm/scas/solver/internal/term"
)

// roundoff is the unit roundoff of float64.
const roundoff = 0x1p-53

// compensatedRoundoff is the error of a compensated sum of at most maxTerms terms, relative to the sum of
// their absolute values. Rounding errors are assumed to have random signs. In the worst case, the error
// of a sum of more than 2¹³ terms may be larger.
const (
	compensatedRoundoff = 0x1p-80
	maxTerms            = 1 << 24
)

// A Tally has sums over samples for a point x and for α, which has one number αᵢ for each sample. cᵢ is the
// factor of sample i in the mean loss, tᵢ its margin at x, and φ* the conjugate of the loss φ.
type Tally struct {
	Loss            float64 // Σ cᵢ φ(tᵢ)
	Fenchel         float64 // Σ cᵢ [φ(tᵢ) + φ*(αᵢ) − αᵢtᵢ]
	ConjugateAtZero float64 // Σ cᵢ φ*(0) = −Σ cᵢ inf φ; 0 for the losses of package term
	Size            float64 // Σ cᵢ |αᵢ|
	Square          float64 // Σ cᵢ αᵢ²

	Mismatch         float64 // Σ cᵢ |φ'(tᵢ) − αᵢ|
	WeightedMismatch float64 // Σ cᵢ |φ'(tᵢ) − αᵢ| |φ'(tᵢ)|
	Swing            float64 // Σ cᵢ (Fᵢ⁺ + Fᵢ⁻) over some samples, see Phi
	Curvature        float64 // Σ cᵢ κ, where κ is an upper bound of φ″; Σ cᵢ φ″(tᵢ) if φ″ has no bound
	Unbounded        float64 // Σ cᵢ if φ″ has no bound, otherwise 0
	MaxPhi           float64 // the largest Φᵢ, see Phi
}

// Samples has, for some samples, αᵢ in the domain of φ*, the slope φ'(tᵢ), the margin tᵢ, the label, and the
// factor cᵢ of the sample in the mean loss.
type Samples struct {
	Alpha, Slope, Margin, Label, Weight []float64
}

// Add adds the samples to all sums except three: the caller sets Loss, and Phi updates Swing and MaxPhi.
func (t *Tally) Add(l term.Loss, s *Samples) {
	alpha, slope, weight := s.Alpha, s.Slope, s.Weight
	t.Fenchel += l.Fenchel(alpha, s.Margin, s.Label, weight)
	var mismatches, weighted, size, square, mass float64 // local sums: faster than sums in the fields
	for i, a := range alpha {
		c, s := weight[i], slope[i]
		mismatch := float64(c * math.Abs(s-a))
		mismatches += mismatch
		weighted += float64(mismatch * math.Abs(s))
		size += math.Abs(float64(c * a))
		square += float64(c * float64(a*a))
		mass += c
	}
	t.Mismatch += mismatches
	t.WeightedMismatch += weighted
	t.Size += size
	t.Square += square
	if curvature := l.Curvature(); !math.IsInf(curvature, 1) {
		t.Curvature += float64(mass * curvature)
	} else {
		t.Unbounded += mass
		for i, c := range weight {
			if c != 0 {
				t.Curvature += float64(c * l.SecondDerivative(s.Margin[i], slope[i], s.Label[i]))
			}
		}
	}
	if l.Traits().LeastCurvatures == nil { // the loss is not in package term
		for i, c := range weight {
			t.ConjugateAtZero += float64(c * l.Conjugate(0, s.Label[i]))
		}
	}
}

// Phi sets phi to cᵢΦᵢ and updates Swing and MaxPhi. Only a problem with roots needs the Φᵢ: there, αᵢ + δᵢ
// with δᵢ = Φᵢyᵢ replaces αᵢ (see rootChange). y is a change of the margins with |yᵢ| ≤ Y ≤ 1/(2
// term.Steepest). Φᵢ is at most term.Steepest times the distance of αᵢ from the nearer end of the domain of
// φ*. So αᵢ + δᵢ stays in the domain. The change of the Fenchel term,
//
//	φ*(αᵢ + δᵢ) − φ*(αᵢ) − tᵢδᵢ,
//
// has one of two bounds. rootChangeCost adds up the bounds of the samples.
//
// The first bound is for losses with the trait LeastCurvatures. It gives a concave function of the slope that
// is at most φ″. So the second derivative of φ*, which is 1/φ″, is at most the reciprocal of this function.
// Φᵢ is at most the value of the function at φ'(tᵢ), and at αᵢ, and so the function is at least Φᵢ between
// these slopes. Therefore:
//
//   - The derivative of φ* at αᵢ differs from tᵢ by at most |φ'(tᵢ) − αᵢ|/Φᵢ.
//   - |δᵢ| is at most half the distance of αᵢ from the nearer end of the domain. So the function at αᵢ + δᵢ is
//     at least half its value at αᵢ, and the second derivative of φ* is at most 2/Φᵢ between αᵢ and αᵢ + δᵢ.
//
// Hence the sum of the changes, with the factors cᵢ, is at most
//
//	Y Σ cᵢ |φ'(tᵢ) − αᵢ| + Σ cᵢ Φᵢyᵢ².
//
// The second bound is for losses without LeastCurvatures, and for samples where this is 0 at φ'(tᵢ).
// Let Fᵢ⁺ and Fᵢ⁻ be the Fenchel terms at αᵢ + Φᵢyᵢ for yᵢ = ±1/(2 term.Steepest). Fenchel terms are
// non-negative and convex in α. So the change is at most 2 term.Steepest |yᵢ| (Fᵢ⁺ + Fᵢ⁻).
func (t *Tally) Phi(l term.Loss, s *Samples, phi []float64) {
	var atAlpha [512]float64 // for some samples, the largest Φᵢ that αᵢ allows
	leastCurvatures := l.Traits().LeastCurvatures
	for lo := 0; lo < len(phi); lo += len(atAlpha) {
		hi := min(lo+len(atAlpha), len(phi))
		block, atAlpha := phi[lo:hi], atAlpha[:hi-lo]
		alpha, slope, margin, label := s.Alpha[lo:hi], s.Slope[lo:hi], s.Margin[lo:hi], s.Label[lo:hi]
		if leastCurvatures != nil {
			leastCurvatures(block, slope, label)
			leastCurvatures(atAlpha, alpha, label)
		} else {
			clear(block)
			for i, a := range alpha {
				least, largest := l.SlopeRange(label[i])
				distance := min(a-least, largest-a)
				atAlpha[i] = min(term.Steepest*distance, l.SecondDerivative(margin[i], slope[i], label[i]))
			}
		}
		maxPhi := t.MaxPhi
		for i, weight := range s.Weight[lo:hi] {
			v, atSlope := atAlpha[i], block[i]
			switch { // comparisons are faster than min and max
			case weight == 0 || v <= 0:
				v = 0
			case !(atSlope > 0):
				t.addSwing(l, s, lo+i, v)
			case atSlope < v:
				v = atSlope
			}
			if v > maxPhi {
				maxPhi = v
			}
			block[i] = weight * v
		}
		t.MaxPhi = maxPhi
	}
}

// addSwing adds cᵢ(Fᵢ⁺ + Fᵢ⁻) of sample i to Swing (see Phi).
func (t *Tally) addSwing(l term.Loss, s *Samples, i int, phi float64) {
	for _, y := range []float64{1 / (2 * term.Steepest), -1 / (2 * term.Steepest)} {
		movedAlpha := []float64{math.FMA(y, phi, s.Alpha[i])}
		t.Swing += l.Fenchel(movedAlpha, s.Margin[i:i+1], s.Label[i:i+1], s.Weight[i:i+1])
	}
}

// Merge adds the tally o of other samples to t.
func (t *Tally) Merge(o *Tally) {
	sums, otherSums := t.sums(), o.sums()
	for k, v := range sums {
		*v += *otherSums[k]
	}
	t.MaxPhi = max(t.MaxPhi, o.MaxPhi)
}

// sums lists all fields except MaxPhi.
func (t *Tally) sums() []*float64 {
	return []*float64{
		&t.Loss, &t.Fenchel, &t.ConjugateAtZero, &t.Size, &t.Square, &t.Mismatch, &t.WeightedMismatch,
		&t.Swing, &t.Curvature, &t.Unbounded,
	}
}

// MergeTeam merges the tallies of all processes of the team.
func (t *Tally) MergeTeam(team *rows.Team) {
	sums := t.sums()
	v, maxPhi := make([]float64, len(sums)), []float64{t.MaxPhi}
	for k, s := range sums {
		v[k] = *s
	}
	team.Sum(v)
	team.Max(maxPhi)
	for k, s := range sums {
		*s = v[k]
	}
	t.MaxPhi = maxPhi[0]
}

// scaledBy returns a copy of t for the numbers tau α in place of α, where 0 ≤ tau ≤ 1. Only two fields
// change, both to upper bounds:
//
//   - Fenchel: each term is convex in α, and the sum at α = 0 is Loss + ConjugateAtZero.
//   - Mismatch: |φ' − tau α| ≤ |φ' − α| + (1 − tau)|α|.
//
// WeightedMismatch stays, because it bounds the error that rounded slopes cause in Fenchel, and tau does not
// make this error larger.
func (t Tally) scaledBy(tau float64) Tally {
	t.Fenchel = float64(tau*t.Fenchel) + float64((1-tau)*(t.Loss+t.ConjugateAtZero))
	t.Mismatch += float64((1 - tau) * t.Size)
	return t
}

// marginErrorCost returns a bound of the error that rounding of margins and slopes causes in t.Fenchel. err
// bounds the error of a margin. roundings bounds the number of roundings in a margin and its slope. The
// derivative of φ(tᵢ) + φ*(αᵢ) − αᵢtᵢ with respect to the margin tᵢ is φ'(tᵢ) − αᵢ. If φ″ has no bound, it is
// e^t or grows more slowly, and e^u − 1 − u ≤ u² for |u| ≤ 1.
func (t *Tally) marginErrorCost(err, roundings float64) float64 {
	if t.Unbounded > 0 && err > 1 {
		return math.Inf(1)
	}
	linearCost := float64(t.Mismatch*(err+float64(4*roundings*roundoff))) +
		float64(8*roundoff*t.WeightedMismatch)
	return linearCost + float64(t.Curvature*float64(err*err))
}

// rootChangeCost returns an upper bound of the change of the sum of the Fenchel terms if each αᵢ changes by
// δᵢ = Φᵢyᵢ (see Phi). reach bounds every |yᵢ|, and norm² is Σ cᵢΦᵢyᵢ². The factors 1.5 and 2 cover rounding.
func (t *Tally) rootChangeCost(norm, reach float64) float64 {
	return float64(1.5*reach*t.Mismatch) + float64(2*norm*norm) + float64(2*term.Steepest*reach*t.Swing)
}
