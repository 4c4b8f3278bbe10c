package quadratic

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/scas-admm/scas/solver/internal/linalg"
)

// groupedProblem returns a problem of the given order, with groups of 3 coordinates and a first coordinate
// that is free. H has the given rank.
func groupedProblem(order, rank int, limit float64, seed uint64) *Grouped {
	rng := rand.New(rand.NewPCG(seed, 1))
	q := &Grouped{
		H: make([]float64, order*order), Order: order, Threads: 1,
		X: make([]float64, order), Gradient: make([]float64, order), Factor: make([]float64, order),
	}
	for range rank {
		row := make([]float64, order)
		for j := range row {
			row[j] = rng.NormFloat64()
		}
		label := 3 * rng.NormFloat64() // the gradient is in the range of H
		for i := range order {
			for j := range order {
				q.H[i*order+j] += row[i] * row[j] / float64(rank)
			}
			q.Gradient[i] += row[i] * label / float64(rank)
		}
	}
	for j := range order {
		q.Factor[j] = 0.5 + rng.Float64()
		if j%5 == 0 {
			q.X[j] = rng.NormFloat64()
		}
	}
	for first := 1; first < order; first += 3 {
		var group []int32
		for j := first; j < min(first+3, order); j++ {
			group = append(group, int32(j))
		}
		q.Groups, q.Limit = append(q.Groups, group), append(q.Limit, limit*(1+float64(first%2)))
	}
	return q
}

// largestError returns the largest error in the conditions of optimality at U. It computes the gradient from H
// and U, and does not use the residuals that Solve has updated.
func (q *Grouped) largestError() (worst float64) {
	d, r := make([]float64, q.Order), make([]float64, q.Order)
	for j, u := range q.U {
		d[j] = u - q.X[j]
	}
	TimesUpper(r, q.H, d)
	for j, g := range q.Gradient {
		r[j] = (r[j] + g) / q.Factor[j]
	}
	worst = math.Abs(r[0])
	for k, group := range q.Groups {
		v := make([]float64, q.Order)
		for _, j := range group {
			v[j] = q.Factor[j] * q.U[j]
		}
		norm := linalg.NormAt(v, group)
		if norm == 0 {
			worst = max(worst, linalg.NormAt(r, group)-q.Limit[k])
			continue
		}
		for _, j := range group {
			worst = max(worst, math.Abs(r[j]+q.Limit[k]*v[j]/norm))
		}
	}
	return worst
}

// TestGrouped checks the conditions of optimality, also for a singular H, with which more groups than its rank
// may be non-zero on the way.
func TestGrouped(t *testing.T) {
	for _, order := range []int{2, 7, 40, 100} {
		for _, rank := range []int{2 * order, max(3, order/4)} {
			for _, limit := range []float64{3, 0.3, 0.03, 0.001} {
				for seed := range uint64(5) {
					name := fmt.Sprintf("order %d, rank %d, limit %g, seed %d", order, rank, limit, seed)
					q := groupedProblem(order, rank, limit, seed)
					q.Solve(&GroupedSettings{Gap: 1e-13, Violation: 1e-9})
					if worst := q.largestError(); !(worst <= 1e-6) || !(q.Value() <= 0) {
						t.Errorf("%s: error %.2g, value %v", name, worst, q.Value())
					}
				}
			}
		}
	}
}

// TestGroupWithoutData checks that a group becomes zero if its rows of H and its gradient are zero.
func TestGroupWithoutData(t *testing.T) {
	q := groupedProblem(7, 14, 0.1, 1)
	for _, j := range q.Groups[1] {
		for i := range q.Order {
			q.H[int(j)*q.Order+i], q.H[i*q.Order+int(j)] = 0, 0
		}
		q.X[j], q.Gradient[j] = 1, 0
	}
	q.Solve(&GroupedSettings{Gap: 1e-13, Violation: 1e-9})
	for _, j := range q.Groups[1] {
		if q.U[j] != 0 {
			t.Errorf("coordinate %d is %v", j, q.U[j])
		}
	}
	if worst := q.largestError(); !(worst <= 1e-6) {
		t.Errorf("error %.2g", worst)
	}
}
