package stream

import (
	"math"

	"github.com/scas-admm/scas/solver/internal/newton"
)

// moments are of the stored entries of each column, from some of the rows. Of more columns
// than newton.DenseFeatures nothing but the largest is kept.
type moments struct {
	most   []float64 // |x_ij|
	weight []float64 // Σ ωᵢ of the rows that have one
	mean   []float64 // Σ ωᵢx_ij over that
	square []float64 // Σ ωᵢ(x_ij − mean)²
	fresh  *moments  // of a piece of a window; nil in one of these
}

func (s *run) newMoments() *moments {
	p := len(s.extra.ridge)
	if p > newton.DenseFeatures {
		return &moments{most: make([]float64, p)}
	}
	m := newMoments(p)
	m.fresh = newMoments(p)
	return m
}

func newMoments(p int) *moments {
	return &moments{most: make([]float64, p), weight: make([]float64, p), mean: make([]float64, p), square: make([]float64, p)}
}

// add adds the rows from lo to hi−1, in two looks at them: differences from their own mean
// are what a variance beside a large mean is to be told from.
func (m *moments) add(s *run, lo, hi int) {
	f := m.fresh
	if f == nil {
		m.widest(s, lo, hi)
		return
	}
	for _, v := range [][]float64{f.most, f.weight, f.mean, f.square} {
		clear(v)
	}
	for i := lo; i < hi; i++ {
		w := s.omega(i)
		idx, val := s.q.Data.Row(i)
		for k, j := range idx {
			v := val[k]
			f.most[j] = max(f.most[j], v, -v)
			f.weight[j] += w
			f.mean[j] += float64(w * v)
		}
	}
	for j, w := range f.weight {
		if w > 0 {
			f.mean[j] /= w
		}
	}
	for i := lo; i < hi; i++ {
		w := s.omega(i)
		idx, val := s.q.Data.Row(i)
		for k, j := range idx {
			d := val[k] - f.mean[j]
			f.square[j] += float64(w * float64(d*d))
		}
	}
	if s.extra.ones {
		last := len(f.most) - 1
		for i := lo; i < hi; i++ {
			f.weight[last] += s.omega(i)
		}
		f.most[last], f.mean[last] = 1, 1
	}
	m.merge(f)
}

// widest is add of what is largest.
func (m *moments) widest(s *run, lo, hi int) {
	rows := s.q.Data.Rows(lo, hi)
	val := rows.Val[rows.Ptr[0]:rows.Ptr[hi-lo]]
	for k, j := range rows.Idx[rows.Ptr[0]:rows.Ptr[hi-lo]] {
		if v := math.Abs(val[k]); v > m.most[j] {
			m.most[j] = v
		}
	}
}

// merge adds the moments of other rows (Chan, Golub, LeVeque 1979).
func (m *moments) merge(more *moments) {
	for j, v := range more.most {
		m.most[j] = max(m.most[j], v)
	}
	for j, b := range more.weight {
		if b == 0 {
			continue
		}
		a, d := m.weight[j], more.mean[j]-m.mean[j]
		m.weight[j] = a + b
		m.mean[j] += float64(d * (b / (a + b)))
		m.square[j] += more.square[j] + float64(a*(b/(a+b)))*float64(d*d)
	}
}

// columns are facts about the columns of the data.
type columns struct {
	newton.Columns
	deviation []float64 // with 1 for constant columns
}

// columns returns what the moments of all rows say.
func (s *survey) columns(total float64) columns {
	m := s.moments
	c := columns{Columns: newton.Columns{Largest: m.most, Norm: make([]float64, len(m.weight))}, deviation: make([]float64, len(m.weight))}
	for j, w := range m.weight {
		mean := m.mean[j]
		c.Norm[j] = math.Sqrt((m.square[j]+float64(w*float64(mean*mean)))/total) * (1 + 1e-9)
		// The entries that are not stored are 0.
		absent := math.Max(0, total-w)
		dev := math.Sqrt((m.square[j] + float64(w*(absent/total))*float64(mean*mean)) / total)
		if dev <= 1e-12*math.Abs(float64(mean*(w/total))) || dev == 0 { // as in package model
			dev = 1
		}
		c.deviation[j] = dev
	}
	return c
}
