package admm

import "math"

// interruptSamples is about the number of samples between two calls of Interrupt. If a step has more samples,
// Interrupt is called before every step.
const interruptSamples = 1024

// runRounds is the part of Algorithm 1 after the snapshot, with K = rowSet.Updates dual steps instead of one.
// M inner iterates (the argument iterates) are divided among K rounds. A round makes stochastic steps; X
// becomes the mean of its iterates, and a dual step follows. The next round starts at this mean. With K = 1
// there are M−1 stochastic steps, and X becomes the mean of w_0, …, w_{M−1}, as in Algorithm 1.
func (s *OuterLoop) runRounds(rowSet *RowSet, eta float64, iterates int) error {
	if s.Anchor.Weight > 0 {
		s.Anchor.centre = append(s.Anchor.centre[:0], s.X...)
	}
	for k := range rowSet.Updates {
		roundSize := (k+1)*iterates/rowSet.Updates - k*iterates/rowSet.Updates
		if err := s.runRound(rowSet, eta, roundSize-1, nil); err != nil {
			return err
		}
		inv := 1 / float64(roundSize)
		for j, sum := range s.sum {
			s.X[j] = (s.X[j] + sum) * inv
		}
		s.Project(s.X) // because rounding may move the mean out of the set X
		s.DualStep.Update(s.A.Image(s.X), s.Y, s.Dual)
	}
	return nil
}

// runAlgorithm2 is Algorithm 2 after the snapshot. It makes M stochastic steps; M is the argument iterates.
// Then X becomes the mean of w̃_{m+1} = (r w_m + s w_{m+1})/(2η), m = 0..M−1, and there is a dual update.
// Here s = η/(1 − ν η/2) and r = 2η − s. Because r + s = 2η, the mean is
//
//	(1/M) [ Σ_{m=1}^{M−1} w_m + (r w_0 + s w_M)/(2η) ].
//
// ν is the smaller of NuL and 1/η; with a larger ν, the weight of w_0 would be negative.
func (s *OuterLoop) runAlgorithm2(rowSet *RowSet, eta float64, iterates int) error {
	if s.endpoint == nil {
		s.endpoint = make([]float64, len(s.X))
	}
	if err := s.runRound(rowSet, eta, iterates, s.endpoint); err != nil {
		return err
	}
	startWeight, endWeight := endWeights(eta, s.NuL)
	inv := 1 / float64(iterates)
	for j, v := range s.endpoint {
		innerSum := s.sum[j] - v
		s.X[j] = float64(innerSum+float64(startWeight*s.X[j])+float64(endWeight*v)) * inv
	}
	s.DualStep.Update(s.A.Image(s.X), s.Y, s.Dual)
	return nil
}

// endWeights returns the weights r/(2η) of w_0 and s/(2η) of w_M in Algorithm 2; see runAlgorithm2.
func endWeights(eta, nuL float64) (startWeight, endWeight float64) {
	h := min(eta*nuL, 1)
	return (1 - h) / (2 - h), 1 / (2 - h)
}

// runRound makes the given number of steps from x, with fixed y and beta. It sets s.sum to the sum of
// the iterates after each step. If endpoint is not nil, it sets endpoint to the final iterate.
func (s *OuterLoop) runRound(rowSet *RowSet, eta float64, steps int, endpoint []float64) error {
	batchSize := rowSet.Plan.BatchSize()
	if s.sum == nil {
		s.sum, s.rows = make([]float64, len(s.X)), make([]int32, max(interruptSamples, batchSize))
	}
	s.setConstant()
	rowSet.Plan.Begin(s.startPoint(), s.d, eta)
	for steps > 0 {
		if s.Interrupt != nil {
			if err := s.Interrupt(); err != nil {
				return err
			}
		}
		stepCount := min(steps, max(1, len(s.rows)/batchSize))
		rows := s.rows[:stepCount*batchSize]
		rowSet.Draw(rows)
		rowSet.Plan.Advance(rows)
		steps -= stepCount
	}
	rowSet.Plan.End(s.sum, endpoint)
	s.Metric.multiplyByD(s.sum)
	s.Metric.multiplyByD(endpoint)
	return nil
}

// startPoint returns x in the coordinates of the metric.
func (s *OuterLoop) startPoint() []float64 {
	if s.Metric != nil && s.u == nil {
		s.u = make([]float64, len(s.X))
	}
	return s.Metric.divideByD(s.u, s.X)
}

// setAugmentedGradient sets d = A'(beta + ρ v). If includeAx is true, v is A x + B y − c; otherwise v is B y
// − c.
func (s *OuterLoop) setAugmentedGradient(includeAx bool) {
	if s.d == nil {
		s.d, s.residual = make([]float64, len(s.X)), make([]float64, len(s.Dual))
	}
	if includeAx {
		s.DualStep.SetViolation(s.residual, s.A.Image(s.X), s.Y)
	} else {
		s.DualStep.SetConstant(s.residual, s.Y)
	}
	s.DualStep.toMultipliers(s.residual, s.Dual)
	s.A.MulVecTrans(s.d, s.residual)
}

// setConstant sets d to the part of the gradient of the augmented Lagrangian that does not change in a round,
// for the constraint A x + B y = c: Gradient + A'(beta + ρ(B y − c)). If the augmented penalty is linearised
// (Kappa > 0), d is Gradient + A'(beta + ρ(A x + B y − c)) − κ x. An Anchor subtracts Weight times its
// centre.
//
// With a Metric, d is for steps in u, where x = D u. Then d is D times this gradient. If Kappa > 0, mu x is
// added to the gradient before the multiplication, and κ u is subtracted in place of κ x after it.
func (s *OuterLoop) setConstant() {
	s.setAugmentedGradient(s.Kappa > 0)
	for j, v := range s.Gradient {
		s.d[j] += v
	}
	for j, v := range s.Anchor.centre {
		s.d[j] = math.FMA(-s.Anchor.Weight, v, s.d[j])
	}
	if s.Kappa > 0 && s.Metric != nil { // then the ridge is linearised too, so d gets its gradient mu x
		for j, v := range s.X {
			s.d[j] = math.FMA(s.Mu, v, s.d[j])
		}
	}
	s.Metric.multiplyByD(s.d)
	if s.Kappa > 0 {
		for j, v := range s.startPoint() {
			s.d[j] = math.FMA(-s.Kappa, v, s.d[j])
		}
	}
}

// GradientSquared returns G_t² for G_t = |∇_x L(x_t, y_t, beta_t)|, the norm of the gradient of the
// augmented Lagrangian in x at the snapshot.
func (s *OuterLoop) GradientSquared() float64 {
	s.setAugmentedGradient(true)
	var sum float64
	for j, v := range s.d {
		g := v + s.Gradient[j] + float64(s.Mu*s.X[j])
		sum += float64(g * g)
	}
	return sum
}
