package newton

import (
	"math"
	"math/bits"

	"github.com/scas-admm/scas/kernels"
	"github.com/scas-admm/scas/solver/internal/pass"
)

// squares forms Hessians, by several goroutines: of long rows each takes some rows of
// the Hessian. A part of a short row takes about as long as the whole, so short rows are
// cut into runs, whose Hessians are added up in order.
type squares struct {
	free chan *kernels.HessianScratch // one for each goroutine
	cut  []int                        // rows of the Hessian at which parts begin
	runs pass.Chunks
	part [][]float64 // Hessians of the runs but the first
}

const (
	sharedFrom  = 32 // mean nonzeros of a row from which it is long
	maxRuns     = 16
	runProducts = 24 // times p² products pay for a run
)

func newSquares(a kernels.Rows, p, threads int) *squares {
	s := &squares{free: make(chan *kernels.HessianScratch, threads)}
	for range threads {
		s.free <- kernels.NewHessianScratch()
	}
	s.fit(a, p)
	for range s.runs.Count() - 1 {
		s.part = append(s.part, make([]float64, p*p))
	}
	for k := range threads {
		s.cut = append(s.cut, kernels.HessianCut(a, p, k, threads))
	}
	s.cut = append(s.cut, p)
	return s
}

// fit cuts rows into runs.
func (s *squares) fit(a kernels.Rows, p int) {
	s.runs = pass.Cut(a.Ptr, hessianRuns(a.Ptr, p), cap(s.free))
}

// hessianRuns is the number of runs, a power of two, of rows with these pointers.
func hessianRuns(ptr []int64, p int) int {
	n := len(ptr) - 1
	if n == 0 || (ptr[n]-ptr[0])/int64(n) >= sharedFrom {
		return 1
	}
	products := 0
	for i, first := range ptr[:n] {
		k := int(ptr[i+1] - first)
		products += k * (k + 1) / 2
	}
	runs := max(1, min(maxRuns, products/(runProducts*max(1, p*p))))
	return 1 << (bits.Len(uint(runs)) - 1)
}

// add adds X' diag(c) X to the upper triangle of the p × p matrix dst.
func (s *squares) add(dst []float64, p int, a kernels.Rows, c []float64) {
	if s.runs.Count() == 1 {
		s.share(dst, p, a, c)
		return
	}
	s.runs.Each(func(k, lo, hi int) {
		part, to := a, dst
		if k > 0 {
			to = s.part[k-1]
			clear(to)
		}
		part.Ptr = a.Ptr[lo : hi+1]
		s.form(to, p, 0, p, part, c[lo:hi])
	})
	for _, part := range s.part[:s.runs.Count()-1] {
		for j := range p {
			kernels.Axpy(1, part[j*p+j:(j+1)*p], dst[j*p+j:(j+1)*p])
		}
	}
}

// share is add by rows of the Hessian.
func (s *squares) share(dst []float64, p int, a kernels.Rows, c []float64) {
	parts := len(s.cut) - 1
	if n := a.Len(); n == 0 || (a.Ptr[n]-a.Ptr[0])/int64(n) < sharedFrom {
		s.form(dst, p, 0, p, a, c)
		return
	}
	pass.Spread(parts, parts, func(k int) { s.form(dst, p, s.cut[k], s.cut[k+1], a, c) })
}

// form adds rows lo to hi−1.
func (s *squares) form(dst []float64, p, lo, hi int, a kernels.Rows, c []float64) {
	scratch := <-s.free
	kernels.HessianRows(dst, p, p, lo, hi, a, c, scratch)
	s.free <- scratch
}

// hessian sets the upper triangle of the matrix dst, kept as f.tri says, to X'C diag(φ”) X
// + mu I, given φ”(tᵢ). What is below the diagonal has no meaning.
func (f *Finisher) hessian(dst, curvature []float64) {
	clear(dst)
	scaled := f.Scaled(curvature)
	if f.tri.banded() {
		f.bandHessian(dst, scaled)
	} else {
		f.squares.add(dst, f.p, f.Rows, scaled)
	}
	f.Team.Upper(f.p, func(i int) []float64 { return f.tri.row(dst, i) })
	for j := range f.p {
		dst[j*f.tri.stride+j] += f.Ridge
	}
}

// bandHessian adds X' diag(scaled) X to a band: rows are short where there is one.
func (f *Finisher) bandHessian(dst, scaled []float64) {
	for i, c := range scaled {
		idx, val := f.Data.Row(i)
		for k, j := range idx {
			v, out := float64(c*val[k]), dst[int(j)*f.tri.stride:]
			for m := k; m < len(idx); m++ {
				out[idx[m]] = math.FMA(v, val[m], out[idx[m]])
			}
		}
	}
}
