//go:build unix

package kernels

import (
	"math/rand/v2"
	"testing"
	"unsafe"

	"github.com/klauspost/cpuid/v2"
	"golang.org/x/sys/unix"
)

// guarded returns a copy of s. If atEnd is true, the copy ends right before an inaccessible page,
// otherwise it begins right after one. An access to this page is a fault.
func guarded[T any](t *testing.T, s []T, atEnd bool) []T {
	t.Helper()
	if len(s) == 0 {
		return s
	}
	pageSize := unix.Getpagesize()
	size := len(s) * int(unsafe.Sizeof(s[0]))
	bodySize := (size + pageSize - 1) / pageSize * pageSize
	const protection, flags = unix.PROT_READ | unix.PROT_WRITE, unix.MAP_ANON | unix.MAP_PRIVATE
	m, err := unix.Mmap(-1, 0, bodySize+2*pageSize, protection, flags)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := unix.Munmap(m); err != nil {
			t.Error(err)
		}
	})
	for _, p := range [][]byte{m[:pageSize], m[pageSize+bodySize:]} {
		if err := unix.Mprotect(p, unix.PROT_NONE); err != nil {
			t.Fatal(err)
		}
	}
	off := pageSize
	if atEnd {
		off += bodySize - size
	}
	g := unsafe.Slice((*T)(unsafe.Pointer(&m[off])), len(s))
	copy(g, s)
	return g
}

// TestBounds checks that functions of the package access no memory outside of their arguments: with a
// guard page before each argument, and then with one after each argument.
func TestBounds(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	eachLevel(t, func(t *testing.T) {
		if Active() == AVX2 && cpuid.CPU.HypervisorVendorID == cpuid.QEMU {
			t.Skip("this emulator reads all 32 bytes of a masked load, which processors do not")
		}
		for _, n := range lengths {
			if n == 0 || n > 250 {
				continue
			}
			for _, atEnd := range []bool{false, true} {
				vec := func() []float64 { return guarded(t, sources[0].vector(rng, n), atEnd) }
				a := rowsOf(rng, sources[0], []int{n}, n)
				a.Ptr = []int64{0, int64(n)}
				a.Idx, a.Val = a.Idx[3:], a.Val[3:]
				a.Idx[0], a.Idx[n-1] = 0, int32(n-1)
				guardRows(t, &a, atEnd)
				one := guarded(t, []float64{1}, atEnd)
				Margins(one, a, vec())
				Gradient(vec(), a, one)
				for form := range numForms {
					_, storedRows := inForm(a, form)
					guardRows(t, &storedRows, atEnd)
					Margins(one, storedRows, vec())
					Gradient(vec(), storedRows, one)
					guardInner(t, storedRows, n, atEnd, vec)
				}
				Dot(vec(), vec())
				Axpy(2, vec(), vec())
				LogisticSlopes(vec(), vec(), vec())
				LogisticSlopes(nil, vec(), vec())
				SquaredSlopes(vec(), vec(), vec())
				SquaredSlopes(nil, vec(), vec())
				LogisticFenchel(vec(), vec(), vec(), vec())
				ProjectedUpdate(vec(), vec(), vec(), vec(), 0.1)
				ProjectedUpdateBox(vec(), vec(), vec(), vec(), vec(), vec(), 0.1)
				ProjectedUpdateBall(vec(), vec(), vec(), vec(), 0.1, 1)
				ProxDual(vec(), vec(), vec(), vec(), 1)
			}
		}
	})
}

func guardRows(t *testing.T, a *Rows, atEnd bool) {
	a.Ptr, a.Idx, a.Val = guarded(t, a.Ptr, atEnd), guarded(t, a.Idx, atEnd), guarded(t, a.Val, atEnd)
	a.Idx16, a.Val32 = guarded(t, a.Idx16, atEnd), guarded(t, a.Val32, atEnd)
}

// TestHessianBounds checks that Hessian, sumByRows and sumByPanels access no memory outside of their
// arguments, as TestBounds does. h ends with the last element of the diagonal.
func TestHessianBounds(t *testing.T) {
	eachLevel(t, func(t *testing.T) {
		for i, c := range hessianShapes {
			for _, atEnd := range []bool{false, true} {
				rng := rand.New(rand.NewPCG(69, uint64(i)))
				rows := increasingRows(rng, sources[0], lengthsOf(rng, c.rows, c.maxNonzeros), c.p)
				rows = withDenseCols(rng, sources[0], rows, c.denseCols)
				s := guardedScratch(t, atEnd)
				for form := range numForms {
					_, a := inForm(rows, form)
					guardRows(t, &a, atEnd)
					weight := guarded(t, sources[0].vector(rng, c.rows), atEnd)
					h := guarded(t, make([]float64, (c.p-1)*c.stride+c.p), atEnd)
					Hessian(h, c.p, c.stride, 0, c.p, a, weight, s)
					s.sumByRows(h, c.p, c.stride, 0, c.p, a, weight)
					sumByPanels[a.form()](s, h, c.p, c.stride, 0, c.p, &a, weight)
				}
			}
		}
	})
}

func guardedScratch(t *testing.T, atEnd bool) *HessianScratch {
	s := &HessianScratch{spans: make([]span, spanRows)}
	s.makePanels()
	s.spans, s.panel, s.tile = guarded(t, s.spans, atEnd), guarded(t, s.panel, atEnd), guarded(t, s.tile, atEnd)
	s.t, s.mask = guarded(t, s.t, atEnd), guarded(t, s.mask, atEnd)
	s.groupBegin = guarded(t, s.groupBegin, atEnd)
	s.nextNonzero, s.nextPlace = guarded(t, s.nextNonzero, atEnd), guarded(t, s.nextPlace, atEnd)
	return s
}

// guardInner runs the inner loops on one sparse row, with guard pages. vec returns a new guarded vector of
// length p.
func guardInner(t *testing.T, a Rows, p int, atEnd bool, vec func() []float64) {
	one := func() []float64 { return guarded(t, []float64{1}, atEnd) }
	x := NewScratch(a)
	x.off, x.num, x.keep = guarded(t, x.off, atEnd), guarded(t, x.num, atEnd), guarded(t, x.keep, atEnd)
	s := &Steps{Rows: a, Label: one(), Slope0: one(), Eta: 0.1, Scratch: x}
	sampled := guarded(t, make([]int32, 40), atEnd)
	InnerDense(vec(), vec(), vec(), vec(), s, sampled)
	InnerBox(vec(), vec(), vec(), vec(), vec(), vec(), s, sampled)
	cells := Cells(guarded(t, NewCells(p), atEnd))
	InnerLazy(cells, nil, &Lazy{Alpha: 1, Q: 1}, s, sampled)
	InnerDecay(guarded(t, make([]DecayCell, p), atEnd), 3, s, sampled)
	InnerLazy(cells, one(), &Lazy{Alpha: 1, Q: 1, GammaLimit: 1}, s, sampled)
}

// TestRotatedBounds checks that InnerRotated accesses no memory outside of its arguments, as TestBounds does.
func TestRotatedBounds(t *testing.T) {
	eachLevel(t, func(t *testing.T) {
		for _, p := range []int{8, 16, 24, 128, 136} {
			for _, radius := range []float64{0, 1} {
				for _, loss := range []LossKind{LogisticLossKind, SquaredLossKind} {
					for _, atEnd := range []bool{false, true} {
						a := rotatedCaseOf(rand.New(rand.NewPCG(68, uint64(p))), sources[0], p, 5, 9, loss, radius)
						a.sampled[0], a.sampled[4], a.sampled[8] = 4, 0, 4
						for _, v := range []*[]float64{&a.w, &a.sum, &a.c, &a.e, &a.x, &a.steps.Label, &a.steps.Slope0} {
							*v = guarded(t, *v, atEnd)
						}
						a.sampled = guarded(t, a.sampled, atEnd)
						for n := range len(a.sampled) {
							InnerRotated(a.w, a.sum, a.c, a.e, a.x, a.radius, &a.steps, a.sampled[n:])
						}
					}
				}
			}
		}
	})
}
