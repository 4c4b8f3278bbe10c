package kernels

import "math"

// sum16 adds the 16 lanes of a dense sum in the order of the numeric contract. It overwrites l.
func sum16(l *[16]float64) float64 {
	for i := range 8 {
		l[i] += l[i+8]
	}
	return sum8((*[8]float64)(l[:8]))
}

func dotGeneric(x, y []float64) float64 {
	var lane [16]float64
	for i, v := range x {
		lane[i&15] = math.FMA(v, y[i], lane[i&15])
	}
	return sum16(&lane)
}

func axpyGeneric(alpha float64, x, y []float64) {
	for i, v := range x {
		y[i] = math.FMA(alpha, v, y[i])
	}
}

func logisticSlopesGeneric(slope, margin, label []float64) float64 {
	var lane [16]float64
	for i, t := range margin {
		g, loss := logistic(t, label[i])
		if slope != nil {
			slope[i] = g
		}
		lane[i&15] += loss
	}
	return sum16(&lane)
}

func logisticFenchelGeneric(alpha, margin, label, weight []float64) float64 {
	var lane [16]float64
	for i, a := range alpha {
		lane[i&15] = math.FMA(weight[i], logisticFenchel(a, margin[i], label[i]), lane[i&15])
	}
	return sum16(&lane)
}

func poissonSlopesGeneric(slope, margin, label []float64) float64 {
	var lane [16]float64
	for i, t := range margin {
		b, rate := label[i], Exp(t)
		if slope != nil {
			slope[i] = rate - b
		}
		lane[i&15] += poissonTerm(b, rate, t)
	}
	return sum16(&lane)
}

func poissonFenchelGeneric(alpha, margin, label, weight []float64) float64 {
	var lane [16]float64
	for i, a := range alpha {
		t := margin[i]
		lane[i&15] = math.FMA(weight[i], poissonTerm(label[i]+a, Exp(t), t), lane[i&15])
	}
	return sum16(&lane)
}

func squaredSlopesGeneric(slope, margin, label []float64) float64 {
	var lane [16]float64
	for i, t := range margin {
		r := t - label[i]
		if slope != nil {
			slope[i] = r + r
		}
		lane[i&15] = math.FMA(r, r, lane[i&15])
	}
	return sum16(&lane)
}

func clipGeneric(v, lo, hi []float64) {
	for i, x := range v {
		v[i] = clipTo(x, lo[i], hi[i])
	}
}

func proxDualGeneric(beta, y, ax, limit []float64, rho, inv float64) {
	for i, a := range ax {
		v := math.FMA(rho, a, beta[i])
		b := clipTo(v, -limit[i], limit[i])
		beta[i], y[i] = b, float64((v-b)*inv)
	}
}

// clipTo raises v to lo and then lowers it to hi. It keeps a NaN in v.
func clipTo(v, lo, hi float64) float64 {
	if v < lo {
		v = lo
	}
	if v > hi {
		v = hi
	}
	return v
}
