package kernels

// Hessian adds X' diag(c) X to the upper triangle of h, for the rows x_i of a:
//
//	h[j*stride+m] += sum_i c[i] x_ij x_im   for 0 <= j <= m < p
//
// h has p rows of p numbers, each stride after the one before; what is below
// the diagonal is neither read nor written. For every j <= m, over the rows i
// which hold a nonzero in both columns, in row order,
//
//	h[j*stride+m] = FMA(float64(c[i]*x_ij), x_im, h[j*stride+m])
//
// and at last +0 is added, so that a zero is +0. The order is that of every
// element on its own: how the work is cut, into what tiles and for how many
// goroutines, leaves no trace (see HessianRows). The columns of a row must
// increase, and p be at least their number. len(c) must be the number of rows; h must
// not overlap c or a. s may be nil, and is then allocated.
//
// This is the matrix of a Newton step of the solver, with c the weighted second
// derivatives of the loss. Cost: a row of n nonzeros takes n(n+1)/2 multiply-adds
// of 0.25 to 0.4 ns each (Zen 5), rows with many of many columns half of that and
// less: they are written out in panels and multiplied by vectors.
func Hessian(h []float64, p, stride int, a Rows, c []float64, s *HessianScratch) {
	hessian("Hessian", h, p, stride, 0, p, a, c, s)
}

// HessianRows is Hessian for the rows lo <= j < hi of h alone; it touches no
// others. Goroutines that share the rows of h between them, each with its own
// HessianScratch, give the bits of Hessian; HessianCut shares them fairly. Each
// part searches every row of a, which at a dozen nonzeros a row takes as long as
// a part of two saves.
func HessianRows(h []float64, p, stride, lo, hi int, a Rows, c []float64, s *HessianScratch) {
	hessian("HessianRows", h, p, stride, lo, hi, a, c, s)
}

// cutTries is how many rows HessianCut looks at.
const cutTries = 512

// HessianCut returns the row of h at which part k of parts begins, so that parts
// take about the same time, by some of the rows of a. Part 0 begins at 0, part
// number parts at p. Where parts begin changes no bit.
func HessianCut(a Rows, p, k, parts int) int {
	if k >= parts {
		return p
	}
	want := a.addsBefore(p, p) / int64(parts) * int64(k)
	lo, hi := 0, p
	for lo < hi {
		if j := (lo + hi) / 2; a.addsBefore(j, p) < want {
			lo = j + 1
		} else {
			hi = j
		}
	}
	return lo
}

// addsBefore returns how many multiply-adds the rows of h before j take, for
// some of the rows of a and for the rows of h themselves.
func (a *Rows) addsBefore(j, p int) int64 {
	sum := int64(j) * int64(2*p-j+1) / 2
	step := max(1, a.Len()/cutTries)
	for i := 0; i < a.Len(); i += step {
		first, end := a.Ptr[i], a.Ptr[i+1]
		s := span{first: first, last: end, end: end}
		if j < p {
			s.last = a.seek(first, end, j)
		}
		sum += int64(step) * s.work()
	}
	return sum
}

func hessian(fn string, h []float64, p, stride, lo, hi int, a Rows, c []float64, s *HessianScratch) {
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
		s = NewHessianScratch()
	}
	if a.panels(p) && a.tame(c) {
		s.byPanels(h, p, stride, lo, hi, noescape(&a), c)
	} else {
		s.byRows(h, p, stride, lo, hi, a, c)
	}
	plusZero(h, p, stride, lo, hi)
}

// plusZero makes every zero +0.
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
	if p > 0 && !holds(len(h), p, stride, p) {
		panicf("%s: len(h) is %d, want at least %d for p = %d and stride = %d", fn, len(h), (p-1)*stride+p, p, stride)
	}
}

// A span is a part of one row: its nonzeros first to last-1 meet themselves and
// all that follow them up to end-1, with the factor c.
type span struct {
	first, last, end int64
	c                float64
}

// work returns the number of multiply-adds, and one for the span.
func (s *span) work() int64 {
	n := s.last - s.first
	return n*(s.end-s.first) - n*(n-1)/2 + 1
}

// spanRows is how many spans are handed over at a time.
const spanRows = 1 << 10

// byRows adds row after row to h.
func (s *HessianScratch) byRows(h []float64, p, stride, lo, hi int, a Rows, c []float64) {
	whole := lo == 0 && hi == p
	n, work := 0, int64(0)
	for i, ci := range c {
		if n == spanRows {
			hessianBlock(h, stride, &a, s.spans[:n])
			n, work = 0, 0
		}
		x := &s.spans[n] // not a copy: that would wait for what is stored here
		first, end := a.Ptr[i], a.Ptr[i+1]
		x.first, x.last, x.end, x.c = first, end, end, ci
		if !whole {
			x.first = a.seek(first, end, lo)
			if hi < p {
				x.last = a.seek(first, end, hi)
			}
		}
		n++
		if work += x.work(); work <= maxWork {
			continue
		}
		rest := *x
		if n > 1 {
			hessianBlock(h, stride, &a, s.spans[:n-1])
		}
		s.spans[0] = rest
		n, work = 1, rest.work()
		if work > maxWork {
			longSpan(h, stride, &a, s.spans[:1], rest)
			n, work = 0, 0
		}
	}
	if n > 0 {
		hessianBlock(h, stride, &a, s.spans[:n])
	}
}

// longSpan cuts a span into ones of bounded work, or of a single nonzero.
func longSpan(h []float64, stride int, a *Rows, one []span, rest span) {
	for first := rest.first; first < rest.last; first = one[0].last {
		n := max(1, (maxWork-1)/(rest.end-first))
		one[0] = span{first, min(first+n, rest.last), rest.end, rest.c}
		hessianBlock(h, stride, a, one)
	}
}

// column returns that of nonzero k.
func (a *Rows) column(k int64) int {
	if a.Idx != nil {
		return int(a.Idx[k])
	}
	return int(a.Idx16[k])
}

// seek returns the first nonzero from k, the first of a row, on, before end, in
// column col or later. It is nonzero col if the row has all columns before.
func (a *Rows) seek(k, end int64, col int) int64 {
	if all := k + int64(col); all <= end {
		if col == 0 || a.column(all-1) < col {
			return all
		}
		end = all
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
