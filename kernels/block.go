package kernels

// Each function in this file makes one assembly call and must not be inlined. Assembly cannot be
// pre-empted; the Go scheduler can stop a goroutine at the stack check at the beginning of these
// functions.

//go:noinline
func marginsBlock(dst []float64, a *Rows, w []float64) {
	active.rows[a.form()].margins(dst, noescape(a), w)
}

//go:noinline
func scatterBlock(z []float64, a *Rows, slope []float64) {
	active.rows[a.form()].scatter(z, noescape(a), slope)
}

//go:noinline
func dotBlock(x, y []float64) float64 { return active.dot(x, y) }

//go:noinline
func axpyBlock(alpha float64, x, y []float64) { active.axpy(alpha, x, y) }

//go:noinline
func slopesBlock(kernel slopesKernel, slope, margin, label []float64) float64 {
	return kernel(slope, margin, label)
}

//go:noinline
func fenchelBlock(kernel fenchelKernel, alpha, margin, label, weight []float64) float64 {
	return kernel(alpha, margin, label, weight)
}

//go:noinline
func proxDualBlock(beta, y, ax, limit []float64, rho, inv float64) {
	active.proxDual(beta, y, ax, limit, rho, inv)
}

//go:noinline
func clipBlock(v, lo, hi []float64) { active.clip(v, lo, hi) }

//go:noinline
func hessianBlock(h []float64, stride int, a *Rows, spans []span) {
	active.rows[a.form()].hessian(h, stride, noescape(a), spans)
}

//go:noinline
func hessianPanelBlock(h []float64, stride int, mask []uint64, t, panel []float64) {
	active.hessianPanel(h, stride, mask, t, panel)
}
