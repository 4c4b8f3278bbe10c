package newton

import (
	"math"

	"github.com/scas-admm/scas/solver/internal/quad"
)

// A Bounder bounds how far a point is from the optimum where the samples are not at hand,
// but sums over them are: Finisher.Certify for data that come and go.
type Bounder struct{ f *Finisher }

// NewBounder prepares a problem with nothing but absolute values and a quadratic, of
// which Data may be known by its size alone; columns has the largest |x_ij| of each column.
func NewBounder(p *Problem, columns []float64) *Bounder {
	n, features := p.Data.Dims()
	f := &Finisher{Problem: p, n: n, p: features, columns: columns, sum: newResidual(features)}
	f.rows = newPenalty(p.A, p.Limit, p.Square)
	return &Bounder{f}
}

// Clips reports whether any α in the domain of φ* can be made feasible; else nothing is
// proved.
func (b *Bounder) Clips() bool { return b.f.clips() }

// Known are sums over the samples at a point x, with margins tᵢ, and a dual point α in the
// domain of φ*.
type Known struct {
	Loss       float64   // Σ cᵢ φ(tᵢ)
	Fenchel    float64   // Σ cᵢ [φ(tᵢ) + φ*(αᵢ) − αᵢtᵢ]
	Transposed []float64 // X'Cα
	Size       float64   // Σ cᵢ|αᵢ|
	Roundings  float64   // the most that a term of Transposed went through
}

// Value returns the objective at x, given the mean loss there.
func (b *Bounder) Value(x []float64, loss float64) float64 {
	pt := b.point(x, loss)
	return pt.value
}

func (b *Bounder) point(x []float64, loss float64) *point {
	f := b.f
	pt := &point{x: x, image: make([]float64, f.rows.len()), loss: loss}
	f.rows.mul(pt.image, x)
	pt.value = f.smoothValue(loss, x) + f.rows.value(pt.image)
	return pt
}

// Bound returns what is proved of x by α and the multipliers z of the rows of A, of which
// those of rows that are a feature's own are of no account: they are what closes the
// equality. The gap is +Inf if nothing is proved.
func (b *Bounder) Bound(x, z []float64, k *Known) Bound {
	f, pt := b.f, b.point(x, k.Loss)
	if !f.clips() {
		return Bound{Gap: math.Inf(1), Objective: pt.value}
	}
	d := &dual{z: f.rows.restrict(z), slack: make([]float64, f.rows.len()), e: make([]float64, f.p), error: make([]float64, f.p)}
	f.clip(d.z)
	f.clearOwn(d.z)
	copy(f.sum.y, k.Transposed)
	f.rows.addTrans(f.sum.y, d.z)
	f.rows.absTrans(f.sum.error, d.z)
	for j := range f.sum.error {
		terms := k.Roundings + float64(f.rows.len()+8)
		f.sum.error[j] = float64(terms * unit * (f.sum.error[j] + float64(k.Size*f.columns[j])))
	}
	fenchel := k.Fenchel
	if f.Ridge > 0 {
		f.fitOwn(d)
	} else {
		f.closeOwn(d)
		shrink := 1.0
		for j, v := range d.z {
			limit := f.rows.limit[j]
			shrink = math.Min(shrink, limit/math.Max(math.Abs(v)+d.slack[j], limit))
		}
		if shrink < 1 {
			shrink *= 1 - 4*unit
			quad.Scale(d.z, shrink)
			// The sum is convex in α, and Loss at α = 0, where φ* is not above 0.
			fenchel = float64(shrink*fenchel) + float64((1-shrink)*k.Loss)
		}
	}
	return Bound{Gap: Rounded(f.bound(fenchel, d, pt), pt.value), Objective: pt.value}
}
