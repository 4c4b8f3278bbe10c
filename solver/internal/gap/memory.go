package gap

import (
	"math"

	"github.com/scas-admm/scas/solver/internal/rows"
	"github.com/scas-admm/scas/solver/internal/term"
	"github.com/scas-admm/scas/sparse"
)

// Memory is a Problem with samples that are in memory, those of this process. It is not for
// concurrent use.
type Memory struct {
	*Problem
	Sums   *rows.Sums
	Team   *rows.Team
	Data   *sparse.CSR
	Loss   term.Loss
	Labels []float64

	roots  *rootMatrix // nil until needed
	of     *closing    // for which they were made
	scaled []float64   // scratch; nil until needed
}

// A Point is x with what a pass over the samples finds there.
type Point struct {
	X, Margin, Slope []float64
	Loss             float64 // Σ cᵢ φ(tᵢ)
}

// ColumnsOf returns what is known of the columns of samples in memory, and of other processes.
func ColumnsOf(x *sparse.CSR, sums *rows.Sums, team *rows.Team) Columns {
	n, p := x.Dims()
	c := Columns{Largest: make([]float64, p), Norm: make([]float64, p), Entries: make([]float64, p)}
	for i := range n {
		idx, val := x.Row(i)
		coef := sums.Coef[i]
		for k, j := range idx {
			v := val[k]
			c.Norm[j] += float64(coef * float64(v*v))
			c.Largest[j] = max(c.Largest[j], v, -v)
			c.Entries[j]++
		}
	}
	team.Sum(c.Norm)
	team.Sum(c.Entries)
	team.Max(c.Largest)
	for j, v := range c.Norm {
		c.Norm[j] = math.Sqrt(v)
	}
	return c
}

// Tally returns what the samples say of a point and alpha.
func (m *Memory) Tally(at *Point, alpha []float64) Tally {
	t := m.over(func(t *Tally, lo, hi int) { t.Add(m.Loss, m.samples(at, alpha, lo, hi)) })
	t.Loss = at.Loss
	return t
}

func (m *Memory) samples(at *Point, alpha []float64, lo, hi int) *Samples {
	return &Samples{Alpha: alpha[lo:hi], Slope: at.Slope[lo:hi], Margin: at.Margin[lo:hi], Label: m.Labels[lo:hi], Coef: m.Sums.Coef[lo:hi]}
}

// over merges what add finds in each run of samples.
func (m *Memory) over(add func(t *Tally, lo, hi int)) (all Tally) {
	parts := make([]Tally, m.Sums.Count())
	m.Sums.Each(func(k, lo, hi int) { add(&parts[k], lo, hi) })
	for k := range parts {
		all.Merge(&parts[k])
	}
	all.Over(m.Team)
	return all
}

// Prove returns what alpha and multipliers z of the rows prove of a point; t is the tally of
// both, nil if it is not known, and head is X'Cα. Where its rounding or the scaling of the dual
// point may be what keeps the gap above goal, both are computed with more care.
func (m *Memory) Prove(at *Point, alpha, z, head []float64, t *Tally, goal float64) Bound {
	if t == nil {
		fresh := m.Tally(at, alpha)
		t = &fresh
	}
	sum := Sum{Head: head, Roundings: float64(2 * m.Sums.All.Runs), Samples: float64(m.Sums.All.Samples)}
	b := m.bound(at, alpha, z, *t, &sum)
	if b.NeedsCompensation(goal) {
		sum.Tail = make([]float64, len(head))
		clear(head)
		addTransPairs(head, sum.Tail, m.Data, m.Sums.Scaled(alpha))
		m.Team.Pairs(head, sum.Tail)
		b = m.bound(at, alpha, z, *t, &sum)
	}
	if b.NeedsScaledTally(t, goal) {
		b.Gap = math.Min(b.Gap, m.shrunk(at, alpha, t, b))
	}
	return b
}

// shrunk returns the gap with Fenchel terms that are computed of the scaled alpha.
func (m *Memory) shrunk(at *Point, alpha []float64, t *Tally, b Bound) float64 {
	if m.scaled == nil {
		m.scaled = make([]float64, len(alpha))
	}
	for i, a := range alpha {
		m.scaled[i] = b.Shrink * a
	}
	return b.GapWithFenchel(t, m.Tally(at, m.scaled).Fenchel)
}

// Trivial returns what the dual point 0 proves of a point with objective value: that itself, where
// the least loss is 0.
func (m *Memory) Trivial(at *Point, value float64) float64 {
	t := m.over(func(t *Tally, lo, hi int) {
		for i := lo; i < hi; i++ {
			t.Mismatch += math.Abs(float64(m.Sums.Coef[i] * at.Slope[i]))
		}
		t.common(m.Loss, at.Slope[lo:hi], m.Labels[lo:hi], m.Sums.Coef[lo:hi])
	})
	return m.Problem.Trivial(at.X, value, &t)
}

// bound returns the Bound by sums of the samples, and takes what moves alpha to close the
// equalities that no multiplier closes.
func (m *Memory) bound(at *Point, alpha, z []float64, t Tally, sum *Sum) Bound {
	if m.NeedsPhi() {
		phi := m.Sums.Scratch
		more := m.over(func(t *Tally, lo, hi int) { t.Phi(m.Loss, m.samples(at, alpha, lo, hi), phi[lo:hi]) })
		t.Merge(&more)
		sum.Hessian = func() []float64 { return m.hessian(phi) }
	}
	b := m.Bound(at.X, z, &t, sum)
	b.Z, b.Tail = append([]float64(nil), b.Z...), sum.Tail
	return b
}

// hessian returns N'X' diag(phi) X N.
func (m *Memory) hessian(phi []float64) []float64 {
	if m.of != m.closing {
		m.roots, m.of = m.rootColumns(m.Data), m.closing
	}
	h := m.roots.hessian(phi)
	m.Team.Sum(h)
	return h
}
