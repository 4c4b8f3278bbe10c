package newton

import "math"

// A residual is y = X'Cα + A'z as computed, and a bound of what rounding did to it.
type residual struct {
	y     []float64
	error []float64 // |y − exact| of each entry
}

func newResidual(p int) *residual {
	return &residual{make([]float64, p), make([]float64, p)}
}

const (
	unit = 0x1p-53 // a rounding
	tiny = 0x1p-80 // most roundings of roundings
	most = 1 << 24
)

// residual computes y by the kernels, whose error grows with the number of terms, or
// with compensation (Dot2 of Ogita, Rump, Oishi 2005), as if in twice the precision
// and then rounded. The first costs half a pass, the second about two.
func (f *Finisher) residual(r *residual, alpha, z []float64, careful bool) {
	total := f.size(alpha)
	if careful {
		f.compensated(r, alpha, z, total)
	} else {
		f.transposed(r.y, alpha)
		f.rows.addTrans(r.y, z)
		f.rows.absTrans(r.error, z)
		for j := range r.error {
			terms := float64(f.All.Samples + f.rows.len() + 2*f.All.Runs + 8)
			r.error[j] = float64(terms * unit * (r.error[j] + float64(total*f.columns[j])))
		}
	}
	for j := range r.y {
		if f.apart.settles(j) {
			r.y[j], r.error[j] = 0, 0
		}
	}
}

// size returns Σ cᵢ|αᵢ|.
func (f *Finisher) size(alpha []float64) float64 {
	return f.Over(func(lo, hi int) (total float64) {
		for i := lo; i < hi; i++ {
			total += math.Abs(alpha[i] * f.Coef[i])
		}
		return total
	})
}

// compensated is residual with pairs of numbers, y = head + tail.
func (f *Finisher) compensated(r *residual, alpha, z []float64, total float64) {
	for len(f.pairs) < f.Count() {
		f.pairs = append(f.pairs, make([]float64, 2*f.p))
	}
	f.Each(func(k, lo, hi int) {
		head, tail := f.pair(k)
		clear(head)
		clear(tail)
		for i := lo; i < hi; i++ {
			idx, val := f.Data.Row(i)
			g := float64(alpha[i] * f.Coef[i])
			for m, j := range idx {
				addProduct(&head[j], &tail[j], g, val[m])
			}
		}
	})
	head, tail := f.pair(0)
	for k := 1; k < f.Count(); k++ {
		h, t := f.pair(k)
		for j := range head {
			addProduct(&head[j], &tail[j], 1, h[j])
			tail[j] += t[j]
		}
	}
	f.Team.Pairs(head, tail)
	f.rows.addPairs(head, tail, z)
	f.rows.absTrans(r.error, z)
	of := tiny * math.Max(1, float64(f.All.Samples)/most)
	for j := range head {
		r.y[j] = head[j] + tail[j]
		size := r.error[j] + float64(total*f.columns[j])
		r.error[j] = float64(2*unit*math.Abs(r.y[j])) + float64(of*size)
	}
}

// pair returns the numbers of chunk k.
func (f *Finisher) pair(k int) (head, tail []float64) {
	return f.pairs[k][:f.p], f.pairs[k][f.p:]
}

// addProduct adds a·b to head + tail.
func addProduct(head, tail *float64, a, b float64) {
	p := float64(a * b)
	rest := math.FMA(a, b, -p)
	h := *head
	s := h + p
	back := s - h
	*head = s
	*tail += ((h - (s - back)) + (p - back)) + rest
}

// addPairs adds A'z to head + tail.
func (r *penalty) addPairs(head, tail, z []float64) {
	if r.m == nil {
		for j, v := range z {
			addProduct(&head[j], &tail[j], 1, v)
		}
		return
	}
	for row, v := range z {
		idx, val := r.m.Row(row)
		for k, j := range idx {
			addProduct(&head[j], &tail[j], v, val[k])
		}
	}
}

// absTrans sets dst = |A|'|z|.
func (r *penalty) absTrans(dst, z []float64) {
	if r.m == nil {
		for j, v := range z {
			dst[j] = math.Abs(v)
		}
		return
	}
	clear(dst)
	for row, v := range z {
		idx, val := r.m.Row(row)
		for k, j := range idx {
			dst[j] += math.Abs(float64(v * val[k]))
		}
	}
}
