package kernels

import (
	"math"
	"math/bits"
)

func hessianGeneric[I column, V value](h []float64, stride int, a *Rows, spans []span) {
	idx, val := stored[I, V](a)
	for _, s := range spans {
		for k := s.first; k < s.last; k++ {
			row := h[int(idx[k])*stride:]
			if val == nil {
				addConstant(row, idx[k:s.end], s.c)
			} else {
				addScaled(row, idx[k:s.end], val[k:s.end], float64(s.c*float64(val[k])))
			}
		}
	}
}

func addConstant[I column](row []float64, idx []I, c float64) {
	for _, j := range idx {
		row[j] += c
	}
}

func addScaled[I column, V value](row []float64, idx []I, val []V, t float64) {
	val = val[:len(idx)]
	for m, j := range idx {
		row[j] = math.FMA(t, float64(val[m]), row[j])
	}
}

// hessianPanelGeneric adds multiples of the rows of panel to rows of h, in 64 columns. Bit r of mask[j] is
// set if a multiple of row r of panel is added to row j of h. t holds the factors, in the order of their
// use.
func hessianPanelGeneric(h []float64, stride int, mask []uint64, t, panel []float64) {
	for j, m := range mask {
		if m == 0 {
			continue
		}
		row := h[j*stride:][:panelCols]
		for ; m != 0; m &= m - 1 {
			x := panel[bits.TrailingZeros64(m)*panelCols:][:panelCols]
			for q, v := range x {
				row[q] = math.FMA(t[0], v, row[q])
			}
			t = t[1:]
		}
	}
}
