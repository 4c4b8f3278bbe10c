package gap

import "math"

// A Base is a point at which samples were visited, of a loss whose curvature is a constant κ.
type Base struct {
	X     []float64
	Slope []float64 // X'Cα, α being the slopes there
	Exact bool      // Slope is X'Cα but for the last rounding
	Loss  float64   // Σ cᵢ φ(tᵢ)
	Tally Tally     // of α
}

// A Move leads from a base to x = base + d. Beside d, the matrix H = κX'CX is known.
type Move struct {
	Size      float64               // Σ |dⱼ| Norm_j
	Terms     int                   // entries of d that are not zero
	Head      []float64             // X'C(α + κXd), as Base.Slope + H d
	Loss      float64               // at x, as that of the base + Slope'd + d'Hd/2
	Roundings float64               // of an entry of H, whose size is at most κ times those of two norms
	Row       func(j int) []float64 // of H
}

// ProveMoved returns what is proved of x, without a visit of the samples. Its dual point is α + κXd: the
// Fenchel terms are those of α at the base, as a constant curvature moves slope and dual point alike.
func (m *Memory) ProveMoved(b *Base, x, z []float64, to *Move) Bound {
	off, reach := m.lossError(b, to), m.reach(to)
	t := b.Tally
	t.Loss = to.Loss + off
	t.Size += reach
	slope := float64(1.001*math.Sqrt(t.Square)) + reach
	t.Square = slope * slope
	sum := Sum{Head: to.Head, Roundings: float64(2 * m.Sums.All.Runs), Samples: float64(m.Sums.All.Samples), Base: b.X, Off: make([]float64, len(x))}
	if b.Exact {
		sum.Tail = make([]float64, len(x))
	}
	for j, norm := range m.Columns.Norm {
		sum.Off[j] = unit * (float64(1.001*to.roundings()*norm*reach) + 2*math.Abs(to.Head[j]) + 2*math.Abs(b.Slope[j]))
	}
	sum.Hessian = func() []float64 { return m.rootHessian(to.Row) }
	found := m.Bound(x, z, &t, &sum)
	found.Gap += off
	found.Rounding += off
	return found
}

// TrivialMoved returns what the dual point 0 proves of x with objective value.
func (m *Memory) TrivialMoved(b *Base, x []float64, value float64, to *Move) float64 {
	t := b.Tally
	t.Mismatch = t.Size + m.reach(to)
	return m.Problem.Trivial(x, value+m.lossError(b, to), &t)
}

// reach bounds Σ cᵢ|κXd|, and the root of the sum of squares.
func (m *Memory) reach(to *Move) float64 { return float64(1.001 * m.Loss.Curvature() * to.Size) }

// roundings are those of an entry of H d.
func (to *Move) roundings() float64 { return to.Roundings + float64(2*to.Terms) + 16 }

// lossError bounds the rounding of the loss at x.
func (m *Memory) lossError(b *Base, to *Move) float64 {
	first := float64(to.Terms + 16)
	if !b.Exact {
		first += float64(m.Sums.All.Samples + 2*m.Sums.All.Runs)
	}
	slope := math.Sqrt(b.Tally.Square)
	return float64(unit * to.Size * (float64(1.001*first*slope) + float64(to.roundings()*m.reach(to))))
}
