package graph

import (
	"slices"

	"github.com/scas-admm/scas/sparse"
	"github.com/scas-admm/scas/sparse/faults"
)

// CovarianceOfPieces returns the same bits as CovarianceOf, for data whose rows need not all be in memory.
// It calls the function forEachRange twice. In each call, forEachRange must call do with consecutive ranges
// of rows, lo to hi−1, until it has passed all rows, or until do returns an error, which forEachRange must
// return. The result takes 8 p² bytes for p features. threads is the number of goroutines; 0 means one per
// processor.
func CovarianceOfPieces(
	x *sparse.CSR, threads int, forEachRange func(do func(lo, hi int) error) error,
) (*Covariance, error) {
	rows, p := x.Dims()
	if err := checkSamples(rows); err != nil {
		return nil, err
	}
	c := newCentring(rows, p)
	err := forEachRange(func(lo, hi int) error {
		c.add(x, lo, hi)
		return nil
	})
	if err != nil {
		return nil, err
	}
	c.center()
	t := &productSums{centring: c, sum: make([]float64, p*p)}
	err = forEachRange(func(lo, hi int) error {
		c.addSquares(x, lo, hi)
		t.add(x, lo, hi, threads)
		return nil
	})
	if err != nil {
		return nil, err
	}
	variance, err := c.variances()
	if err != nil {
		return nil, err
	}
	return &Covariance{
		n: p, diag: variance, scale: slices.Repeat([]float64{1}, p), dense: t.covariances(),
	}, nil
}

// Dense reports whether x stores at least as many entries as the covariance matrix of its columns has.
// CovarianceOf stores the covariances of such data; otherwise it stores the data and their transpose.
func Dense(x *sparse.CSR) bool {
	_, p := x.Dims()
	return int64(p)*int64(p) <= x.NNZ()
}

// productSums computes, for any two columns, the sum over the rows of their products. It adds in the same
// order as the method addProducts of the type columnCov.
type productSums struct {
	*centring
	sum    []float64 // p x p numbers; add changes only those above the diagonal
	values []float64 // scratch memory: the values of some rows after subtracting shift
}

func (t *productSums) add(x *sparse.CSR, lo, hi, threads int) {
	const block = 1024 // rows, few enough for the caches
	for start := lo; start < hi; start += block {
		t.addBlock(x, start, min(start+block, hi), threads)
	}
}

func (t *productSums) addBlock(x *sparse.CSR, lo, hi, threads int) {
	rows := x.Rows(lo, hi)
	offset := rows.Ptr[0]
	idx, val := rangeEntries(x, lo, hi)
	if t.shift != nil {
		t.values = append(t.values[:0], val...)
		for k, j := range idx {
			t.values[k] -= t.shift[j]
		}
		val = t.values
	}
	// A band is a range of features, and one goroutine does a whole band. The first bands have the most
	// products, so there are many bands: a goroutine that is done takes the next one.
	const bands = 16
	p := len(t.mean)
	faults.Each(threads, bands, func() func(k int) {
		return func(k int) {
			featureLo, featureHi := int32(p*k/bands), int32(p*(k+1)/bands)
			for i := range hi - lo {
				start, end := rows.Ptr[i]-offset, rows.Ptr[i+1]-offset
				t.addRow(idx[start:end], val[start:end], featureLo, featureHi)
			}
		}
	})
}

// addRow adds, for one row, the products of features lo to hi−1 with later features.
func (t *productSums) addRow(idx []int32, val []float64, lo, hi int32) {
	p := len(t.mean)
	index, _ := slices.BinarySearch(idx, lo)
	for ; index < len(idx) && idx[index] < hi; index++ {
		w := val[index]
		sum := t.sum[int(idx[index])*p:][:p]
		laterValues := val[index+1:]
		for k, j := range idx[index+1:] {
			sum[j] += float64(w * laterValues[k])
		}
	}
}

// covariances replaces the sums by covariances and returns them.
func (t *productSums) covariances() []float64 {
	p := len(t.mean)
	for i := range p {
		for j := i + 1; j < p; j++ {
			v := t.covariance(i, j, t.sum[i*p+j])
			t.sum[i*p+j], t.sum[j*p+i] = v, v
		}
	}
	return t.sum
}
