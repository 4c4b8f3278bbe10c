package graph

import (
	"errors"
	"math"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/scas-admm/scas/sparse"
	"github.com/scas-admm/scas/sparse/sparsetest"
)

// rangesAt returns a function forEachRange for CovarianceOfPieces. It divides the rows at cuts. Call number
// failingPass of this function, counted from 1, returns failure before the last range of rows. If failingPass
// is 0, no call fails.
func rangesAt(rows int, failingPass int, failure error, cuts ...int) func(func(lo, hi int) error) error {
	passes := 0
	return func(do func(lo, hi int) error) error {
		passes++
		lo := 0
		for _, hi := range append(slices.Clone(cuts), rows) {
			if hi == rows && passes == failingPass {
				return failure
			}
			if err := do(lo, hi); err != nil {
				return err
			}
			lo = hi
		}
		return nil
	}
}

// TestCovarianceOfPieces checks that CovarianceOfPieces and the computation of a single entry give the same
// bits, for several divisions of the rows and several numbers of goroutines.
func TestCovarianceOfPieces(t *testing.T) {
	correlated, _ := correlationData(t)
	for name, x := range map[string]*sparse.CSR{
		"offsets": correlated, "sparse": sparseData(t, 40, 30, 1), "long": sparseData(t, 2500, 20, 2),
		"wide": sparseData(t, 9, 70, 3),
	} {
		n, p := x.Dims()
		data, variance, err := newColumns(x)
		sparsetest.Must(t, err)
		entrywise := &Covariance{n: p, diag: variance, scale: slices.Repeat([]float64{1}, p), data: data}
		for threads, cuts := range [][]int{nil, {1}, {2, 2, 7}, {n / 3, n/3 + 1, n - 1}} {
			c, err := CovarianceOfPieces(x, threads, rangesAt(n, 0, nil, cuts...))
			sparsetest.Must(t, err)
			for _, pair := range [][2]*Covariance{{entrywise, c}, {entrywise.Correlation(), c.Correlation()}} {
				for i := range p {
					for j := range p {
						if want, got := pair[0].At(i, j), pair[1].At(i, j); math.Float64bits(got) != math.Float64bits(want) {
							t.Fatalf("%s, cut at %v: entry (%d, %d) is %v, one by one %v", name, cuts, i, j, got, want)
						}
					}
				}
			}
			opt := &CorrelationOptions{Signed: true, Weighted: true}
			for _, build := range []func(c *Covariance) (*Graph, error){
				func(c *Covariance) (*Graph, error) { return Threshold(c, 0.2, opt) },
				func(c *Covariance) (*Graph, error) { return KNearest(c, 2, opt) },
				func(c *Covariance) (*Graph, error) { g, _, err := Strongest(c, 9, opt); return g, err },
			} {
				want, err := build(entrywise)
				sparsetest.Must(t, err)
				got, err := build(c)
				sparsetest.Must(t, err)
				if diff := cmp.Diff(want.Edges(), got.Edges()); diff != "" {
					t.Errorf("%s, cut at %v: graphs differ: %s", name, cuts, diff)
				}
			}
		}
	}
}

func TestCovarianceOfIsDense(t *testing.T) {
	for rows, want := range map[int]bool{12: true, 8: false} {
		x, err := sparse.FromDense(rows, 9, slices.Repeat([]float64{1}, rows*9))
		sparsetest.Must(t, err)
		c, err := CovarianceOf(x)
		if err != nil || (c.dense != nil) != want || (c.data == nil) != want {
			t.Errorf("%d rows: kept %t, %v", rows, c.dense != nil, err)
		}
	}
}

func TestCovarianceOfPiecesFails(t *testing.T) {
	x := sparseData(t, 40, 30, 1)
	failure := errors.New("broken")
	for pass := 1; pass <= 2; pass++ {
		if c, err := CovarianceOfPieces(x, 0, rangesAt(40, pass, failure, 5)); c != nil || !errors.Is(err, failure) {
			t.Errorf("pass %d fails: %v", pass, err)
		}
	}
}
