package kernels

import "sort"

// Hessian adds X' diag(c) X to rows lo to hi-1 of the upper triangle of h, for the rows x_i of a:
//
//	h[j*stride+m] += sum_i c[i] x_ij x_im   for lo <= j < hi and j <= m < p
//
// h has at least hi rows of p numbers; row j begins at h[j*stride]. Rows outside lo to hi-1, and the part
// below the diagonal, are neither read nor written. For every j <= m, Hessian adds the terms of the
// rows i that hold a nonzero in both columns j and m, in row order:
//
//	h[j*stride+m] = FMA(float64(c[i]*x_ij), x_im, h[j*stride+m])
//
// Then it adds +0, so that -0 becomes +0. The bits do not depend on lo and hi. The columns of a
// row must increase, and p must be at least a.Cols. len(c) must be the number of rows; h must not overlap
// c or a. If s is nil, scratch memory is allocated.
//
// Several goroutines can divide the rows of h among them, each with its own HessianScratch; see
// HessianCut. Each call searches every row of a, so several goroutines save little time if the rows of a
// have few nonzeros.
func Hessian(h []float64, p, stride, lo, hi int, a Rows, c []float64, s *HessianScratch) {
	const fn = "Hessian"
	checkHessian(fn, h, p, stride, lo, hi)
	checkRows(fn, "c", len(c), &a)
	if p < a.Cols {
		panicf("%s: p is %d, want at least Cols, %d", fn, p, a.Cols)
	}
	checkApart(fn, "h", h, "c", c)
	checkApart(fn, "h", h, "Val", a.Val)
	raceReadRows(a)
	raceRead(c)
	if lo == hi {
		return
	}
	for j := lo; j < hi; j++ {
		raceWrite(h[j*stride+j : j*stride+p])
	}
	if s == nil {
		s = new(HessianScratch)
	}
	if a.panelsFaster(p) {
		sumByPanels[a.form()](s, h, p, stride, lo, hi, noescape(&a), c)
	} else {
		s.sumByRows(h, p, stride, lo, hi, a, c)
	}
	plusZero(h, p, stride, lo, hi)
}

// cutRows is about the number of rows of a that HessianCut reads to estimate the work.
const cutRows = 512

// HessianCut divides the p rows of h, the output of Hessian, into the given number of parts of about equal
// work, and returns the first row of part k. Part 0 begins at row 0; for k = parts it returns p.
func HessianCut(a Rows, p, k, parts int) int {
	if k >= parts {
		return p
	}
	targetWork := a.hessianWork(p, p) / int64(parts) * int64(k)
	return sort.Search(p, func(j int) bool { return a.hessianWork(j, p) >= targetWork })
}

// hessianWork estimates the number of operations of Hessian for the rows of h before row j.
func (a *Rows) hessianWork(j, p int) int64 {
	sum := int64(j) * int64(2*p-j+1) / 2
	rowStep := max(1, a.Len()/cutRows)
	for i := 0; i < a.Len(); i += rowStep {
		start, end := a.Ptr[i], a.Ptr[i+1]
		s := span{first: start, last: end, end: end}
		if j < p {
			s.last = a.seek(start, end, j)
		}
		sum += int64(rowStep) * s.work()
	}
	return sum
}

// plusZero turns every -0 in rows lo to hi-1 of h, on and above the diagonal, into +0.
func plusZero(h []float64, p, stride, lo, hi int) {
	for j := lo; j < hi; j++ {
		row := h[j*stride+j : j*stride+p]
		for m := range row {
			row[m] += 0
		}
	}
}

func checkHessian(fn string, h []float64, p, stride, lo, hi int) {
	if p < 0 || stride < p {
		panicf("%s: stride is %d, want at least p, which is %d", fn, stride, p)
	}
	if lo < 0 || hi < lo || hi > p {
		panicf("%s: rows lo %d to hi %d of %d", fn, lo, hi, p)
	}
	if hi > 0 && !matrixFits(len(h), hi, stride, p) {
		panicf("%s: len(h) is %d, want at least %d for hi = %d, p = %d and stride = %d",
			fn, len(h), (hi-1)*stride+p, hi, p, stride)
	}
}

// A span stands for the products c*val[k]*val[m] of the nonzeros k and m of one row, with
// first <= k < last and k <= m < end. val[k] is the value of nonzero k.
type span struct {
	first, last, end int64
	c                float64
}

// work returns the number of multiply-adds of the span, plus one.
func (s *span) work() int64 {
	n := s.last - s.first
	return n*(s.end-s.first) - n*(n-1)/2 + 1
}

// spanRows is the largest number of spans of one assembly call.
const spanRows = 1 << 10

// sumByRows adds c[i] times the outer product of row i of a with itself to rows lo to hi-1 of h, one row of
// a after the other.
func (s *HessianScratch) sumByRows(h []float64, p, stride, lo, hi int, a Rows, c []float64) {
	if s.spans == nil {
		s.spans = make([]span, spanRows)
	}
	wholeMatrix := lo == 0 && hi == p
	n, work := 0, int64(0)
	for i, ci := range c {
		if n == spanRows {
			hessianBlock(h, stride, &a, s.spans[:n])
			n, work = 0, 0
		}
		x := &s.spans[n] // a pointer is faster than a copy
		first, end := a.Ptr[i], a.Ptr[i+1]
		x.first, x.last, x.end, x.c = first, end, end, ci
		if !wholeMatrix {
			x.first = a.seek(first, end, lo)
			if hi < p {
				x.last = a.seek(first, end, hi)
			}
		}
		n++
		work += x.work()
		if work <= maxWork {
			continue
		}
		lastSpan := *x
		if n > 1 {
			hessianBlock(h, stride, &a, s.spans[:n-1])
		}
		s.spans[0] = lastSpan
		n, work = 1, lastSpan.work()
		if work > maxWork {
			addLongSpan(h, stride, &a, s.spans[:1], lastSpan)
			n, work = 0, 0
		}
	}
	if n > 0 {
		hessianBlock(h, stride, &a, s.spans[:n])
	}
}

// addLongSpan divides the span s into spans whose work is at most maxWork, and processes them one by one in
// buf[0]. A nonzero whose products alone exceed maxWork is a span by itself.
func addLongSpan(h []float64, stride int, a *Rows, buf []span, s span) {
	for first := s.first; first < s.last; first = buf[0].last {
		n := max(1, (maxWork-1)/(s.end-first))
		buf[0] = span{first, min(first+n, s.last), s.end, s.c}
		hessianBlock(h, stride, a, buf)
	}
}

// seek searches the nonzeros k to end-1 of a row. It returns the first nonzero whose column is at least col,
// or end if there is none.
func (a *Rows) seek(k, end int64, col int) int64 {
	if bound := k + int64(col); bound <= end {
		if col == 0 || a.column(bound-1) < col {
			return bound
		}
		end = bound
	}
	for k < end {
		mid := (k + end) / 2
		if a.column(mid) < col {
			k = mid + 1
		} else {
			end = mid
		}
	}
	return k
}
