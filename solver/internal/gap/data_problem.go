package gap

import (
	"math"
	"slices"

	"github.com/scas-admm/scas/solver/internal/rows"
	"github.com/scas-admm/scas/solver/internal/term"
	"github.com/scas-admm/scas/sparse"
	"github.com/scas-admm/scas/sparse/pages"
)

// DataProblem is a Problem together with samples in memory. Each of several processes has a part of the
// samples. DataProblem is not safe for concurrent use.
type DataProblem struct {
	*Problem
	Sums   *rows.Sums
	Team   *rows.Team
	Data   *sparse.CSR
	Loss   term.Loss
	Labels []float64

	rootMatrix    *rootMatrix // X N, see rootMatrix; nil until needed
	rootMatrixFor *correction // the correction for which the field rootMatrix was computed
	scaledAlpha   []float64   // scratch memory
}

// A Point is a point x with its margins, slopes and mean loss.
type Point struct {
	X, Margin, Slope []float64
	Loss             float64 // the mean loss Σ cᵢ φ(tᵢ), see Tally
}

// ColumnsOf computes statistics of the columns of the data matrix. x has the rows of this process, and
// team has all processes; nil means that there is only one. ColumnsOf ignores rows of weight 0. It does not
// set LargestOffset.
func ColumnsOf(x *sparse.CSR, sums *rows.Sums, team *rows.Team) Columns {
	n, p := x.Dims()
	c := Columns{LargestEntry: make([]float64, p), Norm: make([]float64, p), EntryCount: make([]float64, p)}
	largest, norm, count := c.LargestEntry, c.Norm, c.EntryCount
	for i := range n {
		idx, val := x.Row(i)
		weight := sums.MeanWeights[i]
		if weight == 0 {
			continue
		}
		c.LongestRow = max(c.LongestRow, float64(len(idx)))
		for k, j := range idx {
			v := val[k]
			norm[j] += float64(weight * float64(v*v))
			if size := math.Abs(v); size > largest[j] {
				largest[j] = size
			}
			count[j]++
		}
	}
	team.Sum(c.Norm)
	team.Sum(c.EntryCount)
	team.Max(c.LargestEntry)
	c.LongestRow = team.MaxNumber(c.LongestRow)
	for j, v := range c.Norm {
		c.Norm[j] = NormOf(v, largest[j])
	}
	return c
}

// NormOf returns the square root of meanSquare, the computed Σ cᵢ x_ij² of column j. If squares may have
// overflowed or underflowed, it returns an upper bound instead: the largest |x_ij|, plus rounding. The sum of
// the weights cᵢ is 1.
func NormOf(meanSquare, largest float64) float64 {
	if largest < 0x1p-400 || !(meanSquare <= math.MaxFloat64) {
		return largest * (1 + 1e-9)
	}
	return math.Sqrt(meanSquare)
}

// Tally returns the tally of the point and alpha.
func (m *DataProblem) Tally(point *Point, alpha []float64) Tally {
	t := m.sumTallies(func(t *Tally, lo, hi int) { t.Add(m.Loss, m.samples(point, alpha, lo, hi)) })
	t.Loss = point.Loss
	return t
}

func (m *DataProblem) samples(point *Point, alpha []float64, lo, hi int) *Samples {
	return &Samples{
		Alpha: alpha[lo:hi], Slope: point.Slope[lo:hi], Margin: point.Margin[lo:hi], Label: m.Labels[lo:hi],
		Weight: m.Sums.MeanWeights[lo:hi],
	}
}

// sumTallies calls add for each chunk of the samples, which has the samples lo to hi−1. It returns the sum of
// the tallies of all processes.
func (m *DataProblem) sumTallies(add func(t *Tally, lo, hi int)) (total Tally) {
	chunkTallies := make([]Tally, m.Sums.Count())
	m.Sums.Each(func(k, lo, hi int) { add(&chunkTallies[k], lo, hi) })
	for k := range chunkTallies {
		total.Merge(&chunkTallies[k])
	}
	total.MergeTeam(m.Team)
	return total
}

// Prove returns the bound that the dual point (alpha, z) proves for the point. t is the tally of the point
// and alpha. head is X'Cα, and errors has bounds of errors of head other than rounding errors; nil means zeros.
// If rounding or scaling may be the reason that the bound is too large for goal, Prove computes the bound
// again, more accurately. This may overwrite head.
func (m *DataProblem) Prove(point *Point, alpha, z, head, errors []float64, t *Tally, goal float64) Bound {
	sum := Sum{
		Head: head, Roundings: float64(2 * m.Sums.Totals.Chunks), Samples: float64(m.Sums.Totals.Samples),
		ExtraErrors: errors,
	}
	b := m.bound(point, alpha, z, *t, &sum)
	if b.NeedsCompensation(goal) {
		sum.Tail, sum.ExtraErrors = make([]float64, len(head)), nil
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
func (m *DataProblem) scaledGap(point *Point, alpha []float64, t *Tally, b Bound) float64 {
	if m.scaledAlpha == nil {
		m.scaledAlpha = pages.Make[float64](len(alpha))
	}
	for i, a := range alpha {
		m.scaledAlpha[i] = b.Shrink * a
	}
	return b.GapWithFenchel(t, m.Tally(point, m.scaledAlpha).Fenchel)
}

// TrivialBound returns the bound that the dual point 0 proves for the point. objective is the objective at
// the point.
func (m *DataProblem) TrivialBound(point *Point, objective float64) float64 {
	t := m.Tally(point, point.Slope)
	return m.Problem.TrivialBound(point.X, objective, &t)
}

// bound calls Problem.Bound. It first adds to t and sum what Bound needs for roots.
func (m *DataProblem) bound(point *Point, alpha, z []float64, t Tally, sum *Sum) Bound {
	if m.needsPhi() {
		phi := m.Sums.Scratch
		phiTally := m.sumTallies(func(t *Tally, lo, hi int) {
			t.Phi(m.Loss, m.samples(point, alpha, lo, hi), phi[lo:hi])
		})
		t.Merge(&phiTally)
		sum.RootSums = func() []float64 { return m.rootSums(phi, alpha) }
	}
	b := m.Bound(point.X, z, &t, sum)
	b.Z, b.Tail = slices.Clone(b.Z), sum.Tail
	return b
}

// rootSums returns the numbers that Sum.RootSums describes. phi has cᵢΦᵢ for the samples of this process.
func (m *DataProblem) rootSums(phi, alpha []float64) []float64 {
	if m.rootMatrixFor != m.correction {
		m.rootMatrix, m.rootMatrixFor = m.rootColumns(m.Data), m.correction
	}
	if !m.Team.Alone() { // a column may be constant only in the rows of this process
		clear(m.rootMatrix.constant)
	}
	sums := append(m.rootMatrix.hessian(phi), m.rootMatrix.sizes(m.Sums.MeanWeights, alpha)...)
	m.Team.Sum(sums)
	return sums
}
