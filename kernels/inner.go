package kernels

import "math"

// A LossKind names a loss that the inner loops know how to differentiate.
type LossKind uint8

// The losses: log(1+exp(-label*margin)) and (label-margin)².
const (
	LogisticLossKind LossKind = iota
	SquaredLossKind
)

// Steps is what a run of inner steps of SCAS-ADMM reads. One step draws a row
// i, takes its margin t at the current point and scales the row by
//
//	g = Eta * (Slope0[i] - slope(t, Label[i]))
//
// the variance-reduced part of the stochastic gradient, times -Eta.
type Steps struct {
	Rows   Rows      // all samples
	Label  []float64 // one per row: -1 or +1 for the logistic loss
	Slope0 []float64 // one per row: the slope at the snapshot
	Loss   LossKind
	Eta    float64

	// Scratch is used by the fused loops, one call at a time. If it is nil every
	// call allocates one.
	Scratch *Scratch
}

func (s *Steps) gain(i int32, margin float64) float64 {
	label := s.Label[i]
	if s.Loss == SquaredLossKind {
		return float64(s.Eta * float64(s.Slope0[i]-squaredSlope(margin, label)))
	}
	return float64(s.Eta * float64(s.Slope0[i]-LogisticSlope(margin, label)))
}

func (s *Steps) check(fn string, sampled []int32) {
	n := s.Rows.Len()
	checkRows(fn, "Label", len(s.Label), s.Rows)
	checkLen(fn, "Slope0", len(s.Slope0), n)
	for _, i := range sampled {
		if uint(i) >= uint(n) {
			panicf("%s: sampled row %d of %d", fn, i, n)
		}
	}
}

// Lazy is the point w = Alpha*u + Gamma*d of InnerLazy, in which a step costs as
// many operations as the row has nonzeros.
type Lazy struct {
	Alpha, Gamma float64 // start at 1 and 0
	Q            float64 // 1 - eta*kappa, in (0, 1]
}

// lazyFloor is the Alpha below which a run stops: the caller then forms w, so
// that neither w nor a sum loses digits to u growing like 1/Alpha.
const lazyFloor = 0x1p-7

// InnerLazy runs inner steps where K = kappa I and there is no projection, on w
// = Alpha*u + Gamma*d:
//
//	t = FMA(Alpha, a_i'u, Gamma*(a_i'd))
//	Alpha = Q*Alpha,  Gamma = FMA(Q, Gamma, -Eta),  r = g * (1/Alpha)
//	u[j] = FMA(r, a_i[j], u[j]),  h[j] = FMA(g, a_i[j], h[j])   for the nonzeros of row i
//
// It stops after the step that takes Alpha below 2^-7, and returns the number of
// steps done. u, h and d have one length; u and h are updated.
func InnerLazy(u, h, d []float64, l *Lazy, s *Steps, sampled []int32) int {
	s.check("InnerLazy", sampled)
	checkLen("InnerLazy", "h", len(h), len(u))
	checkLen("InnerLazy", "d", len(d), len(u))
	return innerLazyGeneric(u, h, d, l, s, sampled)
}

// LazyBall is the state of InnerLazyBall: the point w = Alpha*u + Gamma*d and
// the inner products that give its norm.
type LazyBall struct {
	Lazy
	Radius     float64
	UU, UD, DD float64 // |u|², u'd, |d|²
	AlphaSum   float64 // sums of Alpha and Gamma after each step
	GammaSum   float64
	GammaLimit float64 // |Gamma| above which a run stops, as UU, UD, DD cancel
}

// InnerLazyBall is InnerLazy with projection onto the ball of the given radius
// around the origin. norm2 has |a_i|² for every row. The sum of the iterates
// since AlphaSum = GammaSum = 0 and q = 0 is AlphaSum*u - q + GammaSum*d:
//
//	UU = FMA(r, FMA(r, norm2[i], 2*(a_i'u)), UU),  UD = FMA(r, a_i'd, UD)
//	u[j] = FMA(r, a_i[j], u[j]),  q[j] = FMA(r*AlphaSum, a_i[j], q[j])
//	n2 = Alpha²*UU + 2*Alpha*Gamma*UD + Gamma²*DD
//	if n2 > Radius²:  f = Radius/sqrt(n2),  Alpha = f*Alpha,  Gamma = f*Gamma
//	AlphaSum += Alpha,  GammaSum += Gamma
//
// It stops after the step that takes Alpha below 2^-7 or |Gamma| above
// GammaLimit, and returns the number of steps done.
func InnerLazyBall(u, q, d, norm2 []float64, l *LazyBall, s *Steps, sampled []int32) int {
	s.check("InnerLazyBall", sampled)
	checkLen("InnerLazyBall", "q", len(q), len(u))
	checkLen("InnerLazyBall", "d", len(d), len(u))
	checkLen("InnerLazyBall", "norm2", len(norm2), s.Rows.Len())
	return innerLazyBallGeneric(u, q, d, norm2, l, s, sampled)
}

// LazySteps returns how many steps InnerLazy does before it stops, at most n.
func (l Lazy) LazySteps(n int) int {
	alpha := l.Alpha
	for k := range n {
		if alpha = float64(alpha * l.Q); alpha < lazyFloor {
			return k + 1
		}
	}
	return n
}

func squaredSlope(margin, label float64) float64 { return float64(2 * (margin - label)) }

func projectionFactor(n2, radius float64) float64 {
	if n2 > float64(radius*radius) {
		return radius / math.Sqrt(n2)
	}
	return 1
}
