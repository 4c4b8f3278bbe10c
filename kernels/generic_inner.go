package kernels

func (a Rows) row(i int32) (idx []int32, val []float64) {
	lo, hi := a.Ptr[i], a.Ptr[i+1]
	return a.Idx[lo:hi], a.Val[lo:hi]
}

func clipTo(v, lo, hi float64) float64 {
	if v < lo {
		v = lo
	}
	if v > hi {
		v = hi
	}
	return v
}
