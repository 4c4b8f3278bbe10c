package naive

import (
	"math"

	"github.com/scas-admm/scas/kernels"
)

// correction returns the columns and values of row i, and the factor g with which an inner step adds the row
// to the iterate w. g is −eta times the change of the sample's slope since the snapshot.
func correction(s *kernels.Steps, i int32, w []float64) (g float64, idx []int32, val []float64) {
	idx, val = Row(s.Rows, int(i))
	t := rowDot(idx, val, w)
	return -s.Eta * (Slope(t, s.Label[i]) - s.Slope0[i]), idx, val
}

func add(sum, w []float64) {
	for j, v := range w {
		sum[j] += v
	}
}

// step makes one inner step: w becomes w − eta (d + kappa w) + g a_i, where correction returns g and
// the row a_i.
func step(w, d []float64, kappa float64, s *kernels.Steps, i int32) {
	g, idx, val := correction(s, i, w)
	for j := range w {
		w[j] -= s.Eta * (d[j] + kappa*w[j])
	}
	addRow(w, g, idx, val)
}

// Inner is an inner loop of SCAS-ADMM. For each row number in sampled it calls step, and adds the iterate w
// to sum.
func Inner(w, sum, d []float64, kappa float64, s *kernels.Steps, sampled []int32) {
	for _, i := range sampled {
		step(w, d, kappa, s, i)
		add(sum, w)
	}
}

// InnerBox is like Inner, but each step also projects the iterate onto the box from lo to hi.
func InnerBox(w, sum, d, lo, hi []float64, kappa float64, s *kernels.Steps, sampled []int32) {
	for _, i := range sampled {
		step(w, d, kappa, s, i)
		for j, v := range w {
			w[j] = min(max(v, lo[j]), hi[j])
			sum[j] += w[j]
		}
	}
}

// InnerBall is like Inner, but each step also projects the iterate onto the ball with the given radius.
func InnerBall(w, sum, d []float64, radius, kappa float64, s *kernels.Steps, sampled []int32) {
	for _, i := range sampled {
		step(w, d, kappa, s, i)
		f := 1.0
		if norm := math.Sqrt(Dot(w, w)); norm > radius {
			f = radius / norm
		}
		for j := range w {
			w[j] *= f
			sum[j] += w[j]
		}
	}
}

// innerGraph is like Inner, but with a matrix K in place of the number kappa. k has the rows of K. q is
// memory for K w.
func innerGraph(w, sum, d, q []float64, k kernels.Rows, s *kernels.Steps, sampled []int32) {
	for _, i := range sampled {
		g, idx, val := correction(s, i, w)
		Margins(q, k, w)
		for j := range w {
			w[j] -= s.Eta * (d[j] + q[j])
		}
		addRow(w, g, idx, val)
		add(sum, w)
	}
}

// Lazy makes the steps of Inner, with q = 1 − eta kappa. The iterate is alpha u + gamma d. Lazy adds
// to h the multiples of rows that the steps add to the iterate. It returns the new alpha and gamma.
func Lazy(u, h, d []float64, alpha, gamma, q float64, s *kernels.Steps, sampled []int32) (alphaOut, gammaOut float64) {
	for _, i := range sampled {
		idx, val := Row(s.Rows, int(i))
		t := alpha*rowDot(idx, val, u) + gamma*rowDot(idx, val, d)
		g := -s.Eta * (Slope(t, s.Label[i]) - s.Slope0[i])
		alpha *= q
		gamma = q*gamma - s.Eta
		for k, j := range idx {
			u[j] += g / alpha * val[k]
			h[j] += g * val[k]
		}
		if alpha < 1e-2 {
			for j := range u {
				u[j] = alpha*u[j] + gamma*d[j]
			}
			alpha, gamma = 1, 0
		}
	}
	return alpha, gamma
}

// InnerRotated makes inner steps on the rows of the dense matrix x: w becomes w − eta (d + K w) + g a_i. K is
// diagonal, and g is −eta times the change of the sample's slope since the snapshot. It adds the iterates to
// sum. c is the diagonal of I − eta K, and e is −eta d.
func InnerRotated(w, sum, c, e, x []float64, s *kernels.Steps, sampled []int32) {
	for _, i := range sampled {
		row := x[int(i)*len(w):][:len(w)]
		g := -s.Eta * (Slope(Dot(row, w), s.Label[i]) - s.Slope0[i])
		for j, v := range row {
			w[j] = c[j]*w[j] + e[j] + g*v
			sum[j] += w[j]
		}
	}
}

// Decay makes the steps of kernels.InnerDecay, and sets w to the last iterate. There is a cell for each
// coordinate.
func Decay(w []float64, cells []kernels.DecayCell, s *kernels.Steps, sampled []int32) {
	decayed := func(c *kernels.DecayCell, now int) float64 {
		return math.Exp(-(float64(now)-c.Last)*c.Rate) * c.Deviation
	}
	for m, i := range sampled {
		idx, val := Row(s.Rows, int(i))
		var t float64
		for k, j := range idx {
			c := &cells[j]
			c.Deviation = decayed(c, m)
			t += val[k] * (c.Deviation + c.Fixed)
		}
		g := -s.Eta * (Slope(t, s.Label[i]) - s.Slope0[i])
		for k, j := range idx {
			c := &cells[j]
			c.Deviation = c.Factor*c.Deviation + g*val[k]
			c.Gain += g * val[k]
			c.Last = float64(m + 1)
		}
	}
	for j := range w {
		w[j] = decayed(&cells[j], len(sampled)) + cells[j].Fixed
	}
}
