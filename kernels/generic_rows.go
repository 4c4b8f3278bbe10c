package kernels

import "math"

// sum8 adds the lanes of the contract.
func sum8(l *[8]float64) float64 {
	return ((l[0] + l[4]) + (l[2] + l[6])) + ((l[1] + l[5]) + (l[3] + l[7]))
}

func marginsGeneric(dst []float64, ptr []int64, idx []int32, val, w []float64) {
	for r := range dst {
		lo, hi := ptr[r], ptr[r+1]
		lane := rowLanesGeneric([8]float64{}, idx[lo:hi], val[lo:hi], w)
		dst[r] = sum8(&lane)
	}
}

// rowLanesGeneric adds the products of a row, or of the next part of a row cut
// at a multiple of 8 nonzeros, to its lanes.
func rowLanesGeneric(lane [8]float64, idx []int32, val, w []float64) [8]float64 {
	l0, l1, l2, l3, l4, l5, l6, l7 := lane[0], lane[1], lane[2], lane[3], lane[4], lane[5], lane[6], lane[7]
	val = val[:len(idx)]
	for len(idx) >= 8 && len(val) >= 8 {
		l0 = math.FMA(val[0], w[idx[0]], l0)
		l1 = math.FMA(val[1], w[idx[1]], l1)
		l2 = math.FMA(val[2], w[idx[2]], l2)
		l3 = math.FMA(val[3], w[idx[3]], l3)
		l4 = math.FMA(val[4], w[idx[4]], l4)
		l5 = math.FMA(val[5], w[idx[5]], l5)
		l6 = math.FMA(val[6], w[idx[6]], l6)
		l7 = math.FMA(val[7], w[idx[7]], l7)
		idx, val = idx[8:], val[8:]
	}
	lane = [8]float64{l0, l1, l2, l3, l4, l5, l6, l7}
	for k, j := range idx {
		lane[k&7] = math.FMA(val[k], w[j], lane[k&7])
	}
	return lane
}

func scatterGeneric(z []float64, ptr []int64, idx []int32, val, slope []float64) {
	for r, g := range slope {
		lo, hi := ptr[r], ptr[r+1]
		scatterRowGeneric(z, idx[lo:hi], val[lo:hi], g)
	}
}

func scatterRowGeneric(z []float64, idx []int32, val []float64, slope float64) {
	val = val[:len(idx)]
	for k, j := range idx {
		z[j] = math.FMA(slope, val[k], z[j])
	}
}
