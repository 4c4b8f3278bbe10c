package kernels

import "math"

// sum8 adds the lanes of the contract.
func sum8(l *[8]float64) float64 {
	return ((l[0] + l[4]) + (l[2] + l[6])) + ((l[1] + l[5]) + (l[3] + l[7]))
}

// The types in which columns and values may be kept.
type (
	column interface{ ~int32 | ~uint16 }
	value  interface{ ~float32 | ~float64 }
)

func marginsOf[I column, V value](dst []float64, ptr []int64, idx []I, val []V, w []float64) {
	for r := range dst {
		lo, hi := ptr[r], ptr[r+1]
		l0, l1, l2, l3, l4, l5, l6, l7 := addLanes(idx[lo:hi], val[lo:hi], w, 0, 0, 0, 0, 0, 0, 0, 0)
		dst[r] = ((l0 + l4) + (l2 + l6)) + ((l1 + l5) + (l3 + l7))
	}
}

func marginsOfOnes[I column](dst []float64, ptr []int64, idx []I, w []float64) {
	for r := range dst {
		lane := addOnes([8]float64{}, idx[ptr[r]:ptr[r+1]], w)
		dst[r] = sum8(&lane)
	}
}

// addOnes is addLanes where every value is 1. Fused with a factor of 1, a sum
// rounds as it does alone.
func addOnes[I column](lane [8]float64, idx []I, w []float64) [8]float64 {
	for len(idx) >= 8 {
		for k, j := range (*[8]I)(idx) {
			lane[k] += w[j]
		}
		idx = idx[8:]
	}
	for k, j := range idx {
		lane[k&7] += w[j]
	}
	return lane
}

// rowLanesGeneric adds the products of a row, or of the next part of a row cut
// at a multiple of 8 nonzeros, to its lanes.
func rowLanesGeneric(l [8]float64, idx []int32, val, w []float64) [8]float64 {
	l0, l1, l2, l3, l4, l5, l6, l7 := addLanes(idx, val, w, l[0], l[1], l[2], l[3], l[4], l[5], l[6], l[7])
	return [8]float64{l0, l1, l2, l3, l4, l5, l6, l7}
}

// addLanes takes and returns the lanes one by one, which keeps them in
// registers; an array would live in memory.
func addLanes[I column, V value](idx []I, val []V, w []float64, l0, l1, l2, l3, l4, l5, l6, l7 float64) (_, _, _, _, _, _, _, _ float64) {
	val = val[:len(idx)]
	for len(idx) >= 8 && len(val) >= 8 {
		l0 = math.FMA(float64(val[0]), w[idx[0]], l0)
		l1 = math.FMA(float64(val[1]), w[idx[1]], l1)
		l2 = math.FMA(float64(val[2]), w[idx[2]], l2)
		l3 = math.FMA(float64(val[3]), w[idx[3]], l3)
		l4 = math.FMA(float64(val[4]), w[idx[4]], l4)
		l5 = math.FMA(float64(val[5]), w[idx[5]], l5)
		l6 = math.FMA(float64(val[6]), w[idx[6]], l6)
		l7 = math.FMA(float64(val[7]), w[idx[7]], l7)
		idx, val = idx[8:], val[8:]
	}
	val = val[:len(idx)]
	switch len(idx) {
	case 7:
		l6 = math.FMA(float64(val[6]), w[idx[6]], l6)
		fallthrough
	case 6:
		l5 = math.FMA(float64(val[5]), w[idx[5]], l5)
		fallthrough
	case 5:
		l4 = math.FMA(float64(val[4]), w[idx[4]], l4)
		fallthrough
	case 4:
		l3 = math.FMA(float64(val[3]), w[idx[3]], l3)
		fallthrough
	case 3:
		l2 = math.FMA(float64(val[2]), w[idx[2]], l2)
		fallthrough
	case 2:
		l1 = math.FMA(float64(val[1]), w[idx[1]], l1)
		fallthrough
	case 1:
		l0 = math.FMA(float64(val[0]), w[idx[0]], l0)
	}
	return l0, l1, l2, l3, l4, l5, l6, l7
}

func scatterOf[I column, V value](z []float64, ptr []int64, idx []I, val []V, slope []float64) {
	for r, g := range slope {
		lo, hi := ptr[r], ptr[r+1]
		scatterRowOf(z, idx[lo:hi], val[lo:hi], g)
	}
}

func scatterOfOnes[I column](z []float64, ptr []int64, idx []I, slope []float64) {
	for r, g := range slope {
		for _, j := range idx[ptr[r]:ptr[r+1]] {
			z[j] += g
		}
	}
}

func scatterRowOf[I column, V value](z []float64, idx []I, val []V, slope float64) {
	val = val[:len(idx)]
	for k, j := range idx {
		z[j] = math.FMA(slope, float64(val[k]), z[j])
	}
}

func scatterRowGeneric(z []float64, idx []int32, val []float64, slope float64) {
	scatterRowOf(z, idx, val, slope)
}
