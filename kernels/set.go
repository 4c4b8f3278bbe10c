package kernels

// Kernels on sparse rows, which exist for each storage form.
type (
	marginsKernel func(dst []float64, a *Rows, w []float64)
	scatterKernel func(z []float64, a *Rows, slope []float64)
	hessianKernel func(h []float64, stride int, a *Rows, spans []span)
)

// A slopesKernel sets slope to the derivatives of the losses, unless slope is nil, and returns the sum of
// the losses.
type slopesKernel func(slope, margin, label []float64) float64

// A set has an implementation of every kernel. The caller bounds the work of a call and checks the
// arguments.
type set struct {
	level Level
	needs []string // the processor features that the kernels use, by the names in features

	margins [numForms]marginsKernel
	scatter [numForms]scatterKernel
	hessian [numForms]hessianKernel

	// See hessianPanelGeneric.
	hessianPanel func(h []float64, stride int, mask []uint64, t, panel []float64)

	// Each of the next five kernels returns a sum. Its slices have at most chunk (4096) elements.
	dot             func(x, y []float64) float64
	logisticSlopes  slopesKernel
	squaredSlopes   slopesKernel
	logisticFenchel func(alpha, margin, label, weight []float64) float64
	stepNorm        func(w, d, q []float64, eta float64) float64 // see stepNormGeneric

	// Inner loops.
	innerDense, innerBox           stepKernel
	innerLazyCells, innerDecay     stepKernel
	innerRotated, innerRotatedBall stepKernel

	update    func(w, s, d, q []float64, eta float64)
	updateBox func(w, s, d, q, lo, hi []float64, eta float64)
	scaleAdd  func(w, s []float64, f float64)
	axpy      func(alpha float64, x, y []float64)
	proxDual  func(beta, y, ax, limit []float64, rho, inv float64)
}

// generic is the reference, in plain Go. All other levels must give the same bits.
var generic = set{
	level:            Generic,
	innerDense:       innerDenseGeneric,
	innerBox:         innerBoxGeneric,
	innerLazyCells:   innerLazyCellsGeneric,
	innerDecay:       innerDecayGeneric,
	innerRotated:     innerRotatedGeneric,
	innerRotatedBall: innerRotatedBallGeneric,
	margins: [numForms]marginsKernel{
		int32Float64: marginsGeneric[int32, float64], int32Float32: marginsGeneric[int32, float32], int32Ones: marginsGeneric[int32, float64],
		uint16Float64: marginsGeneric[uint16, float64], uint16Float32: marginsGeneric[uint16, float32], uint16Ones: marginsGeneric[uint16, float64],
	},
	scatter: [numForms]scatterKernel{
		int32Float64: scatterGeneric[int32, float64], int32Float32: scatterGeneric[int32, float32], int32Ones: scatterGeneric[int32, float64],
		uint16Float64: scatterGeneric[uint16, float64], uint16Float32: scatterGeneric[uint16, float32], uint16Ones: scatterGeneric[uint16, float64],
	},
	hessian: [numForms]hessianKernel{
		int32Float64: hessianGeneric[int32, float64], int32Float32: hessianGeneric[int32, float32], int32Ones: hessianGeneric[int32, float64],
		uint16Float64: hessianGeneric[uint16, float64], uint16Float32: hessianGeneric[uint16, float32], uint16Ones: hessianGeneric[uint16, float64],
	},
	hessianPanel:    hessianPanelGeneric,
	dot:             dotGeneric,
	logisticSlopes:  logisticSlopesGeneric,
	squaredSlopes:   squaredSlopesGeneric,
	logisticFenchel: logisticFenchelGeneric,
	proxDual:        proxDualGeneric,
	stepNorm:        stepNormGeneric,
	update:          updateGeneric,
	updateBox:       updateBoxGeneric,
	scaleAdd:        scaleAddGeneric,
	axpy:            axpyGeneric,
}
