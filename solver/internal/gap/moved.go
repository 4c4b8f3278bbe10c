package gap

import "math"

// A Base is a point at which the samples were visited, for a loss whose second derivative is a constant
// κ. Its dual point α has the slopes at this point: αᵢ = φ'(tᵢ).
type Base struct {
	X     []float64
	Slope []float64 // X'Cα
	Exact bool      // Slope was summed with compensation, so that only its last digit is rounded
	Loss  float64   // Σ cᵢ φ(tᵢ)
	Tally Tally     // the tally of the point X and the dual point α
}

// A Move describes the step d from a Base to x = base + d. The matrix H = κX'CX is known.
type Move struct {
	Size  float64   // Σ |dⱼ| Columns.Norm[j]
	Terms int       // the number of entries dⱼ ≠ 0
	Head  []float64 // X'C(α + κXd), computed as Base.Slope + H d
	Loss  float64   // the mean loss at x, computed as Base.Loss + Slope'd + d'Hd/2
	// The error of an entry H_jk is at most Roundings times κ Columns.Norm[j] Columns.Norm[k] roundoff.
	Roundings float64
	Row       func(j int) []float64 // returns row j of H
}

// ProveMoved returns a bound for x without visiting the samples. The dual point has the numbers
// α + κXd and the multipliers z. Its Fenchel terms at x equal the Fenchel terms of α at the base, because
// the slopes change by κXd too.
func (m *Memory) ProveMoved(b *Base, x, z []float64, to *Move) Bound {
	lossError, reach := m.lossError(b, to), m.reach(to)
	t := b.Tally
	t.Loss, t.MaxPhi = to.Loss+lossError, m.Loss.Curvature()
	t.Size += reach
	slope := float64(1.001*math.Sqrt(t.Square)) + reach
	t.Square = slope * slope
	sum := Sum{Head: to.Head, Roundings: float64(2 * m.Sums.All.Chunks), Samples: float64(m.Sums.All.Samples), Base: b.X, Error: make([]float64, len(x))}
	if b.Exact {
		sum.Tail = make([]float64, len(x))
	}
	for j, norm := range m.Columns.Norm {
		sum.Error[j] = roundoff * (float64(1.001*to.roundings()*norm*reach) + 2*math.Abs(to.Head[j]) + 2*math.Abs(b.Slope[j]))
	}
	sum.Hessian = func() []float64 { return m.rootHessian(to.Row) }
	found := m.Bound(x, z, &t, &sum)
	found.Gap += lossError
	found.Rounding += lossError
	return found
}

// TrivialMoved returns the bound that the dual point 0 proves for x, where value is P(x).
func (m *Memory) TrivialMoved(b *Base, x []float64, value float64, to *Move) float64 {
	t := b.Tally
	t.Size += m.reach(to)
	return m.Problem.Trivial(x, value+m.lossError(b, to), &t)
}

// reach returns an upper bound of both Σ cᵢ|κ(Xd)ᵢ| and √(Σ cᵢ(κ(Xd)ᵢ)²).
func (m *Memory) reach(to *Move) float64 { return float64(1.001 * m.Loss.Curvature() * to.Size) }

// roundings returns the number of roundings in an entry of H d.
func (to *Move) roundings() float64 { return to.Roundings + float64(2*to.Terms) + 16 }

// lossError bounds the rounding error of Move.Loss.
func (m *Memory) lossError(b *Base, to *Move) float64 {
	first := float64(to.Terms + 16)
	if !b.Exact {
		first += float64(m.Sums.All.Samples + 2*m.Sums.All.Chunks)
	}
	slope := math.Sqrt(b.Tally.Square)
	return float64(roundoff * to.Size * (float64(1.001*first*slope) + float64(to.roundings()*m.reach(to))))
}
