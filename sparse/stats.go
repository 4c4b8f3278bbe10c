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
	s := ColumnStats{Mean: make([]float64, a.cols), StdDev: make([]float64, a.cols)}
	if a.rows == 0 {
		return s
	}
	n := float64(a.rows)
	stored := make([]int64, a.cols)
	for k, j := range a.idx {
		s.Mean[j] += a.val[k]
		stored[j]++
	}
	for j := range s.Mean {
		s.Mean[j] /= n
	}
	for k, j := range a.idx {
		d := a.val[k] - s.Mean[j]
		s.StdDev[j] += float64(d * d)
	}
	for j, m := range s.Mean {
		zeros := float64(int64(a.rows) - stored[j])
		s.StdDev[j] = math.Sqrt((s.StdDev[j] + float64(zeros*float64(m*m))) / n)
	}
	return s
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
