package graph

import (
	"math"
	"slices"

	"github.com/scas-admm/scas/sparse"
)

// centring turns sums of products of columns into covariances. It reads every row twice, in
// runs of rows in order: add, then after center addSquares. Columns stored in every row are
// shifted by their mean first: for them the sums would cancel badly when the mean is large.
// Sums run over the rows in order, products unfused: every machine, and every division into
// runs, gives the same numbers.
type centring struct {
	n          float64   // rows
	stored     []int64   // entries of the columns
	columnMean []float64 // means of the columns
	square     []float64 // Σ (entry − mean)² of the stored entries
	mean       []float64 // of the shifted columns
	shift      []float64 // of the columns, nil for none
}

func newCentring(rows, p int) *centring {
	return &centring{n: float64(rows), stored: make([]int64, p), columnMean: make([]float64, p), square: make([]float64, p)}
}

// span returns the entries of rows lo to hi−1.
func span(x *sparse.CSR, lo, hi int) (idx []int32, val []float64) {
	rows := x.Rows(lo, hi)
	first, last := rows.Ptr[0], rows.Ptr[hi-lo]
	return rows.Idx[first:last], rows.Val[first:last]
}

// add adds rows lo to hi−1 to the means.
func (c *centring) add(x *sparse.CSR, lo, hi int) {
	idx, val := span(x, lo, hi)
	for k, j := range idx {
		c.columnMean[j] += val[k]
		c.stored[j]++
	}
}

// center ends the sums of the means, and shifts the columns stored in every row.
func (c *centring) center() {
	for j := range c.columnMean {
		c.columnMean[j] /= c.n
	}
	c.mean = slices.Clone(c.columnMean)
	for j, m := range c.columnMean {
		if float64(c.stored[j]) < c.n {
			continue
		}
		if c.shift == nil {
			c.shift = make([]float64, len(c.mean))
		}
		c.shift[j], c.mean[j] = m, 0
	}
}

// addSquares adds rows lo to hi−1 to the sums of squares.
func (c *centring) addSquares(x *sparse.CSR, lo, hi int) {
	idx, val := span(x, lo, hi)
	for k, j := range idx {
		d := val[k] - c.columnMean[j]
		c.square[j] += float64(d * d)
	}
}

// variances returns the variances of the columns, 0 for a column that is constant except for
// rounding.
func (c *centring) variances() []float64 {
	v := make([]float64, len(c.columnMean))
	for j, m := range c.columnMean {
		zeros := c.n - float64(c.stored[j])
		sd := math.Sqrt((c.square[j] + float64(zeros*float64(m*m))) / c.n)
		if sd > 1e-12*math.Abs(m) {
			v[j] = float64(sd*sd) * c.n / (c.n - 1)
		}
	}
	return v
}

// centred turns the sum of the products of two columns into their covariance.
func (c *centring) centred(i, j int, sum float64) float64 {
	return (sum - float64(c.n*float64(c.mean[i]*c.mean[j]))) / (c.n - 1)
}

// columns computes covariances of the columns of a data matrix row by row of
// the result. Two columns without a common row have covariance -n m_i m_j/(n-1)
// (m their means), so only those that meet somewhere need a sum.
type columns struct {
	*centring
	x, t *sparse.CSR // the data and its transpose, shifted
}

// newColumns prepares the columns of x and returns their variances, too.
func newColumns(x *sparse.CSR) (c *columns, variance []float64) {
	rows, p := x.Dims()
	c = &columns{x: x, centring: newCentring(rows, p)}
	c.add(x, 0, rows)
	c.center()
	c.addSquares(x, 0, rows)
	if c.shift != nil {
		all := x.Rows(0, rows)
		val := slices.Clone(all.Val)
		for k, j := range all.Idx {
			val[k] -= c.shift[j]
		}
		c.x = mustCSR(sparse.New(rows, p, slices.Clone(all.Ptr), slices.Clone(all.Idx), val))
	}
	c.t = c.x.Transpose()
	return c, c.variances()
}

// raw returns one covariance.
func (c *columns) raw(i, j int) float64 {
	ri, vi := c.t.Row(i)
	rj, vj := c.t.Row(j)
	sum := 0.0
	for k, row := range ri {
		if at, found := slices.BinarySearch(rj, row); found {
			sum += float64(vi[k] * vj[at])
		}
	}
	return c.centred(i, j, sum)
}

// covarianceRow is one row of a Covariance, and the room to compute it.
type covarianceRow struct {
	// cols are the features whose entry had to be summed, in no order. The
	// others are apart: their entry follows from the means.
	cols  []int32
	value []float64 // by feature; valid for cols
	met   []bool    // by feature: is in cols
}

func newCovarianceRow(n int) *covarianceRow {
	return &covarianceRow{value: make([]float64, n), met: make([]bool, n)}
}

// clear forgets the row.
func (r *covarianceRow) clear() {
	for _, j := range r.cols {
		r.value[j], r.met[j] = 0, false
	}
	r.cols = r.cols[:0]
}

// row sets r to the part of row i from feature lo on, without the diagonal.
func (c *Covariance) row(i, lo int, r *covarianceRow) {
	r.clear()
	if c.dense != nil {
		for j := lo; j < c.n; j++ {
			if j != i {
				r.cols = append(r.cols, int32(j))
				r.value[j], r.met[j] = c.rescale(i, j, c.dense[i*c.n+j]), true
			}
		}
		return
	}
	c.data.products(i, lo, r)
	for _, j := range r.cols {
		r.value[j] = c.rescale(i, int(j), c.data.centred(i, int(j), r.value[j]))
	}
}

// products sums the products of column i with every other one from lo on.
func (c *columns) products(i, lo int, r *covarianceRow) {
	samples, weight := c.t.Row(i)
	r.met[i] = true // keeps i itself out of the list
	for k, s := range samples {
		idx, val := c.x.Row(int(s))
		if lo > 0 {
			from, _ := slices.BinarySearch(idx, int32(lo))
			idx, val = idx[from:], val[from:]
		}
		w := weight[k]
		for l, j := range idx {
			if !r.met[j] {
				r.met[j] = true
				r.cols = append(r.cols, j)
			}
			r.value[j] += float64(w * val[l])
		}
	}
	r.value[i], r.met[i] = 0, false
}

// apart returns the entry of two features that never meet.
func (c *Covariance) apart(i, j int) float64 {
	return c.rescale(i, j, c.data.centred(i, j, 0))
}
