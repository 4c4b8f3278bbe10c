package kernels

import "math"

// sum8 adds 8 lanes in the order of the numeric contract.
func sum8(l *[8]float64) float64 {
	return ((l[0] + l[4]) + (l[2] + l[6])) + ((l[1] + l[5]) + (l[3] + l[7]))
}

func marginsGeneric[I column, V value](dst []float64, a *Rows, w []float64) {
	idx, val := stored[I, V](a)
	for r := range dst {
		lo, hi := a.Ptr[r], a.Ptr[r+1]
		if val == nil {
			dst[r] = sumOnes(idx[lo:hi], w)
		} else {
			dst[r] = sumProducts(idx[lo:hi], val[lo:hi], w)
		}
	}
}

// sumOnes is sumProducts for rows in which every value is 1.
func sumOnes[I column](idx []I, w []float64) float64 {
	var lane [8]float64
	for len(idx) >= 8 {
		for k, j := range (*[8]I)(idx) {
			lane[k] += w[j]
		}
		idx = idx[8:]
	}
	for k, j := range idx {
		lane[k&7] += w[j]
	}
	return sum8(&lane)
}

// sumProducts returns the inner product of w with a row, summed in 8 lanes. The lanes are not in an
// array, because the compiler keeps arrays in memory.
func sumProducts[I column, V value](idx []I, val []V, w []float64) float64 {
	var l0, l1, l2, l3, l4, l5, l6, l7 float64
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
	return ((l0 + l4) + (l2 + l6)) + ((l1 + l5) + (l3 + l7))
}

func scatterGeneric[I column, V value](z []float64, a *Rows, slope []float64) {
	idx, val := stored[I, V](a)
	for r, g := range slope {
		row := idx[a.Ptr[r]:a.Ptr[r+1]]
		if val == nil {
			for _, j := range row {
				z[j] += g
			}
			continue
		}
		v := val[a.Ptr[r]:a.Ptr[r+1]][:len(row)]
		for k, j := range row {
			z[j] = math.FMA(g, float64(v[k]), z[j])
		}
	}
}
