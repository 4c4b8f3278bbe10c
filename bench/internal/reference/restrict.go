package reference

import (
	"github.com/scas-admm/scas/solver"
	"github.com/scas-admm/scas/sparse"
)

// A restriction is the problem with all features but some held at zero.
type restriction struct {
	x, a   *sparse.CSR // n and l' rows; one column per feature kept
	rows   []int       // rows of A that are not zero on the features kept
	keep   []int32     // features kept, increasing
	total  int         // features of the whole problem
	labels []float64
	loss   solver.Loss
	lambda float64
	mu     float64
	l      int // rows of the whole A
}

// restrict keeps the given features, in increasing order.
func restrict(p *solver.Problem, a *sparse.CSR, keep []int32) *restriction {
	_, total := p.Data.Dims()
	l, _ := a.Dims()
	r := &restriction{keep: keep, total: total, labels: p.Labels, loss: lossOf(p), lambda: p.Penalty.(solver.L1).Lambda, mu: p.L2, l: l}
	place := make([]int32, total)
	for j := range place {
		place[j] = -1
	}
	for k, j := range keep {
		place[j] = int32(k)
	}
	r.x, _ = columns(p.Data, place, len(keep), false)
	r.a, r.rows = columns(a, place, len(keep), true)
	return r
}

// problem returns the restriction as a problem of its own.
func (r *restriction) problem() *solver.Problem {
	return &solver.Problem{Data: r.x, Labels: r.labels, Loss: r.loss, L2: r.mu, Penalty: solver.L1{Lambda: r.lambda}, Constraint: r.a}
}

// columns returns the columns of m that have a place, without the rows that
// this empties if drop is set, and the numbers of the rows kept.
func columns(m *sparse.CSR, place []int32, cols int, drop bool) (*sparse.CSR, []int) {
	n, _ := m.Dims()
	ptr, kept := []int64{0}, []int(nil)
	var idx []int32
	var val []float64
	for i := range n {
		row, v := m.Row(i)
		for k, j := range row {
			if at := place[j]; at >= 0 && v[k] != 0 {
				idx, val = append(idx, at), append(val, v[k])
			}
		}
		if drop && int64(len(idx)) == ptr[len(ptr)-1] {
			continue
		}
		ptr, kept = append(ptr, int64(len(idx))), append(kept, i)
	}
	out, err := sparse.New(len(ptr)-1, cols, ptr, idx, val)
	if err != nil {
		panic(err) // columns keep their order
	}
	return out, kept
}

// spread returns x and beta of the whole problem.
func (r *restriction) spread(x, beta []float64) (fullX, fullBeta []float64) {
	fullX, fullBeta = make([]float64, r.total), make([]float64, r.l)
	for k, j := range r.keep {
		fullX[j] = x[k]
	}
	for k, row := range r.rows {
		fullBeta[row] = beta[k]
	}
	return fullX, fullBeta
}

func lossOf(p *solver.Problem) solver.Loss {
	if p.Loss == nil {
		return solver.Logistic{}
	}
	return p.Loss
}
