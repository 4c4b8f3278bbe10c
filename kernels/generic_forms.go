package kernels

// The reference of the row kernels in every storage form.

func marginsGeneric(dst []float64, ptr []int64, idx []int32, _ []uint16, val []float64, _ []float32, w []float64) {
	marginsOf(dst, ptr, idx, val, w)
}

func marginsF32Generic(dst []float64, ptr []int64, idx []int32, _ []uint16, _ []float64, val32 []float32, w []float64) {
	marginsOf(dst, ptr, idx, val32, w)
}

func marginsOnesGeneric(dst []float64, ptr []int64, idx []int32, _ []uint16, _ []float64, _ []float32, w []float64) {
	marginsOfOnes(dst, ptr, idx, w)
}

func marginsU16Generic(dst []float64, ptr []int64, _ []int32, idx16 []uint16, val []float64, _ []float32, w []float64) {
	marginsOf(dst, ptr, idx16, val, w)
}

func marginsU16F32Generic(dst []float64, ptr []int64, _ []int32, idx16 []uint16, _ []float64, val32 []float32, w []float64) {
	marginsOf(dst, ptr, idx16, val32, w)
}

func marginsU16OnesGeneric(dst []float64, ptr []int64, _ []int32, idx16 []uint16, _ []float64, _ []float32, w []float64) {
	marginsOfOnes(dst, ptr, idx16, w)
}

func scatterGeneric(z []float64, ptr []int64, idx []int32, _ []uint16, val []float64, _ []float32, slope []float64) {
	scatterOf(z, ptr, idx, val, slope)
}

func scatterF32Generic(z []float64, ptr []int64, idx []int32, _ []uint16, _ []float64, val32 []float32, slope []float64) {
	scatterOf(z, ptr, idx, val32, slope)
}

func scatterOnesGeneric(z []float64, ptr []int64, idx []int32, _ []uint16, _ []float64, _ []float32, slope []float64) {
	scatterOfOnes(z, ptr, idx, slope)
}

func scatterU16Generic(z []float64, ptr []int64, _ []int32, idx16 []uint16, val []float64, _ []float32, slope []float64) {
	scatterOf(z, ptr, idx16, val, slope)
}

func scatterU16F32Generic(z []float64, ptr []int64, _ []int32, idx16 []uint16, _ []float64, val32 []float32, slope []float64) {
	scatterOf(z, ptr, idx16, val32, slope)
}

func scatterU16OnesGeneric(z []float64, ptr []int64, _ []int32, idx16 []uint16, _ []float64, _ []float32, slope []float64) {
	scatterOfOnes(z, ptr, idx16, slope)
}

// dotGeneric returns the sum of the nonzeros lo to hi times w, calling the
// reference by name: arguments of a function value would move to the heap.
func (a *Rows) dotGeneric(lo, hi int64, w []float64) float64 {
	var dst [1]float64
	ptr := [2]int64{lo, hi}
	switch a.form() {
	case 0:
		marginsGeneric(dst[:], ptr[:], a.Idx, a.Idx16, a.Val, a.Val32, w)
	case 1:
		marginsF32Generic(dst[:], ptr[:], a.Idx, a.Idx16, a.Val, a.Val32, w)
	case 2:
		marginsOnesGeneric(dst[:], ptr[:], a.Idx, a.Idx16, a.Val, a.Val32, w)
	case 3:
		marginsU16Generic(dst[:], ptr[:], a.Idx, a.Idx16, a.Val, a.Val32, w)
	case 4:
		marginsU16F32Generic(dst[:], ptr[:], a.Idx, a.Idx16, a.Val, a.Val32, w)
	default:
		marginsU16OnesGeneric(dst[:], ptr[:], a.Idx, a.Idx16, a.Val, a.Val32, w)
	}
	return dst[0]
}

// scatterGeneric adds slope times the nonzeros lo to hi to z.
func (a *Rows) scatterGeneric(z []float64, lo, hi int64, slope float64) {
	ptr, g := [2]int64{lo, hi}, [1]float64{slope}
	switch a.form() {
	case 0:
		scatterGeneric(z, ptr[:], a.Idx, a.Idx16, a.Val, a.Val32, g[:])
	case 1:
		scatterF32Generic(z, ptr[:], a.Idx, a.Idx16, a.Val, a.Val32, g[:])
	case 2:
		scatterOnesGeneric(z, ptr[:], a.Idx, a.Idx16, a.Val, a.Val32, g[:])
	case 3:
		scatterU16Generic(z, ptr[:], a.Idx, a.Idx16, a.Val, a.Val32, g[:])
	case 4:
		scatterU16F32Generic(z, ptr[:], a.Idx, a.Idx16, a.Val, a.Val32, g[:])
	default:
		scatterU16OnesGeneric(z, ptr[:], a.Idx, a.Idx16, a.Val, a.Val32, g[:])
	}
}
