package model

import (
	"context"
	"sync"

	"github.com/scas-admm/scas/kernels"
	"github.com/scas-admm/scas/solver/internal/rows"
	"github.com/scas-admm/scas/solver/internal/term"
	"github.com/scas-admm/scas/sparse"
	"github.com/scas-admm/scas/sparse/pages"
)

// A design is a specification with the data of one problem. Its labels are numbers, two classes, or one class
// against the rest. The fits for all lambdas use the same design.
type design struct {
	spec    *Spec
	team    *rows.Team // the processes that share the rows; nil if this process has all rows
	n, p    int        // number of rows in this process, and number of features
	data    *fitData
	x       *sparse.CSR // the data, with a column of ones for the intercept if there is one; set by prepare
	y       []float64   // the labels: −1 and +1, or numbers; if classLabel is not nil, labels of any classes
	weights []float64   // the weights of the rows; nil means that all are equal
	factors []float64   // the penalty factors; nil means that all are 1
	loss    term.Loss
	// scale has the divisor of each feature: 1, or the standard deviation of the feature, which may be +Inf.
	scale []float64
	// classLabel is the label in y of the positive class, in fits of classes out of core. In all other fits
	// it is nil.
	classLabel  *float64
	manyLambdas bool // the design is fitted for many values of lambda
	// Where the fit begins: coefficients, and the intercept if there is one; nil for zeros.
	start []float64
}

// prepare sets d.x and, unless the rows are in a file, d.scale. With several processes it ignores ctx.
func (d *design) prepare(ctx context.Context) (err error) {
	if d.spec.streams() {
		d.x = d.data.x
		return nil
	}
	if !d.team.Alone() {
		ctx = context.Background()
	}
	if ctx.Err() != nil {
		return ctx.Err()
	}
	d.x, err = d.data.matrix(ctx, !d.spec.NoIntercept)
	err = d.team.CommonError(err)
	if err == nil && d.spec.standardizes() {
		d.scale = d.columnStats().Scale()[:d.p]
	}
	return err
}

// A fitData has the rows in the forms that fits use. The fits of all classes share it, and may use it at the
// same time.
type fitData struct {
	lock    sync.Mutex
	x       *sparse.CSR
	hasOnes bool         // x has a last column of ones, for the intercept
	compact kernels.Rows // x in the form that the kernels use; zero until rows makes it
}

// matrix returns the data, with a last column of ones if needsOnes is true. If ctx ends first, it returns the
// error of ctx.
func (f *fitData) matrix(ctx context.Context, needsOnes bool) (*sparse.CSR, error) {
	f.lock.Lock()
	defer f.lock.Unlock()
	if f.hasOnes || !needsOnes {
		return f.x, nil
	}
	x, err := withColumn(ctx, f.x, func(int) float64 { return 1 })
	if err == nil {
		f.x, f.hasOnes = x, true
	}
	return x, err
}

// rows returns the data in the form that the kernels use. Call matrix first.
func (f *fitData) rows() kernels.Rows {
	f.lock.Lock()
	defer f.lock.Unlock()
	if f.compact.Ptr == nil {
		f.compact = f.x.Compact(false)
	}
	return f.compact
}

// dropRows frees the memory of the result of rows, unless a fit uses it.
func (f *fitData) dropRows() {
	f.lock.Lock()
	defer f.lock.Unlock()
	f.compact = kernels.Rows{}
}

// columns returns the number of coefficients, with the intercept if there is one.
func (d *design) columns() int {
	if d.spec.NoIntercept {
		return d.p
	}
	return d.p + 1
}

// rowsPerCheck is the number of rows that are copied between two checks of a context.
const rowsPerCheck = 4096

// withColumn returns a copy of x with one more column, whose entry in row i is entry(i). If ctx
// ends first, it returns the error of ctx.
func withColumn(ctx context.Context, x *sparse.CSR, entry func(i int) float64) (*sparse.CSR, error) {
	n, p := x.Dims()
	maxNNZ := x.NNZ() + int64(n)
	ptr := pages.Make[int64](n + 1)
	idx, val := pages.Make[int32](int(maxNNZ))[:0], pages.Make[float64](int(maxNNZ))[:0]
	for i := range n {
		if i%rowsPerCheck == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		cols, v := x.Row(i)
		idx, val = append(idx, cols...), append(val, v...)
		if value := entry(i); value != 0 {
			idx, val = append(idx, int32(p)), append(val, value)
		}
		ptr[i+1] = int64(len(idx))
	}
	return sparse.New(n, p+1, ptr, idx, val)
}

// columnStats returns the weighted statistics of the columns of d.x over the rows of all processes.
func (d *design) columnStats() *sparse.ColumnStats {
	stats := sparse.NewColumnStats(d.columns())
	stats.Add(d.x, 0, d.n, func(i int) float64 { return weightOf(d.weights, i) })
	d.team.CombineColumns(stats)
	return stats
}

func (d *design) factor(j int) float64 {
	if d.factors == nil {
		return 1
	}
	return d.factors[j]
}

// coupled reports whether the penalty couples coefficients: a group lasso, a graph or a matrix A.
func (d *design) coupled() bool { return d.spec.grouped() || d.spec.couples() }

// unsupportedDomain reports whether the domain has a type that package exact does not support.
func (d *design) unsupportedDomain() bool { return d.spec.Domain != nil && d.spec.region(d.p) == nil }
