package sparse

import "math"

// Moments are those of the stored entries of each column, from some of the rows; of others
// they can be merged. Entries that are not stored are zeros, which count in Deviations.
type Moments struct {
	Largest []float64 // |x_ij|
	Weight  []float64 // of the rows that have an entry
	Mean    []float64 // of these, weighted
	Square  []float64 // Σ weight (x − mean)²
}

// NewMoments are those of no rows.
func NewMoments(cols int) *Moments {
	m := &Moments{}
	for _, v := range []*[]float64{&m.Largest, &m.Weight, &m.Mean, &m.Square} {
		*v = make([]float64, cols)
	}
	return m
}

// Set makes m the moments of rows lo to hi−1 of a, with the weights that a function tells, nil
// for ones. It looks at them twice: squares of differences from a mean, unlike differences
// of squares, tell a variance beside a large mean.
func (m *Moments) Set(a *CSR, lo, hi int, weight func(i int) float64) {
	for _, v := range [][]float64{m.Largest, m.Weight, m.Mean, m.Square} {
		clear(v)
	}
	w := 1.0
	for i := lo; i < hi; i++ {
		if weight != nil {
			w = weight(i)
		}
		idx, val := a.Row(i)
		for k, j := range idx {
			v := val[k]
			m.Largest[j] = max(m.Largest[j], v, -v)
			m.Weight[j] += w
			m.Mean[j] += float64(w * v)
		}
	}
	for j, w := range m.Weight {
		if w > 0 {
			m.Mean[j] /= w
		}
	}
	for i := lo; i < hi; i++ {
		if weight != nil {
			w = weight(i)
		}
		idx, val := a.Row(i)
		for k, j := range idx {
			d := val[k] - m.Mean[j]
			m.Square[j] += float64(w * float64(d*d))
		}
	}
}

// Merge adds the moments of other rows (Chan, Golub, LeVeque 1979).
func (m *Moments) Merge(more *Moments) {
	for j, b := range more.Weight {
		m.Largest[j] = max(m.Largest[j], more.Largest[j])
		if b == 0 {
			continue
		}
		a, d := m.Weight[j], more.Mean[j]-m.Mean[j]
		m.Weight[j] = a + b
		m.Mean[j] += float64(d * (b / (a + b)))
		m.Square[j] += more.Square[j] + float64(float64(a*(b/(a+b)))*float64(d*d))
	}
}

// Deviations returns the population standard deviations of the columns, of rows whose
// weights sum to total; 0 for what is constant but for rounding.
func (m *Moments) Deviations(total float64) []float64 {
	dev := make([]float64, len(m.Mean))
	for j, w := range m.Weight {
		mean := m.Mean[j]
		absent := math.Max(0, total-w)
		v := math.Sqrt((m.Square[j] + float64(float64(w*(absent/total))*float64(mean*mean))) / total)
		if v > 1e-12*math.Abs(float64(mean*(w/total))) {
			dev[j] = v
		}
	}
	return dev
}
