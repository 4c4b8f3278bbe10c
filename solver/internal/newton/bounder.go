package newton

import (
	"math"

	"github.com/scas-admm/scas/kernels"
	"github.com/scas-admm/scas/solver/internal/quad"
)

// A Bounder bounds how far a point is from the optimum where the samples are not at hand,
// but sums over them are: Finisher.Certify for data that come and go. Beyond the penalty of
// the rows of A there is a ridge of each feature's own, Σ (ridgeⱼ/2) xⱼ².
type Bounder struct {
	f       *Finisher
	ridge   []float64
	columns Columns
	free    []int32
}

// Columns are what is known of columns.
type Columns struct {
	Largest []float64 // |x_ij|
	Norm    []float64 // √(Σ cᵢ x_ij²), from above; nil will do where Free has none
}

// NewBounder prepares a problem with nothing but absolute values, or norms of groups of rows
// that are each a feature's own, of whose data the columns alone are known; its Ridge does not
// count, ridge has the one of every feature, the same for all where there are groups.
func NewBounder(p *Problem, ridge []float64, columns Columns) *Bounder {
	features := len(ridge)
	q := *p
	q.Ridge = 0
	f := &Finisher{Problem: &q, p: features, columns: columns.Largest, sum: newResidual(features)}
	f.rows = newPenalty(p.A, p.Limit, p.Square)
	f.rows.join(p.Groups)
	b := &Bounder{f: f, ridge: ridge, columns: columns}
	for j, row := range f.rows.own {
		if row < 0 && ridge[j] == 0 && !b.idle(j) {
			b.free = append(b.free, int32(j))
		}
	}
	return b
}

// idle reports whether a feature without a row of its own has neither data nor any row.
func (b *Bounder) idle(j int) bool {
	rows, _ := b.f.rows.t.Row(j)
	return b.columns.Largest[j] == 0 && len(rows) == 0
}

// Free returns the features of which neither a multiplier nor a ridge makes up for what the
// equality lacks; see the type Free.
func (b *Bounder) Free() []int32 { return b.free }

// Known are sums over the samples at a point x, with margins tᵢ, and a dual point α in the
// domain of φ*.
type Known struct {
	Loss       float64   // Σ cᵢ φ(tᵢ)
	Fenchel    float64   // Σ cᵢ [φ(tᵢ) + φ*(αᵢ) − αᵢtᵢ]
	Transposed []float64 // X'Cα
	Size       float64   // Σ cᵢ|αᵢ|
	Square     float64   // Σ cᵢαᵢ²; 0 if that is not known
	Roundings  float64   // the most that a term of Transposed went through
	Free       []float64 // X_F'CΦX_F of the free features, upper triangle; see Phi
}

// Value returns the objective at x, given the mean loss there.
func (b *Bounder) Value(x []float64, loss float64) float64 { return b.point(x, loss).value }

func (b *Bounder) point(x []float64, loss float64) *point {
	f := b.f
	pt := &point{x: x, image: make([]float64, f.rows.len()), loss: loss}
	f.rows.mul(pt.image, x)
	pt.value = loss + f.rows.value(pt.image)
	for j, r := range b.ridge {
		pt.value += float64(0.5 * r * float64(x[j]*x[j]))
	}
	return pt
}

// Bound returns what is proved of x by α and the multipliers z of the rows of A, of which
// those of rows that are a feature's own are of no account: they are what closes the
// equality. The gap is +Inf if nothing is proved.
func (b *Bounder) Bound(x, z []float64, k *Known) Bound {
	f, pt := b.f, b.point(x, k.Loss)
	d := &dual{z: f.rows.restrict(z), slack: make([]float64, f.rows.len())}
	f.clip(d.z)
	f.clearOwn(d.z)
	copy(f.sum.y, k.Transposed)
	f.rows.addTrans(f.sum.y, d.z)
	f.rows.absTrans(f.sum.error, d.z)
	for j := range f.sum.error {
		terms := k.Roundings + float64(f.rows.len()+8)
		f.sum.error[j] = float64(terms * unit * (f.sum.error[j] + b.absolute(j, k)))
	}
	drift, ok := FreeDrift(k.Free, b.free, f.sum.y, f.sum.error, f.columns)
	if !ok {
		return Bound{Gap: math.Inf(1), Objective: pt.value}
	}
	fenchel := k.Fenchel + FreeCost(drift, k.Fenchel)
	if drift > 0 {
		kernels.Axpy(1.5*drift, b.columns.Norm, f.sum.error) // see Free.Drift
	}
	if shrink := b.shrink(); shrink < 1 {
		for _, v := range [][]float64{d.z, f.sum.y, f.sum.error} {
			quad.Scale(v, shrink)
		}
		// The sum is convex in α, and Loss at α = 0, where φ* is not above 0.
		fenchel = float64(shrink*fenchel) + float64((1-shrink)*k.Loss)
	}
	cost := b.close(d, x)
	gap := fenchel + b.slackness(d, pt) + cost + f.marginError(fenchel, pt)
	if gap *= 1 + 1e-11; math.IsNaN(gap) {
		gap = math.Inf(1)
	}
	return Bound{Gap: Rounded(gap, pt.value), Objective: pt.value}
}

// slackness bounds what the penalty exceeds z'v by.
func (b *Bounder) slackness(d *dual, pt *point) float64 {
	if b.f.rows.grouped() {
		return b.f.rows.costs(d.z, d.slack, pt.image) + b.f.imageError(d, pt)
	}
	return b.f.slackness(d, pt)
}

// absolute bounds Σ cᵢ|αᵢx_ij|, of which the root mean square tells more where columns have
// few entries.
func (b *Bounder) absolute(j int, k *Known) float64 {
	sum := float64(k.Size * b.columns.Largest[j])
	if k.Square > 0 && b.columns.Norm != nil {
		sum = math.Min(sum, 1.001*math.Sqrt(k.Square)*b.columns.Norm[j])
	}
	return sum
}

// shrink returns the factor that brings what closes the equality at features with a row of
// their own and no ridge within the limits.
func (b *Bounder) shrink() float64 {
	f, shrink := b.f, 1.0
	reach := make([]float64, f.rows.len())
	for j, row := range f.rows.own {
		if row >= 0 && b.ridge[j] == 0 {
			reach[row] = (float64(math.Abs(f.sum.y[j])*(1+4*unit)) + f.sum.error[j]) / math.Abs(f.rows.entry[j])
		}
	}
	for k := range f.rows.groups {
		g := &f.rows.groups[k]
		shrink = math.Min(shrink, g.limit/math.Max(g.norm(reach)*(1+g.rounding()), g.limit))
	}
	if !f.rows.grouped() {
		for row, limit := range f.rows.limit {
			shrink = math.Min(shrink, limit/math.Max(reach[row], limit))
		}
	}
	if shrink < 1 {
		shrink *= 1 - 4*unit
	}
	return shrink
}

// aim sets the multipliers of rows that are a feature's own to what closes the equality,
// where there are ridges as far as limits allow.
func (b *Bounder) aim(z []float64) {
	rows := b.f.rows
	for j, row := range rows.own {
		if row < 0 {
			continue
		}
		z[row] = -b.f.sum.y[j] / rows.entry[j]
		if limit := rows.limit[row]; b.ridge[j] > 0 && !rows.grouped() {
			z[row] = math.Max(-limit, math.Min(z[row], limit))
		}
	}
	if rows.grouped() && b.ridge[0] > 0 {
		rows.fitTerms(z)
	}
}

// close sets the multipliers of rows that are a feature's own, and returns the part of the
// ridges in the gap: (ridge x + e)²/2ridge of each.
func (b *Bounder) close(d *dual, x []float64) (cost float64) {
	f := b.f
	b.aim(d.z)
	for j, row := range f.rows.own {
		e, off, r := f.sum.y[j], f.sum.error[j], b.ridge[j]
		switch {
		case r > 0:
			if row >= 0 {
				entry, z := f.rows.entry[j], d.z[row]
				off += float64(4 * unit * (math.Abs(e) + math.Abs(float64(z*entry))))
				e = math.FMA(z, entry, e)
			}
			rest := math.Abs(math.FMA(r, x[j], e)) + off
			cost += float64(rest*rest) / (2 * r)
		case row >= 0:
			d.slack[row] = off/math.Abs(f.rows.entry[j]) + float64(2*unit*math.Abs(d.z[row]))
		}
	}
	return cost
}
