package kernels

import "math"

func (a Rows) row(i int32) (idx []int32, val []float64) {
	lo, hi := a.Ptr[i], a.Ptr[i+1]
	return a.Idx[lo:hi], a.Val[lo:hi]
}

func rowDot(idx []int32, val, w []float64) float64 {
	lane := rowLanesGeneric([8]float64{}, idx, val, w)
	return sum8(&lane)
}

func innerLazyGeneric(u, h, d []float64, l *Lazy, s *Steps, sampled []int32) int {
	for n, i := range sampled {
		idx, val := s.Rows.row(i)
		t := math.FMA(l.Alpha, rowDot(idx, val, u), float64(l.Gamma*rowDot(idx, val, d)))
		g := s.gain(i, t)
		l.Alpha = float64(l.Q * l.Alpha)
		l.Gamma = math.FMA(l.Q, l.Gamma, -s.Eta)
		scatterRowGeneric(u, idx, val, float64(g*(1/l.Alpha)))
		scatterRowGeneric(h, idx, val, g)
		if l.Alpha < lazyFloor {
			return n + 1
		}
	}
	return len(sampled)
}

func innerLazyBallGeneric(u, q, d, norm2 []float64, l *LazyBall, s *Steps, sampled []int32) int {
	for n, i := range sampled {
		idx, val := s.Rows.row(i)
		au, ad := rowDot(idx, val, u), rowDot(idx, val, d)
		g := s.gain(i, math.FMA(l.Alpha, au, float64(l.Gamma*ad)))
		alpha, gamma := float64(l.Q*l.Alpha), math.FMA(l.Q, l.Gamma, -s.Eta)
		r := float64(g * (1 / alpha))
		l.UU = math.FMA(r, math.FMA(r, norm2[i], au+au), l.UU)
		l.UD = math.FMA(r, ad, l.UD)
		scatterRowGeneric(u, idx, val, r)
		scatterRowGeneric(q, idx, val, float64(r*l.AlphaSum))
		cross := float64(float64(alpha+alpha) * gamma)
		n2 := math.FMA(float64(alpha*alpha), l.UU, math.FMA(cross, l.UD, float64(float64(gamma*gamma)*l.DD)))
		f := projectionFactor(n2, l.Radius)
		l.Alpha, l.Gamma = float64(f*alpha), float64(f*gamma)
		l.AlphaSum += l.Alpha
		l.GammaSum += l.Gamma
		if l.Alpha < lazyFloor || math.Abs(l.Gamma) > l.GammaLimit {
			return n + 1
		}
	}
	return len(sampled)
}

func clipTo(v, lo, hi float64) float64 {
	if v < lo {
		v = lo
	}
	if v > hi {
		v = hi
	}
	return v
}
