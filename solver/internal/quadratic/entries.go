package quadratic

import "github.com/scas-admm/scas/kernels"

// entries gives access to the entries of a kernels.Rows, one implementation for each storage form. In the
// comments below, x is the value of an entry and i its index; lo and hi−1 are the first and the last
// entry.
type entries interface {
	// dot returns Σ x vᵢ. For a short row it takes less time than a call of kernels.Margins.
	dot(lo, hi int64, v []float64) float64
	// squares returns Σ x² cᵢ.
	squares(lo, hi int64, c []float64) float64
	// add adds factor·x·cᵢ to dstᵢ for each entry.
	add(dst []float64, lo, hi int64, factor float64, c []float64)
}

func entriesOf(a *kernels.Rows) entries {
	if a.Idx != nil {
		return entriesWith(a.Idx, a)
	}
	return entriesWith(a.Idx16, a)
}

func entriesWith[I int32 | uint16](idx []I, a *kernels.Rows) entries {
	switch {
	case a.Val != nil:
		return &valued[I, float64]{idx, a.Val}
	case a.Val32 != nil:
		return &valued[I, float32]{idx, a.Val32}
	}
	return &ones[I]{idx}
}

// valued has entries whose values are stored.
type valued[I int32 | uint16, V float32 | float64] struct {
	idx []I
	val []V
}

func (a *valued[I, V]) dot(lo, hi int64, v []float64) (sum float64) {
	idx, val := a.idx[lo:hi], a.val[lo:hi]
	val = val[:len(idx)] // val[k] then needs no check of its index
	for k, i := range idx {
		sum += float64(float64(val[k]) * v[i])
	}
	return sum
}

func (a *valued[I, V]) squares(lo, hi int64, c []float64) (sum float64) {
	idx, val := a.idx[lo:hi], a.val[lo:hi]
	val = val[:len(idx)]
	for k, i := range idx {
		x := float64(val[k])
		sum += float64(float64(x*x) * c[i])
	}
	return sum
}

func (a *valued[I, V]) add(dst []float64, lo, hi int64, factor float64, c []float64) {
	idx, val := a.idx[lo:hi], a.val[lo:hi]
	val, c = val[:len(idx)], c[:len(dst)] // then c[i] needs no check either
	for k, i := range idx {
		dst[i] += float64(factor * float64(float64(val[k])*c[i]))
	}
}

// ones has entries that are all 1.
type ones[I int32 | uint16] struct{ idx []I }

func (a *ones[I]) dot(lo, hi int64, v []float64) (sum float64) {
	for _, i := range a.idx[lo:hi] {
		sum += v[i]
	}
	return sum
}

func (a *ones[I]) squares(lo, hi int64, c []float64) float64 { return a.dot(lo, hi, c) }

func (a *ones[I]) add(dst []float64, lo, hi int64, factor float64, c []float64) {
	c = c[:len(dst)]
	for _, i := range a.idx[lo:hi] {
		dst[i] += float64(factor * c[i])
	}
}
