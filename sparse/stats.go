package sparse

import "math"

// ColumnStats holds statistics of the columns of a set of rows, which may have weights.
type ColumnStats struct {
	// Rows is the sum of the weights of the rows. Without weights it is the number of rows.
	Rows float64
	// Largest is, for each column, the largest absolute value of an entry.
	Largest []float64
	// Stored, StoredMean and Square have one number for each column, computed from the rows that store an
	// entry in the column. Stored is the sum of the weights of these rows, StoredMean is the weighted mean
	// of their entries, and Square is Σ weight (entry − StoredMean)².
	Stored, StoredMean, Square []float64
}

// NewColumnStats returns the statistics of an empty set of rows.
func NewColumnStats(cols int) *ColumnStats {
	s := &ColumnStats{}
	for _, v := range []*[]float64{&s.Largest, &s.Stored, &s.StoredMean, &s.Square} {
		*v = make([]float64, cols)
	}
	return s
}

// ColumnStats returns the statistics of all columns. The rows have no weights.
func (a *CSR) ColumnStats() *ColumnStats { return statsOfRows(a, 0, a.rows, nil) }

// Add adds rows lo to hi−1 of a. weight returns the weight of row i; nil means 1 for all rows.
func (s *ColumnStats) Add(a *CSR, lo, hi int, weight func(i int) float64) {
	s.Merge(statsOfRows(a, lo, hi, weight))
}

// statsOfRows returns the statistics of rows lo to hi−1 of a. It reads the rows twice, because sums of
// squared differences from the mean lose fewer digits than sums of squares.
func statsOfRows(a *CSR, lo, hi int, weight func(i int) float64) *ColumnStats {
	s := NewColumnStats(a.cols)
	if weight == nil {
		weight = func(int) float64 { return 1 }
	}
	for i := lo; i < hi; i++ {
		w := weight(i)
		if w == 0 {
			continue
		}
		s.Rows += w
		idx, val := a.Row(i)
		for k, j := range idx {
			v := val[k]
			s.Largest[j] = max(s.Largest[j], v, -v)
			s.Stored[j] += w
			s.StoredMean[j] += float64(w * v)
		}
	}
	for j, w := range s.Stored {
		if w > 0 {
			s.StoredMean[j] /= w
		}
	}
	for i := lo; i < hi; i++ {
		w := weight(i)
		if w == 0 {
			continue
		}
		idx, val := a.Row(i)
		for k, j := range idx {
			d := val[k] - s.StoredMean[j]
			s.Square[j] += float64(w * float64(d*d))
		}
	}
	return s
}

// Merge adds to s the statistics of other rows. It uses the formula of Chan, Golub and LeVeque (1979).
func (s *ColumnStats) Merge(stats *ColumnStats) {
	s.Rows += stats.Rows
	for j, b := range stats.Stored {
		s.Largest[j] = max(s.Largest[j], stats.Largest[j])
		a, d := s.Stored[j], stats.StoredMean[j]-s.StoredMean[j]
		switch {
		case b == 0:
		case a == 0: // d² may overflow
			s.Stored[j], s.StoredMean[j], s.Square[j] = b, stats.StoredMean[j], stats.Square[j]
		default:
			s.Stored[j] = a + b
			s.StoredMean[j] += float64(d * (b / (a + b)))
			s.Square[j] += stats.Square[j] + float64(float64(a*(b/(a+b)))*float64(d*d))
		}
	}
}

// Mean returns the means of the columns, or zeros if there are no rows.
func (s *ColumnStats) Mean() []float64 {
	mean := make([]float64, len(s.StoredMean))
	for j, m := range s.StoredMean {
		if s.Rows > 0 {
			mean[j] = m * (s.Stored[j] / s.Rows)
		}
	}
	return mean
}

// StdDev returns the population standard deviations of the columns: the sums of squares are divided by
// Rows. A column that is constant up to rounding has the deviation 0. If there are no rows, all deviations
// are 0.
func (s *ColumnStats) StdDev() []float64 {
	dev := make([]float64, len(s.StoredMean))
	for j, w := range s.Stored {
		mean := s.StoredMean[j]
		absentWeight := math.Max(0, s.Rows-w)
		v := math.Sqrt((s.Square[j] + float64(float64(w*(absentWeight/s.Rows))*float64(mean*mean))) / s.Rows)
		if v > 1e-12*math.Abs(float64(mean*(w/s.Rows))) {
			dev[j] = v
		}
	}
	return dev
}

// Scale returns the numbers by which Standardize divides the columns: the standard deviations, or 1 for a
// standard deviation of 0.
func (s *ColumnStats) Scale() []float64 {
	scale := s.StdDev()
	for j, sd := range scale {
		if sd == 0 {
			scale[j] = 1
		}
	}
	return scale
}

// Standardize returns x with every column divided by its standard deviation in s. If center is true, it
// first subtracts the mean. Constant columns are divided by 1. s may be the statistics of other rows, for
// example of the training data if x is test data. Centring stores all entries, zeros too, so use it for
// dense tables only.
func (s *ColumnStats) Standardize(x *CSR, center bool) (*CSR, error) {
	if len(s.Stored) != x.cols {
		return nil, errorf("Standardize by the statistics of %d columns of a matrix of %d: want as many",
			len(s.Stored), x.cols)
	}
	scale := s.Scale()
	if !center {
		for j, v := range scale {
			scale[j] = 1 / v
		}
		return x.ScaleColumns(scale)
	}
	if x.cols > 0 && x.rows > math.MaxInt/8/x.cols {
		return nil, errorf("centring a %d x %d matrix would fill it: scale only", x.rows, x.cols)
	}
	mean := s.Mean()
	ptr := make([]int64, x.rows+1)
	idx, val := make([]int32, x.rows*x.cols), make([]float64, x.rows*x.cols)
	for i := range x.rows {
		rowStart := i * x.cols
		ptr[i+1] = int64(rowStart + x.cols)
		cols, vals := x.Row(i)
		for k, j := range cols {
			val[rowStart+int(j)] = vals[k]
		}
		for j := range x.cols {
			idx[rowStart+j] = int32(j)
			val[rowStart+j] = (val[rowStart+j] - mean[j]) / scale[j]
		}
	}
	return New(x.rows, x.cols, ptr, idx, val)
}

// RowNormsSq returns, for each row, the sum of the squares of its entries, added in column order.
func (a *CSR) RowNormsSq() []float64 {
	normsSq := make([]float64, a.rows)
	for i := range normsSq {
		_, val := a.Row(i)
		for _, v := range val {
			normsSq[i] += float64(v * v)
		}
	}
	return normsSq
}
