package graph

import (
	"math"
	"slices"

	"github.com/scas-admm/scas/sparse"
)

// centring turns sums of products of columns into covariances. The caller passes all rows to add, calls
// center, and passes all rows to addSquares. It must subtract shift from the entries before it sums
// products, because with a large mean the sums would lose digits. Rows are added in order, and each product
// is rounded before it is added. So the results depend neither on the machine nor on the division of the
// rows into ranges.
type centring struct {
	n          float64   // number of rows
	count      []int64   // number of stored entries of each column
	columnMean []float64 // sums of the columns; after center, their means
	square     []float64 // for each column, Σ (entry − columnMean)² over its stored entries
	mean       []float64 // means of the columns after the shift
	shift      []float64 // number to subtract from each column; nil if no column has an entry in every row
}

func newCentring(rows, p int) *centring {
	return &centring{
		n: float64(rows), count: make([]int64, p), columnMean: make([]float64, p), square: make([]float64, p),
	}
}

// rangeEntries returns the columns and the values of the entries in rows lo to hi−1.
func rangeEntries(x *sparse.CSR, lo, hi int) (idx []int32, val []float64) {
	rows := x.Rows(lo, hi)
	first, last := rows.Ptr[0], rows.Ptr[hi-lo]
	return rows.Idx[first:last], rows.Val[first:last]
}

func (c *centring) add(x *sparse.CSR, lo, hi int) {
	idx, val := rangeEntries(x, lo, hi)
	for k, j := range idx {
		c.columnMean[j] += val[k]
		c.count[j]++
	}
}

func (c *centring) center() {
	for j := range c.columnMean {
		c.columnMean[j] /= c.n
	}
	c.mean = slices.Clone(c.columnMean)
	for j, m := range c.columnMean {
		if float64(c.count[j]) < c.n {
			continue
		}
		if c.shift == nil {
			c.shift = make([]float64, len(c.mean))
		}
		c.shift[j], c.mean[j] = m, 0
	}
}

func (c *centring) addSquares(x *sparse.CSR, lo, hi int) {
	idx, val := rangeEntries(x, lo, hi)
	for k, j := range idx {
		d := val[k] - c.columnMean[j]
		c.square[j] += float64(d * d)
	}
}

// variances returns the variances of the columns, 0 for a column that is constant up to rounding.
func (c *centring) variances() ([]float64, error) {
	v := make([]float64, len(c.columnMean))
	for j, m := range c.columnMean {
		zeros := c.n - float64(c.count[j])
		sd := math.Sqrt((c.square[j] + float64(zeros*float64(m*m))) / c.n)
		if sd > 1e-12*math.Abs(m) {
			v[j] = float64(sd*sd) * c.n / (c.n - 1)
		}
		if notFinite(sd) || notFinite(v[j]) {
			return nil, errorf("the values of feature %d are too large for a variance: want them scaled to order 1", j+1)
		}
	}
	return v, nil
}

func notFinite(v float64) bool { return math.IsNaN(v) || math.IsInf(v, 0) }

// covariance returns the covariance of two columns. sum is the sum over the rows of the products of
// their shifted entries.
func (c *centring) covariance(i, j int, sum float64) float64 {
	return (sum - float64(c.n*float64(c.mean[i]*c.mean[j]))) / (c.n - 1)
}

// columnCov computes the covariance matrix of the columns of a data matrix, one row of the result
// at a time. A common row of columns i and j is a row in which both have an entry. Without a common
// row, their covariance is -n m_i m_j/(n-1) for n rows, with the means m_i and m_j after the shift
// (centring.mean). So only columns with a common row need a sum.
type columnCov struct {
	*centring
	x, t *sparse.CSR // the data after the subtraction of centring.shift, and the transpose of this matrix
}

func newColumns(x *sparse.CSR) (c *columnCov, variance []float64, err error) {
	rows, p := x.Dims()
	c = &columnCov{x: x, centring: newCentring(rows, p)}
	c.add(x, 0, rows)
	c.center()
	c.addSquares(x, 0, rows)
	variance, err = c.variances()
	if err != nil {
		return nil, nil, err
	}
	if c.shift != nil {
		data := x.Rows(0, rows)
		val := slices.Clone(data.Val)
		for k, j := range data.Idx {
			val[k] -= c.shift[j]
		}
		c.x = mustCSR(sparse.New(rows, p, slices.Clone(data.Ptr), slices.Clone(data.Idx), val))
	}
	c.t = c.x.Transpose()
	return c, variance, nil
}

func (c *columnCov) unscaledEntry(i, j int) float64 {
	ri, vi := c.t.Row(i)
	rj, vj := c.t.Row(j)
	sum := 0.0
	for k, row := range ri {
		if index, found := slices.BinarySearch(rj, row); found {
			sum += float64(vi[k] * vj[index])
		}
	}
	return c.covariance(i, j, sum)
}

// covarianceRow is one row of a Covariance, with the memory to compute it.
type covarianceRow struct {
	// cols lists, in any order, the features whose entries are in value.
	cols   []int32
	value  []float64 // entry for each feature; valid for the features in cols
	listed []bool    // whether the feature is in cols
}

func newCovarianceRow(n int) *covarianceRow {
	return &covarianceRow{value: make([]float64, n), listed: make([]bool, n)}
}

func (r *covarianceRow) clear() {
	for _, j := range r.cols {
		r.value[j], r.listed[j] = 0, false
	}
	r.cols = r.cols[:0]
}

// fillRow sets r to row i of c, from feature lo on and without the diagonal. If c.dense is nil, r has only
// the features j for which a data row has entries of both i and j. disjointEntry returns the other entries.
func (c *Covariance) fillRow(i, lo int, r *covarianceRow) {
	r.clear()
	if c.dense != nil {
		for j := lo; j < c.n; j++ {
			if j != i {
				r.cols = append(r.cols, int32(j))
				r.value[j], r.listed[j] = c.rescale(i, j, c.dense[i*c.n+j]), true
			}
		}
		return
	}
	c.data.addProducts(i, lo, r)
	for _, j := range r.cols {
		r.value[j] = c.rescale(i, int(j), c.data.covariance(i, int(j), r.value[j]))
	}
}

// addProducts stores in r the dot products of column i with the other columns j >= lo. It leaves out columns
// that have no row in common with column i. r must be cleared before the call.
func (c *columnCov) addProducts(i, lo int, r *covarianceRow) {
	samples, weight := c.t.Row(i)
	r.listed[i] = true // keeps i out of r.cols
	for k, s := range samples {
		idx, val := c.x.Row(int(s))
		if lo > 0 {
			start, _ := slices.BinarySearch(idx, int32(lo))
			idx, val = idx[start:], val[start:]
		}
		w := weight[k]
		for l, j := range idx {
			if !r.listed[j] {
				r.listed[j] = true
				r.cols = append(r.cols, j)
			}
			r.value[j] += float64(w * val[l])
		}
	}
	r.value[i], r.listed[i] = 0, false
}

// disjointEntry returns the entry of c for two features without a common row; see the type columnCov.
func (c *Covariance) disjointEntry(i, j int) float64 {
	return c.rescale(i, j, c.data.covariance(i, j, 0))
}
