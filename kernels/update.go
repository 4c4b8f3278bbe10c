package kernels

import "math"

// ProjectedUpdate makes a gradient step with step size eta from w, without a projection, and adds the
// new point to the sum s:
//
//	w[i] = FMA(-eta, d[i]+q[i], w[i])
//	s[i] += w[i]
//
// d + q is the gradient. All lengths must be equal. w and s must not overlap each other or d and q; d
// and q may be the same slice.
func ProjectedUpdate(w, s, d, q []float64, eta float64) {
	checkUpdate("ProjectedUpdate", w, s, d, q)
	for len(w) > 0 {
		n := min(len(w), maxWork)
		updateBlock(w[:n], s[:n], d[:n], q[:n], eta)
		w, s, d, q = w[n:], s[n:], d[n:], q[n:]
	}
}

// ProjectedUpdateBox is ProjectedUpdate on the box lo <= w <= hi: after the
// step w[i] is raised to lo[i] and then lowered to hi[i], before it is added
// to s. lo[i] = -Inf and hi[i] = +Inf do nothing; a NaN in w stays. lo and hi
// have the length of w and must not overlap w or s.
func ProjectedUpdateBox(w, s, d, q, lo, hi []float64, eta float64) {
	checkUpdate("ProjectedUpdateBox", w, s, d, q)
	checkLen("ProjectedUpdateBox", "lo", len(lo), len(w))
	checkLen("ProjectedUpdateBox", "hi", len(hi), len(w))
	raceRead(lo)
	raceRead(hi)
	for len(w) > 0 {
		n := min(len(w), maxWork)
		updateBoxBlock(w[:n], s[:n], d[:n], q[:n], lo[:n], hi[:n], eta)
		w, s, d, q, lo, hi = w[n:], s[n:], d[n:], q[n:], lo[n:], hi[n:]
	}
}

// ProjectedUpdateBall is ProjectedUpdate on the ball |w| <= radius. The first loop makes the step
// and computes |w|², with the rounding of Dot. The second loop multiplies w by radius/|w| if |w|
// exceeds radius, else by 1, and adds w to s. If |w|² overflows (|w| above 1e154), a finite w becomes
// zero.
func ProjectedUpdateBall(w, s, d, q []float64, eta, radius float64) {
	checkUpdate("ProjectedUpdateBall", w, s, d, q)
	var sum float64
	for i := 0; i < len(w); i += chunk {
		j := min(i+chunk, len(w))
		sum += stepNormBlock(w[i:j], d[i:j], q[i:j], eta)
	}
	f := 1.0
	if norm := math.Sqrt(sum); norm > radius {
		f = radius / norm
	}
	for len(w) > 0 {
		n := min(len(w), maxWork)
		scaleAddBlock(w[:n], s[:n], f)
		w, s = w[n:], s[n:]
	}
}

func checkUpdate(fn string, w, s, d, q []float64) {
	checkLen(fn, "s", len(s), len(w))
	checkLen(fn, "d", len(d), len(w))
	checkLen(fn, "q", len(q), len(w))
	raceRead(d)
	raceRead(q)
	raceWrite(w)
	raceWrite(s)
}

// ProxDual does the y step and the multiplier step of ADMM for the penalty sum limit[i]*|y[i]| with
// the constraint ax = y. Together they need one clip for each element:
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
