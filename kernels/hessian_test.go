package kernels

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"
)

// increasingRows returns rows of the given lengths, at most p, whose columns
// increase. The first row starts a few nonzeros into idx and val.
func increasingRows(rng *rand.Rand, s source, lens []int, p int) Rows {
	a := Rows{Ptr: []int64{3}, Idx: make([]int32, 3), Val: make([]float64, 3), Cols: p}
	for _, n := range lens {
		n = min(n, p)
		for j := 0; n > 0; j++ {
			if rng.IntN(p-j) < n {
				a.Idx, a.Val = append(a.Idx, int32(j)), append(a.Val, s.draw(rng))
				n--
			}
		}
		a.Ptr = append(a.Ptr, int64(len(a.Idx)))
	}
	return placeRows(s, a)
}

// withDenseCols returns the rows of a with new entries in nearly all of the columns 0 to denseCols-1.
func withDenseCols(rng *rand.Rand, s source, a Rows, denseCols int) Rows {
	b := Rows{Ptr: []int64{0}, Cols: a.Cols}
	for i := range a.Len() {
		for j := range denseCols {
			if rng.IntN(60) > 0 {
				b.Idx, b.Val = append(b.Idx, int32(j)), append(b.Val, s.draw(rng))
			}
		}
		for k := a.Ptr[i]; k < a.Ptr[i+1]; k++ {
			if int(a.Idx[k]) >= denseCols {
				b.Idx, b.Val = append(b.Idx, a.Idx[k]), append(b.Val, a.Val[k])
			}
		}
		b.Ptr = append(b.Ptr, int64(len(b.Idx)))
	}
	return placeRows(s, b)
}

// defineHessian computes the Hessian by its definition, one element after the other.
func defineHessian(h []float64, p, stride int, a Rows, c []float64) {
	element := func(i, j int) (float64, bool) {
		k, found := slices.BinarySearch(a.Idx[a.Ptr[i]:a.Ptr[i+1]], int32(j))
		return a.Val[min(int(a.Ptr[i])+k, len(a.Val)-1)], found
	}
	for i, ci := range c {
		for j := range p {
			x, ok := element(i, j)
			if !ok {
				continue
			}
			t := float64(ci * x)
			for k := a.Ptr[i]; k < a.Ptr[i+1]; k++ {
				if m := int(a.Idx[k]); m >= j {
					h[j*stride+m] = math.FMA(t, a.Val[k], h[j*stride+m])
				}
			}
		}
	}
	for j := range p {
		for m := j; m < p; m++ {
			h[j*stride+m] += 0
		}
	}
}

// hessianOp returns the result of Hessian for random rows. For odd n most rows begin with nearly the same
// columns.
func hessianOp(rng *rand.Rand, s source, n int) [][]float64 {
	p := n%200 + 1
	stride := p + n%3
	lens := rowLengths(n)
	for range n % 150 {
		lens = append(lens, rng.IntN(p+1))
	}
	a := increasingRows(rng, s, lens, p)
	if n%2 == 1 {
		a = withDenseCols(rng, s, a, min(p, 5+n%30))
	}
	h, c := s.vector(rng, p*stride), s.vector(rng, a.Len())
	Hessian(h, p, stride, 0, p, a, c, nil)
	return [][]float64{h}
}

// A hessianShape is a shape of the data and of h. maxNonzeros is the largest number of nonzeros of a row of
// the data, before withDenseCols adds columns 0 to denseCols-1.
type hessianShape struct{ rows, p, stride, maxNonzeros, denseCols int }

// hasTiles reports whether h has several tiles. Such an h has megabytes, so with -short only one form is
// tested with it.
func (c hessianShape) hasTiles() bool { return c.p > tileRows }

var hessianShapes = []hessianShape{
	{0, 5, 5, 3, 0}, {1, 1, 1, 1, 0}, {3, 2, 4, 2, 0}, {70, 63, 63, 63, 0}, {64, 64, 64, 40, 0}, {65, 65, 70, 65, 0},
	{130, 130, 133, 90, 0}, {40, 200, 200, 30, 20}, {300, 54, 54, 4, 10}, {300, 40, 41, 40, 40}, {200, 54, 54, 10, 16},
	{90, 54, 54, 10, 17}, {77, 33, 36, 10, 5}, {5, 54, 54, 10, 40}, {150, tileRows + 70, tileRows + 70, 30, 0},
}

// TestHessian compares Hessian, sumByRows and sumByPanels with the definition, in every form and at every
// level. It also checks the elements that they must not change.
func TestHessian(t *testing.T) {
	scratch := new(HessianScratch)
	eachLevel(t, func(t *testing.T) {
		for i, c := range hessianShapes {
			for form, name := range formNames {
				for _, s := range []source{sources[0], sources[2]} {
					if testing.Short() && c.hasTiles() && (form > 0 || s.name != sources[0].name) {
						continue
					}
					rng := rand.New(rand.NewPCG(201, uint64(i)))
					rows := increasingRows(rng, s, lengthsOf(rng, c.rows, c.maxNonzeros), c.p)
					if c.denseCols > 0 {
						rows = withDenseCols(rng, s, rows, c.denseCols)
					}
					plainRows, a := inForm(rows, form)
					weight, h := s.vector(rng, c.rows), s.vector(rng, c.p*c.stride)
					for k := 0; k < len(h); k += 5 {
						h[k] = math.Copysign(0, -1)
					}
					want := slices.Clone(h)
					defineHessian(want, c.p, c.stride, plainRows, weight)
					for way, run := range map[string]func(h []float64){
						"Hessian": func(h []float64) { Hessian(h, c.p, c.stride, 0, c.p, a, weight, scratch) },
						"rows": func(h []float64) {
							scratch.sumByRows(h, c.p, c.stride, 0, c.p, a, weight)
							plusZero(h, c.p, c.stride, 0, c.p)
						},
						"panels": func(h []float64) {
							sumByPanels[a.form()](scratch, h, c.p, c.stride, 0, c.p, &a, weight)
							plusZero(h, c.p, c.stride, 0, c.p)
						},
						"parts": func(h []float64) {
							for cut := range 4 {
								Hessian(h, c.p, c.stride, HessianCut(a, c.p, cut, 4),
									HessianCut(a, c.p, cut+1, 4), a, weight, scratch)
							}
						},
						"panels in parts": func(h []float64) {
							sumByPanels[a.form()](scratch, h, c.p, c.stride, 0, c.p/3, &a, weight)
							sumByPanels[a.form()](scratch, h, c.p, c.stride, c.p/3, c.p, &a, weight)
							plusZero(h, c.p, c.stride, 0, c.p)
						},
					} {
						got := slices.Clone(h)
						run(got)
						sameVector(t, fmt.Sprintf("%v, %s, %s, %s: h", c, name, s.name, way), got, want)
					}
				}
			}
		}
	})
}

// TestHessianInfinite compares sumByPanels with the definition on more rows than are sorted at a time. One
// row, in the first or the second batch, has an infinite value or an infinite factor.
func TestHessianInfinite(t *testing.T) {
	const rows, p = panelBlocks*panelRows + 70, 40
	scratch := new(HessianScratch)
	eachLevel(t, func(t *testing.T) {
		for form, name := range formNames {
			for _, row := range []int{5, rows - 5} {
				for _, inFactor := range []bool{false, true} {
					rng := rand.New(rand.NewPCG(204, 1))
					lens := lengthsOf(rng, rows, 9)
					lens[row] = p / 2
					all := increasingRows(rng, sources[0], lens, p)
					c := sources[0].vector(rng, rows)
					if inFactor {
						c[row] = math.Inf(1)
					} else {
						all.Val[all.Ptr[row]] = math.Inf(1)
					}
					plainRows, a := inForm(all, form)
					got, want := make([]float64, p*p), make([]float64, p*p)
					defineHessian(want, p, p, plainRows, c)
					for _, cut := range [][2]int{{0, p / 3}, {p / 3, p}} {
						sumByPanels[a.form()](scratch, got, p, p, cut[0], cut[1], &a, c)
					}
					plusZero(got, p, p, 0, p)
					sameVector(t, fmt.Sprintf("%s, row %d, factor %v: h", name, row, inFactor), got, want)
				}
			}
		}
	})
}

// TestHessianGoroutines checks that the bits do not depend on the number of goroutines that divide the rows
// of h.
func TestHessianGoroutines(t *testing.T) {
	const rows, p = 500, 150
	rng := rand.New(rand.NewPCG(203, 1))
	for _, maxNonzeros := range []int{10, p} {
		a := increasingRows(rng, sources[0], lengthsOf(rng, rows, maxNonzeros), p)
		c := sources[0].vector(rng, rows)
		want := make([]float64, p*p)
		Hessian(want, p, p, 0, p, a, c, nil)
		for parts := range 8 {
			h := make([]float64, p*p)
			var group sync.WaitGroup
			for k := range parts + 1 {
				group.Go(func() {
					Hessian(h, p, p, HessianCut(a, p, k, parts+1), HessianCut(a, p, k+1, parts+1), a, c, nil)
				})
			}
			group.Wait()
			sameVector(t, fmt.Sprintf("%d goroutines: h", parts+1), h, want)
		}
	}
}

// TestHessianCut checks that HessianCut divides the rows of h into consecutive parts. No part may have more
// than the mean work plus the work of about two rows of h.
func TestHessianCut(t *testing.T) {
	rng := rand.New(rand.NewPCG(205, 1))
	for _, p := range []int{0, 1, 2, 7, 100, 900} {
		for _, denseCols := range []int{0, min(p, 10)} {
			a := increasingRows(rng, sources[0], lengthsOf(rng, 3000, min(p, 9)), p)
			a = withDenseCols(rng, sources[0], a, denseCols)
			for _, parts := range []int{1, 2, 3, 16} {
				if first, last := HessianCut(a, p, 0, parts), HessianCut(a, p, parts, parts); first != 0 || last != p {
					t.Errorf("p = %d, %d parts: from %d to %d", p, parts, first, last)
				}
				rowWork := int64(0) // the largest work of a row of h
				for j := range p {
					rowWork = max(rowWork, a.hessianWork(j+1, p)-a.hessianWork(j, p))
				}
				for k := range parts {
					lo, hi := HessianCut(a, p, k, parts), HessianCut(a, p, k+1, parts)
					partWork := a.hessianWork(hi, p) - a.hessianWork(lo, p)
					if hi < lo || partWork > a.hessianWork(p, p)/int64(parts)+2*rowWork+int64(parts) {
						t.Errorf("p = %d, %d dense columns: part %d of %d is %d to %d, %d of %d",
							p, denseCols, k, parts, lo, hi, partWork, a.hessianWork(p, p))
					}
				}
			}
		}
	}
}
