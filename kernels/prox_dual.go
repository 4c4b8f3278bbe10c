package kernels

// ProxDual makes two steps of ADMM at once: it updates y, and then the multipliers beta of the constraint ax = y. The
// penalty of y is the sum of limit[i]*|y[i]|. For each element i:
//
//	v    = FMA(rho, ax[i], beta[i])
//	beta = clip(v, -limit[i], limit[i])
//	y    = (v - beta) * (1/rho)
//
// It overwrites beta and y. rho must be positive and limits non-negative. Lengths must be equal. beta and
// y must not overlap each other, ax or limit; ax and limit may be the same slice.
func ProxDual(beta, y, ax, limit []float64, rho float64) {
	checkLen("ProxDual", "beta", len(beta), len(ax))
	checkLen("ProxDual", "y", len(y), len(ax))
	checkLen("ProxDual", "limit", len(limit), len(ax))
	raceRead(ax)
	raceRead(limit)
	raceWrite(beta)
	raceWrite(y)
	inv := 1 / rho
	for len(ax) > 0 {
		n := min(len(ax), maxWork)
		proxDualBlock(beta[:n], y[:n], ax[:n], limit[:n], rho, inv)
		beta, y, ax, limit = beta[n:], y[n:], ax[n:], limit[n:]
	}
}
