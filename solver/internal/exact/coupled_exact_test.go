package exact

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/scas-admm/scas/solver/internal/gap"
	"github.com/scas-admm/scas/solver/internal/term"
)

const bigBits = 600 // precision in bits; sums of products of float64 numbers of moderate size are then exact

func num(v float64) *big.Float { return new(big.Float).SetPrec(bigBits).SetFloat64(v) }

func addTo(sum *big.Float, factors ...float64) {
	v := num(1)
	for _, x := range factors {
		v.Mul(v, num(x))
	}
	sum.Add(sum, v)
}

// TestExactProofs checks in exact arithmetic that the duality gap P − D is at most the proved bound, and that
// no multiplier exceeds its limit by more than rounding. P and D are the primal and the dual objective.
func TestExactProofs(t *testing.T) {
	for _, loss := range []term.Loss{term.Squared{}, term.SquaredHinge{}} {
		for _, a := range []string{"identity", "graph"} {
			p := pattern{loss, a, 0, 0.02}.draw(t, 50, 9, 21)
			p.joint = true
			s := mustNew(t, p)
			best := s.Finish(nil, &Settings{Tol: 1e-14}).X
			rng := rand.New(rand.NewPCG(9, 9))
			for _, distance := range []float64{0, 1e-12, 1e-8, 1e-4, 0.1, 10} {
				for steps := range 4 {
					x := make([]float64, s.p)
					for j := range x {
						x[j] = best[j] + distance*rng.NormFloat64()
					}
					s.Start(x)
					s.Solve(1, &Settings{MaxIterations: steps + 1})
					checkExact(t, s)
				}
			}
		}
	}
}

// checkExact checks the gap that the dual point of the last step proves, and the limits of the multipliers
// (see TestExactProofs).
func checkExact(t *testing.T, s *Solver) {
	t.Helper()
	m := s.rows.(*memorySamples)
	m.tally()
	b := m.prove(s.x, s.z, s.e, 0)
	alpha, r := make([]float64, m.n), s.bounds.Penalty
	for i, a := range m.alpha {
		alpha[i] = float64(b.Shrink * a)
	}
	sum := num(0)
	for i, a := range alpha {
		exactLoss(sum, s, i, a)
	}
	for j, row := range r.Singleton {
		e, size := exactResidual(s, alpha, b.Z, j)
		z := new(big.Float).Quo(e, num(-r.SingletonEntry[j]))
		slack := new(big.Float).Sub(num(r.Limit[row]), new(big.Float).Abs(z))
		if v, _ := slack.Float64(); v < -4*0x1p-53*size {
			t.Errorf("feature %d exceeds its limit by %g", j, -v)
		}
	}
	for row, limit := range r.Limit {
		v := exactImage(r, s.x, row)
		sum.Add(sum, v.Abs(v).Mul(v, num(limit)))
	}
	if exactGap, _ := sum.Float64(); exactGap > b.Gap {
		t.Errorf("P − D = %.17g, bound %.17g", exactGap, b.Gap)
	}
}

// exactLoss adds cᵢ [φ(tᵢ) + φ*(αᵢ)] of sample i to sum. The loss is the squared loss or the squared
// hinge, and the label is ±1.
func exactLoss(sum *big.Float, s *Solver, i int, alpha float64) {
	margin, b, c := num(0), s.Labels[i], inMemory(s).MeanWeights[i]
	idx, val := s.Data.Row(i)
	for k, j := range idx {
		addTo(margin, val[k], s.x[j])
	}
	// Because b is ±1, b (b − t) is 1 − b t.
	r := new(big.Float).Sub(num(1), new(big.Float).Mul(num(b), margin))
	if _, hinge := s.Loss.(term.SquaredHinge); hinge && r.Sign() < 0 {
		r = num(0)
	}
	sum.Add(sum, r.Mul(r, r).Mul(r, num(c)))
	addTo(sum, c, alpha, b)
	addTo(sum, c, alpha, alpha, 0.25)
}

// exactResidual returns (X'Cα + A'z)ⱼ without the term of feature j's singleton row, and the sum of the
// absolute values of the terms.
func exactResidual(s *Solver, alpha, z []float64, j int) (e *big.Float, size float64) {
	e = num(0)
	for i, a := range alpha {
		idx, val := s.Data.Row(i)
		for k, col := range idx {
			if int(col) == j {
				addTo(e, inMemory(s).MeanWeights[i], a, val[k])
				size += math.Abs(inMemory(s).MeanWeights[i] * a * val[k])
			}
		}
	}
	r := s.bounds.Penalty
	if r.M == nil {
		return e, size
	}
	rows, val := r.T.Row(j)
	for k, row := range rows {
		if row != r.Singleton[j] {
			addTo(e, z[row], val[k])
			size += math.Abs(z[row] * val[k])
		}
	}
	return e, size
}

func exactImage(r *gap.Penalty, x []float64, row int) *big.Float {
	if r.M == nil {
		return num(x[row])
	}
	v := num(0)
	idx, val := r.M.Row(row)
	for k, j := range idx {
		addTo(v, val[k], x[j])
	}
	return v
}
