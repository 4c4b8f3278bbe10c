package term

import (
	"math"

	"github.com/scas-admm/scas/solver/internal/linalg"
)

// GroupL2 is the group lasso g(y) = Lambda Σ Weights_k |y_k|₂, where y_k has the coordinates of y that are in
// group k.
type GroupL2 struct {
	Lambda float64
	// Groups are disjoint sets of coordinates. Coordinates in no group are not penalised.
	Groups [][]int
	// Weights has one non-negative entry for each group. Nil means the square roots of the sizes of the
	// groups.
	Weights []float64
}

// Limit returns Lambda times the weight of group k, the limit of the norm of its multipliers.
func (g GroupL2) Limit(k int) float64 {
	if g.Weights == nil {
		return float64(g.Lambda * math.Sqrt(float64(len(g.Groups[k]))))
	}
	return float64(g.Lambda * g.Weights[k])
}

func (g GroupL2) Value(y []float64) float64 {
	var sum float64
	for k := range g.Groups {
		sum += float64(g.Limit(k) * linalg.NormAt(y, g.Groups[k]))
	}
	return sum
}

// Prox sets dst to the proximal map of g at v. All steps of a group must be equal.
func (g GroupL2) Prox(dst, v, step []float64) {
	copy(dst, v)
	for k, group := range g.Groups {
		if len(group) == 0 {
			continue
		}
		factor := 0.0
		if norm, t := linalg.NormAt(v, group), float64(step[group[0]]*g.Limit(k)); norm > t {
			factor = 1 - t/norm
		}
		for _, j := range group {
			dst[j] = v[j] * factor
		}
	}
}

func (g GroupL2) Conjugate(z []float64) float64 {
	grouped := make([]bool, len(z))
	for k, group := range g.Groups {
		if linalg.NormAt(z, g.Groups[k]) > g.Limit(k) {
			return math.Inf(1)
		}
		for _, j := range group {
			grouped[j] = true
		}
	}
	for j, v := range z {
		if v != 0 && !grouped[j] {
			return math.Inf(1)
		}
	}
	return 0
}

func (GroupL2) Separable() bool { return false }

func (g GroupL2) Scale() float64 { return g.Lambda }

func (g GroupL2) Validate(q int) error {
	if err := checkFactor("GroupL2.Lambda", g.Lambda); err != nil {
		return err
	}
	owner := make([]int, q)
	for k, group := range g.Groups {
		for _, j := range group {
			if j < 0 || j >= q {
				return errorf("GroupL2.Groups[%d] has coordinate %d; y has %d", k, j, q)
			}
			if owner[j] != 0 {
				return errorf("GroupL2.Groups[%d] and [%d] share coordinate %d; groups must be disjoint (repeat the row of A instead)", owner[j]-1, k, j)
			}
			owner[j] = k + 1
		}
	}
	return CheckWeights("GroupL2.Weights", g.Weights, len(g.Groups))
}

func (g GroupL2) RowPenalty(q int) (RowPenalty, bool) {
	rows := RowPenalty{Limit: make([]float64, q), Groups: g.Groups}
	for k, group := range g.Groups {
		for _, j := range group {
			rows.Limit[j] = g.Limit(k)
		}
	}
	return rows, true
}
