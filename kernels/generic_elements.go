package kernels

import "math"

// stepsOf gathers the parameters that the fused kernels share.
func stepsOf(ptr []int64, idx []int32, idx16 []uint16, val []float64, val32 []float32, label, slope0, state []float64, squared bool) *Steps {
	s := &Steps{Rows: Rows{Ptr: ptr, Idx: idx, Idx16: idx16, Val: val, Val32: val32}, Label: label, Slope0: slope0, Eta: state[slotEta]}
	if squared {
		s.Loss = SquaredLossKind
	}
	return s
}

// upTo calls step for the sampled rows until the work is used up or a step
// returns false. A step costs its nonzeros and extra.
func (s *Steps) upTo(sampled []int32, work, extra int, step func(i int32) bool) (done int) {
	for n, i := range sampled {
		if work <= 0 {
			return n
		}
		work -= s.Rows.rowLen(i) + extra
		if !step(i) {
			return n + 1
		}
	}
	return len(sampled)
}

func innerDenseGeneric(w, h, c, e []float64, ptr []int64, idx []int32, idx16 []uint16, val []float64, val32 []float32,
	label, slope0 []float64, sampled []int32, off []int64, num, state []float64, squared bool, work int) (done int) {
	s := stepsOf(ptr, idx, idx16, val, val32, label, slope0, state, squared)
	return s.upTo(sampled, work, len(w), func(i int32) bool {
		denseStep(w, h, c, e, s, i)
		return true
	})
}

// denseStep is one step of InnerDense.
func denseStep(w, h, c, e []float64, s *Steps, i int32) {
	g := s.rowGain(i, w)
	for j := range w {
		w[j] = math.FMA(c[j], w[j], e[j])
	}
	for k := s.Rows.Ptr[i]; k < s.Rows.Ptr[i+1]; k++ {
		j, v := s.Rows.entry(int(k))
		w[j] = math.FMA(g, v, w[j])
		h[j] = math.FMA(g, v, h[j])
	}
}

func innerBoxGeneric(w, sum, c, e, lo, hi, keep []float64, ptr []int64, idx []int32, idx16 []uint16, val []float64, val32 []float32,
	label, slope0 []float64, sampled []int32, off []int64, num, state []float64, squared bool, work int) (done int) {
	s := stepsOf(ptr, idx, idx16, val, val32, label, slope0, state, squared)
	for _, i := range sampled {
		if 2*s.Rows.rowLen(i) > len(keep) {
			break
		}
		done++
	}
	return s.upTo(sampled[:done], work, len(w), func(i int32) bool {
		boxStep(w, sum, c, e, lo, hi, keep, s, i)
		return true
	})
}

// boxStep is one step of InnerBox. keep has what the nonzeros' columns had
// before the pass over all columns, which takes them for untouched.
func boxStep(w, sum, c, e, lo, hi, keep []float64, s *Steps, i int32) {
	g := s.rowGain(i, w)
	first, n := int(s.Rows.Ptr[i]), s.Rows.rowLen(i)
	for k := range n {
		j, _ := s.Rows.entry(first + k)
		keep[2*k], keep[2*k+1] = math.FMA(c[j], w[j], e[j]), sum[j]
	}
	for j := range w {
		w[j] = clipTo(math.FMA(c[j], w[j], e[j]), lo[j], hi[j])
		sum[j] += w[j]
	}
	for k := range n {
		j, v := s.Rows.entry(first + k)
		w[j] = clipTo(math.FMA(g, v, keep[2*k]), lo[j], hi[j])
		sum[j] = keep[2*k+1] + w[j]
	}
}

// rowGain returns g of row i at the point w.
func (s *Steps) rowGain(i int32, w []float64) float64 {
	var lane [8]float64
	first := int(s.Rows.Ptr[i])
	for k := range s.Rows.rowLen(i) {
		j, v := s.Rows.entry(first + k)
		lane[k&7] = math.FMA(v, w[j], lane[k&7])
	}
	return float64(s.delta(i, float64(s.factor(i)*sum8(&lane))) * s.Eta)
}
