package gap

import (
	"math"

	"github.com/scas-admm/scas/solver/internal/rows"
	"github.com/scas-admm/scas/solver/internal/term"
	"github.com/scas-admm/scas/sparse"
)

// Memory is a Problem together with samples in memory. Each of several processes has a part of the samples.
// Memory is not safe for concurrent use.
type Memory struct {
	*Problem
	Sums   *rows.Sums
	Team   *rows.Team
	Data   *sparse.CSR
	Loss   term.Loss
	Labels []float64

	roots    *rootMatrix // X N, see rootMatrix; nil until needed
	rootsFor *correction // the correction for which the field roots was computed
	scaled   []float64   // scratch memory
}

// A Point is a point x with its margins, slopes and mean loss.
type Point struct {
	X, Margin, Slope []float64
	Loss             float64 // the mean loss Σ cᵢ φ(tᵢ), see Tally
}

// ColumnsOf computes statistics of the columns of the data matrix. x has the rows of this process, and
// team is all processes; nil if there is only one. The field Offset stays 0.
func ColumnsOf(x *sparse.CSR, sums *rows.Sums, team *rows.Team) Columns {
	n, p := x.Dims()
	c := Columns{Largest: make([]float64, p), Norm: make([]float64, p), Entries: make([]float64, p)}
	for i := range n {
		idx, val := x.Row(i)
		coef := sums.MeanWeights[i]
		c.LongestRow = max(c.LongestRow, float64(len(idx)))
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
	c.LongestRow = team.MaxNumber(c.LongestRow)
	for j, v := range c.Norm {
		c.Norm[j] = math.Sqrt(v)
	}
	return c
}

// Tally returns the tally of the point and alpha.
func (m *Memory) Tally(point *Point, alpha []float64) Tally {
	t := m.sumTallies(func(t *Tally, lo, hi int) { t.Add(m.Loss, m.samples(point, alpha, lo, hi)) })
	t.Loss = point.Loss
	return t
}

func (m *Memory) samples(point *Point, alpha []float64, lo, hi int) *Samples {
	return &Samples{Alpha: alpha[lo:hi], Slope: point.Slope[lo:hi], Margin: point.Margin[lo:hi],
		Label: m.Labels[lo:hi], Coef: m.Sums.MeanWeights[lo:hi]}
}

// sumTallies calls add for each chunk of the samples, which has the samples lo to hi−1. It returns the sum of
// the tallies of all processes.
func (m *Memory) sumTallies(add func(t *Tally, lo, hi int)) (total Tally) {
	parts := make([]Tally, m.Sums.Count())
	m.Sums.Each(func(k, lo, hi int) { add(&parts[k], lo, hi) })
	for k := range parts {
		total.Merge(&parts[k])
	}
	total.Over(m.Team)
	return total
}

// Prove returns the bound that the dual point (alpha, z) proves for the point. t is the tally of the point
// and alpha; if t is nil, Prove computes it. head is X'Cα. If rounding or scaling may be the reason that the
// bound is too large for goal, Prove computes the bound again, more accurately. This may overwrite head.
func (m *Memory) Prove(point *Point, alpha, z, head []float64, t *Tally, goal float64) Bound {
	if t == nil {
		fresh := m.Tally(point, alpha)
		t = &fresh
	}
	sum := Sum{Head: head, Roundings: float64(2 * m.Sums.Totals.Chunks), Samples: float64(m.Sums.Totals.Samples)}
	b := m.bound(point, alpha, z, *t, &sum)
	if b.NeedsCompensation(goal) {
		sum.Tail = make([]float64, len(head))
		clear(head)
		n, _ := m.Data.Dims()
		AddTransPairs(head, sum.Tail, m.Data.Rows(0, n), m.Sums.Scaled(alpha))
		m.Team.SumPairs(head, sum.Tail)
		b = m.bound(point, alpha, z, *t, &sum)
	}
	if b.NeedsScaledTally(t, goal) {
		b.Gap = math.Min(b.Gap, m.scaledGap(point, alpha, t, b))
	}
	return b
}

// scaledGap returns the gap of b, but with the Fenchel terms computed at the scaled alpha.
func (m *Memory) scaledGap(point *Point, alpha []float64, t *Tally, b Bound) float64 {
	if m.scaled == nil {
		m.scaled = make([]float64, len(alpha))
	}
	for i, a := range alpha {
		m.scaled[i] = b.Shrink * a
	}
	return b.GapWithFenchel(t, m.Tally(point, m.scaled).Fenchel)
}

// Trivial returns the bound that the dual point 0 proves for the point. value is the objective at the point.
func (m *Memory) Trivial(point *Point, value float64) float64 {
	t := m.Tally(point, point.Slope)
	return m.Problem.Trivial(point.X, value, &t)
}

// bound calls Problem.Bound. It first adds to t and sum what Bound needs for roots.
func (m *Memory) bound(point *Point, alpha, z []float64, t Tally, sum *Sum) Bound {
	if m.NeedsPhi() {
		phi := m.Sums.Scratch
		more := m.sumTallies(func(t *Tally, lo, hi int) { t.Phi(m.Loss, m.samples(point, alpha, lo, hi), phi[lo:hi]) })
		t.Merge(&more)
		sum.Hessian = func() []float64 { return m.hessian(phi) }
	}
	b := m.Bound(point.X, z, &t, sum)
	b.Z, b.Tail = append([]float64(nil), b.Z...), sum.Tail
	return b
}

// hessian returns the upper triangle of N'X' diag(phi) X N for the samples of all processes. The columns of N
// are the vectors n of the roots (see root).
func (m *Memory) hessian(phi []float64) []float64 {
	if m.rootsFor != m.correction {
		m.roots, m.rootsFor = m.rootColumns(m.Data), m.correction
	}
	h := m.roots.hessian(phi)
	m.Team.Sum(h)
	return h
}
