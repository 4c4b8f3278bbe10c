package newton

import (
	"math"
	"sync"

	"github.com/scas-admm/scas/kernels"
)

// squares forms Hessians, by several goroutines if rows are long: a part of a short
// row takes about as long as the whole.
type squares struct {
	scratch []*kernels.HessianScratch // one for each goroutine
	cut     []int                     // rows of the Hessian at which parts begin
}

// sharedFrom is the mean number of nonzeros of a row from which goroutines share the
// Hessian.
const sharedFrom = 32

func newSquares(a kernels.Rows, p, threads int) *squares {
	if n := a.Len(); n == 0 || (a.Ptr[n]-a.Ptr[0])/int64(n) < sharedFrom {
		threads = 1
	}
	s := &squares{}
	for k := range threads {
		s.scratch = append(s.scratch, kernels.NewHessianScratch())
		s.cut = append(s.cut, kernels.HessianCut(a, p, k, threads))
	}
	s.cut = append(s.cut, p)
	return s
}

// add adds X' diag(c) X to the upper triangle of the p × p matrix dst.
func (s *squares) add(dst []float64, p int, a kernels.Rows, c []float64) {
	var wg sync.WaitGroup
	for k, scratch := range s.scratch {
		wg.Go(func() { kernels.HessianRows(dst, p, p, s.cut[k], s.cut[k+1], a, c, scratch) })
	}
	wg.Wait()
}

// hessian sets the upper triangle of the matrix dst, kept as f.tri says, to X'C diag(φ”) X
// + mu I, given φ”(tᵢ). What is below the diagonal has no meaning.
func (f *Finisher) hessian(dst, curvature []float64) {
	clear(dst)
	for i, c := range curvature {
		f.scratch[i] = float64(c * f.coef[i])
	}
	if f.tri.banded() {
		f.bandHessian(dst)
	} else {
		f.squares.add(dst, f.p, f.Rows, f.scratch)
	}
	for j := range f.p {
		dst[j*f.tri.stride+j] += f.Ridge
	}
}

// bandHessian adds X' diag(scratch) X to a band: rows are short where there is one.
func (f *Finisher) bandHessian(dst []float64) {
	for i, c := range f.scratch {
		idx, val := f.Data.Row(i)
		for k, j := range idx {
			v, out := float64(c*val[k]), dst[int(j)*f.tri.stride:]
			for m := k; m < len(idx); m++ {
				out[idx[m]] = math.FMA(v, val[m], out[idx[m]])
			}
		}
	}
}
