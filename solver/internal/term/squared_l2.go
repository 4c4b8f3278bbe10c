package term

import "github.com/scas-admm/scas/solver/internal/linalg"

// SquaredL2 is g(y) = (Lambda/2) Σ yⱼ².
type SquaredL2 struct {
	Lambda float64
}

func (g SquaredL2) Value(y []float64) float64 { return float64(0.5 * g.Lambda * linalg.SumSquares(y)) }

func (g SquaredL2) Prox(dst, v, step []float64) {
	for j, u := range v {
		dst[j] = u / (1 + float64(step[j]*g.Lambda))
	}
}

// Conjugate returns g*(z) = |z|²/(2 Lambda), where 0/0 counts as 0.
func (g SquaredL2) Conjugate(z []float64) float64 { return ElasticNet{L2: g.Lambda}.Conjugate(z) }

func (SquaredL2) Separable() bool { return true }

func (g SquaredL2) Scale() float64 { return g.Lambda }

func (g SquaredL2) Validate(int) error { return checkFactor("SquaredL2.Lambda", g.Lambda) }

func (g SquaredL2) RowPenalty(q int) (RowPenalty, bool) {
	return RowPenalty{Limit: make([]float64, q), Square: g.Lambda}, true
}
