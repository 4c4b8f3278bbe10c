package oracle

import "math"

// A double is the number hi + lo, with about 32 digits; |lo| is at most half a unit in the last place of
// hi. The arithmetic follows Dekker 1971 and Hida, Li, Bailey 2001.
type double struct{ hi, lo float64 }

func toDouble(v float64) double { return double{hi: v} }

// fastTwoSum returns exactly a + b, for |a| ≥ |b|.
func fastTwoSum(a, b float64) double {
	s := a + b
	return double{s, b - (s - a)}
}

// twoSum returns exactly a + b.
func twoSum(a, b float64) double {
	s := a + b
	v := s - a
	return double{s, (a - (s - v)) + (b - v)}
}

// twoProduct returns exactly a·b.
func twoProduct(a, b float64) double {
	p := float64(a * b)
	return double{p, math.FMA(a, b, -p)}
}

func (a double) neg() double { return double{-a.hi, -a.lo} }

func (a double) add(b double) double {
	s, t := twoSum(a.hi, b.hi), twoSum(a.lo, b.lo)
	s = fastTwoSum(s.hi, s.lo+t.hi)
	return fastTwoSum(s.hi, s.lo+t.lo)
}

func (a double) sub(b double) double { return a.add(b.neg()) }

func (a double) mul(b double) double {
	p := twoProduct(a.hi, b.hi)
	return fastTwoSum(p.hi, p.lo+(float64(a.hi*b.lo)+float64(a.lo*b.hi)))
}

func (a double) times(v float64) double { return a.mul(toDouble(v)) }

func (a double) div(b double) double {
	q := a.hi / b.hi
	r := a.sub(b.times(q))
	q2 := r.hi / b.hi
	r = r.sub(b.times(q2))
	return fastTwoSum(q, q2).add(toDouble(r.hi / b.hi))
}

func (a double) sqrt() double {
	if !(a.hi > 0) {
		return double{}
	}
	x := toDouble(math.Sqrt(a.hi))
	return x.add(a.sub(x.mul(x)).times(0.5 / x.hi))
}

func (a double) abs() double {
	if a.hi < 0 {
		return a.neg()
	}
	return a
}

func (a double) float() float64 { return a.hi + a.lo }

var ln2 = double{0.6931471805599453, 2.3190468138462996e-17}

// exp returns e^a, or 0 if a < −700. It writes a as k ln 2 + 2⁹ r with an integer k and a small r, and
// sums the Taylor series of e^r − 1.
func (a double) exp() double {
	if a.hi < -700 {
		return double{}
	}
	k := math.Round(a.hi / math.Ln2)
	const halvings = 9
	r := a.sub(ln2.times(k)).times(1.0 / (1 << halvings))
	s := double{} // becomes e^r − 1
	for m := 12; m > 0; m-- {
		s = s.add(toDouble(1)).mul(r).div(toDouble(float64(m)))
	}
	for range halvings {
		s = s.mul(s).add(s.times(2))
	}
	s = s.add(toDouble(1))
	return double{math.Ldexp(s.hi, int(k)), math.Ldexp(s.lo, int(k))}
}

// log returns log a for a > 0. It improves the result of math.Log by one step of Newton's method for e^y = a;
// for an infinite or tiny a, it returns the result of math.Log.
func (a double) log() double {
	if math.IsInf(a.hi, 1) || a.hi < 1e-290 {
		return toDouble(math.Log(a.hi))
	}
	y := toDouble(math.Log(a.hi))
	return y.add(a.mul(y.neg().exp())).sub(toDouble(1))
}

func dot(u, v []double) (s double) {
	for j, a := range u {
		s = s.add(a.mul(v[j]))
	}
	return s
}

// cholesky solves H d = g, and overwrites the lower triangle of H with its Cholesky factor. It returns
// false if H is not positive definite.
func cholesky(h [][]double, g []double) ([]double, bool) {
	n := len(g)
	for j := range n {
		for k := range j {
			h[j][j] = h[j][j].sub(h[j][k].mul(h[j][k]))
		}
		if !(h[j][j].hi > 0) {
			return nil, false
		}
		h[j][j] = h[j][j].sqrt()
		for i := j + 1; i < n; i++ {
			for k := range j {
				h[i][j] = h[i][j].sub(h[i][k].mul(h[j][k]))
			}
			h[i][j] = h[i][j].div(h[j][j])
		}
	}
	d := append([]double(nil), g...)
	for i := range n {
		for k := range i {
			d[i] = d[i].sub(h[i][k].mul(d[k]))
		}
		d[i] = d[i].div(h[i][i])
	}
	for i := n - 1; i >= 0; i-- {
		for k := i + 1; k < n; k++ {
			d[i] = d[i].sub(h[k][i].mul(d[k]))
		}
		d[i] = d[i].div(h[i][i])
	}
	return d, true
}
