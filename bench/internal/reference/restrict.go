package reference

import (
	"github.com/scas-admm/scas/bench/internal/submatrix"
	"github.com/scas-admm/scas/solver"
	"github.com/scas-admm/scas/sparse"
)

// A restriction is a problem with all features but some held at zero.
type restriction struct {
	p        *solver.Problem // on the features kept
	a        *sparse.CSR     // its constraint, without the rows that are zero there
	rows     []int           // of the whole A that are left
	keep     []int           // features kept, increasing
	features int             // of the whole problem
	rowsOfA  int             // of the whole problem
}

// restrict keeps the given features, in increasing order.
func restrict(p *solver.Problem, a *sparse.CSR, keep []int) *restriction {
	q := *p
	r := &restriction{p: &q, keep: keep}
	_, r.features = p.Data.Dims()
	r.rowsOfA, _ = a.Dims()
	r.a, r.rows = submatrix.NonzeroRows(submatrix.Columns(a, keep))
	q.Data, q.Loss, q.Constraint = submatrix.Columns(p.Data, keep), lossOf(p), r.a
	return r
}

// spread returns x and beta of the whole problem.
func (r *restriction) spread(x, beta []float64) (fullX, fullBeta []float64) {
	fullX, fullBeta = make([]float64, r.features), make([]float64, r.rowsOfA)
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
