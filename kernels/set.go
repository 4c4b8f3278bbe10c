package kernels

// A rowSet has an implementation of every kernel on sparse rows of one storage form.
type rowSet struct {
	margins func(dst []float64, a *Rows, w []float64)
	scatter func(z []float64, a *Rows, slope []float64)
	hessian func(h []float64, stride int, a *Rows, spans []span)
}

// A slopesKernel sets slope to the derivatives of the losses, unless slope is nil, and returns the sum of
// the losses.
type slopesKernel func(slope, margin, label []float64) float64

// A fenchelKernel returns the weighted sum of the Fenchel terms of the samples, see LogisticFenchel.
type fenchelKernel func(alpha, margin, label, weight []float64) float64

// A set has an implementation of every kernel. The caller bounds the work of a call and checks the
// arguments.
type set struct {
	level Level
	needs []string // the processor features that the kernels use, by the names in features

	rows [numForms]rowSet

	// See hessianPanelGeneric.
	hessianPanel func(h []float64, stride int, mask []uint64, t, panel []float64)

	// Each of the next six kernels returns a sum. Its slices have at most chunk (4096) elements.
	dot             func(x, y []float64) float64
	logisticSlopes  slopesKernel
	squaredSlopes   slopesKernel
	poissonSlopes   slopesKernel
	logisticFenchel fenchelKernel
	poissonFenchel  fenchelKernel

	// Inner loops.
	innerDense, innerBox           stepKernel
	innerLazy, innerDecay          stepKernel
	innerRotated, innerRotatedBall stepKernel

	axpy     func(alpha float64, x, y []float64)
	clip     func(v, lo, hi []float64)
	proxDual func(beta, y, ax, limit []float64, rho, inv float64)
}

// generic is the reference, in plain Go. All other levels must give the same bits.
var generic = set{
	level:            Generic,
	innerDense:       innerDenseGeneric,
	innerBox:         innerBoxGeneric,
	innerLazy:        innerLazyGeneric,
	innerDecay:       innerDecayGeneric,
	innerRotated:     innerRotatedGeneric,
	innerRotatedBall: innerRotatedBallGeneric,
	rows: [numForms]rowSet{
		int32Float64:  rowsGeneric[int32, float64](),
		int32Float32:  rowsGeneric[int32, float32](),
		int32Ones:     rowsGeneric[int32, float64](),
		uint16Float64: rowsGeneric[uint16, float64](),
		uint16Float32: rowsGeneric[uint16, float32](),
		uint16Ones:    rowsGeneric[uint16, float64](),
	},
	hessianPanel:    hessianPanelGeneric,
	dot:             dotGeneric,
	logisticSlopes:  logisticSlopesGeneric,
	squaredSlopes:   squaredSlopesGeneric,
	poissonSlopes:   poissonSlopesGeneric,
	logisticFenchel: logisticFenchelGeneric,
	poissonFenchel:  poissonFenchelGeneric,
	axpy:            axpyGeneric,
	clip:            clipGeneric,
	proxDual:        proxDualGeneric,
}

func rowsGeneric[I column, V value]() rowSet {
	return rowSet{marginsGeneric[I, V], scatterGeneric[I, V], hessianGeneric[I, V]}
}
