package graph

import (
	"fmt"
	"math"

	"github.com/scas-admm/scas/sparse"
)

// MaxCorrelationFeatures is the largest number of features FromCorrelation
// accepts: it keeps one number per pair, 100 MB for 5,000 features.
const MaxCorrelationFeatures = 5000

// CorrelationOptions refines FromCorrelation. Nil and the zero value mean
// unsigned edges.
type CorrelationOptions struct {
	// Signed gives negatively correlated features an edge of weight -1, which
	// draws their coefficients to opposite values. Otherwise every weight is 1.
	Signed bool
}

// FromCorrelation joins the columns of x whose sample correlation is at least
// threshold in absolute value (0 < threshold <= 1), ordered by (I, J) with I < J.
// Constant columns have no edges. A threshold of 1 is subject to rounding.
//
// Time is the sum of the squared row lengths, memory half a dense matrix over
// the features; more than MaxCorrelationFeatures of them are an error. Sums run
// over the rows in order, products unfused: every machine finds the same edges.
func FromCorrelation(x *sparse.CSR, threshold float64, opt *CorrelationOptions) (*Graph, error) {
	rows, p := x.Dims()
	switch {
	case !(threshold > 0 && threshold <= 1):
		return nil, fmt.Errorf("graph: correlation threshold %v: want a number above 0, at most 1", threshold)
	case p > MaxCorrelationFeatures:
		return nil, fmt.Errorf("graph: correlations of %d features: at most %d fit; choose features first, or make the graph elsewhere and read it from a file", p, MaxCorrelationFeatures)
	case rows < 2:
		return nil, fmt.Errorf("graph: correlations from %d samples: want at least 2", rows)
	}
	if opt == nil {
		opt = &CorrelationOptions{}
	}
	c := covariances(x)
	var edges []Edge
	for i := range p {
		for j := i + 1; j < p; j++ {
			scale := math.Sqrt(c.at(i, i)) * math.Sqrt(c.at(j, j))
			cov := c.at(i, j)
			if scale == 0 || math.Abs(cov) < threshold*scale {
				continue
			}
			e := Edge{I: int32(i), J: int32(j), Weight: 1}
			if opt.Signed && cov < 0 {
				e.Weight = -1
			}
			edges = append(edges, e)
		}
	}
	return New(p, edges)
}

// triangle is the upper triangle of a symmetric matrix, row by row.
type triangle struct {
	start []int // of row i, shifted so that element (i, j) is at start[i]+j
	sum   []float64
}

func (t *triangle) at(i, j int) float64 { return t.sum[t.start[i]+j] }

// covariances returns n times the covariance matrix of the columns. Columns
// stored in every row are shifted by their mean first: for them the sums below
// would cancel badly when the mean is large.
func covariances(x *sparse.CSR) *triangle {
	rows, p := x.Dims()
	stats := x.ColumnStats()
	t := &triangle{start: make([]int, p), sum: make([]float64, p*(p+1)/2)}
	for i := 1; i < p; i++ {
		t.start[i] = t.start[i-1] + p - i
	}
	shift := fullColumnMeans(x, stats.Mean)
	var shifted []float64
	for r := range rows {
		idx, val := x.Row(r)
		shifted = shifted[:0]
		for k, j := range idx {
			shifted = append(shifted, val[k]-shift[j])
		}
		for k, i := range idx {
			sums := t.sum[t.start[i]:]
			for l := k; l < len(idx); l++ {
				sums[idx[l]] += float64(shifted[k] * shifted[l])
			}
		}
	}
	n := float64(rows)
	for i := range p {
		for j := i; j < p; j++ {
			mi, mj := stats.Mean[i]-shift[i], stats.Mean[j]-shift[j]
			t.sum[t.start[i]+j] -= float64(n * float64(mi*mj))
		}
	}
	for i := range p { // what rounding left of a constant column
		if d := &t.sum[t.start[i]+i]; *d < 0 || stats.StdDev[i] <= 1e-12*math.Abs(stats.Mean[i]) {
			*d = 0
		}
	}
	return t
}

// fullColumnMeans returns the mean of the columns that are stored in every row,
// and 0 for the others.
func fullColumnMeans(x *sparse.CSR, mean []float64) []float64 {
	rows, p := x.Dims()
	stored := make([]int, p)
	for r := range rows {
		idx, _ := x.Row(r)
		for _, j := range idx {
			stored[j]++
		}
	}
	shift := make([]float64, p)
	for j, count := range stored {
		if count == rows {
			shift[j] = mean[j]
		}
	}
	return shift
}
