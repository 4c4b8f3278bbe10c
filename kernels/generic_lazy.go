package kernels

import "math"

func innerLazyCellsGeneric(cells, norm2 []float64, ptr []int64, idx []int32, idx16 []uint16, val []float64, val32 []float32,
	label, slope0 []float64, sampled []int32, off []int64, num, state []float64, squared bool, work int) (done int) {
	s := stepsOf(ptr, idx, idx16, val, val32, label, slope0, state, squared)
	return s.upTo(sampled, work, 1, func(i int32) bool {
		lazyStep(cells, norm2, s, state, i)
		return !lazyStopped(state)
	})
}

// lazyStep is one step of InnerLazyCells or, with norm2, InnerLazyBallCells.
func lazyStep(cells, norm2 []float64, s *Steps, state []float64, i int32) {
	alpha, gamma, eta := state[slotAlpha], state[slotGamma], s.Eta
	b := s.factor(i)
	ba, bg := float64(b*alpha), float64(b*gamma)
	alpha, gamma = float64(state[slotQ]*alpha), math.FMA(state[slotQ], gamma, -eta)
	rate := eta / alpha

	var lu, ld [8]float64
	lo, n := s.Rows.Ptr[i], s.Rows.rowLen(i)
	for k := range n {
		j, v := s.Rows.entry(int(lo) + k)
		lu[k&7] = math.FMA(v, cells[cellSize*j], lu[k&7])
		ld[k&7] = math.FMA(v, cells[cellSize*j+1], ld[k&7])
	}
	au, ad := sum8(&lu), sum8(&ld)
	delta := s.delta(i, float64(ba*au)+float64(bg*ad))
	r, g := float64(delta*rate), float64(delta*eta)
	if norm2 != nil {
		g = float64(r * state[slotAlphaSum])
	}
	for k := range n {
		j, v := s.Rows.entry(int(lo) + k)
		c := cells[cellSize*j : cellSize*j+cellSize]
		c[0], c[1], c[2], c[3] = math.FMA(r, v, c[0]), math.FMA(0, v, c[1]), math.FMA(g, v, c[2]), math.FMA(0, v, c[3])
	}
	if norm2 != nil {
		alpha, gamma = project(state, alpha, gamma, r, au, ad, norm2[i])
	}
	state[slotAlpha], state[slotGamma] = alpha, gamma
}

// project updates the inner products of u and d after a step, shrinks alpha and
// gamma to the ball and adds them to their sums.
func project(state []float64, alpha, gamma, r, au, ad, norm2 float64) (float64, float64) {
	uu := math.FMA(r, math.FMA(r, norm2, au+au), state[slotUU])
	ud := math.FMA(r, ad, state[slotUD])
	state[slotUU], state[slotUD] = uu, ud
	cross := float64((alpha + alpha) * gamma)
	n2 := math.FMA(float64(alpha*alpha), uu, math.FMA(cross, ud, float64(float64(gamma*gamma)*state[slotDD])))
	if radius := state[slotRadius]; n2 > float64(radius*radius) {
		f := radius / math.Sqrt(n2)
		alpha, gamma = float64(f*alpha), float64(f*gamma)
	}
	state[slotAlphaSum] += alpha
	state[slotGammaSum] += gamma
	return alpha, gamma
}

// factor returns the label for the logistic loss and 1 for the squared one:
// what turns a margin into the argument of delta.
func (s *Steps) factor(i int32) float64 {
	if s.Loss == SquaredLossKind {
		return 1
	}
	return s.Label[i]
}

// delta returns Slope0[i] less the slope at z, the margin times factor(i).
func (s *Steps) delta(i int32, z float64) float64 {
	if s.Loss == SquaredLossKind {
		r := z - s.Label[i]
		return s.Slope0[i] - (r + r)
	}
	e := expNeg(math.Abs(z))
	return s.Slope0[i] - logisticSlopeAt(z, e, s.Label[i])
}
