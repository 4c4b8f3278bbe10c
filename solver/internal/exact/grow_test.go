package exact

import (
	"math"
	"testing"

	"github.com/scas-admm/scas/solver/internal/term"
)

// TestGrowHessian checks that a Hessian that grows after a change of the working set equals one that is
// formed at once, with the same curvatures.
func TestGrowHessian(t *testing.T) {
	for _, allOnes := range []bool{false, true} {
		for _, threads := range []int{1, 3} {
			p := integerProblem(t, term.Logistic{}, 200, 90, allOnes)
			p.Threads = threads
			s := mustNew(t, p)
			w, m := &s.set, inMemory(s)
			s.work.visits = math.MaxFloat64 // form every Hessian
			s.setLambda(0.1)
			s.visit()
			columnsBut := func(missing func(j int32) bool) (cols []int32) {
				for j := int32(0); j < 60; j++ {
					if !missing(j) {
						cols = append(cols, j)
					}
				}
				return cols
			}
			s.buildSet(columnsBut(func(j int32) bool { return j%6 == 1 }))
			s.updateHessian(false)
			s.x[4], s.x[30] = 0.5, -0.5
			s.rows.moveTo(s.x, s.e, 0) // the kept Hessian belongs to another point
			s.buildSet(columnsBut(func(j int32) bool { return j%10 == 5 }))
			s.updateHessian(true)
			if !s.work.stale {
				t.Fatal("the Hessian did not grow")
			}
			want := make([]float64, len(w.dense.H))
			w.formHessian(want, m.Scaled(m.curvature))
			order := len(w.cols)
			for i := range order {
				for j := range order {
					got, sum := w.dense.H[i*order+j], want[min(i, j)*order+max(i, j)]
					if math.Abs(got-sum) > 1e-14*math.Sqrt(want[i*order+i]*want[j*order+j]) {
						t.Errorf("ones %v, %d threads: entry %d, %d is %v, want %v", allOnes, threads, i, j, got, sum)
					}
				}
			}
		}
	}
}
