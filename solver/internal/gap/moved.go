package gap

import "math"

// A BasePoint is a point x at which the loss and its gradient were computed from the samples, with the dual
// point αᵢ = φ'(tᵢ), where tᵢ are the margins. The second derivative of the loss must be a constant κ. In
// formulas, X is the data matrix, and C = diag(cᵢ) has the weights of the samples.
type BasePoint struct {
	X           []float64 // x
	Gradient    []float64 // X'Cα, the gradient of the mean loss at x
	Compensated bool      // Gradient was summed with compensation of rounding errors
	Loss        float64   // the mean loss Σ cᵢ φ(tᵢ) at x
	Tally       Tally     // the tally of x and α
}

// A Move is a step d from the point of a BasePoint to x = BasePoint.X + d. The Hessian H = κX'CX of the loss
// is known. For κ, C, X and α see BasePoint.
type Move struct {
	Size  float64   // Σ |dⱼ| Columns.Norm[j], a bound of √(Σ cᵢ(Xd)ᵢ²)
	Terms int       // the number of non-zero dⱼ
	Head  []float64 // X'C(α + κXd), computed as BasePoint.Gradient + H d
	Loss  float64   // the mean loss Σ cᵢ φ(tᵢ) at x, computed as BasePoint.Loss + Gradient'd + d'Hd/2
	// The error of H_jk is at most HessianRoundings · κ · Columns.Norm[j] · Columns.Norm[k] · roundoff.
	HessianRoundings float64
	HessianRow       func(j int) []float64 // returns row j of H
	// StartSizes is only for ProveStep. It is nil if the margins before the step were computed from the
	// point. If these margins were extrapolated from margins at other points, StartSizes has one number for
	// each feature. Then the error of each extrapolated margin is at most as large as the rounding error of a
	// margin that is computed at a point with the coefficients StartSizes.
	StartSizes []float64
}

// MoveBy returns a Move for the step d, in which only Size and Terms are set.
func (p *Problem) MoveBy(d []float64) *Move {
	move := &Move{}
	for j, v := range d {
		if v != 0 {
			move.Terms++
			move.Size += math.Abs(float64(v * p.Columns.Norm[j]))
		}
	}
	return move
}

// ProveMoved returns a bound for the point x = b.X + d without reading the samples. The dual point has the
// numbers α + κXd for the samples (see BasePoint), and the multipliers z. The second derivative of the loss
// is the constant κ. So the Fenchel term of a sample for α + κXd at x equals its Fenchel term for α at b.X.
// The sum of these terms is already in b.Tally.
func (m *DataProblem) ProveMoved(b *BasePoint, x, z []float64, move *Move) Bound {
	lossError := m.lossError(b, move)
	t := b.Tally
	t.Loss, t.MaxPhi = move.Loss+lossError, m.Loss.Curvature()
	sum := m.movedSum(&t, b.Gradient, move)
	sum.Base = b.X
	if b.Compensated {
		sum.Tail = make([]float64, len(x))
	}
	sum.RootSums = func() []float64 { return m.rootHessian(move.HessianRow) }
	bound := m.Bound(x, z, &t, &sum)
	bound.Gap += lossError
	bound.Rounding += lossError
	return bound
}

// movedSum returns a Sum with move.Head and bounds of its errors. gradient is the gradient of the mean loss
// before the move. If it was summed with compensation of rounding errors, the caller must set Sum.Tail. t is
// the tally of the dual point before or after the move; movedSum raises t.Size and t.Square to upper bounds
// that hold before and after it.
func (m *DataProblem) movedSum(t *Tally, gradient []float64, move *Move) Sum {
	reach := m.reach(move)
	t.Size += reach
	slopeNorm := float64(1.001*math.Sqrt(t.Square)) + reach
	t.Square = slopeNorm * slopeNorm
	sum := Sum{
		Head: move.Head, Roundings: float64(2 * m.Sums.Totals.Chunks),
		Samples: float64(m.Sums.Totals.Samples), ExtraErrors: make([]float64, len(gradient)), Moved: true,
	}
	for j, norm := range m.Columns.Norm {
		sum.ExtraErrors[j] = roundoff * (float64(1.001*move.productRoundings()*norm*reach) +
			2*math.Abs(move.Head[j]) + 2*math.Abs(gradient[j]))
	}
	return sum
}

// ProveStep is Prove after a Newton step d to the point, if alpha is φ' + Φ X d. Here φ' are the slopes
// before the step, and Φ is the diagonal matrix of the model's curvatures, which are at most Loss.Curvature.
// X'Cα is then gradient + H d, with the gradient of the mean loss before the step and the model's Hessian
// H = X'CΦX. The caller has computed it in this way, as move.Head. move is the step d, with this H in place
// of κX'CX. t is the tally of alpha at the point.
func (m *DataProblem) ProveStep(
	point *Point, alpha, z []float64, t *Tally, gradient, d []float64, move *Move, goal float64,
) Bound {
	stepTally := *t
	sum := m.movedSum(&stepTally, gradient, move)
	// X d was computed as the difference of the margins at the ends of the step, each with a rounding error.
	// StartSizes allows for an extrapolated start.
	sizes := make([]float64, len(d))
	for j, v := range d {
		sizes[j] = math.Abs(point.X[j]) + math.Abs(v)
		if move.StartSizes != nil {
			sizes[j] += move.StartSizes[j]
		}
	}
	marginError, _ := m.marginErrors(sizes)
	for j, norm := range m.Columns.Norm {
		sum.ExtraErrors[j] += float64(2.5 * m.Loss.Curvature() * marginError * norm)
	}
	b := m.bound(point, alpha, z, stepTally, &sum)
	if b.NeedsScaledTally(t, goal) {
		b.Gap = math.Min(b.Gap, m.scaledGap(point, alpha, t, b))
	}
	return b
}

// TrivialBoundMoved returns the bound that the dual point 0 proves for x. objective is P(x).
func (m *DataProblem) TrivialBoundMoved(b *BasePoint, x []float64, objective float64, move *Move) float64 {
	t := b.Tally
	t.Size += m.reach(move)
	return m.Problem.TrivialBound(x, objective+m.lossError(b, move), &t)
}

// reach returns an upper bound of Σ cᵢ|κ(Xd)ᵢ| and of √(Σ cᵢ(κ(Xd)ᵢ)²). d is the step of move, κ the
// curvature of the loss, and cᵢ the weight of sample i.
func (m *DataProblem) reach(move *Move) float64 {
	return float64(1.001 * m.Loss.Curvature() * move.Size)
}

// productRoundings bounds the number of rounding errors in an entry of H d, for the Hessian H and the step d
// of move.
func (move *Move) productRoundings() float64 {
	return move.HessianRoundings + float64(2*move.Terms) + 16
}

// lossError bounds the rounding error of Move.Loss.
func (m *DataProblem) lossError(b *BasePoint, move *Move) float64 {
	roundings := float64(move.Terms + 16)
	if !b.Compensated {
		roundings += float64(m.Sums.Totals.Samples + 2*m.Sums.Totals.Chunks)
	}
	slopeNorm := math.Sqrt(b.Tally.Square)
	return float64(roundoff * move.Size * (float64(1.001*roundings*slopeNorm) +
		float64(move.productRoundings()*m.reach(move))))
}
