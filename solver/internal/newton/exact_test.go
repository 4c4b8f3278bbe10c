package newton

import (
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/scas-admm/scas/solver/internal/term"
)

const bigBits = 600 // enough for sums of products of float64 of moderate size to be exact

func num(v float64) *big.Float { return new(big.Float).SetPrec(bigBits).SetFloat64(v) }

// addTo adds the product of the factors to sum.
func addTo(sum *big.Float, factors ...float64) {
	v := num(1)
	for _, x := range factors {
		v.Mul(v, num(x))
	}
	sum.Add(sum, v)
}

// TestExact recomputes proofs in exact arithmetic, for losses that are parabolas: z of
// a feature's own row is what closes the equality exactly, its size is within the
// limit but for the rounding of a last scaling, and P − D is not above the bound.
func TestExact(t *testing.T) {
	for _, loss := range []term.Loss{term.Squared{}, term.SquaredHinge{}} {
		for _, a := range []string{"identity", "graph"} {
			f := mustNew(t, kind{loss, a, 0, false, 0.02}.random(t, 50, 9, 21))
			best := f.Finish(nil, &Settings{Tol: 1e-14}).X
			rng := rand.New(rand.NewPCG(9, 9))
			for _, distance := range []float64{0, 1e-12, 1e-8, 1e-4, 0.1, 10} {
				x := make([]float64, f.p)
				for j := range x {
					x[j] = best[j] + distance*rng.NormFloat64()
				}
				checkExact(t, f, x)
			}
		}
	}
}

func checkExact(t *testing.T, f *Finisher, x []float64) {
	t.Helper()
	c := f.newCertifier(x)
	for tau := 1e-3; tau > 1e-17; tau *= 0.01 {
		if !c.step(tau) {
			t.Fatal("no factor")
		}
		d := &dual{gap: c.trial.gap}
		d.alpha, d.z = f.feasible(c.trial)
		d.z = f.rows.Restrict(d.z)
		gap := new(big.Float).SetPrec(bigBits)
		for i, alpha := range d.alpha {
			exactLoss(gap, f, c.pt.x, i, alpha)
		}
		for j, own := range f.rows.Own {
			e, size := exactResidual(f, d, j, int(own))
			z := new(big.Float).Quo(e, num(-f.rows.Entry[j]))
			room := new(big.Float).Sub(num(f.rows.Limit[own]), new(big.Float).Abs(z))
			if v, _ := room.Float64(); v < -4*unit*size {
				t.Errorf("τ %g: feature %d exceeds its limit by %g", tau, j, -v)
			}
		}
		for row, limit := range f.rows.Limit {
			v := exactImage(f, c.pt.x, row)
			gap.Add(gap, v.Abs(v).Mul(v, num(limit)))
		}
		if exact, _ := gap.Float64(); exact > d.gap {
			t.Errorf("τ %g: P − D = %.17g, bound %.17g", tau, exact, d.gap)
		}
	}
}

// exactLoss adds c [φ(t) + φ*(α)] of a sample: with b = ±1, of parabolas.
func exactLoss(sum *big.Float, f *Finisher, x []float64, i int, alpha float64) {
	margin, b, c := num(0), f.Labels[i], f.Coef[i]
	idx, val := f.Data.Row(i)
	for k, j := range idx {
		addTo(margin, val[k], x[j])
	}
	r := new(big.Float).Sub(num(1), new(big.Float).Mul(num(b), margin)) // b (b − t)
	if _, hinge := f.Loss.(term.SquaredHinge); hinge && r.Sign() < 0 {
		r = num(0)
	}
	sum.Add(sum, r.Mul(r, r).Mul(r, num(c)))
	addTo(sum, c, alpha, b)
	addTo(sum, c, alpha, alpha, 0.25)
}

// exactResidual returns (X'Cα + A'z)_j without the feature's own row, and the sum of
// the absolute values of its terms.
func exactResidual(f *Finisher, d *dual, j, own int) (e *big.Float, size float64) {
	e = num(0)
	for i, alpha := range d.alpha {
		idx, val := f.Data.Row(i)
		for k, col := range idx {
			if int(col) == j {
				addTo(e, f.Coef[i], alpha, val[k])
				size += abs(f.Coef[i] * alpha * val[k])
			}
		}
	}
	for row, z := range d.z {
		if row == own || f.rows.M == nil {
			continue
		}
		idx, val := f.rows.M.Row(row)
		for k, col := range idx {
			if int(col) == j {
				addTo(e, z, val[k])
				size += abs(z * val[k])
			}
		}
	}
	return e, size
}

// exactImage returns (A x)_row.
func exactImage(f *Finisher, x []float64, row int) *big.Float {
	v := num(0)
	if f.rows.M == nil {
		return num(x[row])
	}
	idx, val := f.rows.M.Row(row)
	for k, j := range idx {
		addTo(v, val[k], x[j])
	}
	return v
}

const unit = 0x1p-53 // a rounding

func abs(v float64) float64 { return max(v, -v) }
