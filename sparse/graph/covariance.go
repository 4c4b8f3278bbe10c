package graph

import (
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"github.com/scas-admm/scas/sparse"
	"github.com/scas-admm/scas/sparse/internal/text"
)

// Covariance is the covariance or correlation matrix of the features. If the data have fewer
// entries than the matrix (see Dense), it holds the data and their transpose instead of the
// matrix, and computes entries when they are needed. A Covariance never changes after
// construction and may be shared between goroutines.
type Covariance struct {
	n     int       // number of features
	diag  []float64 // the diagonal
	scale []float64 // an entry (i, j) with i ≠ j is the unscaled entry divided by scale[i]*scale[j]
	// n*n unscaled entries, row by row, with an unused diagonal; nil if data is not nil
	dense         []float64
	data          *columnCov // the data from which unscaled entries are computed; nil if dense is not nil
	isCorrelation bool       // true for a correlation matrix, whose entries are in [-1, 1]
}

// CovarianceOf returns the sample covariance of the columns of x, with the divisor n-1
// for n rows. At least two rows are needed. A variance too large for a float64 is an error.
func CovarianceOf(x *sparse.CSR) (*Covariance, error) {
	rows, p := x.Dims()
	if err := checkSamples(rows); err != nil {
		return nil, err
	}
	if Dense(x) {
		return CovarianceOfPieces(x, 0, func(do func(lo, hi int) error) error { return do(0, rows) })
	}
	data, variance, err := newColumns(x)
	if err != nil {
		return nil, err
	}
	return &Covariance{n: p, diag: variance, scale: slices.Repeat([]float64{1}, p), data: data}, nil
}

func checkSamples(rows int) error {
	if rows < 2 {
		return errorf("covariances from %d samples: want at least 2", rows)
	}
	return nil
}

// CorrelationOf returns the sample correlation of the columns of x; see
// Covariance.Correlation.
func CorrelationOf(x *sparse.CSR) (*Covariance, error) {
	c, err := CovarianceOf(x)
	if err != nil {
		return nil, err
	}
	return c.Correlation(), nil
}

// Correlation returns the matrix rescaled to a diagonal of ones. A constant feature (variance 0)
// has correlation 0 with every other feature. The result shares memory with c.
func (c *Covariance) Correlation() *Covariance {
	r := *c
	r.isCorrelation = true
	r.diag, r.scale = slices.Repeat([]float64{1}, c.n), make([]float64, c.n)
	for i, v := range c.diag {
		r.scale[i] = c.scale[i] * math.Sqrt(v)
		if v == 0 {
			r.scale[i] = math.Inf(1)
		}
	}
	return &r
}

// symmetryTolerance is the tolerance, relative to sqrt(s_ii s_jj), for the symmetry of a matrix s
// and for |s_ij| <= sqrt(s_ii s_jj). It allows for the rounding in a file with ten digits.
const symmetryTolerance = 1e-9

// NewCovariance returns the n x n matrix with a copy of the given values, row by row, for n from 1 to
// 10,000. NaN, infinite values, and negative values on the diagonal are errors. It is also an error if
// |s_ij - s_ji| or |s_ij| - sqrt(s_ii s_jj) is more than 1e-9 sqrt(s_ii s_jj). If s_ij and s_ji differ, both
// become their average.
func NewCovariance(n int, values []float64) (*Covariance, error) {
	if n < 1 || n > maxDense || len(values) != n*n {
		return nil, errorf("covariance of %d features from %d values: want n*n values for n in 1..%d",
			n, len(values), maxDense)
	}
	c := &Covariance{
		n: n, diag: make([]float64, n), scale: slices.Repeat([]float64{1}, n), dense: make([]float64, n*n),
	}
	for i := range n {
		c.diag[i] = values[i*n+i]
		if d := c.diag[i]; !(d >= 0) || math.IsInf(d, 0) {
			return nil, errorf("covariance: variance %v of feature %d: want a finite number, at least 0",
				d, i+1)
		}
	}
	for i := range n {
		for j := range n {
			a, b := values[i*n+j], values[j*n+i]
			size := math.Sqrt(c.diag[i]) * math.Sqrt(c.diag[j])
			if !(math.Abs(a-b) <= symmetryTolerance*size) {
				return nil, errorf("covariance: entry (%d, %d) is %v but (%d, %d) is %v: want a symmetric matrix", i+1, j+1, a, j+1, i+1, b)
			}
			if !(math.Abs(a) <= size*(1+symmetryTolerance)) {
				return nil, errorf("covariance: entry (%d, %d) is %v with variances %v and %v: want at most the root of their product", i+1, j+1, a, c.diag[i], c.diag[j])
			}
			c.dense[i*n+j] = a + float64((b-a)/2)
			if i > j { // copied, because the average may round differently for (j, i)
				c.dense[i*n+j] = c.dense[j*n+i]
			}
		}
	}
	return c, nil
}

// maxDense is the largest number of features that NewCovariance accepts. A matrix of this size takes
// 800 MB.
const maxDense = 10000

// Features returns the number of features.
func (c *Covariance) Features() int { return c.n }

// At returns the entry of features i and j (0-based). If c holds data, At computes the entry from the
// two columns. It panics if a feature is out of range.
func (c *Covariance) At(i, j int) float64 {
	switch {
	case i == j:
		return c.diag[i]
	case c.dense != nil:
		return c.rescale(i, j, c.dense[i*c.n+j])
	}
	return c.rescale(i, j, c.data.unscaledEntry(i, j))
}

func (c *Covariance) rescale(i, j int, entry float64) float64 {
	v := entry / (c.scale[i] * c.scale[j])
	if c.isCorrelation { // remove rounding errors beyond ±1 and near 0
		v = min(max(v, -1), 1)
		if math.Abs(v) < tieTolerance {
			v = 0
		}
	}
	return v
}

// ReadCovarianceFile reads a covariance file; see ReadCovariance.
func ReadCovarianceFile(path string) (*Covariance, error) { return text.ReadFile(path, ReadCovariance) }

// ReadCovariance reads a covariance or correlation matrix as a table of numbers, possibly
// compressed. A line has the numbers of one row, separated by blanks, commas or semicolons. Blank
// lines and comments, which begin with '#', are skipped; there is no header and there are no row
// names. name is the name of the file in errors. Malformed text, and a matrix that NewCovariance
// refuses, are errors of type *sparse.ParseError.
func ReadCovariance(r io.Reader, name string) (*Covariance, error) {
	data, err := sparse.ReadText(r, name)
	if err != nil {
		return nil, err
	}
	lines := text.NewLines(strings.NewReplacer(",", " ", ";", " ").Replace(string(data)))
	parseError := func(field int, msg string) error {
		f := lines.Fields[field]
		return &sparse.ParseError{
			File: name, Line: lines.Number, Column: f.Column, Token: f.Text, Number: true, Msg: msg,
		}
	}
	var values []float64
	n, rows := 0, 0
	for ; lines.Next(); rows++ {
		fields := lines.Fields
		if rows == 0 {
			n = len(fields)
		}
		switch {
		case rows == n:
			return nil, parseError(0,
				fmt.Sprintf("row %d of a matrix with %d columns: expected as many rows as columns",
					rows+1, n))
		case len(fields) != n:
			return nil, parseError(len(fields)-1,
				fmt.Sprintf("%d numbers: expected %d, as in the first row", len(fields), n))
		case n > maxDense:
			return nil, parseError(maxDense, fmt.Sprintf("%d columns: expected at most %d", n, maxDense))
		}
		for k, f := range fields {
			v, ok := text.ParseFloat(f.Text)
			if !ok {
				return nil, parseError(k,
					"expected a finite decimal number (and neither a header nor row names)")
			}
			values = append(values, v)
		}
	}
	if rows < n || n == 0 {
		return nil, &sparse.ParseError{
			File: name, Msg: fmt.Sprintf("%d rows of %d numbers: expected a square matrix", rows, n),
		}
	}
	c, err := NewCovariance(n, values)
	if err != nil {
		return nil, &sparse.ParseError{File: name, Msg: err.Error(), Err: err}
	}
	return c, nil
}
