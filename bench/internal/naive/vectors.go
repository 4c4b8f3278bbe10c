package naive

// Clip projects v onto the box from lo to hi.
func Clip(v, lo, hi []float64) {
	for i, x := range v {
		v[i] = min(max(x, lo[i]), hi[i])
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
