package sparse

import (
	"fmt"
	"math"
)

// ColumnStats describes the columns of a matrix, one element per column; absent
// entries count as zeros.
type ColumnStats struct {
	Mean []float64
	// StdDev is the population standard deviation (divided by the number of
	// rows), in two passes. A constant column has exactly 0 if all its entries
	// are absent or stored; rounding of the mean may leave a few ulp.
	StdDev []float64
}

// MaxAbs returns the largest absolute value of an entry, 0 if there is none.
func (a *CSR) MaxAbs() float64 {
	most := 0.0
	for _, v := range a.val[:a.NNZ()] {
		most = max(most, math.Abs(v))
	}
	return most
}

// ColumnStats computes the statistics of every column. A matrix without rows has
// means and deviations 0.
func (a *CSR) ColumnStats() ColumnStats {
	s := NewColumnSums(a.cols)
	s.Add(a, 0, a.rows)
	s.Centre()
	s.AddSquares(a, 0, a.rows)
	return s.End()
}

// ColumnSums find the ColumnStats, to the same bits, of a matrix that is gone through piece
// by piece: every row once with Add, in order, and after Centre once again with AddSquares.
type ColumnSums struct {
	ColumnStats // of the means after Centre, of the deviations after End
	// Stored has the number of entries stored in each column.
	Stored []int64

	rows int
}

// NewColumnSums returns the sums of no rows of a matrix with so many columns.
func NewColumnSums(cols int) *ColumnSums {
	return &ColumnSums{ColumnStats: ColumnStats{Mean: make([]float64, cols), StdDev: make([]float64, cols)}, Stored: make([]int64, cols)}
}

// Add adds rows lo to hi−1 of a.
func (s *ColumnSums) Add(a *CSR, lo, hi int) {
	s.rows += hi - lo
	idx, val := a.span(lo, hi)
	for k, j := range idx {
		s.Mean[j] += val[k]
		s.Stored[j]++
	}
}

// Centre makes the sums of all rows means.
func (s *ColumnSums) Centre() {
	if s.rows == 0 {
		return
	}
	for j := range s.Mean {
		s.Mean[j] /= float64(s.rows)
	}
}

// AddSquares adds what rows lo to hi−1 of a are off the means.
func (s *ColumnSums) AddSquares(a *CSR, lo, hi int) {
	idx, val := a.span(lo, hi)
	for k, j := range idx {
		d := val[k] - s.Mean[j]
		s.StdDev[j] += float64(d * d)
	}
}

// End returns the statistics.
func (s *ColumnSums) End() ColumnStats {
	if s.rows == 0 {
		return s.ColumnStats
	}
	for j, m := range s.Mean {
		zeros := float64(int64(s.rows) - s.Stored[j])
		s.StdDev[j] = math.Sqrt((s.StdDev[j] + float64(zeros*float64(m*m))) / float64(s.rows))
	}
	return s.ColumnStats
}

// span returns what is stored in rows lo to hi−1.
func (a *CSR) span(lo, hi int) (idx []int32, val []float64) {
	from, to := a.ptr[lo], a.ptr[hi]
	return a.idx[from:to], a.val[from:to]
}

// RowNormsSq returns |a_i|^2 of every row, summed in column order.
func (a *CSR) RowNormsSq() []float64 {
	norms := make([]float64, a.rows)
	for i := range norms {
		_, val := a.Row(i)
		for _, v := range val {
			norms[i] += float64(v * v)
		}
	}
	return norms
}

// Scaling is an affine change of every column: x_j becomes (x_j - Mean[j]) /
// Scale[j]. Mean is nil when columns are not centred.
type Scaling struct {
	Mean  []float64 `json:"mean,omitempty"`
	Scale []float64 `json:"scale"`
}

// Standardize finds the scaling that gives every column of x standard deviation
// 1 and, if center is set, mean 0, and applies it. Constant columns keep scale 1.
// Centring fills the matrix, so it is for dense tables: sparse data is scaled
// only.
func Standardize(x *CSR, center bool) (*CSR, Scaling, error) {
	stats := x.ColumnStats()
	s := Scaling{Scale: stats.StdDev}
	for j, sd := range s.Scale {
		// Rounding leaves a constant column a deviation of some ulp of its mean.
		if sd <= 1e-12*math.Abs(stats.Mean[j]) || sd == 0 {
			s.Scale[j] = 1
		}
	}
	if center {
		s.Mean = stats.Mean
	}
	scaled, err := s.Apply(x)
	return scaled, s, err
}

// Apply returns x rescaled, as for test data of a model trained on rescaled
// data. With a Mean the result stores every entry.
func (s Scaling) Apply(x *CSR) (*CSR, error) {
	if len(s.Scale) != x.cols || (s.Mean != nil && len(s.Mean) != x.cols) {
		return nil, fmt.Errorf("sparse: a scaling of %d columns for a matrix of %d", len(s.Scale), x.cols)
	}
	if s.Mean == nil {
		factor := make([]float64, x.cols)
		for j, v := range s.Scale {
			factor[j] = 1 / v
		}
		return x.ScaleColumns(factor)
	}
	if x.cols > 0 && x.rows > math.MaxInt/8/x.cols {
		return nil, fmt.Errorf("sparse: centring a %d x %d matrix would fill it: scale only", x.rows, x.cols)
	}
	ptr := make([]int64, x.rows+1)
	idx, val := make([]int32, x.rows*x.cols), make([]float64, x.rows*x.cols)
	for i := range x.rows {
		base := i * x.cols
		ptr[i+1] = int64(base + x.cols)
		cols, vals := x.Row(i)
		for k, j := range cols {
			val[base+int(j)] = vals[k]
		}
		for j := range x.cols {
			idx[base+j] = int32(j)
			val[base+j] = (val[base+j] - s.Mean[j]) / s.Scale[j]
		}
	}
	return New(x.rows, x.cols, ptr, idx, val)
}

// Unscale turns coefficients for rescaled columns into coefficients for the
// original ones, and returns the intercept that centring moved out of them:
// scaled'coef = original'unscaled + intercept. coef is left alone.
func (s Scaling) Unscale(coef []float64) (unscaled []float64, intercept float64) {
	if len(coef) != len(s.Scale) {
		panic(fmt.Sprintf("sparse: Unscale of %d coefficients by a scaling of %d columns", len(coef), len(s.Scale)))
	}
	unscaled = make([]float64, len(coef))
	for j, c := range coef {
		unscaled[j] = c / s.Scale[j]
		if s.Mean != nil {
			intercept -= float64(unscaled[j] * s.Mean[j])
		}
	}
	return unscaled, intercept
}
