package gap

import (
	"math"

	"github.com/scas-admm/scas/solver/internal/term"
)

const (
	unit = 0x1p-53 // a rounding
	tiny = 0x1p-80 // most roundings of roundings
	most = 1 << 24 // terms of a sum for which that holds
)

// A Tally is what the samples say of a point x and a dual point α: sums over them with the
// coefficients cᵢ. Parts of the samples are tallied apart and then merged.
type Tally struct {
	Loss    float64 // Σ cᵢ φ(tᵢ)
	Fenchel float64 // Σ cᵢ [φ(tᵢ) + φ*(αᵢ) − αᵢtᵢ]
	Zero    float64 // Σ cᵢ φ*(0) = −Σ cᵢ min φ; 0 for the losses of package term
	Size    float64 // Σ cᵢ |αᵢ|
	Square  float64 // Σ cᵢ αᵢ²

	Mismatch  float64 // Σ cᵢ |φ'(tᵢ) − αᵢ|
	Weighted  float64 // Σ cᵢ |φ'(tᵢ) − αᵢ| |φ'(tᵢ)|
	Swing     float64 // see Phi
	Curvature float64 // Σ cᵢ φ” at the margins, or a bound of it
	MaxPhi    float64 // the largest Φᵢ
}

// Samples are what a Tally is of: margins, φ' there, α in the domain of φ*, labels and
// coefficients.
type Samples struct {
	Alpha, Slope, Margin, Label, Coef []float64
}

// Add adds samples. Loss is left to the caller.
func (t *Tally) Add(l term.Loss, s *Samples) {
	alpha, slope, margin, label, coef := s.Alpha, s.Slope, s.Margin, s.Label, s.Coef
	t.Fenchel += l.Fenchel(alpha, slope, margin, label, coef)
	for i, a := range alpha {
		c, s := coef[i], slope[i]
		apart := float64(c * math.Abs(s-a))
		t.Mismatch += apart
		t.Weighted += float64(apart * math.Abs(s))
		t.Size += math.Abs(float64(c * a))
		t.Square += float64(c * float64(a*a))
	}
	t.common(l, slope, label, coef)
}

// common takes what does not depend on alpha. Where φ” has no bound, it is that at the margins.
func (t *Tally) common(l term.Loss, slope, label, coef []float64) {
	most, bend := l.Curvature(), l.Traits().Bend
	for i, c := range coef {
		switch {
		case c == 0:
		case !math.IsInf(most, 1) || bend == nil:
			t.Curvature += float64(c * most)
		default:
			t.Curvature += float64(c * bend(slope[i], label[i]))
		}
		if bend == nil { // a caller's own loss
			t.Zero += float64(c * l.ConjugateAt(0, label[i]))
		}
	}
}

// steep bounds Φ by the distance of α from the ends of the domain of φ*.
const steep = 1e4

// Phi sets phi to cᵢΦᵢ, for problems with roots. Let y be a change of margins, |yᵢ| ≤ Y ≤ 1/(2 steep),
// and δᵢ = Φᵢyᵢ. The Fenchel terms of α + δ exceed those of α by Σ cᵢ [φ*(αᵢ + δᵢ) − φ*(αᵢ) − tᵢδᵢ] at
// most, which moved bounds.
//
// A loss of package term knows φ” as a function of φ', which is concave: its Bend. Φ is the
// least Bend between φ'(t) and α, at one of the two. So the derivative of φ* at α is not
// farther from t than |φ'(t) − α|/Φ, and δ ≤ half the distance to where φ* ends leaves half of the
// Bend: the excess is Y Σ cᵢ|φ'(tᵢ) − αᵢ| + Σ cᵢ Φᵢyᵢ² at most.
//
// That says nothing of a caller's own loss, and of samples at which the loss is flat or straight,
// where Bend is 0. Fenchel terms are convex in α and not negative, so that their excess for y
// is not more than 2 steep Y times the larger of the terms for y = ±1/(2 steep). Swing is the
// sum of both.
func (t *Tally) Phi(l term.Loss, s *Samples, phi []float64) {
	bend := l.Traits().Bend
	for i, a := range s.Alpha {
		if phi[i] = 0; s.Coef[i] == 0 {
			continue
		}
		b, slope := s.Label[i], s.Slope[i]
		lo, hi := l.SlopeRange(b)
		v, swings := max(0, steep*min(a-lo, hi-a)), false
		if bend == nil {
			v, swings = min(v, l.SecondDerivative(s.Margin[i], slope, b)), true
		} else if at := max(0, bend(slope, b)); at > 0 {
			v = max(0, min(v, at, bend(a, b)))
		} else {
			v, swings = max(0, min(v, bend(a, b))), true
		}
		if swings && v > 0 {
			t.swing(l, s, i, v)
		}
		t.MaxPhi = max(t.MaxPhi, v)
		phi[i] = s.Coef[i] * v
	}
}

// swing adds the Fenchel terms of sample i for either y; see Phi.
func (t *Tally) swing(l term.Loss, s *Samples, i int, phi float64) {
	for _, by := range []float64{1 / (2 * steep), -1 / (2 * steep)} {
		moved := []float64{math.FMA(by, phi, s.Alpha[i])}
		t.Swing += l.Fenchel(moved, s.Slope[i:i+1], s.Margin[i:i+1], s.Label[i:i+1], s.Coef[i:i+1])
	}
}

// Merge adds the sums over other samples.
func (t *Tally) Merge(o *Tally) {
	sums, others := t.sums(), o.sums()
	for k, v := range sums {
		*v += *others[k]
	}
	t.MaxPhi = max(t.MaxPhi, o.MaxPhi)
}

func (t *Tally) sums() []*float64 {
	return []*float64{&t.Loss, &t.Fenchel, &t.Zero, &t.Size, &t.Square, &t.Mismatch, &t.Weighted, &t.Swing, &t.Curvature}
}

// A Team adds up numbers over processes that have other samples, and finds their largest.
type Team interface {
	Sum(v []float64)
	Max(v []float64)
}

// Over merges the tallies of all processes of a team.
func (t *Tally) Over(team Team) {
	sums := t.sums()
	v, largest := make([]float64, len(sums)), []float64{t.MaxPhi}
	for k, s := range sums {
		v[k] = *s
	}
	team.Sum(v)
	team.Max(largest)
	for k, s := range sums {
		*s = v[k]
	}
	t.MaxPhi = largest[0]
}

// scaled bounds the tally of tau times α: the Fenchel terms are convex in α.
func (t Tally) scaled(tau float64) Tally {
	t.Fenchel = float64(tau*t.Fenchel) + float64((1-tau)*(t.Loss+t.Zero))
	t.Mismatch += float64((1 - tau) * t.Size)
	return t
}

// marginError bounds what the rounding of margins and slopes does to the Fenchel terms, whose
// derivative is φ'(t) − α: to first and second order. off bounds that of margins, terms is
// how many roundings a slope has.
func (t *Tally) marginError(off, terms float64) float64 {
	first := float64(t.Mismatch*(off+float64(4*terms*unit))) + float64(8*unit*t.Weighted)
	return first + float64(t.Curvature*float64(off*off))
}

// moved bounds what the change of α at the free features adds to the Fenchel terms, where it
// changes margins by reach at most and drift² is Σ cᵢΦᵢyᵢ²; see Phi.
func (t *Tally) moved(drift, reach float64) float64 {
	return float64(1.5*reach*t.Mismatch) + float64(2*drift*drift) + float64(2*steep*reach*t.Swing)
}
