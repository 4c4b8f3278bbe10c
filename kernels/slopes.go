package kernels

// LogisticSlopes sets slope[i] to the derivative of the logistic loss
// log(1+exp(-label[i]*margin[i])) with respect to the margin. It returns the sum
// of the losses (not the mean), added in the order that the package comment
// gives. Labels are -1 or +1. With z = label*margin and e = exp(-min(|z|, 708)):
//
//	slope = -label * (z > 0 ? e : 1) / (1+e)
//	loss  = max(-z, 0) + log1p(e)
//
// For |z| <= 708 slopes are within 2.1 ulp of the exact value, losses within 1.6 ulp. For |z| > 708,
// slopes and losses that would go to zero stay at exp(-708), about 3e-308. A NaN margin gives a NaN slope
// and sum. If slope is nil, only the sum is computed. Lengths must be equal. slope may be the same slice
// as margin or label; it must not overlap them in any other way.
func LogisticSlopes(slope, margin, label []float64) (loss float64) {
	return slopes("LogisticSlopes", active.logisticSlopes, slope, margin, label)
}

// SquaredSlopes is LogisticSlopes for the squared loss (label-margin)², without
// the factor 1/2: with r = margin-label, slope = 2r and the sum adds r² by FMA.
// Labels are any real numbers.
func SquaredSlopes(slope, margin, label []float64) (loss float64) {
	return slopes("SquaredSlopes", active.squaredSlopes, slope, margin, label)
}

// PoissonSlopes is LogisticSlopes for the Poisson loss exp(t) - b t - b + b log b at margin t and label b >=
// 0, with 0 log 0 = 0. The slope is exp(t) - b, see Exp, and the loss is PoissonLoss; their accuracy is as
// described there. In the slope, digits cancel if exp(t) is near b.
func PoissonSlopes(slope, margin, label []float64) (loss float64) {
	return slopes("PoissonSlopes", active.poissonSlopes, slope, margin, label)
}

func slopes(fn string, kernel slopesKernel, slope, margin, label []float64) (loss float64) {
	checkLen(fn, "label", len(label), len(margin))
	raceRead(margin)
	raceRead(label)
	if slope != nil {
		checkLen(fn, "slope", len(slope), len(margin))
		raceWrite(slope)
	}
	for len(margin) > 0 {
		n := min(len(margin), chunk)
		slopePart := slope
		if slope != nil { // a nil slope stays nil
			slopePart, slope = slope[:n], slope[n:]
		}
		loss += slopesBlock(kernel, slopePart, margin[:n], label[:n])
		margin, label = margin[n:], label[n:]
	}
	return loss
}

// LogisticFenchel returns the sum of weight[i] F(margin[i], alpha[i]), added in the order that the package
// comment gives. F is the Fenchel term of the logistic loss f(t) = log(1+exp(-label[i] t)):
//
//	F(t, a) = f(t) + f*(a) - a t
//
// Its conjugate f* is finite if -label[i]*a is in [0, 1]; other numbers alpha[i] are not allowed. F is zero
// at a = f'(t), and positive elsewhere. Its relative error is small, also where F is near zero. Labels are
// -1 or +1. A NaN gives a NaN sum. Lengths must be equal.
func LogisticFenchel(alpha, margin, label, weight []float64) (sum float64) {
	return fenchel("LogisticFenchel", active.logisticFenchel, alpha, margin, label, weight)
}

// PoissonFenchel is LogisticFenchel for the loss of PoissonSlopes. Its conjugate is finite if label[i] + a is
// not negative; other numbers alpha[i] are not allowed. F is zero if label[i] + a = exp(t). If the two sides
// differ by only a few units in the last place, F has a large relative error: the sum label[i] + a is rounded.
func PoissonFenchel(alpha, margin, label, weight []float64) (sum float64) {
	return fenchel("PoissonFenchel", active.poissonFenchel, alpha, margin, label, weight)
}

func fenchel(fn string, kernel fenchelKernel, alpha, margin, label, weight []float64) (sum float64) {
	checkLen(fn, "alpha", len(alpha), len(margin))
	checkLen(fn, "label", len(label), len(margin))
	checkLen(fn, "weight", len(weight), len(margin))
	for _, v := range [][]float64{alpha, margin, label, weight} {
		raceRead(v)
	}
	for len(margin) > 0 {
		n := min(len(margin), chunk)
		sum += fenchelBlock(kernel, alpha[:n], margin[:n], label[:n], weight[:n])
		alpha, margin, label, weight = alpha[n:], margin[n:], label[n:], weight[n:]
	}
	return sum
}
