package suite

// simdForms are the dense kernels written with simd/archsimd; nil fields are
// missing.
type simdForms struct {
	dot    func(x, y []float64) float64
	update func(w, s, d, q []float64, eta float64)
	prox   func(beta, y, ax, limit []float64, rho float64) (primal, change float64)
}

// HasSIMD reports whether the series archsimd is part of this build and can run
// on this processor.
func HasSIMD() bool { return simd().dot != nil }
