package stream

import (
	"math"

	"github.com/scas-admm/scas/solver/internal/exact"
	"github.com/scas-admm/scas/solver/internal/gap"
	"github.com/scas-admm/scas/sparse"
)

// moments are of the columns, from some of the rows. Of more columns than
// exact.DenseFeatures nothing but the largest entry is kept.
type moments struct {
	largest []float64
	all     *sparse.Moments // nil then
	piece   *sparse.Moments
}

func (s *run) newMoments() *moments {
	_, p := s.q.Data.Dims()
	if p > exact.DenseFeatures {
		return &moments{largest: make([]float64, p)}
	}
	return &moments{all: sparse.NewMoments(p), piece: sparse.NewMoments(p)}
}

// add adds the rows from lo to hi−1.
func (m *moments) add(s *run, lo, hi int) {
	if m.all != nil {
		m.piece.Set(s.q.Data, lo, hi, s.omega)
		m.all.Merge(m.piece)
		return
	}
	rows := s.q.Data.Rows(lo, hi)
	val := rows.Val[rows.Ptr[0]:rows.Ptr[hi-lo]]
	for k, j := range rows.Idx[rows.Ptr[0]:rows.Ptr[hi-lo]] {
		if v := math.Abs(val[k]); v > m.largest[j] {
			m.largest[j] = v
		}
	}
}

// merge adds the moments of other rows.
func (m *moments) merge(more *moments) {
	for j, v := range more.largest {
		m.largest[j] = max(m.largest[j], v)
	}
	if m.all != nil {
		m.all.Merge(more.all)
	}
}

// columns are facts about the columns.
type columns struct {
	gap.Columns
	deviation []float64 // of those of the data, 1 for constant ones
}

// columns returns what the moments of all rows say.
func (s *run) columns(m *moments) columns {
	if m.all == nil {
		return columns{Columns: gap.Columns{Largest: m.largest}}
	}
	norm := make([]float64, len(m.all.Mean), len(s.extra.ridge))
	for j, mean := range m.all.Mean {
		norm[j] = math.Sqrt((m.all.Square[j]+float64(m.all.Weight[j]*float64(mean*mean)))/s.weight) * (1 + 1e-9)
	}
	c := columns{Columns: gap.Columns{Largest: m.all.Largest, Norm: norm}, deviation: m.all.Deviations(s.weight)}
	for j, v := range c.deviation {
		if v == 0 {
			c.deviation[j] = 1
		}
	}
	if s.extra.ones {
		c.Largest, c.Norm = append(c.Largest, 1), append(c.Norm, 1+1e-9)
	}
	return c
}
