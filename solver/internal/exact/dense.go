package exact

import (
	"github.com/scas-admm/scas/kernels"
	"github.com/scas-admm/scas/solver/internal/rows"
	"github.com/scas-admm/scas/sparse"
	"github.com/scas-admm/scas/sparse/pages"
)

// dense stores all entries of X by columns, including zeros. It is for data with few zeros.
type dense struct {
	n       int       // number of samples
	val     []float64 // the entries, column by column
	threads int
}

// mostlyFull reports whether dense needs at most as much memory for the data as a sparse matrix, which stores
// an index with each non-zero entry.
func (p *Problem) mostlyFull() bool {
	n, features := p.dims()
	return 8*float64(n)*float64(features) <= 12*float64(p.entries())
}

// storesZeros reports whether Rows of a Solver without a Gram matrix also stores the zeros of the data. It
// does if some entries, but at most a third of them, are zero, and 16 bits hold the columns. Kernels are
// faster on rows whose columns are all consecutive.
func (p *Problem) storesZeros() bool {
	n, features := p.dims()
	return p.mostlyFull() && p.entries() < int64(n)*int64(features) && features <= 1<<16
}

func newDense(x *sparse.CSR, threads int) *dense {
	n, p := x.Dims()
	d := &dense{n: n, val: pages.Make[float64](n * p), threads: threads}
	for i := range n {
		idx, val := x.Row(i)
		for k, j := range idx {
			d.val[int(j)*n+i] = val[k]
		}
	}
	return d
}

func (d *dense) column(j int) []float64 { return d.val[j*d.n : (j+1)*d.n] }

// transposed sets dst = X'v.
func (d *dense) transposed(dst, v []float64) {
	rows.Spread(d.threads, len(dst), func(j int) { dst[j] = kernels.Dot(v, d.column(j)) })
}

const (
	marginRows = 4096 // margins are computed for this number of rows at a time, which fit into the cache
	// Number of columns whose terms are added up before the sum is added to the margins, to reduce rounding
	// errors.
	marginLane = 8
)

// margins sets dst = X x.
func (d *dense) margins(dst, x []float64) {
	var support []int
	for j, v := range x {
		if v != 0 {
			support = append(support, j)
		}
	}
	clear(dst)
	rows.Spread(d.threads, (d.n+marginRows-1)/marginRows, func(k int) {
		lo, hi := k*marginRows, min((k+1)*marginRows, d.n)
		lane := make([]float64, hi-lo)
		for s := 0; s < len(support); s += marginLane {
			clear(lane)
			for _, j := range support[s:min(s+marginLane, len(support))] {
				kernels.Axpy(x[j], d.column(j)[lo:hi], lane)
			}
			kernels.Axpy(1, lane, dst[lo:hi])
		}
	})
}
