package naive

import "math"

// Update makes the gradient step w −= eta (d + q), and adds the new w to s.
func Update(w, s, d, q []float64, eta float64) {
	for i := range w {
		w[i] -= eta * (d[i] + q[i])
		s[i] += w[i]
	}
}

// UpdateBox is like Update, but projects the new w onto the box from lo to hi.
func UpdateBox(w, s, d, q, lo, hi []float64, eta float64) {
	for i := range w {
		w[i] = min(max(w[i]-eta*(d[i]+q[i]), lo[i]), hi[i])
		s[i] += w[i]
	}
}

// UpdateBall is like Update, but projects the new w onto the ball with the given radius.
func UpdateBall(w, s, d, q []float64, eta, radius float64) {
	var norm float64
	for i := range w {
		w[i] -= eta * (d[i] + q[i])
		norm += w[i] * w[i]
	}
	f := 1.0
	norm = math.Sqrt(norm)
	if norm > radius {
		f = radius / norm
	}
	for i := range w {
		w[i] *= f
		s[i] += w[i]
	}
}

// ProxDual makes a dual update. The new y is the soft threshold of A x + beta/rho at limit/rho, and beta
// grows by rho (A x − y). ax is A x.
func ProxDual(beta, y, ax, limit []float64, rho float64) {
	for i, a := range ax {
		v := beta[i] + rho*a
		beta[i] = min(max(v, -limit[i]), limit[i])
		y[i] = (v - beta[i]) / rho
	}
}
