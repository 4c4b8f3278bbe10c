package term

import (
	"cmp"
	"math"
)

// ElasticNet is g(y) = L1 Σ Weightsⱼ |yⱼ| + (L2/2) Σ yⱼ².
type ElasticNet struct {
	L1, L2 float64
	// Weights has one non-negative entry for each coordinate of y. The weights scale the absolute values, not
	// the squares. Nil means ones.
	Weights []float64
}

// AbsolutePart returns the part L1 Σ Weightsⱼ |yⱼ|.
func (g ElasticNet) AbsolutePart() L1 { return L1{g.L1, g.Weights} }

func (g ElasticNet) Value(y []float64) float64 {
	return g.AbsolutePart().Value(y) + SquaredL2{g.L2}.Value(y)
}

func (g ElasticNet) Prox(dst, v, step []float64) {
	g.AbsolutePart().Prox(dst, v, step)
	for j, u := range dst {
		dst[j] = u / (1 + float64(step[j]*g.L2))
	}
}

// Conjugate returns g*(z) = Σ max(0, |zⱼ| − L1 Weightsⱼ)²/(2 L2), where 0/0 counts as 0.
func (g ElasticNet) Conjugate(z []float64) float64 {
	var sum float64
	absolutePart := g.AbsolutePart()
	for j, v := range z {
		switch excess := math.Abs(v) - absolutePart.Limit(j); {
		case excess > 0 && g.L2 == 0:
			return math.Inf(1) // the square of excess may be 0
		case excess > 0:
			sum += float64(excess*excess) / (2 * g.L2)
		}
	}
	return sum
}

func (ElasticNet) Separable() bool { return true }

func (g ElasticNet) Scale() float64 {
	if scale := g.AbsolutePart().Scale(); scale != 0 {
		return scale
	}
	return g.L2
}

func (g ElasticNet) Validate(q int) error {
	err := cmp.Or(checkFactor("ElasticNet.L1", g.L1), CheckWeights("ElasticNet.Weights", g.Weights, q))
	if err != nil {
		return err
	}
	return checkFactor("ElasticNet.L2", g.L2)
}

func (g ElasticNet) RowPenalty(q int) (RowPenalty, bool) {
	rows, _ := g.AbsolutePart().RowPenalty(q)
	rows.Square = g.L2
	return rows, true
}
